"""An operation of the REST interface: where a request goes, and what comes back."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from hone_client.encode import as_json, json_text

Reply = TypeVar("Reply")


@dataclass(frozen=True)
class Operation(Generic[Reply]):
    method: str
    path: str  # below /api/v1, with its variables in braces
    reply: type[Reply]  # NoneType where only a stream answers
    query: tuple[str, ...] = ()
    json_query: tuple[str, ...] = ()  # those of query that are JSON
    has_body: bool = False
    events: Mapping[str, type[Any]] = field(default_factory=dict)  # of its stream, by their names

    def target(self, arguments: Mapping[str, object]) -> str:
        """Path and query. Lists of strings are arguments that come several times."""
        filled = self.path.format_map({name: quote(str(value), safe="") for name, value in arguments.items()})
        asked = {name: arguments[name] for name in self.query if arguments.get(name) is not None}
        words = {name: json_text(value) if name in self.json_query else value for name, value in asked.items()}
        return f"/api/v1{filled}" + (f"?{urlencode(words, doseq=True)}" if words else "")

    def body(self, arguments: Mapping[str, object]) -> bytes | None:
        """What stands neither in the path nor in the query."""
        if not self.has_body:
            return None
        rest = {name: as_json(value) for name, value in arguments.items() if f"{{{name}}}" not in self.path and name not in self.query and value is not None}
        return json_text(rest).encode()
