// What hone reads of an ONNX file, message by message, as ONNX's onnx.proto names them. Everything that is text or elements is a view of the
// file's bytes, which outlive the structs.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone::graph {

struct OnnxEntry {  // StringStringEntryProto
  std::string_view key, value;
};

// The elements that stand in typed fields are found again in `message` (onnx_import_tensor), so that each is decoded once, to what it becomes.
struct OnnxTensor {
  std::string_view message, name;
  std::vector<int64_t> dims;
  int64_t data_type = 0;
  bool is_external = false;
  std::optional<std::string_view> raw_data;
  std::vector<OnnxEntry> external_data;
};

struct OnnxSparseTensor {
  OnnxTensor values, indices;  // its name is that of the values
  std::vector<int64_t> dims;
};

struct OnnxDimension {
  std::optional<int64_t> value;
  std::string_view param;
};

struct OnnxType {
  enum Kind : uint8_t { kNone, kTensor, kSequence, kOptional, kOther } kind = kNone;
  int64_t elem_type = 0;  // of a tensor
  std::optional<std::vector<OnnxDimension>> shape;
  std::unique_ptr<OnnxType> element;  // of a sequence or an optional; may be null
};

struct OnnxValueInfo {
  std::string_view name;
  OnnxType type;
};

struct OnnxGraph;

// The numbers are AttributeProto's.
enum class OnnxAttributeType : uint8_t {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kSparseTensor = 11,
  kType = 13,
  kOther = 255  // lists of tensors, graphs and types
};

struct OnnxAttribute {
  std::string_view name, ref_name;
  OnnxAttributeType type = OnnxAttributeType::kUndefined;
  float number = 0;
  int64_t integer = 0;
  std::string_view text;
  std::vector<float> numbers;
  std::vector<int64_t> integers;
  std::vector<std::string_view> texts;
  std::unique_ptr<OnnxTensor> tensor;
  std::unique_ptr<OnnxSparseTensor> sparse_tensor;
  std::unique_ptr<OnnxGraph> graph;
  std::unique_ptr<OnnxType> value_type;
};

struct OnnxNode {
  std::string_view name, op_type, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<OnnxAttribute> attributes;
};

struct OnnxGraph {
  std::string_view name;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initialisers;
  std::vector<OnnxSparseTensor> sparse_initialisers;
  std::vector<OnnxValueInfo> inputs, outputs;
};

struct OnnxOpset {
  std::string_view domain;
  int64_t version = 0;
};

struct OnnxFunction {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<OnnxAttribute> defaults;  // of those attributes that have one
  std::vector<OnnxNode> nodes;
  std::vector<OnnxOpset> opsets;
};

struct OnnxModel {
  std::vector<OnnxOpset> opsets;
  std::optional<OnnxGraph> graph;
  std::vector<OnnxFunction> functions;
};

// Fails: bad_model where the bytes are no such message; limit_exceeded where it is nested deeper than kNestingMax, or has more than
// kMessagesMax parts.
Result<OnnxModel> parse_onnx_model(std::string_view bytes);
Result<OnnxTensor> parse_onnx_tensor(std::string_view bytes);

}  // namespace hone::graph
