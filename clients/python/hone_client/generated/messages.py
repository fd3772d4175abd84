# Generated from schema/openapi.json by clients/generate. Do not edit.
"""What the service says and is told."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Outcome = Literal["ok", "compile_error", "validation_error", "out_of_memory", "device_lost", "timeout", "wrong_output", "not_written", "agent_gone", "unstable", "invalid_argument", "parse_error", "bad_model", "unsupported", "illegal_schedule", "limit_exceeded", "not_found", "io_error", "disk_full", "address_in_use", "unauthorized", "protocol_error", "no_device", "stale_fence", "cancelled", "busy", "version_mismatch", "bad_certificate", "internal"]
"""A code of schema/errors.json."""

@dataclass(frozen=True)
class Payload:
    """A piece of the job's payload, in order, before its end is told."""
    offset: int
    """Where it begins. [bytes]"""
    base64: str
    """The bytes."""

@dataclass(frozen=True)
class Problem:
    """Why there is no other reply."""
    code: Outcome | str
    message: str
    """One clear sentence."""

DeviceStateKind = Literal["ready", "lost", "recovering", "gone", "stuck"]
"""What a device can do now."""

ServiceState = Literal["idle", "leased", "draining", "maintenance", "quarantined"]
"""What people let a device do, and whether a job uses it. Kept over restarts."""

DeviceAction = Literal["drain", "quarantine", "resume", "forget"]
"""What an admin does with a device."""

DeviceEventKind = Literal["connected", "gone", "stuck", "lost", "leased", "lease_ended", "labelled", "drained", "quarantined", "resumed"]
"""What happened to a device."""

JobKind = Literal["tune", "bench", "run", "verify", "compare", "compare_builds"]
"""What a job does."""

JobPhase = Literal["queued", "preparing", "waiting_for_device", "measuring", "finishing"]
"""Where a job is."""

JobState = Literal["queued", "running", "done", "failed", "cancelled", "lost"]
"""How far a job has come. Kept over restarts."""

Role = Literal["agent", "submitter", "admin", "server"]
"""What a token lets its holder do."""

RecordPart = Literal["tasks", "devices", "jobs", "attempts"]
"""What a line of the records says."""

@dataclass(frozen=True)
class RecordPlace:
    """A place among the records. What is recorded meanwhile comes behind it."""
    row: int
    """Of attempts the number of the trial; of the other parts how many lines came before."""
    attempt: int
    """Of attempts the attempt's number; else 0."""

@dataclass(frozen=True)
class Fingerprint:
    """What the agent observed of a device. What of it the speed of a kernel depends on, and does not change by itself, makes the device key (schema/device_key.h)."""
    target: str
    """The kind of kernels it runs: webgpu, webgl, wasm, native, opengl or opencl."""
    vendor: str
    """The adapter's vendor, as the browser names it."""
    architecture: str
    """The adapter's architecture, as the browser names it."""
    device: str
    """The adapter's device id, as the browser names it."""
    description: str
    """The adapter's description, for people; no part of the device key."""
    backend: str
    """The graphics interface below the browser's one (vulkan, metal, d3d12), or empty when unknown."""
    browser: str
    """The browser or process in lower case: chromium, firefox, safari, node, native."""
    browser_major: int
    """The browser's major version."""
    os: str
    """The operating system in lower case."""
    features: list[str]
    """The features that can be asked for; order does not matter."""
    limits: dict[str, float]
    """The device's limits by their names in the API, e.g. maxComputeInvocationsPerWorkgroup."""
    launch_us: float | None = None
    """What one launch more costs a run, whatever it computes, as measured; no part of the device key. [us]"""
    driver: str | None = None
    """The driver's version, where anything says it; no part of the device key."""
    arithmetic_gflops: float | None = None
    """What a kernel of multiplications and additions alone reaches, as measured; no part of the device key. [GFLOP/s]"""
    memory_gb_s: float | None = None
    """How fast it reads what lies in no cache, as measured; no part of the device key. [GB/s]"""
    last_level_cache_bytes: int | None = None
    """Up to which working set its reads are faster than its memory, as measured, a power of 2; absent where no such size was found; no part of the device key. [bytes]"""

@dataclass(frozen=True)
class Timer:
    """How a device tells time."""
    method: str
    """timestamp, slope or clock."""
    quantum_ns: float
    """The smallest step of its clock, as measured. [ns]"""

@dataclass(frozen=True)
class LeaseInfo:
    """A lease, as people see it."""
    lease_id: str
    """The lease."""
    fence: int
    """Its fence."""
    job: str
    """The job that holds it."""
    user: str
    """The person behind the job."""
    expires_in_ms: float
    """When it ends unless a heartbeat renews it. [ms]"""

