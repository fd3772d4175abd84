"""A socket that is read within a time as a whole, however slowly its bytes come; of streams, within a time from byte to byte."""
from __future__ import annotations

import io
import socket
import time
from typing import Any


class _Reader(io.RawIOBase):
    def __init__(self, owner: TimedSocket) -> None:
        super().__init__()
        self._owner = owner

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._owner.read_into(buffer)


class TimedSocket:
    """What http.client reads a response from: it asks for makefile alone. Closing that file closes no socket."""

    def __init__(self, sock: socket.socket, time_s: float) -> None:
        self._sock = sock
        self._until = time.monotonic() + time_s
        self._quiet_s: float | None = None

    def allow_silence(self, quiet_s: float) -> None:
        """From now on each read may take so long."""
        self._quiet_s = quiet_s

    def makefile(self, mode: str) -> io.BufferedReader:
        assert mode == "rb"
        return io.BufferedReader(_Reader(self))

    def read_into(self, buffer: Any) -> int:
        left_s = self._until - time.monotonic() if self._quiet_s is None else self._quiet_s
        if left_s <= 0:
            raise TimeoutError
        self._sock.settimeout(left_s)
        return self._sock.recv_into(buffer)
