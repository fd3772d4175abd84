# Generated from schema/openapi.json by clients/generate. Do not edit.
"""Each operation of the service's REST interface."""
from hone_client.generated import messages
from hone_client.operation import Operation

LIST_DEVICES: Operation[messages.Devices] = Operation("GET", "/devices", query=("after",), reply=messages.Devices)
"""Asks for the fleet, page by page."""

LABEL_DEVICE: Operation[messages.DeviceLabelled] = Operation("PUT", "/devices/{device_id}/label", has_body=True, reply=messages.DeviceLabelled)
"""Gives a device a name."""

MANAGE_DEVICE: Operation[messages.DeviceManaged] = Operation("POST", "/devices/{device_id}/actions", has_body=True, reply=messages.DeviceManaged)
"""Takes a device out of service, or back, or forgets it. All but forgetting holds for each id by which the same physical device is known."""

SHOW_DEVICE: Operation[messages.DeviceShown] = Operation("GET", "/devices/{device_id}", reply=messages.DeviceShown)
"""Asks for a device and its history."""

SUBMIT_JOB: Operation[messages.JobAccepted] = Operation("POST", "/jobs", has_body=True, reply=messages.JobAccepted, events={"job_accepted": messages.JobAccepted, "job_progress": messages.JobProgress, "job_done": messages.JobDone, "job_failed": messages.JobFailed, "payload": messages.Payload, "error": messages.Problem})
"""Starts a job. After job_accepted come job_progress frames, then job_done or job_failed."""

LIST_JOBS: Operation[messages.Jobs] = Operation("GET", "/jobs", query=("before",), reply=messages.Jobs)
"""Asks for the jobs of the client's user, or for everybody's where an admin asks, page by page, one page at a time."""

CANCEL_JOB: Operation[messages.CancelAccepted] = Operation("POST", "/jobs/{job}/cancel", reply=messages.CancelAccepted)
"""Stops a job of the client's user, or of anybody where an admin asks: who submitted it or follows it hears its end. It ends with job_failed and the code cancelled, or, where a search has begun, with job_done and what is known by then."""

ATTACH_JOB: Operation[None] = Operation("GET", "/jobs/{job}/events", reply=type(None), events={"job_accepted": messages.JobAccepted, "job_progress": messages.JobProgress, "job_done": messages.JobDone, "job_failed": messages.JobFailed, "payload": messages.Payload, "error": messages.Problem})
"""Follows a job of the client's user, or of anybody where an admin asks. After job_accepted come job_progress frames, as many as the client reads, then job_done or job_failed; of a job that has ended, that at once. The job does not end with this client."""

SHOW_JOB: Operation[messages.JobShown] = Operation("GET", "/jobs/{job}", reply=messages.JobShown)
"""Asks for a job of the client's user, or of anybody where an admin asks."""

WATCH_FLEET: Operation[None] = Operation("GET", "/events", reply=type(None), events={"fleet_watched": messages.FleetWatched, "device_changed": messages.DeviceChanged, "job_changed": messages.JobChanged, "error": messages.Problem})
"""Asks to be told, from now on, what happens to devices and to the jobs of the client's user, or to everybody's where an admin asks. A client that reads slowly is told less."""

FETCH_RECORDS: Operation[messages.Records] = Operation("GET", "/records", query=("part", "tasks", "device_key", "job", "after"), json_query=("after",), reply=messages.Records)
"""Asks for records, page by page, one page at a time. tasks, device_key and job say which attempts; without them, all."""

CREATE_ENROLMENT: Operation[messages.Enrolment] = Operation("POST", "/enrolments", has_body=True, reply=messages.Enrolment)
"""Asks for a code that lets one agent in, once."""

LIST_TOKENS: Operation[messages.Tokens] = Operation("GET", "/tokens", query=("after",), reply=messages.Tokens)
"""Asks for the tokens, page by page."""

CREATE_TOKEN: Operation[messages.TokenCreated] = Operation("POST", "/tokens", has_body=True, reply=messages.TokenCreated)
"""Makes a token."""

REVOKE_TOKEN: Operation[messages.TokenRevoked] = Operation("DELETE", "/tokens/{token_id}", reply=messages.TokenRevoked)
"""Takes a token back: who is connected with it is closed, with the code 4003."""

ROTATE_TOKEN: Operation[messages.TokenCreated] = Operation("POST", "/tokens/{token_id}/rotate", reply=messages.TokenCreated)
"""Gives a token's id, role and name another secret; the earlier one ends as by revoke_token."""