@dataclass(frozen=True)
class DeviceInfo:
    """A device of the fleet."""
    device_id: str
    """This one device."""
    device_key: str
    """The class of equal devices."""
    kind: str
    """Browser and target: chromium-webgpu."""
    agent_id: str
    """The agent that brings it."""
    agent_name: str
    """That agent's name, for people."""
    state: DeviceStateKind | str
    """What it can do now."""
    message: str
    """Why, in one sentence; may be empty."""
    visible: bool
    """False while its tab is hidden: timed work would be unstable."""
    fingerprint: Fingerprint
    """What its agent observed."""
    timer: Timer
    """How it tells time."""
    seen_ago_ms: float
    """Time since its agent's last heartbeat. [ms]"""
    service_state: ServiceState | str
    """What people let it do, and whether a job uses it."""
    lease: LeaseInfo | None = None
    """Who uses it; absent when free."""
    physical_id: str | None = None
    """The id that its agent keeps; absent where it keeps none."""
    label: str | None = None
    """What people call it."""
    service_reason: str | None = None
    """Why it was drained or quarantined, as somebody said; absent where nobody did."""

@dataclass(frozen=True)
class DeviceEvent:
    """One thing that happened to a device."""
    unix_ms: int
    """When, by the service's clock. [ms]"""
    device_id: str
    """To which: one physical device may have been known by several ids."""
    kind: DeviceEventKind | str
    """What."""
    user: str
    """Who did it, or for whom; empty: nobody."""
    text: str
    """The job, the name or the reason; may be empty."""

@dataclass(frozen=True)
class Quota:
    """What the holder of a token may have at once; 0: as much as there is."""
    devices_max: int
    """Devices leased to its user's jobs. Further jobs wait."""
    jobs_max: int
    """Jobs of its user that have not ended. Further ones are refused."""
    bytes_max: int
    """Payloads of these jobs, together. What goes beyond is refused. [B]"""

@dataclass(frozen=True)
class TokenInfo:
    """A token, as lists show it: nothing in it lets anybody in."""
    token_id: str
    """Its name in lists and in requests. Everybody may know it."""
    role: Role | str
    """What it lets its holder do."""
    name: str
    """Of a submitter or an admin the user that fairness counts; of an agent for people. Empty: nobody gave it one."""
    created_unix_ms: int
    """When it was made. [ms]"""
    expires_unix_ms: int
    """When it ends by itself; 0: never. That of an enrolled agent moves on as the token is used. [ms]"""
    revoked_unix_ms: int
    """When it was taken back; 0: it was not. [ms]"""
    used_unix_ms: int
    """When it was last shown, to the hour; 0: never. [ms]"""
    quota: Quota | None = None
    """What its holder may have at once; absent: as much as there is."""

@dataclass(frozen=True)
class JobSource:
    """What a job works on: exactly one of op and model_name."""
    op: str | None = None
    """An operator in ONNX's terms, e.g. name:512x512x512."""
    model_name: str | None = None
    """The name of the ONNX model whose bytes are the frame's payload."""
    package: bool | None = None
    """The payload is no ONNX model but an exported package, as an archive (package_archive); of runs and benches. False when absent."""

@dataclass(frozen=True)
class JobInfo:
    """A job, as lists show it."""
    job: str
    """Its id."""
    job_kind: JobKind | str
    """What it does."""
    user: str
    """Whose it is."""
    state: JobState | str
    """How far it has come."""
    message: str
    """Why it ended so, in one sentence; empty where it ended well or has not."""
    source: str
    """The operator or the model's name, for people."""
    target: str
    """The kind of kernels."""
    priority: int
    """Greater is served first."""
    detached: bool
    """It does not end with its client, and goes on after a restart of the service."""
    starts: int
    """How often it was begun and neither ended nor put back by a service that stopped."""
    submitted_unix_ms: int
    """When it was stored. [ms]"""
    started_unix_ms: int
    """When it began last; 0: it has not. [ms]"""
    ended_unix_ms: int
    """When it ended; 0: it has not. [ms]"""
    outcome: Outcome | str | None = None
    """How it ended; absent while it has not."""

@dataclass(frozen=True)
class JobRequest:
    """What a person asks for."""
    kind: JobKind | str
    """What the job does."""
    source: JobSource
    """What it works on."""
    dims: dict[str, int]
    """Values of the model's symbolic dimensions."""
    target: str
    """The kind of kernels."""
    selector: str
    """A device id, a kind or a capability expression; empty means any device of the target."""
    trials: int
    """Trials per task; 0 means the default."""
    time_s: float
    """The most wall time of the job, the wait for its device left out; 0 means no limit. [s]"""
    seed: str
    """The seed of the search."""
    priority: int | None = None
    """Greater is served first; 0 when absent. Above 0 only of an admin: of others it counts as 0."""
    device_wait_s: float | None = None
    """How long to wait for a matching device; the service's default when absent. [s]"""
    options: Any | None = None
    """Further options of the kind, an object: tune_options of a tune, run_options of a run or bench, compare_options of a compare, compare_builds_options of a compare_builds."""
    tolerance: float | None = None
    """The greatest error that kernels may have, as prepare_task's tolerance bounds it; absent: 1e-5 + 1e-6·√K of the longest reduction K. Greater ones permit narrower storage."""
    devices: int | None = None
    """The most devices of one class that a tune uses side by side; 1 when absent."""
    time_spent_s: float | None = None
    """What of time_s was used before the job was sent; 0 when absent. [s]"""
    without_passes: list[str] | None = None
    """Passes over the model's graph that are left out, by name; none when absent."""
    devices_min: int | None = None
    """So many devices of one class, all at once, with which a tune begins; 1 when absent. Until they are free together it takes none."""

