"""The MCP server as a real child process."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path


def environment(**more):
    roots = [p for p in sys.path if p and Path(p).is_dir()]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(roots), **more}


class Http:
    """A server as a child process, on a port of its own."""

    def __init__(self, db, *options, token=None):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        extra = {"FOURFOLD_MCP_TOKEN": token} if token else {}
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "fourfold_mcp",
                "--db",
                str(db),
                "--transport",
                "http",
                "--port",
                str(self.port),
                *options,
            ],
            env=environment(**extra),
            stderr=subprocess.PIPE,
        )
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(self.process.stderr.read().decode())
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the server did not come up")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(timeout=60)
        self.process.stderr.close()
        return code
