"""Server-sent events (HTML Living Standard, 9.2), as they come, and only so much of them at once."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hone_client import limits
from hone_client.errors import BrokenReplyError


@dataclass(frozen=True)
class RawEvent:
    name: str
    data: bytes


class _Lines:
    """Lines out of pieces. What waits for its end is searched once."""

    def __init__(self, read_some: Callable[[], bytes]) -> None:
        self._read_some = read_some
        self._rest = bytearray()

    def __iter__(self) -> Iterator[bytes]:
        searched = 0
        while True:
            end = self._rest.find(b"\n", searched)
            if end >= 0:
                line = bytes(self._rest[:end])
                del self._rest[: end + 1]
                searched = 0
                yield line.removesuffix(b"\r")
                continue
            searched = len(self._rest)
            if not self._grow():
                return  # a line without an end is no part of an event

    def _grow(self) -> bool:
        piece = self._read_some()
        self._rest += piece
        if len(self._rest) > limits.EVENT_BYTES_MAX:
            raise BrokenReplyError(f"the service's stream has a line of more than {limits.EVENT_BYTES_MAX >> 20} MiB")
        return bool(piece)


@dataclass
class _Draft:
    """An event until its empty line."""

    name: str = ""
    data: list[bytes] = field(default_factory=list)
    size_bytes: int = 0

    def add(self, line: bytes) -> None:
        key, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if key == b"event":
            self.name = value.decode("utf-8", "replace")
        elif key == b"data":
            self.size_bytes += len(value) + 1
            if self.size_bytes > limits.EVENT_BYTES_MAX:
                raise BrokenReplyError(f"an event of the service has more than {limits.EVENT_BYTES_MAX >> 20} MiB")
            self.data.append(value)


def read_events(read_some: Callable[[], bytes]) -> Iterator[RawEvent]:
    """Until the stream ends. An event that is cut off by that is left out, as the standard says: whoever waits for a last event misses it."""
    draft = _Draft()
    for line in _Lines(read_some):
        if line:
            draft.add(line)  # a comment has no name before its colon
        elif draft.data:
            yield RawEvent(draft.name, b"\n".join(draft.data))
            draft = _Draft()
        else:
            draft = _Draft()
