#!/usr/bin/env python3
"""Writes MODEL.json and MODEL.bin beside each MODEL.onnx that is named: what page/tfjs.js executes. BatchNormalization after a Conv is
folded into it, as TensorFlow.js' own converter does."""
import json
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper


def fold_batch_norm(nodes, weights):
    made_by = {output: node for node in nodes for output in node["outputs"]}
    users = [name for node in nodes for name in node["inputs"]]
    kept = []
    for node in nodes:
        conv = made_by.get(node["inputs"][0]) if node["op"] == "BatchNormalization" else None
        if conv is None or conv["op"] != "Conv" or users.count(conv["outputs"][0]) != 1:
            kept.append(node)
            continue
        gamma, beta, mean, variance = (weights[name] for name in node["inputs"][1:])
        factor = gamma / np.sqrt(variance + node["attributes"].get("epsilon", 1e-5))
        filter_name, *rest = conv["inputs"][1:]
        bias = weights[rest[0]] if rest else np.zeros_like(beta)
        folded, shifted = filter_name + ".folded", filter_name + ".shift"
        weights[folded] = (weights[filter_name] * factor[:, None, None, None]).astype(np.float32)
        weights[shifted] = ((bias - mean) * factor + beta).astype(np.float32)
        conv["inputs"] = [conv["inputs"][0], folded, shifted]
        conv["outputs"] = node["outputs"]
        made_by[node["outputs"][0]] = conv
    return kept


def convert(path):
    graph = onnx.load(path).graph
    weights = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    nodes = [{"op": n.op_type, "inputs": list(n.input), "outputs": list(n.output),
              "attributes": {a.name: helper.get_attribute_value(a) for a in n.attribute}} for n in graph.node]
    nodes = fold_batch_norm(nodes, weights)
    used = {name for node in nodes for name in node["inputs"]}
    table, offset = {}, 0
    with open(path.removesuffix(".onnx") + ".bin", "wb") as out:
        for name, values in weights.items():
            if name not in used:
                continue
            data = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
            table[name] = {"type": str(values.dtype), "shape": list(values.shape), "count": int(values.size), "offset": offset}
            data += b"\0" * (-len(data) % 8)
            offset += len(data)
            out.write(data)
    with open(path.removesuffix(".onnx") + ".json", "w") as out:
        json.dump({"nodes": nodes, "weights": table, "output": graph.output[0].name}, out)


for name in sys.argv[1:]:
    convert(name)
