#!/usr/bin/env python3
"""Writes a one-node ONNX file for each case of held_out.json. Usage: held_out_models.py HELD_OUT.json FOLDER; files are FOLDER/NAME.onnx."""
import json
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

OPSET = 17  # the first with LayerNormalization
CONSTANT_SPREAD = 3  # of whole numbers, either side of 0 where the type has one
TYPES = {"float32": TensorProto.FLOAT, "uint8": TensorProto.UINT8, "int8": TensorProto.INT8}


def constant(name, shape, dtype, rng):
    if dtype == "float32":
        values = rng.uniform(-1, 1, shape)
    else:
        values = rng.integers(0 if dtype == "uint8" else -CONSTANT_SPREAD, CONSTANT_SPREAD + 1, shape)
    return numpy_helper.from_array(values.astype(dtype), name)


def model_of(case):
    rng, inputs, constants = np.random.default_rng(1), [], []
    types = case.get("types", ["float32"] * len(case["inputs"]))
    for i, (shape, dtype) in enumerate(zip(case["inputs"], types)):
        if i in case.get("constants", []):
            constants.append(constant(f"x{i}", shape, dtype, rng))
        else:
            inputs.append(helper.make_tensor_value_info(f"x{i}", TYPES[dtype], shape))
    output = TensorProto.INT32 if "types" in case else TensorProto.FLOAT
    node = helper.make_node(case["node"], [f"x{i}" for i in range(len(types))], ["y"], **case.get("attributes", {}))
    graph = helper.make_graph([node], case["name"], inputs, [helper.make_tensor_value_info("y", output, None)], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


for case in json.load(open(sys.argv[1], encoding="utf-8"))["cases"]:
    save(model_of(case), f"{sys.argv[2]}/{case['name']}.onnx")
