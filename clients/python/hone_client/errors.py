"""What may go wrong. Each has a code of hone's (docs/protocol.md, "Errors and outcomes") and one sentence."""


class HoneError(Exception):
    """All that this package raises; itself where an argument is wrong (`invalid_argument`, `not_found`, `unsupported`)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class RefusedError(HoneError):
    """The service refused. `status` is that of HTTP; 0 where a stream ended with the refusal."""

    def __init__(self, code: str, message: str, status: int = 0) -> None:
        super().__init__(code, message)
        self.status = status


class JobError(HoneError):
    """A job ended otherwise than well. What it recorded until then is kept."""

    def __init__(self, code: str, message: str, job: str) -> None:
        super().__init__(code, message)
        self.job = job


class UnreachableError(HoneError):
    """There is no connection, or it ended: `io_error`; or the service does not show who it is: `bad_certificate`."""


class TimedOutError(HoneError):
    """Nothing came in time."""

    def __init__(self, message: str) -> None:
        super().__init__("timeout", message)


class BrokenReplyError(HoneError):
    """What came is no answer of a hone service, or more than is taken of one."""

    def __init__(self, message: str) -> None:
        super().__init__("protocol_error", message)
