#!/usr/bin/env python3
"""Writes the nodes of a model that take its time, each as a model of its own: MODEL FOLDER. Of nodes with the same operator, attributes and shapes the first
stands for all. Constants stay constants, with their values. Prints a JSON list of {file, text, count}."""
import json
import math
import os
import re
import sys

import onnx
from onnx import TensorProto, helper, numpy_helper

# What a smaller node takes, a package's run takes beside it: 0.1 ms at 10 multiply-accumulates or bytes moved a ns.
WORK_MIN = 1e6
PRODUCTS = {"Conv": lambda a, b, y: math.prod(y) * math.prod(b[1:]), "ConvTranspose": lambda a, b, y: math.prod(a) * math.prod(b[1:]),
            "MatMul": lambda a, b, y: math.prod(y) * a[-1], "Gemm": lambda a, b, y: math.prod(y) * math.prod(a) // y[0]}

# What else is a kernel of its own; the rest both runtimes fuse into what stands before it, or only moves elements.
OTHERS = {"Softmax", "LayerNormalization", "InstanceNormalization", "GroupNormalization", "MaxPool", "AveragePool", "GlobalAveragePool", "ReduceMean", "Resize", "LSTM", "GRU"}


def shapes_of(dump):
    return {name: [int(extent) for extent in shape.split(",") if extent] for name, shape in re.findall(r"([^\s(]+?)!?:f32\[([0-9,]*)\]", dump)}


def constants_of(graph):
    constants = {t.name: t for t in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            tensor = TensorProto()
            tensor.CopyFrom(node.attribute[0].t)
            tensor.name = node.output[0]
            constants[tensor.name] = tensor
    return constants


def work_of(node, shapes):
    """Multiply-accumulates, or elements read and written of what multiplies nothing."""
    y = shapes[node.output[0]]
    product = PRODUCTS.get(node.op_type)
    if product:
        return product(shapes[node.input[0]], shapes[node.input[1]], y)
    return math.prod(y) + sum(math.prod(shapes.get(name, [])) for name in node.input if name)


def is_alone(node, shapes, constants):
    """Whether its floats have known shapes, and whatever else it reads is constant."""
    known = all(name in constants or name in shapes for name in node.input if name)
    varies = any(name and name not in constants for name in node.input)
    return (node.op_type in PRODUCTS or node.op_type in OTHERS) and known and varies and all(name in shapes for name in node.output if name) and not any(a.HasField("g") for a in node.attribute)


def text_of(node, shapes):
    sizes = ", ".join("x".join(map(str, shapes.get(name, []))) for name in node.input if name)
    said = {a.name: helper.get_attribute_value(a) for a in node.attribute if a.name in ("strides", "group", "dilations")}
    extra = "".join(f" {name} {value}" for name, value in said.items() if value not in (1, [1, 1]))
    return f"{node.op_type} {sizes}{extra}"


def model_of(model, node, shapes, constants):
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in dict.fromkeys(node.input) if name and name not in constants]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in node.output[:1]]
    used = [constants[name] for name in dict.fromkeys(node.input) if name in constants]
    return helper.make_model(helper.make_graph([node], "node", inputs, outputs, used), opset_imports=model.opset_import, ir_version=model.ir_version)


def key_of(node, shapes, constants):
    attributes = sorted(a.SerializeToString() for a in node.attribute)
    reads = [(name in constants, tuple(shapes.get(name, ())), "" if name in shapes else numpy_helper.to_array(constants[name]).tobytes()) for name in node.input if name]
    return node.op_type, tuple(attributes), tuple(reads)


def main(path, folder):
    model = onnx.load(path)
    shapes, constants, found = shapes_of(sys.stdin.read()), constants_of(model.graph), {}
    shapes.update({name: list(t.dims) for name, t in constants.items() if t.data_type == TensorProto.FLOAT})
    for node in model.graph.node:
        if not is_alone(node, shapes, constants) or work_of(node, shapes) < WORK_MIN:
            continue
        entry = found.setdefault(key_of(node, shapes, constants), {"node": node, "count": 0})
        entry["count"] += 1
    listed = []
    for number, entry in enumerate(found.values()):
        file = os.path.join(folder, f"{number}.onnx")
        onnx.save(model_of(model, entry["node"], shapes, constants), file)
        listed.append({"file": file, "text": text_of(entry["node"], shapes), "count": entry["count"]})
    json.dump(listed, sys.stdout)


main(*sys.argv[1:])
