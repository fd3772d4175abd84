"""What a job computed, as it comes: pieces in order, in base64."""
from __future__ import annotations

import base64
import binascii

from hone_client import limits
from hone_client.errors import BrokenReplyError
from hone_client.generated.messages import Payload


class PayloadPieces:
    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, piece: Payload) -> None:
        if piece.offset != len(self._bytes):
            raise BrokenReplyError(f"a piece of the job's outputs begins at {piece.offset}, expected {len(self._bytes)}")
        try:
            self._bytes += base64.b64decode(piece.base64, validate=True)
        except (binascii.Error, ValueError) as error:
            raise BrokenReplyError("a piece of the job's outputs is no base64") from error
        if len(self._bytes) > limits.PAYLOAD_BYTES_MAX:
            raise BrokenReplyError(f"the job's outputs have more than {limits.PAYLOAD_BYTES_MAX >> 20} MiB")

    def whole(self) -> bytes:
        return bytes(self._bytes)
