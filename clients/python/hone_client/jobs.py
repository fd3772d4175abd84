"""Jobs: starts them, or leaves them with the service; lists, follows and cancels them."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

from hone_client.errors import BrokenReplyError, JobError
from hone_client.generated import operations
from hone_client.generated.messages import JobAccepted, JobDone, JobFailed, JobInfo, JobProgress, JobShown, Payload
from hone_client.payload import PayloadPieces
from hone_client.requests import Request, Tune, job_request
from hone_client.service import EventStream, Service, pages
from hone_client.tensors import Output, outputs_of


class Job:
    """A job that is listened to. Iterating gives its progress until it ends; then `result` is there, of a form that its kind tells (schema/cli of hone).

    A job that `start` began ends with its connection: with `close`, or the end of a `with`. One that is only followed goes on.
    """

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream
        self._pieces = PayloadPieces()
        self._result: dict[str, Any] | None = None
        first = next(stream, None)
        if not isinstance(first, JobAccepted):
            raise BrokenReplyError("the service did not say which job it is")
        self.id = first.job

    def __iter__(self) -> Iterator[JobProgress]:
        return self

    def __next__(self) -> JobProgress:
        """Raises JobError where the job ends otherwise than well."""
        if self._result is not None:
            raise StopIteration
        for event in self._stream:
            if isinstance(event, JobProgress):
                return event
            if isinstance(event, Payload):
                self._pieces.add(event)
            elif self._take_end(event):
                raise StopIteration
        self.close()
        raise BrokenReplyError(f"the service ended the stream of {self.id} before the job's end; follow it again, where it was detached")

    def _take_end(self, event: object) -> bool:
        if isinstance(event, JobFailed):
            self.close()
            raise JobError(event.code, event.message, self.id)
        if not isinstance(event, JobDone):
            return False
        self.close()
        if not isinstance(event.result, dict):
            raise BrokenReplyError(f"the result of {self.id} is no object")
        self._result = event.result
        return True

    def wait(self) -> dict[str, Any]:
        """The result, once the job has ended well."""
        for _ in self:
            pass
        return self.result

    @property
    def result(self) -> dict[str, Any]:
        if self._result is None:
            raise RuntimeError(f"{self.id} has not ended; iterate over it, or wait()")
        return self._result

    def outputs(self) -> list[Output]:
        """Of a run that has ended."""
        return outputs_of(self.result, self._pieces.whole())

    def close(self) -> None:
        self._stream.close()

    def __enter__(self) -> Job:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Jobs:
    def __init__(self, service: Service) -> None:
        self._service = service

    def start(self, asked: Request) -> Job:
        """Begins a job that ends with the caller."""
        request, payload = job_request(asked)
        return _listen(self._service.open(operations.SUBMIT_JOB, {"job": request}, payload))

    def detach(self, asked: Tune) -> str:
        """Leaves a search with the service, which goes on also after it was started anew. Returns the job's id."""
        request, payload = job_request(asked)
        return self._service.ask(operations.SUBMIT_JOB, {"job": request, "detached": True}, payload).job

    def follow(self, job: str) -> Job:
        """From where it is now; of one that has ended, its end."""
        return _listen(self._service.open(operations.ATTACH_JOB, {"job": job}))

    def cancel(self, job: str) -> None:
        self._service.ask(operations.CANCEL_JOB, {"job": job})

    def get(self, job: str) -> JobShown:
        """With its result, where it ended well and that is kept."""
        return self._service.ask(operations.SHOW_JOB, {"job": job})

    def list(self) -> Iterator[JobInfo]:
        """The latest first."""

        def fetch(before: int | None) -> tuple[Sequence[JobInfo], int | None]:
            page = self._service.ask(operations.LIST_JOBS, {"before": before})
            return page.jobs, page.next

        return pages(fetch)


def _listen(stream: EventStream) -> Job:
    try:
        return Job(stream)
    except BaseException:
        stream.close()
        raise
