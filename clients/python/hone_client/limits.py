"""How much of a service's answers is taken, and how long is waited for them. Whoever runs a service, or stands before it, may answer anything."""

REPLY_BYTES_MAX = 32 << 20
"""Of a reply's JSON. A page of records has 1 MiB, and its last line at most 4 more; a job's result is smaller."""

EVENT_BYTES_MAX = 32 << 20
"""Of one event, or of a line that is a comment: the last event of a job has its result."""

PAYLOAD_BYTES_MAX = 256 << 20
"""Of what a run computed. The service itself keeps no more for one client."""

REPLY_TIME_S = 60.0
"""Until a reply is there, as a whole; of a stream, until it begins."""

QUIET_TIME_S = 60.0
"""Without a byte on a stream. The service says a comment every 15 s."""

PAGES_MAX = 1_000_000
"""Of a list. Pages that never end are no list."""

READ_BYTES = 64 << 10
SEND_BYTES = 64 << 10
TOKEN_FILE_BYTES_MAX = 128
