"""What the service says, as messages. It is checked here, once: behind it each field has its type."""
from __future__ import annotations

import dataclasses
import functools
import json
import sys
import types
from collections.abc import Hashable
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from hone_client.errors import BrokenReplyError

Message = TypeVar("Message")


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def parse_json(text: bytes, what: str) -> Any:
    """Whatever nesting, number or encoding is in it."""
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BrokenReplyError(f"{what} is no JSON: {str(error)[:200]}") from error


@functools.cache
def _hints(message: Any) -> dict[str, Any]:
    return get_type_hints(message)


def _refuse(where: str, expected: str, found: object) -> BrokenReplyError:
    return BrokenReplyError(f"{where} is {type(found).__name__}, expected {expected}; the service may be of another version than this client")


def decode(message: type[Message], value: Any, where: str) -> Message:
    """Fields that are not known here are left out: they are of a newer service."""
    if not isinstance(value, dict):
        raise _refuse(where, "an object", value)
    hints = _hints(cast(Hashable, message))
    fields = {}
    for field in dataclasses.fields(message):  # type: ignore[arg-type]  # all messages are dataclasses
        if field.name in value:
            fields[field.name] = _value(hints[field.name], value[field.name], f"{where}.{field.name}")
        elif field.default is dataclasses.MISSING:
            raise BrokenReplyError(f"{where}.{field.name} is missing; the service may be of another version than this client")
    return message(**fields)


def _value(hint: Any, value: Any, where: str) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        return _value(_without_words(hint), value, where)
    if get_origin(hint) is list:
        return _list(get_args(hint)[0], value, where)
    if get_origin(hint) is dict:
        return _map(get_args(hint)[1], value, where)
    if dataclasses.is_dataclass(hint):
        return decode(hint, value, where)  # type: ignore[arg-type]
    return _plain(hint, value, where)


def _without_words(hint: Any) -> Any:
    """`Words | str | None` is what an optional enumeration is called: any string, as a newer service may say further words. None is no value that comes."""
    kinds = [kind for kind in get_args(hint) if kind is not type(None) and get_origin(kind) is not Literal]
    return kinds[0]


def _list(of: Any, value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _refuse(where, "a list", value)
    return [_value(of, part, f"{where}[{index}]") for index, part in enumerate(value)]


def _map(of: Any, value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _refuse(where, "an object", value)
    return {name: _value(of, part, f"{where}.{name[:64]}") for name, part in value.items()}


def _plain(hint: Any, value: Any, where: str) -> Any:
    if hint is Any:
        return value
    kinds = {float: (float, int)}.get(hint, (hint,))
    if not isinstance(value, kinds) or (isinstance(value, bool) and hint is not bool):
        raise _refuse(where, hint.__name__, value)
    return _finite(value, where) if hint is float else value


def _finite(value: float, where: str) -> float:
    """JSON may write numbers beyond every float."""
    if abs(value) > sys.float_info.max:
        raise BrokenReplyError(f"{where} is a number that no float holds")
    return float(value)
