"""Writes models of single operators of com.microsoft and ai.onnx.ml, with what ONNX Runtime makes of random inputs, to a folder: MICROSOFT/NAME/model.onnx, test_data_set_0/….

Usage: write_microsoft_cases.py FOLDER
"""
import os
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

RNG = np.random.default_rng(7)
DOMAIN, ML = "com.microsoft", "ai.onnx.ml"


def floats(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def small(low, high, *shape, dtype=np.uint8):
    return RNG.integers(low, high, shape).astype(dtype)


def scale(value):
    return np.array(value, np.float32)


class Cases:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0

    def add(self, name, op, inputs, outputs=1, domain=DOMAIN, constants=(), **attributes):
        """inputs: arrays, None for those left out; constants: places of inputs that the model holds."""
        names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
        results = [f"y{i}" for i in range(outputs)]
        node = helper.make_node(op, names, results, domain=domain, **attributes)
        given = [(n, x) for i, (n, x) in enumerate(zip(names, inputs)) if x is not None and i not in constants]
        held = [numpy_helper.from_array(inputs[i], names[i]) for i in constants]
        infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in given]
        def model_of(types):
            graph = helper.make_graph([node], name, infos, types, held)
            return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(DOMAIN, 1), helper.make_opsetid(ML, 3)], ir_version=9)

        open_types = [helper.make_empty_tensor_value_info(r) for r in results]
        session = onnxruntime.InferenceSession(model_of(open_types).SerializeToString(), providers=["CPUExecutionProvider"])
        made = session.run(None, dict(given))
        model = model_of([helper.make_tensor_value_info(r, helper.np_dtype_to_tensor_dtype(y.dtype), None) for r, y in zip(results, made)])
        data = os.path.join(self.folder, "microsoft", name, "test_data_set_0")
        os.makedirs(data, exist_ok=True)
        onnx.save(model, os.path.join(self.folder, "microsoft", name, "model.onnx"))
        for kind, values in (("input", [x for _, x in given]), ("output", made)):
            for i, value in enumerate(values):
                with open(os.path.join(data, f"{kind}_{i}.pb"), "wb") as file:
                    file.write(numpy_helper.from_array(np.asarray(value), f"{kind}{i}").SerializeToString())
        self.count += 1


def functions(c):
    c.add("gelu", "Gelu", [floats(2, 5)])
    c.add("bias_gelu", "BiasGelu", [floats(2, 3, 5), floats(5)])
    c.add("fast_gelu", "FastGelu", [floats(2, 5)])
    c.add("fast_gelu_bias", "FastGelu", [floats(2, 5), floats(5)])
    c.add("quick_gelu", "QuickGelu", [floats(2, 5)])
    c.add("quick_gelu_alpha", "QuickGelu", [floats(2, 5)], alpha=1.0)


