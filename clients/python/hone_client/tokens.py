"""Tokens: who is let in. For admins."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

from hone_client.generated import operations
from hone_client.generated.messages import Enrolment, Quota, Role, TokenCreated, TokenInfo
from hone_client.service import Service, pages


class Tokens:
    def __init__(self, service: Service) -> None:
        self._service = service

    def list(self) -> Iterator[TokenInfo]:
        def fetch(after: str | None) -> tuple[Sequence[TokenInfo], str | None]:
            page = self._service.ask(operations.LIST_TOKENS, {"after": after})
            return page.tokens, page.tokens[-1].token_id if page.more and page.tokens else None

        return pages(fetch)

    def create(self, role: Role, name: str = "", lifetime_s: float = 0, quota: Quota | None = None) -> TokenCreated:
        """`lifetime_s` 0: until it is revoked. The service tells the token this once."""
        return self._service.ask(operations.CREATE_TOKEN, {"role": role, "name": name, "lifetime_s": lifetime_s, "quota": quota})

    def rotate(self, token_id: str) -> TokenCreated:
        return self._service.ask(operations.ROTATE_TOKEN, {"token_id": token_id})

    def revoke(self, token_id: str) -> None:
        self._service.ask(operations.REVOKE_TOKEN, {"token_id": token_id})

    def enrol(self, name: str = "") -> Enrolment:
        """A code that lets one agent in, once."""
        return self._service.ask(operations.CREATE_ENROLMENT, {"name": name})
