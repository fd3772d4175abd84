"""Client: a hone service, as programs see it."""
from __future__ import annotations

import os

from hone_client import limits
from hone_client.access import find_access
from hone_client.devices import Devices
from hone_client.fleet import FleetEvents
from hone_client.generated import operations
from hone_client.jobs import Jobs
from hone_client.records import Records
from hone_client.service import Service
from hone_client.tokens import Tokens


class Client:
    """Holds no connection: each request makes one, so that it need not be closed, and may be used by several threads."""

    def __init__(self, url: str, *, token: str | None = None, token_file: str | os.PathLike[str] | None = None, ca_file: str | os.PathLike[str] | None = None,
                 reply_time_s: float = limits.REPLY_TIME_S, quiet_time_s: float = limits.QUIET_TIME_S) -> None:
        """`url` without a token, such as http://127.0.0.1:9190. The token is `token`, else what `token_file` holds, else HONE_TOKEN. `ca_file`: the authority (PEM) of a service of https;
        else those that the system trusts."""
        access = find_access(url, token, token_file, ca_file)
        self._service = Service(access, reply_time_s, quiet_time_s)
        self.url = access.origin
        self.devices = Devices(self._service)
        self.jobs = Jobs(self._service)
        self.records = Records(self._service)
        self.tokens = Tokens(self._service)

    def events(self) -> FleetEvents:
        stream = self._service.open(operations.WATCH_FLEET, {})
        try:
            return FleetEvents(stream)
        except BaseException:
            stream.close()
            raise

    def __repr__(self) -> str:
        return f"Client({self.url!r})"
