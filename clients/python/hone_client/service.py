"""Service: asks for operations. One connection each: none stays open behind a reply."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

from hone_client import limits
from hone_client.access import Access
from hone_client.decode import decode, parse_json
from hone_client.errors import BrokenReplyError, RefusedError
from hone_client.event_stream import read_events
from hone_client.exchange import Exchange
from hone_client.generated.messages import Problem
from hone_client.multipart import Body, json_body, parts_body
from hone_client.operation import Operation

Reply = TypeVar("Reply")
Item = TypeVar("Item")


class EventStream:
    """The events of one reply, as messages. Its connection ends with it, whether it ends well or not, and with `close`, or the end of a `with`."""

    def __init__(self, exchange: Exchange, kinds: Mapping[str, type[Any]], quiet_s: float) -> None:
        self._exchange = exchange
        exchange.allow_silence(quiet_s)
        self._events = self._read(kinds)

    def _read(self, kinds: Mapping[str, type[Any]]) -> Iterator[Any]:
        try:
            for event in read_events(self._exchange.read_some):
                if event.name not in kinds:  # of a newer service
                    continue
                message = decode(kinds[event.name], parse_json(event.data, f"the event {event.name}"), event.name)
                if isinstance(message, Problem):
                    raise RefusedError(message.code, message.message)
                yield message
        finally:
            self.close()

    def __iter__(self) -> Iterator[Any]:
        return self._events

    def __next__(self) -> Any:
        return next(self._events)

    def close(self) -> None:
        self._exchange.close()

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Service:
    def __init__(self, access: Access, reply_time_s: float, quiet_time_s: float) -> None:
        self._access = access
        self._reply_time_s = reply_time_s
        self._quiet_time_s = quiet_time_s

    def ask(self, operation: Operation[Reply], arguments: Mapping[str, object], payload: Sequence[bytes] = ()) -> Reply:
        with self._send(operation, arguments, payload) as exchange:
            _expect(exchange, "application/json")
            reply = parse_json(exchange.read_all(), f"the reply to {operation.method} {operation.path}")
            return decode(operation.reply, reply, operation.reply.__name__)

    def open(self, operation: Operation[Any], arguments: Mapping[str, object], payload: Sequence[bytes] = ()) -> EventStream:
        exchange = self._send(operation, arguments, payload)
        try:
            _expect(exchange, "text/event-stream")
            return EventStream(exchange, operation.events, self._quiet_time_s)
        except BaseException:
            exchange.close()
            raise

    def _send(self, operation: Operation[Any], arguments: Mapping[str, object], payload: Sequence[bytes]) -> Exchange:
        body = _body(operation.body(arguments), payload)
        exchange = Exchange(self._access, self._reply_time_s)
        try:
            exchange.send(operation.method, operation.target(arguments), body.content_type, body.pieces(), body.size_bytes)
            _refuse_problem(exchange)
        except BaseException:
            exchange.close()
            raise
        return exchange


def _body(message: bytes | None, payload: Sequence[bytes]) -> Body:
    if message is None:
        return Body("", ())
    return parts_body(message, payload) if payload else json_body(message)


def _refuse_problem(exchange: Exchange) -> None:
    if exchange.status == 200:
        return
    if exchange.content_type != "application/json":
        raise BrokenReplyError(f"what answers there is no hone service, or a proxy before it: status {exchange.status}")
    problem = decode(Problem, parse_json(exchange.read_all(), f"the answer with status {exchange.status}"), "the refusal")
    raise RefusedError(problem.code, problem.message, exchange.status)


def _expect(exchange: Exchange, content_type: str) -> None:
    if exchange.content_type != content_type:
        raise BrokenReplyError(f"the reply is {exchange.content_type[:64] or 'of no type'}, expected {content_type}; is this a hone service?")


def pages(fetch: Callable[[Any], tuple[Sequence[Item], Any]]) -> Iterator[Item]:
    """All items of a list. `fetch` gets where a page begins, None for the first one, and returns its items and where the next one does, None behind the last one."""
    place = None
    for _ in range(limits.PAGES_MAX):
        items, following = fetch(place)
        yield from items
        if following is None:
            return
        if following == place:
            break
        place = following
    raise BrokenReplyError("the service's list has no end")
