"""How a command is stopped: by Ctrl+C, or by SIGTERM, as services and containers are."""

from __future__ import annotations

import signal
import threading
from types import FrameType


def heed_termination() -> None:
    """Take SIGTERM as Ctrl+C is taken: what is begun is taken back, and what lies beside the file is put away.

    In a thread of another program, which alone is told of signals, nothing is changed.
    """
    ours = threading.current_thread() is threading.main_thread()
    if ours and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)


def exit_code(stopped: KeyboardInterrupt) -> int:
    """Return what a shell says of a process that a signal ended: 130 for SIGINT, 143 for SIGTERM."""
    number: int = stopped.args[0] if stopped.args else signal.SIGINT
    return 128 + number


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second one is not waited for
    raise KeyboardInterrupt(number)
