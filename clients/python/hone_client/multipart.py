"""Bodies of requests: JSON, or a message and its payload as the parts of multipart/form-data (RFC 7578)."""
from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hone_client import limits


@dataclass(frozen=True)
class Body:
    content_type: str  # "": there is none
    parts: Sequence[bytes]

    @property
    def size_bytes(self) -> int:
        return sum(len(part) for part in self.parts)

    def pieces(self) -> Iterator[bytes]:
        """So small that each is sent within the time of one write, and without a copy of the whole."""
        for part in self.parts:
            view = memoryview(part)
            for begin in range(0, len(view), limits.SEND_BYTES):
                yield bytes(view[begin : begin + limits.SEND_BYTES])


def json_body(message: bytes) -> Body:
    return Body("application/json", (message,))


def parts_body(message: bytes, payload: Sequence[bytes]) -> Body:
    boundary = f"hone-{secrets.token_hex(16)}"
    ask = f'--{boundary}\r\nContent-Disposition: form-data; name="ask"\r\nContent-Type: application/json\r\n\r\n'.encode()
    between = f'\r\n--{boundary}\r\nContent-Disposition: form-data; name="payload"; filename="payload"\r\nContent-Type: application/octet-stream\r\n\r\n'.encode()
    end = f"\r\n--{boundary}--\r\n".encode()
    return Body(f"multipart/form-data; boundary={boundary}", (ask, message, between, *payload, end))
