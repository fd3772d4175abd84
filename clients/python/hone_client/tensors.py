"""What a run is given and brings: elements, row-major and little-endian."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hone_client.errors import BrokenReplyError

# hone's names of types by NumPy's.
_NAMES = {"bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
          "float16": "f16", "float32": "f32", "float64": "f64"}
_NUMPY_NAMES = {name: numpy_name for numpy_name, name in _NAMES.items()}
_BYTES = {"bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}


@dataclass(frozen=True)
class Input:
    """Of a NumPy array `a`: `Input("x", str(a.dtype), a.shape, a.tobytes())`."""

    name: str
    dtype: str  # hone's name (f32, i64, …) or NumPy's
    shape: Sequence[int]
    data: bytes
    constant: bool = False  # it becomes a part of the model: shapes may follow from it

    def said(self) -> dict[str, Any]:
        return {"name": self.name, "dtype": _NAMES.get(self.dtype, self.dtype), "shape": list(self.shape), "constant": self.constant}


@dataclass(frozen=True)
class Output:
    """As NumPy array: `numpy.frombuffer(o.data, o.numpy_dtype).reshape(o.shape)`."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: memoryview

    @property
    def numpy_dtype(self) -> str:
        return _NUMPY_NAMES[self.dtype]


def outputs_of(result: Any, payload: bytes) -> list[Output]:
    """The outputs of a run, from its result and its payload."""
    try:
        heads = [(str(said["name"]), str(said["dtype"]), tuple(int(extent) for extent in said["shape"])) for said in result.get("outputs", ())]
        sizes = [_BYTES[dtype] * math.prod(shape) for _, dtype, shape in heads]
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise BrokenReplyError(f"the run's outputs are not described as they should be: {error!r}") from error
    if any(size < 0 for size in sizes) or sum(sizes) != len(payload):
        raise BrokenReplyError(f"the run's outputs have {sum(sizes)} bytes, {len(payload)} came")
    view, begin, outputs = memoryview(payload), 0, []
    for (name, dtype, shape), size in zip(heads, sizes):
        outputs.append(Output(name, dtype, shape, view[begin : begin + size]))
        begin += size
    return outputs