def products(c):
    c.add("fused_matmul", "FusedMatMul", [floats(2, 3, 4), floats(2, 5, 4)], transB=1, alpha=0.5)
    c.add("fused_matmul_transposed", "FusedMatMul", [floats(4, 3), floats(4, 5)], transA=1)
    c.add("fused_matmul_batch", "FusedMatMul", [floats(3, 2, 4), floats(4, 2, 5)], transBatchA=1, transBatchB=1)
    for activation, params in (("Relu", []), ("Tanh", []), ("Sigmoid", []), ("LeakyRelu", [0.1]), ("Clip", [-0.5, 0.5]), ("HardSigmoid", [0.3, 0.4])):
        more = {"activation_params": params} if params else {}
        c.add(f"fused_conv_{activation.lower()}", "FusedConv", [floats(1, 2, 5, 5), floats(3, 2, 3, 3), floats(3)], activation=activation, pads=[1, 1, 1, 1], **more)
    c.add("fused_conv_sum", "FusedConv", [floats(1, 2, 5, 5), floats(3, 2, 3, 3), floats(3), floats(1, 3, 3, 3)], activation="Relu")
    c.add("fused_gemm", "FusedGemm", [floats(2, 3), floats(4, 3), floats(4)], activation="Relu", transB=1, alpha=0.5)
    c.add("fused_gemm_leaky", "FusedGemm", [floats(2, 3), floats(3, 4), floats(4)], activation="LeakyRelu", activation_alpha=0.2)
    for bits in (4, 8):
        block, n, k = 16, 6, 40
        blocks, each = (k + block - 1) // block, 8 // bits
        weights = [small(0, 256, n, blocks, block // each), floats(n * blocks)]
        c.add(f"matmul_bits_{bits}", "MatMulNBits", [floats(2, 3, k), *weights], constants=(1, 2), K=k, N=n, bits=bits, block_size=block)
        zeros = small(0, 256, n * ((blocks + each - 1) // each))
        c.add(f"matmul_bits_{bits}_zeros", "MatMulNBits", [floats(2, k), *weights, zeros], constants=(1, 2, 3), K=k, N=n, bits=bits, block_size=block)
        c.add(f"matmul_bits_{bits}_bias", "MatMulNBits", [floats(2, k), *weights, None, None, floats(n)], constants=(1, 2), K=k, N=n, bits=bits, block_size=block)


def norms(c):
    c.add("simplified_norm", "SimplifiedLayerNormalization", [floats(2, 3, 8), floats(8)], domain="", epsilon=1e-5, axis=-1)
    c.add("skip_norm", "SkipLayerNormalization", [floats(2, 3, 8), floats(2, 3, 8), floats(8), floats(8)], epsilon=1e-5)
    c.add("skip_norm_bias", "SkipLayerNormalization", [floats(2, 3, 8), floats(2, 3, 8), floats(8), floats(8), floats(8)], epsilon=1e-5)
    c.add("skip_simplified_norm", "SkipSimplifiedLayerNormalization", [floats(2, 3, 8), floats(2, 3, 8), floats(8)], epsilon=1e-5)
    c.add("embedding_norm", "EmbedLayerNormalization",
          [small(0, 9, 2, 4, dtype=np.int32), small(0, 2, 2, 4, dtype=np.int32), floats(9, 6), floats(5, 6), floats(2, 6), floats(6), floats(6)], outputs=2, epsilon=1e-5)


def attention(c):
    c.add("rotary_first_place", "RotaryEmbedding", [floats(2, 3, 8), np.array([2], np.int64), floats(9, 2), floats(9, 2)], num_heads=2, rotary_embedding_dim=0)
    c.add("rotary_places", "RotaryEmbedding", [floats(2, 2, 3, 4), small(0, 9, 2, 3, dtype=np.int64), floats(9, 2), floats(9, 2)], interleaved=1)
    q, k, v = floats(2, 3, 8), floats(2, 5, 8), floats(2, 5, 8)
    c.add("heads", "MultiHeadAttention", [q, k, v], num_heads=2)
    c.add("heads_bias", "MultiHeadAttention", [q, k, v, floats(24)], num_heads=2)
    c.add("heads_mask", "MultiHeadAttention", [q, k, v, None, np.array([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]], np.int32)], num_heads=2)
    c.add("heads_lengths", "MultiHeadAttention", [q, k, v, None, np.array([3, 5], np.int32)], num_heads=2)
    c.add("heads_scores", "MultiHeadAttention", [q, k, v, None, None, floats(2, 2, 3, 5)], num_heads=2)
    c.add("heads_causal", "MultiHeadAttention", [q, floats(2, 3, 8), floats(2, 3, 8)], num_heads=2, unidirectional=1)
    c.add("heads_past", "MultiHeadAttention", [q, floats(2, 3, 8), floats(2, 3, 8), None, None, None, floats(2, 2, 4, 4), floats(2, 2, 4, 4)], outputs=3, num_heads=2)
    c.add("heads_apart", "MultiHeadAttention", [q, floats(2, 2, 5, 4), floats(2, 2, 5, 4)], num_heads=2)
    table = (floats(16, 8), floats(16, 8))
    heads = {"num_heads": 4, "kv_num_heads": 2}

    def grouped(name, sequence, past, rotary=0, **attributes):
        total = past + sequence
        cache = (floats(2, 2, past, 16), floats(2, 2, past, 16)) if past else (None, None)
        lengths = (np.full(2, total - 1, np.int32), np.array([total], np.int32))
        operands = (floats(2, sequence, 64), floats(2, sequence, 32), floats(2, sequence, 32))
        c.add(name, "GroupQueryAttention", [*operands, *cache, *lengths, *(table if rotary else ())], outputs=3, constants=(6,), do_rotary=rotary, **heads, **attributes)

    for rotary in (0, 1):
        grouped(f"grouped_prompt_{rotary}", 3, 0, rotary)
        grouped(f"grouped_step_{rotary}", 1, 5, rotary)
    grouped("grouped_interleaved", 3, 0, 1, rotary_interleaved=1)
    grouped("grouped_window", 1, 7, local_window_size=3)
    grouped("grouped_window_prompt", 6, 0, local_window_size=2)
    grouped("grouped_capped", 3, 0, softcap=2.0)
    lengths = (np.full(2, 2, np.int32), np.array([3], np.int32))
    c.add("grouped_packed", "GroupQueryAttention", [floats(2, 3, 128), None, None, None, None, *lengths, *table], outputs=3, constants=(6,), do_rotary=1, **heads)


def quantised(c):
    a = [small(0, 256, 2, 3, 4), scale(0.02), np.array(120, np.uint8)]
    b = [small(0, 256, 2, 3, 4), scale(0.03), np.array(130, np.uint8)]
    y = [scale(0.0531), np.array(125, np.uint8)]  # no number lies half way, where f32 decides
    c.add("quantised_add", "QLinearAdd", [*a, *b, *y])
    c.add("quantised_mul", "QLinearMul", [*a, *b, *y])
    c.add("quantised_sigmoid", "QLinearSigmoid", [*a, scale(1 / 256), np.array(0, np.uint8)], constants=(1, 2, 3, 4))
    c.add("quantised_leaky", "QLinearLeakyRelu", [*a, *y], constants=(1, 2, 3, 4), alpha=0.1)
    image = [small(0, 256, 1, 2, 4, 4), scale(0.02), np.array(120, np.uint8)]
    c.add("quantised_global_pool", "QLinearGlobalAveragePool", [*image, *y], constants=(1, 2, 3, 4), channels_last=0)
    c.add("quantised_pool", "QLinearAveragePool", [*image, *y], constants=(1, 2, 3, 4), kernel_shape=[2, 2], strides=[2, 2])
    c.add("quantised_concat", "QLinearConcat", [*y, *a, *b], constants=(0, 1, 3, 4, 6, 7), axis=1)
    c.add("dequantise", "DequantizeLinear", a)
    c.add("quantise", "QuantizeLinear", [floats(2, 5), scale(0.05), np.array(128, np.uint8)])
    c.add("integers_to_float", "MatMulIntegerToFloat", [small(0, 256, 2, 3), small(0, 256, 3, 4), scale(0.02), scale(0.03), np.array(120, np.uint8), np.array(130, np.uint8), floats(4)], constants=(4, 5))


def features(c):
    rows = floats(3, 4)
    c.add("features", "ArrayFeatureExtractor", [rows, np.array([[2, 0]], np.int64)], domain=ML)
    c.add("binarizer", "Binarizer", [rows], domain=ML, threshold=0.2)
    for norm in ("MAX", "L1", "L2"):
        c.add(f"normalizer_{norm.lower()}", "Normalizer", [rows], domain=ML, norm=norm)
    c.add("scaler", "Scaler", [rows], domain=ML, offset=[0.5, -1.0, 2.0, 0.0], scale=[2.0, 1.0, 0.5, 3.0])
    c.add("scaler_of_whole_numbers", "Scaler", [small(-9, 9, 2, 3, dtype=np.int64)], domain=ML, offset=[0.5], scale=[2.0])


def main():
    onnxruntime.set_default_logger_severity(3)
    cases = Cases(sys.argv[1])
    for family in (functions, products, norms, attention, quantised, features):
        family(cases)
    print(f"onnxruntime {onnxruntime.__version__}: {cases.count} cases of {DOMAIN} and {ML}")


main()
