"""Records as frames of pandas, which is imported where a frame is asked for, and nowhere else."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hone_client.errors import HoneError
from hone_client.generated.messages import RecordPart
from hone_client.generated.record_columns import ATTEMPT_COLUMNS

if TYPE_CHECKING:
    import pandas

# Of attempts as lines of `hone records export` have them.
_COLUMNS: dict[RecordPart, tuple[str, ...]] = {
    "attempts": ATTEMPT_COLUMNS,
    "tasks": ("task", "task_name", "task_text", "flops"),
    "devices": ("device_key", "target", "fingerprint"),
    "jobs": ("job", "kind", "state", "device_key", "request", "message", "started_unix_ms", "ended_unix_ms"),
}
# What it means that a line of an attempt does not have the key.
_ABSENT = {"cache": "hot", "standing": "unconfirmed"}
_MOMENTS = ("recorded_unix_ms", "started_unix_ms", "ended_unix_ms")


def frame_of(part: RecordPart, lines: Iterable[dict[str, Any]]) -> pandas.DataFrame:
    """All columns are there, also where no line has the key, and where there is no line."""
    try:
        import pandas
    except ImportError as error:
        raise HoneError("unsupported", "frames need pandas; install hone-client[pandas]") from error
    rows = [_ABSENT | line if part == "attempts" else line for line in lines]
    columns = dict.fromkeys(_COLUMNS[part]) | dict.fromkeys(name for row in rows for name in row)
    frame: pandas.DataFrame = pandas.DataFrame(rows, columns=list(columns))
    for name in _MOMENTS:
        if name in frame:
            frame[name.removesuffix("_unix_ms")] = pandas.to_datetime(frame[name], unit="ms", utc=True)
    if part == "attempts":
        frame = frame.sort_values("recorded_unix_ms", kind="stable", ignore_index=True)
    return frame
