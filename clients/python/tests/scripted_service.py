"""ScriptedService: says what a test wants it to say, byte for byte, to whoever asks."""
from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterable
from types import TracebackType

from hone_client import Client

TOKEN = "0123456789abcdef0123456789abcdef"
Answer = Callable[[bytes], Iterable[bytes]]


def reply(body: bytes, content_type: str = "application/json", status: str = "200 OK", length: int | None = None) -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body) if length is None else length}\r\n\r\n".encode() + body


def stream(*pieces: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + b"".join(pieces)


def event(name: str, data: str) -> bytes:
    return f"event: {name}\ndata: {data}\n\n".encode()


class ScriptedService:
    """`answer` gets a request's head and gives the pieces of what is sent; then the connection ends."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.heads: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def client(self, reply_time_s: float = 10, quiet_time_s: float = 10) -> Client:
        return Client(self.url, token=TOKEN, reply_time_s=reply_time_s, quiet_time_s=quiet_time_s)

    def wait_for_end(self) -> None:
        """Of an answer that is silence."""
        self._ends.wait()

    def _serve(self) -> None:
        while True:
            peer, _ = self._listener.accept()
            with peer:
                if self._ends.is_set():
                    return
                with contextlib.suppress(OSError):  # the client has heard enough
                    self._say(peer)

    def _say(self, peer: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head and (piece := peer.recv(65536)):
            head += piece
        self.heads.append(head)
        for said in self._answer(head):
            peer.sendall(said)
        peer.shutdown(socket.SHUT_WR)

    def __enter__(self) -> ScriptedService:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ends.set()
        with contextlib.suppress(OSError):
            socket.create_connection(self._listener.getsockname()).close()
        self._thread.join()
        self._listener.close()
