"""FleetEvents: what happens to devices and jobs, from now on."""
from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType

from hone_client.errors import BrokenReplyError
from hone_client.generated.messages import DeviceChanged, FleetWatched, JobChanged
from hone_client.service import EventStream

FleetEvent = DeviceChanged | JobChanged


class FleetEvents:
    """When it is there, the service tells everything. Iterating waits for the next event; the service ends no such stream while it runs, so that its end is an error."""

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream
        if not isinstance(next(stream, None), FleetWatched):
            raise BrokenReplyError("the service did not say that it tells what happens")

    def __iter__(self) -> Iterator[FleetEvent]:
        return self

    def __next__(self) -> FleetEvent:
        for event in self._stream:
            if isinstance(event, (DeviceChanged, JobChanged)):
                return event
        self.close()
        raise BrokenReplyError("the service ended its events; ask for the lists, and listen anew")

    def close(self) -> None:
        self._stream.close()

    def __enter__(self) -> FleetEvents:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
