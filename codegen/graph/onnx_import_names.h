// Names of ONNX files: what may be one, and how messages list them.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/cat.h"
#include "base/result.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/onnx_model.h"

namespace hone::graph {

// Names of one kind that one message has: sizes left open, operators that are not known.
inline constexpr size_t kNamesToldMax = 256;

// Names stand in messages and in task names. Fails: limit_exceeded.
inline Status check_name(std::string_view name) {
  if (name.size() <= kNameBytesMax) return ok_status();
  return Error{ErrorCode::kLimitExceeded, cat("the name '", name.substr(0, 32), "…' has ", name.size(),
                                              " bytes; expected ", kNameBytesMax, " at most")};
}

// "a, b, c", as many as a message may have.
inline std::string name_list(const std::set<std::string>& names) {
  std::string out;
  size_t told = 0;
  for (const std::string& name : names) {
    out += cat(out.empty() ? "" : ", ", name);
    if (++told == kNamesToldMax) return out + ", …";
  }
  return out;
}

inline bool is_onnx_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

// The operator with its domain, where that is not ONNX's own.
inline std::string full_name(const OnnxNode& node) {
  return is_onnx_domain(node.domain) ? std::string(node.op_type) : cat(node.domain, ".", node.op_type);
}

// "node 'conv1' (Conv)" for messages; unnamed nodes go by their first output.
inline std::string text_of(const OnnxNode& node) {
  if (!node.name.empty()) return cat("node '", node.name, "' (", node.op_type, ")");
  return node.outputs.empty() ? cat("a ", node.op_type, " node")
                              : cat("the ", node.op_type, " node that makes '", node.outputs[0], "'");
}

inline std::vector<std::string_view> result_names(const OnnxGraph& graph) {
  std::vector<std::string_view> out;
  for (const OnnxValueInfo& output : graph.outputs) out.push_back(output.name);
  return out;
}

}  // namespace hone::graph
