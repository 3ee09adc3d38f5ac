"""Milvus Lite as a server of its own, and what child processes do with a graph in it."""

import os
import signal
import socket
import subprocess
import sys
import time

from fourfold import Edge, Node, RetrievalConfig, Retriever

CONFIG = RetrievalConfig().replace(text={"phrase": "never"}, index={"cache_seconds": 0.0})
WRITES = ("insert", "change", "delete")
"""What a link changes anything by."""


class Server:
    """One server on a port of the loopback, with its data in a folder."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._command = [sys.executable, "-m", "milvus_lite", "server", "--host", "127.0.0.1"]
        self._command += ["--data-dir", str(folder), "--port", str(self.port)]
        self.start()

    def start(self):
        """Begin, or go on with what is there."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        given_up = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert self._process.poll() is None and time.monotonic() < given_up, "the server did not start"
                time.sleep(0.05)

    def url(self, graph):
        """Return the address of a graph."""
        return f"milvus://127.0.0.1:{self.port}?graph={graph}&claim=0.5"

    def stop(self):
        """End the server."""
        self._process.kill()
        self._process.wait()


def twins(number):
    """Return the nodes and edges of one write: an answer has both nodes, with this number, or none."""
    nodes = [Node(f"{side}", "zebra twin", text=f"number{number}", metadata={"number": number}) for side in "ab"]
    return [*nodes, Node(f"only {number}", "zebra")], [Edge("a", "b", "twin_of", float(number))]


def write(retriever, number):
    """Replace the twins, delete what the former write has added, and say a word on an answer; all in one write."""

    def also(writer):
        writer.delete_nodes([f"only {number - 1}"])
        writer.set_meta("number", str(number))
        writer.put_feedback("zebra", "a", number / 1000)

    retriever.add(*twins(number), also=also)


def count(url, number):
    """Return how many changes one write makes."""
    made = []
    with Retriever(url, config=CONFIG) as retriever:
        _watch(made.append)
        write(retriever, number)
    return len(made)


def die(url, number, at):
    """Write, and be killed in the middle of one of its changes: half of the rows are written."""
    _watch(lambda change: None, at)
    with Retriever(url, config=CONFIG) as retriever:
        write(retriever, number)


def _watch(tell, at=None):
    """Count the changes of all links; at one of them the process ends at once."""
    from fourfold.engines.milvus.link import Link

    made = []

    def watched(name):
        real = getattr(Link, name)

        def change(self, collection, rows, *more):
            if len(made) == at:
                if not isinstance(rows, str):
                    real(self, collection, rows[: len(rows) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            made.append(name)
            tell(name)
            real(self, collection, rows, *more)

        return change

    for name in WRITES:
        setattr(Link, name, watched(name))


if __name__ == "__main__":
    _, task, url, number, *more = sys.argv
    if task == "die":
        die(url, int(number), int(more[0]))
    elif task == "count":
        print(count(url, int(number)))  # noqa: T201