@dataclass(frozen=True)
class Devices:
    """A page of the fleet."""
    devices: list[DeviceInfo]
    """Known devices, ordered by id."""
    more: bool | None = None
    """True: there are further ones. Absent: false."""

@dataclass(frozen=True)
class DeviceLabelled:
    """It has the name."""
    physical_id: str | None = None
    """The id of the device itself; absent where it has none."""

@dataclass(frozen=True)
class DeviceManaged:
    """It is done, and on disk."""
    service_state: ServiceState | str | None = None
    """What it is now; absent: forgotten."""

@dataclass(frozen=True)
class DeviceShown:
    """A device and what happened to it."""
    device: DeviceInfo
    """The device."""
    leases: int
    """How often it was leased under this id."""
    events: list[DeviceEvent]
    """The latest, oldest first, those of the same physical device under its other ids among them."""

@dataclass(frozen=True)
class JobAccepted:
    """The job is stored."""
    job: str
    """Its id."""

@dataclass(frozen=True)
class JobProgress:
    """Where a job is; a newer one replaces an older one."""
    job: str
    """The job."""
    phase: JobPhase | str
    """Where it is."""
    task: str
    """The task in work, for people; may be empty."""
    tasks_done: int
    """Tasks that have a time."""
    tasks_total: int
    """Distinct tasks of the job."""
    trials_done: int
    """Trials with a record."""
    trials_total: int
    """Trials planned."""
    best_us: float
    """The best time of the task in work; 0 when none. [us]"""
    trials_per_second: float
    """The rate of late. [1/s]"""
    left_s: float
    """The estimated time left; 0 when unknown. [s]"""
    message: str
    """One sentence, e.g. what it waits for; may be empty."""
    naive_us: float | None = None
    """The yardstick's time of the task in work; absent when none. [us]"""
    measured_us: float | None = None
    """The time of the last trial; absent when it has none. [us]"""
    predicted_us: float | None = None
    """What the search's model expected of the last trial; absent when nothing. [us]"""
    errors: dict[str, int] | None = None
    """How many candidates of this run have no time, by outcome."""
    waits_for: str | None = None
    """What has kept the job silent, for people; absent when something came."""
    waited_s: float | None = None
    """For how long it has been silent. [s]"""

@dataclass(frozen=True)
class JobDone:
    """The job ended well."""
    job: str
    """The job."""
    result: Any
    """Its result, an object whose form follows from the job's kind."""

@dataclass(frozen=True)
class JobFailed:
    """The job ended otherwise. Records made until then are kept."""
    job: str
    """The job."""
    code: Outcome | str
    """Why."""
    message: str
    """Why, in one clear sentence."""

@dataclass(frozen=True)
class CancelAccepted:
    """The job is told to end. Its end is told to whoever submitted or follows it."""

@dataclass(frozen=True)
class Jobs:
    """A page of the jobs."""
    jobs: list[JobInfo]
    """The latest first."""
    next: int | None = None
    """Where the next page begins; absent: this is the last one."""

@dataclass(frozen=True)
class JobShown:
    """A job."""
    job: JobInfo
    """The job."""
    result: Any | None = None
    """Of a job that ended well: its result, an object whose form follows from the job's kind; absent where it is not kept."""

@dataclass(frozen=True)
class FleetWatched:
    """From here on everything is told."""

@dataclass(frozen=True)
class DeviceChanged:
    """Something happened to a device. It is on disk."""
    event: DeviceEvent
    """What happened."""

@dataclass(frozen=True)
class JobChanged:
    """A job has another state. It is on disk."""
    job: JobInfo
    """The job."""

@dataclass(frozen=True)
class Records:
    """A page of the records."""
    left_out: int
    """How many records the service knows of that are damaged, or too long for a line; they are in no page."""
    lines: list[dict[str, Any]]
    """The records."""
    next: RecordPlace | None = None
    """Behind which place the next page begins; absent: this is the last one."""

@dataclass(frozen=True)
class Enrolment:
    """The code."""
    code: str
    """32 hexadecimal digits, for the fragment of the page's URL."""
    lifetime_ms: float
    """How long it is good for, unless the service is started anew before. [ms]"""

@dataclass(frozen=True)
class Tokens:
    """A page of the tokens."""
    tokens: list[TokenInfo]
    """Known tokens, ordered by id, those among them that ended."""
    more: bool
    """True: there are further ones."""

@dataclass(frozen=True)
class TokenCreated:
    """The token, on disk. The service keeps its hash alone: nobody is told it again."""
    info: TokenInfo
    """What lists show of it."""
    token: str
    """What lets in, 32 hexadecimal digits."""

@dataclass(frozen=True)
class TokenRevoked:
    """It lets nobody in any more."""
