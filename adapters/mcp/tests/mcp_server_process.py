"""The MCP server as a real child process."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2

PATIENCE = 300.0
"""Seconds that a server may take to come up or to answer: a loaded machine is no fault."""


def client(**headers):
    """Return an HTTP client that waits for a server however slow the machine is."""
    return httpx2.AsyncClient(headers=headers, timeout=PATIENCE)


def environment(**more):
    roots = [p for p in sys.path if p and Path(p).is_dir()]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(roots), **more}


class Http:
    """A server as a child process, on a port of its own; its log goes to a file, as a full pipe would stop it."""

    def __init__(self, db, *options, token=None, host="127.0.0.1"):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as probe:
            probe.bind((host, 0))
            self.port = probe.getsockname()[1]
        self.host = host
        extra = {"FOURFOLD_MCP_TOKEN": token} if token else {}
        command = [sys.executable, "-m", "fourfold_mcp", "--db", str(db), "--transport", "http"]
        self._log = Path(f"{db}.log")
        command += ["--host", host, "--port", str(self.port), *options]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(command, env=environment(**extra), stderr=log)
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{self.port}/mcp"
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(self.log())
            try:
                self.connect().close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("the server did not come up")

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=PATIENCE)

    def log(self):
        return self._log.read_text(encoding="utf-8")

    def stop(self):
        """End the server; return its exit code and what it wrote to its log."""
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(timeout=PATIENCE)
        return code, self.log()
