#!/usr/bin/env python3
"""Writes one-node ONNX files. Input: a JSON list of works on stdin, with constant values as base64."""
import base64
import json
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

OPSET = 17  # the first with LayerNormalization


def model_of(work):
    inputs, constants = [], []
    for entry in work["inputs"]:
        if entry.get("constant"):
            values = np.frombuffer(base64.b64decode(entry["values"]), np.float32).reshape(entry["shape"])
            constants.append(numpy_helper.from_array(values, entry["name"]))
        else:
            inputs.append(helper.make_tensor_value_info(entry["name"], TensorProto.FLOAT, entry["shape"]))
    node = helper.make_node(work["node"]["type"], [i["name"] for i in work["inputs"]], ["Y"], **work["node"]["attributes"])
    output = helper.make_tensor_value_info("Y", TensorProto.FLOAT, work["output"])
    graph = helper.make_graph([node], work["name"], inputs, [output], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


for work in json.load(sys.stdin):
    save(model_of(work), f"{sys.argv[1]}/{work['name']}.onnx")
