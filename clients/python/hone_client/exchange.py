"""Exchange: one request over a connection of its own, and its response, as far as it is read. By http.client: it follows no redirect, so no other host is shown the token."""
from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Iterable, Iterator
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from types import TracebackType
from typing import cast

from hone_client import limits
from hone_client.access import Access
from hone_client.errors import BrokenReplyError, HoneError, TimedOutError, UnreachableError
from hone_client.timed_socket import TimedSocket


@contextlib.contextmanager
def _told(origin: str) -> Iterator[None]:
    """What the standard library raises, as errors of this package."""
    try:
        yield
    except HoneError:
        raise
    except ssl.SSLCertVerificationError as error:
        raise UnreachableError("bad_certificate", f"{origin} does not show that it is the service: {error.verify_message}; give its authority as ca_file") from error
    except TimeoutError as error:
        raise TimedOutError(f"{origin} did not answer in time") from error
    except HTTPException as error:
        raise BrokenReplyError(f"{origin} answered with what is no HTTP: {type(error).__name__} {str(error)[:200]}") from error
    except OSError as error:
        raise UnreachableError("io_error", f"{origin}: {error}; is the service running?") from error


class Exchange:
    def __init__(self, access: Access, time_s: float) -> None:
        self._origin = access.origin
        self._time_s = time_s
        self._connection = _connection(access, time_s)
        self._token = access.token

    def send(self, method: str, target: str, content_type: str, body: Iterable[bytes], body_bytes: int) -> None:
        """Sends all, and reads the response's head."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json, text/event-stream", "Connection": "close"}
        if content_type:
            headers |= {"Content-Type": content_type, "Content-Length": str(body_bytes)}
        with _told(self._origin):
            self._connection.connect()
            # A service that refuses does not read all of a body: what it says is there all the same.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._connection.request(method, target, body=body if content_type else None, headers=headers)
            self._socket = TimedSocket(self._connection.sock, self._time_s)
            self._response = HTTPResponse(cast(socket.socket, self._socket), method=method)
            self._response.begin()

    @property
    def status(self) -> int:
        return self._response.status

    @property
    def content_type(self) -> str:
        return (self._response.getheader("content-type") or "").partition(";")[0].strip().lower()

    def allow_silence(self, quiet_s: float) -> None:
        self._socket.allow_silence(quiet_s)

    def read_some(self) -> bytes:
        """The next bytes, as soon as there are some; b"" at the end, which is where the response said that it would be, if it said so."""
        with _told(self._origin):
            piece = self._response.read1(limits.READ_BYTES)
            if not piece and self._response.length:
                raise BrokenReplyError(f"{self._origin} ended its reply {self._response.length} bytes before its end")
            return piece

    def read_all(self) -> bytes:
        whole = bytearray()
        while piece := self.read_some():
            whole += piece
            if len(whole) > limits.REPLY_BYTES_MAX:
                raise BrokenReplyError(f"{self._origin} answered with more than {limits.REPLY_BYTES_MAX >> 20} MiB")
        return bytes(whole)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Exchange:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _connection(access: Access, time_s: float) -> HTTPConnection:
    if access.tls is None:
        return HTTPConnection(access.host, access.port, timeout=time_s)
    return HTTPSConnection(access.host, access.port, timeout=time_s, context=access.tls)
