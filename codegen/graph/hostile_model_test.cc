// Models that are well formed and mean nothing: every operator with inputs dropped, left out and rewired, attributes of other kinds and at the
// ends of their ranges, outputs that it does not have, in every opset. Each gives tasks or one sentence, never an abort.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/import.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/op_table.h"

namespace hone::graph {
namespace {

using Dims = std::vector<int64_t>;
using Kind = onnx::AttributeProto;

constexpr int kF32 = 1, kU8 = 2, kI8 = 3, kI32 = 6, kI64 = 7, kBool = 9, kF8E5M2 = 19, kI4 = 22, kF8E8M0 = 24;

// An input of the seed's node: a graph input, or a constant with these numbers.
struct Input {
  int type = kF32;
  Dims dims;
  std::vector<int64_t> constant = {};
  bool is_constant = false;
};
Input of(int type, Dims dims) { return {type, std::move(dims)}; }
Input x(Dims dims) { return {kF32, std::move(dims)}; }
Input setting(std::vector<int64_t> numbers) { return {kI64, {static_cast<int64_t>(numbers.size())}, numbers, true}; }
Input scalar(int64_t number, int type = kI64) { return {type, {}, {number}, true}; }

onnx::AttributeProto attribute(const std::string& name, int64_t v) {
  onnx::AttributeProto a;
  a.set_name(name);
  a.set_type(Kind::INT);
  a.set_i(v);
  return a;
}
onnx::AttributeProto attribute(const std::string& name, const Dims& v) {
  onnx::AttributeProto a;
  a.set_name(name);
  a.set_type(Kind::INTS);
  for (int64_t e : v) a.add_ints(e);
  return a;
}
onnx::AttributeProto attribute(const std::string& name, const char* v) {
  onnx::AttributeProto a;
  a.set_name(name);
  a.set_type(Kind::STRING);
  a.set_s(v);
  return a;
}
onnx::AttributeProto attribute(const std::string& name, double v) {
  onnx::AttributeProto a;
  a.set_name(name);
  a.set_type(Kind::FLOAT);
  a.set_f(static_cast<float>(v));
  return a;
}

onnx::AttributeProto tensor_attribute(const std::string& name, const std::vector<float>& numbers) {
  onnx::AttributeProto a;
  a.set_name(name);
  a.set_type(Kind::TENSOR);
  a.mutable_t()->set_data_type(kF32);
  a.mutable_t()->add_dims(static_cast<int64_t>(numbers.size()));
  for (float number : numbers) a.mutable_t()->add_float_data(number);
  return a;
}

// One node that hone accepts. All attributes are such as its definition reads.
struct Seed {
  std::vector<Input> inputs;
  std::vector<onnx::AttributeProto> attributes = {};
  int outputs = 1, opset = 13;
};

Seed binary(int type = kF32) { return {{of(type, {2, 3}), of(type, {3})}}; }
Seed window(Dims kernel = {2, 2}) {
  return {{x({1, 4, 6, 6})},
          {attribute("kernel_shape", kernel), attribute("strides", Dims{1, 2}), attribute("pads", Dims{0, 1, 0, 1}),
           attribute("auto_pad", "NOTSET"), attribute("ceil_mode", int64_t{0})}};
}
Seed convolution(int type = kF32) {
  return {{of(type, {1, 4, 6, 6}), of(type, {4, 2, 3, 3})},
          {attribute("pads", Dims{1, 1, 1, 1}), attribute("strides", Dims{1, 1}), attribute("dilations", Dims{1, 1}),
           attribute("group", int64_t{2}), attribute("kernel_shape", Dims{3, 3})}};
}
Seed reduction() { return {{x({2, 3, 4})}, {attribute("axes", Dims{1}), attribute("keepdims", int64_t{0})}, 1, 11}; }

const std::map<std::string, Seed>& seeds() {
  static const std::map<std::string, Seed> all = {
      {"Conv", convolution()},
      {"ConvInteger", convolution(kU8)},
      {"ConvTranspose", convolution()},
      {"Gemm",
       {{x({2, 3}), x({4, 3}), x({4})},
        {attribute("transB", int64_t{1}), attribute("alpha", 0.5), attribute("beta", 2.0)}}},
      {"Einsum", {{x({2, 3}), x({3, 4})}, {attribute("equation", "ij,jk->ik")}}},
      {"MatMul", {{x({2, 3}), x({3, 4})}}},
      {"MatMulInteger", {{of(kU8, {2, 3}), of(kI8, {3, 4}), scalar(1, kU8), scalar(1, kI8)}}},
      {"QLinearConv",
       {{of(kU8, {1, 4, 6, 6}), scalar(1, kF32), scalar(1, kU8), of(kI8, {4, 2, 3, 3}), x({4}), of(kI8, {4}), scalar(2, kF32), scalar(1, kU8), of(kI32, {4})},
        {attribute("pads", Dims{1, 1, 1, 1}), attribute("strides", Dims{1, 1}), attribute("dilations", Dims{1, 1}), attribute("group", int64_t{2}),
         attribute("kernel_shape", Dims{3, 3})}}},
      {"QLinearMatMul",
       {{of(kU8, {2, 3}), x({2}), of(kU8, {2}), of(kI8, {3, 4}), x({4}), of(kI8, {4}), scalar(2, kF32), scalar(1, kI8)}, {}, 1, 21}},
      {"AveragePool", window()},
      {"MaxPool", [] {
         Seed seed = window();
         seed.attributes.push_back(attribute("storage_order", int64_t{1}));
         seed.outputs = 2;
         return seed;
       }()},
      {"GlobalAveragePool", {{x({1, 4, 6, 6})}}},
      {"GlobalLpPool", {{x({1, 4, 6, 6})}, {attribute("p", int64_t{3})}}},
      {"LpPool", window()},
      {"GlobalMaxPool", {{x({1, 4, 6, 6})}}},
      {"And", binary(kBool)},
      {"Or", binary(kBool)},
      {"Xor", binary(kBool)},
      {"Not", {{of(kBool, {2, 3})}}},
      {"BatchNormalization", {{x({1, 4, 6, 6}), x({4}), x({4}), x({4}), x({4})}, {attribute("epsilon", 0.1)}}},
      {"BitCast", {{x({2, 3})}, {attribute("to", int64_t{kI32})}, 1, 26}},
      {"BitShift", {{of(kU8, {2, 3}), of(kU8, {3})}, {attribute("direction", "LEFT")}}},
      {"BitwiseAnd", binary(kI32)},
      {"BitwiseNot", {{of(kI32, {2, 3})}}},
      {"BitwiseOr", binary(kI32)},
      {"BitwiseXor", binary(kI32)},
      {"Cast", {{x({2, 3})}, {attribute("to", int64_t{kF8E8M0}), attribute("saturate", int64_t{0}), attribute("round_mode", "down")}, 1, 24}},
      {"CastLike", binary()},
      {"Celu", {{x({2, 3})}, {attribute("alpha", 0.5)}}},
      {"Clip", {{x({2, 3}), scalar(0, kF32), scalar(6, kF32)}}},
      {"DequantizeLinear",
       {{of(kI4, {2, 3}), x({2, 2}), of(kI4, {2, 2})},
        {attribute("axis", int64_t{1}), attribute("block_size", int64_t{2}), attribute("output_dtype", int64_t{kF32})},
        1,
        23}},
      {"QuantizeLinear",
       {{x({2, 3}), x({2, 2}), of(kF8E5M2, {2, 2})},
        {attribute("axis", int64_t{1}), attribute("block_size", int64_t{2}), attribute("saturate", int64_t{0}), attribute("precision", int64_t{kF32})},
        1,
        23}},
      {"Dropout", {{x({2, 3})}, {}, 2}},
      {"Elu", {{x({2, 3})}, {attribute("alpha", 0.5)}}},
      {"Gelu", {{x({2, 3})}, {attribute("approximate", "tanh")}}},
      {"HardSigmoid", {{x({2, 3})}, {attribute("alpha", 0.5), attribute("beta", 0.5)}}},
      {"EyeLike", {{x({2, 3})}, {attribute("k", int64_t{1}), attribute("dtype", int64_t{kI32})}}},
      {"IsInf", {{x({2, 3})}, {attribute("detect_negative", int64_t{0}), attribute("detect_positive", int64_t{1})}}},
      {"LeakyRelu", {{x({2, 3})}, {attribute("alpha", 0.5)}}},
      {"Mod", {{x({2, 3}), x({3})}, {attribute("fmod", int64_t{1})}}},
      {"Selu", {{x({2, 3})}, {attribute("alpha", 0.5), attribute("gamma", 0.5)}}},
      {"Shrink", {{x({2, 3})}, {attribute("lambd", 0.5), attribute("bias", 0.5)}}},
      {"SwiGLU", {{x({2, 3}), x({2, 3})}, {attribute("alpha", 0.5)}, 1, 28}},
      {"Swish", {{x({2, 3})}, {attribute("alpha", 0.5)}, 1, 24}},
      {"ThresholdedRelu", {{x({2, 3})}, {attribute("alpha", 0.5)}}},
      {"Where", {{of(kBool, {2, 3}), x({3}), x({2, 1})}}},
      {"Compress", {{x({2, 3}), {kBool, {3}, {1, 0, 1}, true}}, {attribute("axis", int64_t{1})}}},
      {"Det", {{x({2, 3, 3})}}},
      {"MelWeightMatrix", {{scalar(3), scalar(16), scalar(8000), scalar(0, kF32), scalar(4000, kF32)}, {attribute("output_datatype", int64_t{1})}, 1, 17}},
      {"Multinomial", {{x({2, 3})}, {attribute("sample_size", int64_t{4}), attribute("seed", 1.0), attribute("dtype", int64_t{7})}}},
      {"RandomNormal", {{}, {attribute("shape", Dims{2, 3}), attribute("seed", 1.0), attribute("mean", 2.0), attribute("scale", 0.5)}}},
      {"RandomNormalLike", {{x({2, 3})}, {attribute("dtype", int64_t{1})}}},
      {"RandomUniform", {{}, {attribute("shape", Dims{2, 3}), attribute("low", 2.0), attribute("high", 3.0)}}},
      {"RandomUniformLike", {{of(kI32, {2, 3})}}},
      {"NonMaxSuppression", {{x({1, 4, 4}), x({1, 2, 4}), scalar(3), scalar(0, kF32), scalar(0, kF32)}, {attribute("center_point_box", int64_t{1})}}},
      {"NonZero", {{setting({1, 0, 2})}}},
      {"Unique", {{x({2, 3})}, {attribute("axis", int64_t{1}), attribute("sorted", int64_t{0})}, 4}},
      {"RNN", {{x({3, 1, 2}), x({2, 4, 2}), x({2, 4, 4}), x({2, 8}), of(kI32, {1}), x({2, 1, 4})}, {attribute("direction", "bidirectional"), attribute("hidden_size", int64_t{4}), attribute("clip", 0.5)}, 2}},
      {"GRU", {{x({3, 1, 2}), x({1, 12, 2}), x({1, 12, 4}), x({1, 24}), of(kI32, {1}), x({1, 1, 4})}, {attribute("direction", "reverse"), attribute("linear_before_reset", int64_t{1})}, 2}},
      {"LSTM",
       {{x({1, 3, 2}), x({1, 16, 2}), x({1, 16, 4}), x({1, 32}), of(kI32, {1}), x({1, 1, 4}), x({1, 1, 4}), x({1, 12})},
        {attribute("layout", int64_t{1}), attribute("input_forget", int64_t{1})},
        3}},
      {"LinearAttention",
       {{x({1, 2, 8}), x({1, 2, 4}), x({1, 2, 6}), x({1, 1, 4, 6}), x({1, 2, 1}), x({1, 2, 1})},
        {attribute("q_num_heads", int64_t{2}), attribute("kv_num_heads", int64_t{1}), attribute("update_rule", "gated_delta"), attribute("scale", 0.5), attribute("chunk_size", int64_t{2})},
        2,
        27}},
      {"SimplifiedLayerNormalization", {{x({2, 3}), x({3})}, {attribute("axis", int64_t{1}), attribute("epsilon", 0.1)}}},
      {"TfIdfVectorizer",
       {{of(kI64, {2, 5})},
        {attribute("pool_int64s", Dims{2, 1, 2}), attribute("ngram_counts", Dims{0, 1}), attribute("ngram_indexes", Dims{0, 1}), attribute("min_gram_length", int64_t{1}),
         attribute("max_gram_length", int64_t{2}), attribute("max_skip_count", int64_t{1}), attribute("mode", "TF")}}},
      {"ai.onnx.ml.ArrayFeatureExtractor", {{x({2, 3}), of(kI64, {1, 2})}}},
      {"ai.onnx.ml.Binarizer", {{x({2, 3})}, {attribute("threshold", 0.5)}}},
      {"ai.onnx.ml.LabelEncoder", {{of(kI64, {2, 3})}, {attribute("keys_int64s", Dims{1, 2}), attribute("values_int64s", Dims{3, 4}), attribute("default_int64", int64_t{5})}}},
      {"ai.onnx.ml.TreeEnsemble",
       {{x({2, 3})},
        {attribute("tree_roots", Dims{0}), attribute("nodes_featureids", Dims{0, 2}), attribute("nodes_truenodeids", Dims{1, 0}), attribute("nodes_falsenodeids", Dims{1, 2}),
         attribute("nodes_trueleafs", Dims{0, 1}), attribute("nodes_falseleafs", Dims{1, 1}), attribute("leaf_targetids", Dims{0, 1, 1}), attribute("nodes_missing_value_tracks_true", Dims{0, 1}),
         attribute("n_targets", int64_t{2}), attribute("aggregate_function", int64_t{1}), attribute("post_transform", int64_t{0}), tensor_attribute("nodes_modes", {0, 6}),
         tensor_attribute("nodes_splits", {0.5F, 0}), tensor_attribute("leaf_weights", {1, 2, 3}), tensor_attribute("membership_values", {1, 2, NAN})}}},
      {"ai.onnx.ml.Normalizer", {{x({2, 3})}, {attribute("norm", "L2")}}},
      {"ai.onnx.ml.Scaler", {{x({2, 3})}}},
      {"com.microsoft.BiasGelu", {{x({2, 3}), x({3})}}},
      {"com.microsoft.DequantizeLinear", {{of(kU8, {2, 3}), x({3}), of(kU8, {3})}, {attribute("axis", int64_t{1})}}},
      {"com.microsoft.EmbedLayerNormalization",
       {{of(kI32, {1, 2}), of(kI32, {1, 2}), x({5, 4}), x({3, 4}), x({2, 4}), x({4}), x({4}), of(kI32, {1, 2}), of(kI64, {1, 2})}, {attribute("epsilon", 0.1), attribute("mask_index_type", int64_t{0})}, 3}},
      {"com.microsoft.FastGelu", {{x({2, 3}), x({3})}}},
      {"com.microsoft.FusedConv", {{x({1, 4, 6, 6}), x({4, 2, 3, 3}), x({4}), x({1, 4, 4, 4})}, {attribute("group", int64_t{2}), attribute("activation", "Clip")}}},
      {"com.microsoft.FusedGemm", {{x({2, 3}), x({4, 3}), x({4})}, {attribute("activation", "LeakyRelu"), attribute("transB", int64_t{1}), attribute("activation_alpha", 0.5)}}},
      {"com.microsoft.FusedMatMul", {{x({3, 2, 4}), x({4, 2, 5})}, {attribute("transBatchA", int64_t{1}), attribute("transBatchB", int64_t{1}), attribute("alpha", 0.5)}}},
      {"com.microsoft.GroupQueryAttention",
       {{x({1, 2, 8}), x({1, 2, 4}), x({1, 2, 4}), x({1, 1, 3, 4}), x({1, 1, 3, 4}), of(kI32, {1}), scalar(5, kI32), x({8, 2}), x({8, 2})},
        {attribute("num_heads", int64_t{2}), attribute("kv_num_heads", int64_t{1}), attribute("do_rotary", int64_t{1}), attribute("local_window_size", int64_t{2}), attribute("scale", 0.5), attribute("softcap", 2.0),
         attribute("rotary_interleaved", int64_t{1})},
        3}},
      {"com.microsoft.MatMulIntegerToFloat", {{of(kU8, {2, 3}), of(kU8, {3, 4}), x({}), x({4}), scalar(1, kU8), scalar(1, kU8), x({4})}}},
      {"com.microsoft.MatMulNBits",
       {{x({2, 20}), of(kU8, {3, 2, 8}), x({6}), of(kU8, {3})}, {attribute("K", int64_t{20}), attribute("N", int64_t{3}), attribute("bits", int64_t{4}), attribute("block_size", int64_t{16}), attribute("accuracy_level", int64_t{0})}}},
      {"com.microsoft.MultiHeadAttention",
       {{x({1, 2, 6}), x({1, 3, 6}), x({1, 3, 6}), x({18}), of(kI32, {1, 4}), x({1, 2, 2, 4}), x({1, 2, 1, 3}), x({1, 2, 1, 3})},
        {attribute("num_heads", int64_t{2}), attribute("unidirectional", int64_t{1}), attribute("scale", 0.5), attribute("mask_filter_value", -100.0)},
        3}},
      {"com.microsoft.QLinearAdd", {{of(kU8, {2, 3}), x({}), of(kU8, {}), of(kU8, {2, 3}), x({}), of(kU8, {}), x({}), of(kU8, {})}}},
      {"com.microsoft.QLinearMul", {{of(kU8, {2, 3}), x({}), of(kU8, {}), of(kU8, {2, 3}), x({}), of(kU8, {}), x({}), of(kU8, {})}}},
      {"com.microsoft.QLinearAveragePool", {{of(kU8, {1, 2, 4, 4}), x({}), of(kU8, {}), x({}), of(kU8, {})}, {attribute("kernel_shape", Dims{2, 2}), attribute("channels_last", int64_t{0})}}},
      {"com.microsoft.QLinearConcat", {{x({}), of(kU8, {}), of(kU8, {2, 3}), x({}), of(kU8, {}), of(kU8, {2, 3}), x({}), of(kU8, {})}, {attribute("axis", int64_t{1})}}},
      {"com.microsoft.QLinearGlobalAveragePool", {{of(kU8, {1, 2, 4, 4}), x({}), of(kU8, {}), x({}), of(kU8, {})}, {attribute("channels_last", int64_t{0})}}},
      {"com.microsoft.QLinearLeakyRelu", {{of(kU8, {2, 3}), x({}), of(kU8, {}), x({}), of(kU8, {})}, {attribute("alpha", 0.5)}}},
      {"com.microsoft.QLinearSigmoid", {{of(kU8, {2, 3}), x({}), of(kU8, {}), x({}), of(kU8, {})}}},
      {"com.microsoft.QuantizeLinear", {{x({2, 3}), x({3}), of(kU8, {3})}, {attribute("axis", int64_t{1})}}},
      {"com.microsoft.QuickGelu", {{x({2, 3})}, {attribute("alpha", 0.5)}}},
      {"com.microsoft.RotaryEmbedding",
       {{x({1, 2, 6}), of(kI64, {1}), x({3, 2}), x({3, 2})}, {attribute("num_heads", int64_t{1}), attribute("rotary_embedding_dim", int64_t{4}), attribute("interleaved", int64_t{1})}}},
      {"com.microsoft.SkipLayerNormalization", {{x({1, 2, 3}), x({1, 2, 3}), x({3}), x({3}), x({3})}, {attribute("epsilon", 0.1)}}},
      {"com.microsoft.SkipSimplifiedLayerNormalization", {{x({1, 2, 3}), x({1, 2, 3}), x({3}), x({3})}, {attribute("epsilon", 0.1)}}},
      {"Attention",
       {{x({1, 2, 6}), x({1, 3, 6}), x({1, 3, 6}), of(kBool, {2, 3}), x({1, 2, 1, 3}), x({1, 2, 1, 3})},
        {attribute("q_num_heads", int64_t{2}), attribute("kv_num_heads", int64_t{2}), attribute("scale", 0.5), attribute("softcap", 2.0),
         attribute("is_causal", int64_t{1}), attribute("left_window_size", int64_t{1}), attribute("right_window_size", int64_t{1}),
         attribute("qk_matmul_output_mode", int64_t{2})},
        4,
        25}},
      {"CausalConvWithState", {{x({1, 2, 5}), x({2, 1, 3}), x({2}), x({1, 2, 2})}, {attribute("activation", "silu")}, 2, 27}},
      {"NegativeLogLikelihoodLoss", {{x({2, 3}), of(kI64, {2}), x({3})}, {attribute("ignore_index", int64_t{1}), attribute("reduction", "mean")}}},
      {"SoftmaxCrossEntropyLoss", {{x({2, 3}), of(kI64, {2}), x({3})}, {attribute("ignore_index", int64_t{1}), attribute("reduction", "sum")}, 2}},
      {"CumProd", {{x({2, 3}), scalar(1)}, {attribute("exclusive", int64_t{1}), attribute("reverse", int64_t{1})}, 1, 26}},
      {"CumSum", {{x({2, 3}), scalar(1)}, {attribute("exclusive", int64_t{1}), attribute("reverse", int64_t{1})}}},
      {"TopK", {{x({2, 3}), setting({2})}, {attribute("axis", int64_t{1}), attribute("largest", int64_t{0})}, 2}},
      {"Scatter", {{x({2, 3}), of(kI64, {2, 2}), x({2, 2})}, {attribute("axis", int64_t{1})}, 1, 9}},
      {"ScatterElements", {{x({2, 3}), of(kI64, {2, 2}), x({2, 2})}, {attribute("axis", int64_t{1}), attribute("reduction", "add")}, 1, 18}},
      {"ScatterND", {{x({2, 3}), of(kI64, {2, 1}), x({2, 3})}, {attribute("reduction", "max")}, 1, 18}},
      {"TensorScatter", {{x({2, 3, 4}), x({2, 2, 4}), of(kI64, {2})}, {attribute("axis", int64_t{1}), attribute("mode", "circular")}, 1, 24}},
      {"MaxUnpool",
       {{x({1, 1, 2, 2}), of(kI64, {1, 1, 2, 2}), setting({1, 1, 5, 5})},
        {attribute("kernel_shape", Dims{2, 2}), attribute("strides", Dims{2, 2}), attribute("pads", Dims{0, 0, 0, 0})}}},
      {"AffineGrid", {{x({1, 2, 3}), setting({1, 1, 4, 4})}, {attribute("align_corners", int64_t{1})}, 1, 20}},
      {"GridSample", {{x({1, 1, 3, 3}), x({1, 2, 2, 2})}, {attribute("mode", "cubic"), attribute("padding_mode", "reflection"), attribute("align_corners", int64_t{1})}, 1, 20}},
      {"DeformConv",
       {{x({1, 2, 4, 4}), x({2, 1, 2, 2}), x({1, 8, 3, 3}), x({2}), x({1, 4, 3, 3})},
        {attribute("group", int64_t{2}), attribute("offset_group", int64_t{1}), attribute("pads", Dims{0, 0, 0, 0})},
        1,
        19}},
      {"RoiAlign",
       {{x({1, 2, 4, 4}), x({2, 4}), of(kI64, {2})},
        {attribute("output_height", int64_t{2}), attribute("output_width", int64_t{3}), attribute("sampling_ratio", int64_t{2}), attribute("spatial_scale", 0.5),
         attribute("mode", "max"), attribute("coordinate_transformation_mode", "output_half_pixel")},
        1,
        16}},
      {"Col2Im", {{x({1, 4, 9}), setting({4, 4}), setting({2, 2})}, {attribute("pads", Dims{0, 0, 0, 0}), attribute("strides", Dims{1, 1}), attribute("dilations", Dims{1, 1})}, 1, 18}},
      {"DFT", {{x({1, 5, 2}), scalar(4), scalar(1)}, {attribute("inverse", int64_t{1}), attribute("onesided", int64_t{0})}, 1, 20}},
      {"STFT", {{x({1, 9, 1}), scalar(2), x({4}), scalar(4)}, {attribute("onesided", int64_t{1})}, 1, 17}},
      {"BlackmanWindow", {{scalar(5)}, {attribute("periodic", int64_t{0}), attribute("output_datatype", int64_t{kF32})}, 1, 17}},
      {"HammingWindow", {{scalar(5)}, {attribute("periodic", int64_t{0}), attribute("output_datatype", int64_t{kF32})}, 1, 17}},
      {"HannWindow", {{scalar(5)}, {attribute("periodic", int64_t{0}), attribute("output_datatype", int64_t{kF32})}, 1, 17}},
      {"ArgMax", {{x({2, 3})}, {attribute("axis", int64_t{1}), attribute("keepdims", int64_t{0})}}},
      {"ArgMin", {{x({2, 3})}, {attribute("axis", int64_t{1}), attribute("keepdims", int64_t{0})}}},
      {"DynamicQuantizeLinear", {{x({2, 3})}, {}, 3}},
      {"Hardmax", {{x({2, 3})}, {attribute("axis", int64_t{1})}}},
      {"GroupNormalization", {{x({1, 4, 6, 6}), x({4}), x({4})}, {attribute("num_groups", int64_t{2}), attribute("epsilon", 0.1)}, 1, 21}},
      {"RMSNormalization", {{x({2, 3}), x({3})}, {attribute("axis", int64_t{1})}, 1, 23}},
      {"InstanceNormalization", {{x({1, 4, 6, 6}), x({4}), x({4})}, {attribute("epsilon", 0.1)}}},
      {"LRN", {{x({1, 4, 6, 6})}, {attribute("size", int64_t{3}), attribute("alpha", 0.5), attribute("beta", 0.5)}}},
      {"LayerNormalization", {{x({2, 3}), x({3}), x({3})}, {attribute("axis", int64_t{1})}, 3, 17}},
      {"LogSoftmax", {{x({2, 3})}, {attribute("axis", int64_t{1})}}},
      {"Softmax", {{x({2, 3})}, {attribute("axis", int64_t{1})}}},
      {"LpNormalization", {{x({2, 3})}, {attribute("axis", int64_t{1}), attribute("p", int64_t{1})}}},
      {"MeanVarianceNormalization", {{x({1, 4, 6, 6})}, {attribute("axes", Dims{0, 2, 3})}}},
      {"Concat", {{x({2, 3}), x({2, 1})}, {attribute("axis", int64_t{1})}}},
      {"ConstantOfShape", {{setting({2, 3})}}},
      {"DepthToSpace", {{x({1, 4, 6, 6})}, {attribute("blocksize", int64_t{2}), attribute("mode", "CRD")}}},
      {"SpaceToDepth", {{x({1, 4, 6, 6})}, {attribute("blocksize", int64_t{2}), attribute("mode", "CRD")}}},
      {"Expand", {{x({2, 1}), setting({2, 3})}}},
      {"Gather", {{x({2, 3}), of(kI64, {2})}, {attribute("axis", int64_t{1})}}},
      {"GatherElements", {{x({2, 3}), of(kI64, {2, 2})}, {attribute("axis", int64_t{1})}}},
      {"CenterCropPad", {{x({2, 3}), setting({4})}, {attribute("axes", Dims{1})}}},
      {"GatherND", {{x({2, 3}), of(kI64, {2, 1})}, {attribute("batch_dims", int64_t{1})}}},
      {"ReverseSequence", {{x({2, 3}), of(kI64, {2})}, {attribute("time_axis", int64_t{1}), attribute("batch_axis", int64_t{0})}}},
      {"RotaryEmbedding",
       {{x({1, 2, 6}), x({3, 2}), x({3, 2}), of(kI64, {1, 2})},
        {attribute("num_heads", int64_t{1}), attribute("rotary_embedding_dim", int64_t{4}), attribute("interleaved", int64_t{1})},
        1,
        23}},
      {"OneHot", {{of(kI64, {2}), scalar(4), {kF32, {2}, {0, 1}, true}}, {attribute("axis", int64_t{-1})}}},
      {"Pad", {{x({2, 3}), setting({0, 1, 0, 1}), scalar(1, kF32), setting({0, 1})}, {attribute("mode", "wrap")}}},
      {"Range", {{scalar(0), scalar(4), scalar(1)}}},
      {"Resize",
       {{x({1, 1, 2, 2}), {kF32, {0}, {}, true}, {kF32, {0}, {}, true}, setting({3, 4})},
        {attribute("mode", "cubic"), attribute("cubic_coeff_a", -0.5), attribute("axes", Dims{2, 3}),
         attribute("keep_aspect_ratio_policy", "not_larger"), attribute("coordinate_transformation_mode", "half_pixel_symmetric")},
        1,
        19}},
      {"Shape", {{x({2, 3})}}},
      {"Size", {{x({2, 3})}}},
      {"Slice", {{x({4, 5}), setting({1}), setting({4}), setting({1}), setting({2})}}},
      {"Split", {{x({2, 6}), setting({2, 4})}, {attribute("axis", int64_t{1}), attribute("num_outputs", int64_t{2})}, 2}},
      {"Tile", {{x({2, 3}), setting({2, 2})}}},
      {"Transpose", {{x({2, 3})}, {attribute("perm", Dims{1, 0})}}},
      {"Trilu", {{x({3, 3}), scalar(1)}, {attribute("upper", int64_t{0})}}},
      {"Upsample", {{x({1, 1, 2, 2}), {kF32, {4}, {1, 1, 2, 2}, true}}, {attribute("mode", "nearest")}, 1, 9}},
      {"Flatten", {{x({2, 3, 4})}, {attribute("axis", int64_t{2})}}},
      {"Reshape", {{x({2, 3}), setting({3, -1})}}},
      {"Squeeze", {{x({2, 1, 3}), setting({1})}}},
      {"Unsqueeze", {{x({2, 3}), setting({1})}}},
  };
  return all;
}

Arity arity_of(std::string_view op) { return find_composed(op) ? find_composed(op)->arity : find_op(op)->arity; }

std::vector<std::string_view> known_ops() {
  std::vector<std::string_view> all = supported_ops();
  for (std::string_view op : composed_ops()) all.push_back(op);
  return all;
}

Seed seed_of(const std::string& op) {
  if (const auto it = seeds().find(op); it != seeds().end()) return it->second;
  if (op.rfind("Reduce", 0) == 0 && op != "ReduceSum") return reduction();
  if (op == "ReduceSum") return {{x({2, 3, 4}), setting({1})}, {attribute("keepdims", int64_t{0})}};
  const Arity arity = arity_of(op);
  return arity.inputs_min == 2 || arity.inputs_max == kArityMax ? binary() : Seed{{x({2, 3})}};
}

void declare(onnx::GraphProto& graph, const std::string& name, const Input& input) {
  if (input.is_constant) {
    auto* t = graph.add_initializer();
    t->set_name(name);
    t->set_data_type(input.type);
    for (int64_t d : input.dims) t->add_dims(d);
    for (int64_t v : input.constant) {
      if (input.type == kF32) t->add_float_data(static_cast<float>(v));
      else if (input.type == kI64) t->add_int64_data(v);
      else t->add_int32_data(static_cast<int>(v));
    }
    return;
  }
  auto* v = graph.add_input();
  v->set_name(name);
  auto* type = v->mutable_type()->mutable_tensor_type();
  type->set_elem_type(input.type);
  type->mutable_shape();
  for (int64_t d : input.dims) type->mutable_shape()->add_dim()->set_dim_value(d);
}

// What inputs are rewired to: other types, ranks and extents, known and not.
const std::vector<Input>& strangers() {
  static const std::vector<Input> all = {x({}),
                                         x({0}),
                                         x({7}),
                                         x({1, 1, 1, 1, 1, 1, 1, 1}),
                                         of(kBool, {2, 3}),
                                         of(kI64, {3}),
                                         of(kU8, {2, 3}),
                                         of(10, {2, 3}),
                                         of(kF8E5M2, {2, 3}),
                                         of(kF8E8M0, {3}),
                                         of(kI4, {2, 3}),
                                         scalar(-1),
                                         scalar(INT64_MAX),
                                         scalar(INT64_MIN),
                                         setting({INT64_MAX, INT64_MIN, 0, -1}),
                                         {kF32, {0}, {}, true}};
  return all;
}

onnx::ModelProto model_of(const std::string& op, const Seed& seed) {
  onnx::ModelProto model;
  model.set_ir_version(7);
  model.add_opset_import()->set_version(seed.opset);
  auto& graph = *model.mutable_graph();
  auto* node = graph.add_node();
  const size_t dot = op.rfind('.');
  node->set_op_type(op.substr(dot == std::string::npos ? 0 : dot + 1));
  if (dot != std::string::npos) node->set_domain(op.substr(0, dot));
  for (size_t i = 0; i < seed.inputs.size(); i++) {
    declare(graph, cat("in", i), seed.inputs[i]);
    node->add_input(cat("in", i));
  }
  for (size_t i = 0; i < strangers().size(); i++) declare(graph, cat("stranger", i), strangers()[i]);
  for (const auto& a : seed.attributes) *node->add_attribute() = a;
  for (int i = 0; i < seed.outputs; i++) {
    node->add_output(cat("out", i));
    graph.add_output()->set_name(cat("out", i));
  }
  return model;
}

// Whether hone accepts it; what it accepts verifies, and what it refuses it refuses with a sentence.
bool accepts(const onnx::ModelProto& model, const std::string& what) {
  const auto tasks = tasks_from_onnx(model.SerializeAsString(), {.verify = true});
  if (tasks.ok()) {
    for (const te::Task& t : tasks->tasks) {
      const Status sound = te::verify_te(t.program);
      EXPECT_TRUE(sound.ok()) << what << ": " << sound.error().message;
    }
    return true;
  }
  const ErrorCode code = tasks.error().code;
  EXPECT_TRUE(code == ErrorCode::kBadModel || code == ErrorCode::kUnsupported || code == ErrorCode::kLimitExceeded)
      << what << ": " << tasks.error().message;
  EXPECT_FALSE(tasks.error().message.empty()) << what;
  return false;
}

class Hostile : public testing::TestWithParam<std::string_view> {
 protected:
  std::string op() const { return std::string(GetParam()); }
  onnx::ModelProto sound() const { return model_of(op(), seed_of(op())); }
  static onnx::NodeProto& node(onnx::ModelProto& model) { return *model.mutable_graph()->mutable_node(0); }
};
INSTANTIATE_TEST_SUITE_P(EveryOperator, Hostile, testing::ValuesIn(known_ops()), [](const auto& info) {
  std::string name(info.param);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST_P(Hostile, InputsThatAreMissingOrOthers) {
  // Given a sound node, when inputs are dropped, left out, added or rewired, then it is refused where one that must be there is not, and
  // else gives sound tasks or a sentence; as it is, it is accepted.
  EXPECT_TRUE(accepts(sound(), op()));
  const Arity arity = arity_of(op());
  const int count = sound().graph().node(0).input_size();
  for (int i = 0; i < count; i++) {
    onnx::ModelProto fewer = sound(), blank = sound();
    node(fewer).mutable_input()->DeleteSubrange(i, count - i);
    const bool enough = accepts(fewer, cat(op(), " with ", i, " inputs"));
    if (static_cast<size_t>(i) < arity.inputs_min) { EXPECT_FALSE(enough) << i; }
    node(blank).set_input(i, "");
    const bool there = accepts(blank, cat(op(), " without input ", i));
    if (static_cast<size_t>(i) < arity.inputs_min) { EXPECT_FALSE(there) << i; }
    for (size_t s = 0; s < strangers().size(); s++) {
      onnx::ModelProto rewired = sound();
      node(rewired).set_input(i, cat("stranger", s));
      accepts(rewired, cat(op(), " with stranger ", s, " as input ", i));
    }
  }
  onnx::ModelProto more = sound();
  while (static_cast<size_t>(node(more).input_size()) <= std::min<size_t>(arity.inputs_max, 16))
    node(more).add_input("stranger0");
  const bool any_number = arity.inputs_max == kArityMax;
  if (!any_number) { EXPECT_FALSE(accepts(more, cat(op(), " with ", node(more).input_size(), " inputs"))); }
}

TEST_P(Hostile, AttributesOfOtherKinds) {
  // Given a node whose definition reads its attributes, when one is of another kind, then the node is refused.
  for (int a = 0; a < sound().graph().node(0).attribute_size(); a++)
    for (auto kind : {Kind::INT, Kind::FLOAT, Kind::STRING, Kind::INTS, Kind::FLOATS, Kind::TENSOR, Kind::GRAPH}) {
      onnx::ModelProto model = sound();
      auto& attribute = *node(model).mutable_attribute(a);
      if (attribute.type() == kind) continue;
      attribute.set_type(kind);
      attribute.mutable_t()->set_data_type(kF32);
      attribute.mutable_t()->add_float_data(1);
      EXPECT_FALSE(accepts(model, cat(op(), ".", attribute.name()))) << attribute.name() << " of kind " << kind;
    }
}

TEST_P(Hostile, AttributesAtTheEndsOfTheirRanges) {
  // Given a node, when its attributes take numbers at which something ends, then it gives sound tasks or a sentence.
  constexpr int64_t kEnds[] = {0,         -1,       1, 255, 32768, 65537, INT32_MAX, int64_t{1} << 32, int64_t{1} << 62,
                               INT64_MAX, INT64_MIN};
  constexpr float kFloatEnds[] = {0, NAN, INFINITY, -INFINITY, 1e38f};
  for (int a = 0; a < sound().graph().node(0).attribute_size(); a++) {
    const std::string what = cat(op(), ".", sound().graph().node(0).attribute(a).name());
    for (int64_t end : kEnds) {
      onnx::ModelProto one = sound(), all = sound(), longer = sound(), shorter = sound();
      node(one).mutable_attribute(a)->set_i(end);
      if (node(one).attribute(a).ints_size() > 0) node(one).mutable_attribute(a)->set_ints(0, end);
      for (int i = 0; i < node(all).attribute(a).ints_size(); i++) node(all).mutable_attribute(a)->set_ints(i, end);
      node(longer).mutable_attribute(a)->add_ints(end);
      node(shorter).mutable_attribute(a)->clear_ints();
      for (const auto* model : {&one, &all, &longer, &shorter}) accepts(*model, cat(what, " = ", end));
    }
    for (float end : kFloatEnds) {
      onnx::ModelProto model = sound();
      node(model).mutable_attribute(a)->set_f(end);
      accepts(model, cat(what, " = ", end));
    }
  }
}

TEST_P(Hostile, SettingsAtTheEndsOfTheirRanges) {
  // Given a node that reads constants as settings, when their numbers are such at which something ends, then it gives tasks or a sentence.
  for (int t = 0; t < static_cast<int>(seed_of(op()).inputs.size()); t++)
    for (int64_t end :
         {int64_t{0}, int64_t{-1}, int64_t{65537}, int64_t{INT32_MAX}, int64_t{1} << 62, INT64_MAX, INT64_MIN}) {
      onnx::ModelProto model = sound();
      for (auto& tensor : *model.mutable_graph()->mutable_initializer()) {
        if (tensor.name() != cat("in", t)) continue;
        for (int i = 0; i < tensor.int64_data_size(); i++) tensor.set_int64_data(i, end);
        for (int i = 0; i < tensor.float_data_size(); i++)
          tensor.set_float_data(i, end == 0 ? NAN : static_cast<float>(end));
      }
      accepts(model, cat(op(), " with input ", t, " = ", end));
    }
}

TEST_P(Hostile, OutputsAndOpsets) {
  // Given a node, when it names an output that nobody reads, then it is accepted as far as ONNX gives it one; one that the graph hands out is
  // made or refused; in every opset it gives tasks or a sentence.
  const Arity arity = arity_of(op());
  onnx::ModelProto unread = sound(), read = sound();
  const int outputs = node(unread).output_size();
  node(unread).add_output("more");
  node(read).add_output("more");
  read.mutable_graph()->add_output()->set_name("more");
  const bool any_number = arity.outputs_max == kArityMax;  // how many there are says what each is
  if (!any_number) { EXPECT_TRUE(accepts(unread, cat(op(), " with an output that nobody reads"))); }
  if (!any_number) { EXPECT_FALSE(accepts(read, cat(op(), " with output ", outputs))); }
  for (int opset = kOpsetMin; opset <= kOpsetMax; opset++) {
    onnx::ModelProto model = sound();
    model.mutable_opset_import(0)->set_version(opset);
    accepts(model, cat(op(), " in opset ", opset));
  }
}

TEST(HostileComposed, ShapesWithoutContents) {
  // Given inputs that are declared with 2^30 places and have no contents, when operators that stand for others are written out, then nothing is made that is as large as they are:
  // lists of places, zeros and masks are nodes. Grams whose columns are far beyond what the file lists are refused.
  constexpr int64_t kMany = int64_t{1} << 30;
  const auto heads = [](int64_t count) { return std::vector{attribute("num_heads", count)}; };
  const std::vector<std::pair<std::string, Seed>> all = {
      {"com.microsoft.MultiHeadAttention", {{x({1, 1, 1}), x({1, kMany, 1}), x({1, kMany, 1}), x({3}), of(kI32, {1})}, heads(1)}},
      {"com.microsoft.RotaryEmbedding", {{x({1, kMany, 2}), of(kI64, {1}), x({3, 1}), x({3, 1})}, {}}},
      {"com.microsoft.EmbedLayerNormalization", {{of(kI32, {1, kMany}), of(kI32, {1, kMany}), x({5, 1}), x({3, 1}), x({2, 1}), x({1}), x({1})}}},
      {"com.microsoft.GroupQueryAttention",
       {{x({1, 1, 2}), x({1, 1, 2}), x({1, 1, 2}), x({1, 1, 1, 2}), x({1, 1, 1, 2}), of(kI32, {1}), scalar(kMany, kI32)}, {attribute("num_heads", int64_t{1}), attribute("kv_num_heads", int64_t{1})}}},
      {"RNN", {{x({1, kMany, 1}), x({1, 1, 1}), x({1, 1, 1})}}},
  };
  for (const auto& [op, seed] : all) accepts(model_of(op, seed), op);
  EXPECT_FALSE(accepts(model_of("TfIdfVectorizer", {{of(kI64, {5})}, {attribute("pool_int64s", Dims{2}), attribute("ngram_counts", Dims{0}), attribute("ngram_indexes", Dims{kMany}), attribute("mode", "TF")}}), "TfIdfVectorizer"));
}

}  // namespace
}  // namespace hone::graph
