"""Records: what was measured, as dictionaries or as a frame of pandas."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from hone_client.frames import frame_of
from hone_client.generated import operations
from hone_client.generated.messages import RecordPart, RecordPlace
from hone_client.service import Service, pages

if TYPE_CHECKING:
    import pandas


class Records:
    def __init__(self, service: Service) -> None:
        self._service = service

    def list(self, part: RecordPart = "attempts", *, job: str | None = None, tasks: Sequence[str] | None = None, device_key: str | None = None) -> Iterator[dict[str, Any]]:
        """As they stand in lines of `hone records export` (schema/cli/record.json). `job`, `tasks` and `device_key` say which; with `job` also those that others made of the same tasks on
        the same class of devices: each has its `job`."""
        asked = {"part": part, "job": job, "tasks": tasks and tuple(tasks), "device_key": device_key}

        def fetch(after: RecordPlace | None) -> tuple[Sequence[dict[str, Any]], RecordPlace | None]:
            page = self._service.ask(operations.FETCH_RECORDS, {**asked, "after": after})
            return page.lines, page.next

        return pages(fetch)

    def frame(self, part: RecordPart = "attempts", *, job: str | None = None, tasks: Sequence[str] | None = None, device_key: str | None = None) -> pandas.DataFrame:
        """The same as `list`, a row each, in the order in which they were recorded. Needs hone-client[pandas]."""
        return frame_of(part, self.list(part, job=job, tasks=tasks, device_key=device_key))
