"""Exports an ONNX model with tinygrad for WebGPU: what its JIT launches in a run, as WGSL, and the buffers that no launch has written, as weights.

  tinygrad_export.py MODEL.onnx FOLDER

tinygrad's own exporter is no part of its package on PyPI, so this is one of hone's benchmark, on tinygrad's API. It compiles on tinygrad's device WEBGPU;
what is written needs ../page/tinygrad_net.js alone.
"""
import json
import pathlib
import sys

import numpy as np
from tinygrad import Device, Tensor, TinyJit
from tinygrad.nn.onnx import OnnxRunner
from tinygrad.runtime import ops_webgpu

RUNS_UNTIL_JITTED = 3


class Recorder:
    """Notes each launch while it is on: (source, name, buffers, grid)."""

    def __init__(self):
        self.launches, self.sources, self.on = [], {}, False
        made, launched = ops_webgpu.WebGPUProgram.__init__, ops_webgpu.WebGPUProgram.__call__

        def make(program, device, elf):
            self.sources[id(program)] = (elf.lib.decode(), elf.name, program)
            made(program, device, elf)

        def launch(program, *buffers, global_size=(1, 1, 1), local_size=(1, 1, 1), vals=(), **rest):
            if self.on:
                assert not vals, "a launch has numbers of its own"
                self.launches.append((*self.sources[id(program)][:2], buffers, global_size))
            return launched(program, *buffers, global_size=global_size, local_size=local_size, vals=vals, **rest)

        ops_webgpu.WebGPUProgram.__init__, ops_webgpu.WebGPUProgram.__call__ = make, launch


def address(buffer):
    return ops_webgpu.ctypes.cast(buffer, ops_webgpu.ctypes.c_void_p).value


def content(buffer):
    bytes_ = bytearray(ops_webgpu.webgpu.wgpuBufferGetSize(buffer))
    Device["WEBGPU"].allocator._copyout(memoryview(bytes_), buffer)
    return bytes(bytes_)


def jitted(model):
    """One more run of the model, jitted: (input, output, what it launched, who holds the buffers)."""
    recorder = Recorder()
    (name, value), = model.graph_inputs.items()
    run = TinyJit(lambda x: next(iter(model({name: x}).values())).contiguous().realize())
    x = Tensor(np.zeros(value.shape, np.float32)).realize()
    for i in range(RUNS_UNTIL_JITTED):
        recorder.on = i == RUNS_UNTIL_JITTED - 1
        y = run(x)
    return x, y, recorder.launches, run


def buffer_of(tensor):
    return tensor.uop.base.realized.ensure_allocated().get_buf("WEBGPU")


def save(tensors, file):
    """The safetensors format, of bytes."""
    head, end = {}, 0
    for name, data in tensors.items():
        head[name] = {"dtype": "U8", "shape": [len(data)], "data_offsets": [end, end + len(data)]}
        end += len(data)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    file.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(tensors.values()))


def export(path, folder):
    model = OnnxRunner(path)
    x, y, launches, _run = jitted(model)
    handles, weights, kernels, steps = {}, {}, {}, []
    written = {address(buffer_of(x))}
    for source, name, buffers, grid in launches:
        for buffer in buffers:
            handles.setdefault(address(buffer), (len(handles), buffer))
        # tinygrad's kernels write their first buffer.
        for buffer in buffers[1:]:
            if address(buffer) not in written: weights[address(buffer)] = content(buffer)
        written.add(address(buffers[0]))
        steps.append({"kernel": kernels.setdefault((source, name), len(kernels)), "grid": list(grid), "buffers": [handles[address(b)][0] for b in buffers]})
    place = lambda tensor: handles[address(buffer_of(tensor))][0]
    net = {"kernels": [{"name": name, "code": source} for source, name in kernels], "launches": steps, "input": place(x), "output": place(y),
           "buffers": [ops_webgpu.webgpu.wgpuBufferGetSize(buffer) for _, buffer in handles.values()]}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "net.json").write_text(json.dumps(net, separators=(",", ":")))
    save({str(handles[a][0]): b for a, b in weights.items()}, folder / "net.safetensors")
    print(json.dumps({"kernels": len(kernels), "launches": len(steps)}))


export(sys.argv[1], pathlib.Path(sys.argv[2]))
