"""Writes full-size models with seeded weights, as both of PyTorch's exporters write them, with what ONNX Runtime makes of seeded inputs.

Usage: write_zoo.py FOLDER [NAME…]: FOLDER/NAME_EXPORTER/model.onnx, test_data_set_0/{input,output}_N.pb, as ONNX's backend tests have it.
"""
import contextlib
import io
import os
import sys
import warnings

import detector
import numpy as np
import onnx
import onnxruntime
import torch
import transformers_models
import unet
import vision
from onnx import numpy_helper

SEED = 1
MODELS = {**vision.MODELS, **transformers_models.MODELS, **unet.MODELS, **detector.MODELS}
SCRIPT, DYNAMO = {"dynamo": False}, {"dynamo": True, "external_data": False, "verbose": False}
ERROR_MAX = 1e-4  # between PyTorch and ONNX Runtime, of the output's range: more would be an export that changes the model


def exporters(inputs):
    """By name, what torch.onnx.export is told; `open`: the size of the batch, of which every input has one, is left to whoever runs the model."""
    batch = {0: "batch"}
    return {
        "script": SCRIPT,
        "dynamo": DYNAMO,
        "script_open": {**SCRIPT, "dynamic_axes": {name: batch for name in inputs}},
        "dynamo_open": {**DYNAMO, "dynamic_shapes": tuple(batch for _ in inputs)},
    }


def is_open(options):
    return "dynamic_axes" in options or "dynamic_shapes" in options


def export(model, inputs, path, options):
    """An open size is traced with another than that of the inputs: nothing of the example's may stay in the model."""
    example = tuple(torch.cat([x, x]) if is_open(options) else x for x in inputs.values())
    with contextlib.redirect_stdout(io.StringIO()):  # a refusal prints the whole graph
        torch.onnx.export(model, example, path, input_names=list(inputs), output_names=["result"], **options)


def reference(path, inputs):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {name: tensor.numpy() for name, tensor in inputs.items()})[0]


def relative_error(got, wanted):
    return float(np.abs(got - wanted).max() / np.abs(wanted).max())


def write_tensors(folder, inputs, output):
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    named = {f"input_{i}.pb": (name, tensor.numpy()) for i, (name, tensor) in enumerate(inputs.items())}
    for file, (name, values) in {**named, "output_0.pb": ("result", output)}.items():
        onnx.save_tensor(numpy_helper.from_array(values, name), os.path.join(data, file))


def write_case(folder, model, inputs, options):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "model.onnx")
    export(model, inputs, path, options)
    output = reference(path, inputs)
    with torch.no_grad():
        error = relative_error(output, model(*inputs.values()).numpy())
    if error > ERROR_MAX:
        sys.exit(f"write_zoo: ONNX Runtime and PyTorch differ by {error:.1e} of the range for {folder}")
    write_tensors(folder, inputs, output)
    print(f"{os.path.basename(folder)}: {os.path.getsize(path) / 1e6:.1f} MB, range of the output {np.abs(output).max():.3g}, error of the export {error:.1e}", flush=True)


def write_model(folder, name):
    torch.manual_seed(SEED)
    model, inputs = MODELS[name]()
    for exporter, options in exporters(inputs).items():
        try:
            write_case(os.path.join(folder, f"{name}_{exporter}"), model, inputs, options)
        except torch.onnx.errors.OnnxExporterError as error:
            print(f"{name}_{exporter}: the exporter refuses it: {str(error).splitlines()[0]}", flush=True)


def main():
    warnings.simplefilter("ignore")  # both exporters announce changes of later versions
    onnxruntime.set_default_logger_severity(3)
    for name in sys.argv[2:] or MODELS:
        if name not in MODELS:
            sys.exit(f"write_zoo: no model '{name}'; there are {', '.join(MODELS)}")
        write_model(sys.argv[1], name)


if __name__ == "__main__":
    main()
