"""What is told to the service, as JSON."""
from __future__ import annotations

import dataclasses
import json
from typing import Any

from hone_client.errors import HoneError


def as_json(value: object) -> Any:
    """Of messages their fields; those that are None are left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = ((f.name, getattr(value, f.name)) for f in dataclasses.fields(value))
        return {name: as_json(part) for name, part in fields if part is not None}
    if isinstance(value, dict):
        return {name: as_json(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(part) for part in value]
    return value


def json_text(value: object) -> str:
    try:
        return json.dumps(as_json(value), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise HoneError("invalid_argument", f"this cannot be said as JSON: {error}") from error
