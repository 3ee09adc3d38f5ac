"""What of a text UTF-8 can hold, and how a file of text is encoded, as far as its byte order mark tells.

Excel's "Unicode text" is UTF-16.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

_MARKS = {  # that of UTF-32 begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

UTF_8 = "utf-8-sig"
"""With a byte order mark or without one."""

LONGEST_MARK = 4


def encodable(text: str) -> bool:
    """Whether a text is made of whole characters, which UTF-8 has; halves of some are lone surrogates."""
    return text.isascii() or text == in_utf8(text)


def in_utf8(text: str) -> str:
    """Return a text with ``?`` for each half of a character."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def marked(data: bytes) -> str:
    """Return the encoding that the beginning of a text is marked with; UTF-8 where there is no mark."""
    return next((name for mark, name in _MARKS.items() if data.startswith(mark)), UTF_8)


def read(path: str | Path) -> str:
    """Return the text of a file, in the encoding that it is marked with.

    Raises:
        OSError: it cannot be read.
        UnicodeDecodeError: it is in another encoding.

    """
    with opened(path) as file:
        return file.read()


def unread(error: OSError | UnicodeDecodeError) -> str:
    """Return why a file could not be read, as the end of a sentence that has named it."""
    if isinstance(error, OSError):
        return error.strerror or " ".join(str(error).split()) or type(error).__name__
    told = f"it is no {error.encoding.upper()} text (byte {error.start}: {error.reason})"
    return f"{told}; save it as UTF-8 (in Excel, CSV UTF-8)"


@contextmanager
def opened(path: str | Path, newline: str | None = None) -> Iterator[TextIOWrapper]:
    """Open a file to read its text, in the encoding that it is marked with.

    Raises:
        OSError: it cannot be read.

    """
    with open(path, "rb") as file, TextIOWrapper(file, marked(file.peek(LONGEST_MARK)), newline=newline) as text:
        yield text
