#!/usr/bin/env python3
"""Writes one-node ONNX files for the peers that read them. Input: a JSON list of works on stdin with constant values as base64."""
import base64
import json
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save


def node_of(work):
    names = [i["name"] for i in work["inputs"]]
    if work["op"] == "matmul":
        return helper.make_node("MatMul", names, ["Y"])
    kernel = work["inputs"][1]["shape"][2:]
    return helper.make_node("Conv", names, ["Y"], kernel_shape=kernel, pads=[work["pad"]] * 4, strides=[work["stride"]] * 2)


def model_of(work):
    inputs, constants = [], []
    for entry in work["inputs"]:
        if entry.get("constant"):
            values = np.frombuffer(base64.b64decode(entry["values"]), np.float32).reshape(entry["shape"])
            constants.append(numpy_helper.from_array(values, entry["name"]))
        else:
            inputs.append(helper.make_tensor_value_info(entry["name"], TensorProto.FLOAT, entry["shape"]))
    output = helper.make_tensor_value_info("Y", TensorProto.FLOAT, work["output"])
    graph = helper.make_graph([node_of(work)], work["name"], inputs, [output], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)


for work in json.load(sys.stdin):
    save(model_of(work), f"{sys.argv[1]}/{work['name']}.onnx")
