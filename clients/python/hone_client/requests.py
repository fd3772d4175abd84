"""What a job is asked: Tune, Bench, Run or Compare, of an Operator or a Model. None: the service's default."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from hone_client.errors import HoneError
from hone_client.generated.messages import JobKind, JobRequest, JobSource
from hone_client.tensors import Input

Target = Literal["webgpu", "webgl", "wasm", "native", "opengl", "opencl"]
Schedule = Literal["best", "seed", "naive"]
CacheState = Literal["hot", "cold", "model"]


@dataclass(frozen=True)
class Operator:
    """In ONNX's terms, such as `matmul:512x512x512`; docs/cli.md, "Words for what is worked on"."""

    spec: str


@dataclass(frozen=True)
class Model:
    """An ONNX model: a file, or its bytes and a name. `dims` binds its open sizes."""

    content: str | os.PathLike[str] | bytes
    name: str = ""
    dims: Mapping[str, int] = field(default_factory=dict)

    def read(self) -> bytes:
        if isinstance(self.content, bytes):
            return self.content
        try:
            return Path(self.content).read_bytes()
        except OSError as error:
            raise HoneError("not_found" if isinstance(error, FileNotFoundError) else "io_error", f"{os.fspath(self.content)}: {error.strerror}") from error

    def name_of(self) -> str:
        return self.name or ("model.onnx" if isinstance(self.content, bytes) else Path(self.content).name)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    target: Target | str
    selector: str = ""  # a device id, a kind, or terms such as vendor=apple&feature=shader-f16; "": any device of the target
    seed: int = 1
    priority: int | None = None
    device_wait_s: float | None = None
    tolerance: float | None = None
    without_passes: Sequence[str] | None = None

    def options(self) -> dict[str, Any]:
        return {}

    def limits(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True)
class Tune(_Asked):
    """Searches for fast kernels."""

    source: Operator | Model
    trials: int = 0  # of each task; 0: the service's default
    time_s: float = 0  # 0: no limit
    devices: int | None = None
    devices_min: int | None = None
    strategy: str | None = None
    samples: int | None = None
    cache: CacheState | None = None

    def options(self) -> dict[str, Any]:
        return {"strategy": self.strategy, "samples": self.samples, "cache": self.cache}

    def limits(self) -> dict[str, Any]:
        return {"trials": self.trials, "time_s": float(self.time_s), "devices": self.devices, "devices_min": self.devices_min}


@dataclass(frozen=True)
class Run(_Asked):
    """Runs a model once, or `repeats` times more with a clock, and brings its outputs."""

    source: Model
    inputs: Sequence[Input] = ()  # the others are made up
    check: bool = False  # against the reference
    repeats: int = 0
    schedule: Schedule = "best"
    placements: bool = False

    def options(self) -> dict[str, Any]:
        return {"check": self.check, "repeats": self.repeats, "schedules": [self.schedule], "placements": self.placements}


@dataclass(frozen=True)
class Bench(_Asked):
    """Times a whole model with each of the schedules, in turns."""

    source: Model
    inputs: Sequence[Input] = ()
    repeats: int = 10
    schedules: Sequence[Schedule] = ("best", "seed", "naive")
    time_s: float | None = None  # of the timed runs of one choice
    launches: bool = False  # how long each task takes, too

    def options(self) -> dict[str, Any]:
        return {"repeats": self.repeats, "schedules": list(self.schedules), "time_s": self.time_s, "launches": self.launches}


@dataclass(frozen=True)
class Compare(_Asked):
    """Times schedules of one task side by side: each the hash of a record's source, or the beginning of one, `best`, `seed` or `naive`; the others are compared with the first."""

    source: Operator | Model
    schedules: Sequence[str] = ("best", "naive")
    task: str | None = None
    rounds: int | None = None
    cache: CacheState | None = None

    def options(self) -> dict[str, Any]:
        return {"schedules": list(self.schedules), "task": self.task, "rounds": self.rounds, "cache": self.cache}


Request = Tune | Run | Bench | Compare
_KINDS: dict[type[Any], JobKind] = {Tune: "tune", Run: "run", Bench: "bench", Compare: "compare"}


def job_request(asked: Request) -> tuple[JobRequest, list[bytes]]:
    """The message, and the payload in pieces: the model, and the inputs behind it."""
    source, payload = _source(asked.source)
    options = asked.options()
    if isinstance(asked, (Run, Bench)):
        options |= {"model_bytes": len(payload[0]), "inputs": [one.said() for one in asked.inputs]}
        payload += [one.data for one in asked.inputs]
    limits = {"trials": 0, "time_s": 0.0, **asked.limits()}
    request = JobRequest(
        kind=_KINDS[type(asked)], source=source, dims=_dims(asked.source), target=asked.target, selector=asked.selector, seed=f"{asked.seed & (1 << 64) - 1:016x}",
        priority=asked.priority, device_wait_s=asked.device_wait_s, tolerance=asked.tolerance,
        without_passes=None if asked.without_passes is None else list(asked.without_passes),
        options={name: value for name, value in options.items() if value is not None} or None, **limits)
    return request, payload


def _source(source: Operator | Model) -> tuple[JobSource, list[bytes]]:
    if isinstance(source, Operator):
        return JobSource(op=source.spec), []
    return JobSource(model_name=source.name_of()), [source.read()]


def _dims(source: Operator | Model) -> dict[str, int]:
    return dict(source.dims) if isinstance(source, Model) else {}
