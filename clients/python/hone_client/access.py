"""Which service, and what lets in."""
from __future__ import annotations

import os
import re
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from hone_client import limits
from hone_client.errors import HoneError

TOKEN_VARIABLE = "HONE_TOKEN"  # as of the program hone
_TOKEN = re.compile(r"[0-9a-f]{32}")
_PATHS = ("", "/", "/agent/", "/api/v1", "/api/v1/")


@dataclass(frozen=True)
class Access:
    host: str
    port: int
    token: str = field(repr=False)  # no traceback shows it
    tls: ssl.SSLContext | None  # None: http

    @property
    def origin(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}"


def find_access(url: str, token: str | None, token_file: str | os.PathLike[str] | None, ca_file: str | os.PathLike[str] | None) -> Access:
    """The token is `token`, else what `token_file` holds, else HONE_TOKEN."""
    parts = _split(url)
    https = parts.scheme == "https"
    if ca_file is not None and not https:
        raise HoneError("invalid_argument", f"ca_file is for https, and {parts.scheme}://{parts.hostname} is not")
    tls = _tls(ca_file) if https else None
    return Access(parts.hostname or "", _port(parts) or (443 if https else 80), find_token(token, token_file), tls)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise HoneError("invalid_argument", "the service's URL is malformed") from error
    if "#" in url or "?" in url or parts.username is not None or parts.password is not None:
        # Of such a URL nothing is said: it may hold the token.
        raise HoneError("invalid_argument", "the service's URL has a part that may hold a token; give http(s)://HOST:PORT, and the token as token, token_file or HONE_TOKEN")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in _PATHS:
        raise HoneError("invalid_argument", f"found {url!r}, expected the service's URL, such as http://127.0.0.1:9190 or https://lab.example")
    return parts


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError as error:
        raise HoneError("invalid_argument", "the port of the service's URL is not a number from 1 to 65535") from error


def _tls(ca_file: str | os.PathLike[str] | None) -> ssl.SSLContext:
    """With a file of an authority, that one alone is trusted; else those of the system."""
    try:
        return ssl.create_default_context(cafile=None if ca_file is None else os.fspath(ca_file))
    except (OSError, ValueError) as error:
        raise HoneError("bad_certificate", f"{ca_file}: {error}; give the PEM file of the service's authority") from error


def find_token(token: str | None, token_file: str | os.PathLike[str] | None) -> str:
    if token is not None:
        return _checked(token, "the argument token")
    if token_file is not None:
        return _checked(_read_token(Path(token_file)), str(token_file))
    if value := os.environ.get(TOKEN_VARIABLE):
        return _checked(value, TOKEN_VARIABLE)
    raise HoneError("unauthorized", "there is no token; give token, token_file or HONE_TOKEN (hone tokens create makes one)")


def _read_token(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(limits.TOKEN_FILE_BYTES_MAX).decode("ascii", "replace").strip()
    except OSError as error:
        raise HoneError("not_found" if isinstance(error, FileNotFoundError) else "io_error", f"{path}: {error.strerror}; give the file that holds the token") from error


def _checked(token: str, where: str) -> str:
    if _TOKEN.fullmatch(token):
        return token
    raise HoneError("invalid_argument", f"{where} holds no token, expected 32 hexadecimal digits, as hone tokens create prints them")
