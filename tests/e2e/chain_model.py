"""Writes a model of six products of matrices, and as many more with the identity as are asked for: the same result in more time.

  python3 tests/e2e/chain_model.py OUT.onnx MORE
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZE, PRODUCTS = 256, 6


def main(out, more):
    random = np.random.default_rng(1)
    weights = [random.standard_normal((SIZE, SIZE)).astype(np.float32) / np.float32(SIZE**0.5) for _ in range(PRODUCTS)]
    weights += [np.eye(SIZE, dtype=np.float32)] * more
    nodes = [helper.make_node("MatMul", [f"v{i}", f"w{i}"], [f"v{i + 1}"]) for i in range(len(weights))]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [SIZE, SIZE]) for name in ("v0", f"v{len(weights)}")]
    nodes[-1].output[0] = ends[1].name = "y"  # both models have the same outputs
    graph = helper.make_graph(nodes, "chain", ends[:1], ends[1:], [numpy_helper.from_array(w, f"w{i}") for i, w in enumerate(weights)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, out)


main(sys.argv[1], int(sys.argv[2]))
