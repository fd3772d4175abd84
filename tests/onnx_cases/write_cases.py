"""Writes the node cases that the installed package onnx makes to a folder, in the layout of libonnx-testdata: NAME/model.onnx, NAME/test_data_set_0/input_0.pb, …

Usage: write_cases.py FOLDER
"""
import os
import sys
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def write_tensor(path, value, info):
    if info.type.HasField("sequence_type"):
        tensor = numpy_helper.from_list(value, info.name)
    elif info.type.HasField("optional_type"):
        tensor = numpy_helper.from_optional(value, info.name)
    else:
        tensor = value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(np.asarray(value), info.name)
    with open(path, "wb") as file:
        file.write(tensor.SerializeToString())


def write_case(folder, case):
    data = os.path.join(folder, case.name, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    with open(os.path.join(folder, case.name, "model.onnx"), "wb") as file:
        file.write(case.model.SerializeToString())
    inputs, outputs = case.data_sets[0]
    for kind, values, infos in (("input", inputs, case.model.graph.input), ("output", outputs, case.model.graph.output)):
        for i, (value, info) in enumerate(zip(values, infos)):
            write_tensor(os.path.join(data, f"{kind}_{i}.pb"), value, info)


def main():
    warnings.simplefilter("ignore")  # cases that divide by zero on purpose
    folder = os.path.join(sys.argv[1], "node")
    cases = [case for case in collect_testcases(None) if case.model is not None]
    for case in cases:
        write_case(folder, case)
    print(f"onnx {onnx.__version__}: {len(cases)} cases")


main()
