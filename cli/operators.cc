// hone operators: which operators of ONNX models hone knows.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "cli/console.h"
#include "cli/options.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/op_table.h"

namespace hone::cli {
namespace {

struct OperatorLine {
  std::string op, types;
  std::vector<int> opsets;  // whose definitions are implemented, ascending; none: another domain's, or written out as others
  bool stands_for_others = false;
};

// The element types of an operator's first input.
std::string types_text(graph::OpTypes types) {
  switch (types) {
    case graph::OpTypes::kAny:
      return "all";
    case graph::OpTypes::kComputed:
      return "all but float8, int4, uint4, int2 and uint2";
    case graph::OpTypes::kNumber:
      return "numbers";
    case graph::OpTypes::kWhole:
      return "whole numbers";
    case graph::OpTypes::kFloat:
      return "floats";
    case graph::OpTypes::kLogic:
      return "bool";
  }
  return "";
}

OperatorLine line_of(const graph::OpEntry& entry) {
  OperatorLine line{.op = std::string(entry.op), .types = types_text(entry.types)};
  for (int opset : entry.definitions)
    if (opset > 0) line.opsets.push_back(opset);
  return line;
}

std::vector<OperatorLine> all_lines() {
  std::vector<OperatorLine> lines;
  for (std::string_view op : graph::supported_ops()) lines.push_back(line_of(*graph::find_op(op)));
  for (std::string_view op : graph::composed_ops()) lines.push_back({.op = std::string(op), .types = "as those that it stands for", .stands_for_others = true});
  std::sort(lines.begin(), lines.end(), [](const OperatorLine& a, const OperatorLine& b) { return a.op < b.op; });
  return lines;
}

std::string opsets_text(const OperatorLine& line) {
  if (line.stands_for_others) return "as published";
  std::string out;
  for (int opset : line.opsets) out += cat(out.empty() ? "" : ", ", opset);
  return out;
}

nlohmann::ordered_json to_json(const std::vector<OperatorLine>& lines) {
  nlohmann::ordered_json operators = nlohmann::ordered_json::array();
  for (const OperatorLine& line : lines) operators.push_back({{"op", line.op}, {"opsets", line.opsets}, {"types", line.types}, {"stands_for_others", line.stands_for_others}});
  return {{"opset_min", graph::kOpsetMin}, {"opset_max", graph::kOpsetMax}, {"operators", std::move(operators)}};
}

ExitCode run_operators(const CommonOptions& options) {
  const std::vector<OperatorLine> lines = all_lines();
  if (options.json) {
    print_json(to_json(lines));
    return ExitCode::kDone;
  }
  Table table{.rows = {{"operator", "opsets", "types of the first input"}}, .numeric = {false, false, false}};
  for (const OperatorLine& line : lines) table.rows.push_back({line.op, opsets_text(line), line.types});
  print_text(table_text(table));
  return ExitCode::kDone;
}

}  // namespace

void add_operators(Verb program) {
  auto options = std::make_shared<CommonOptions>();
  Verb verb = program.sub("operators", "The operators of ONNX models that hone knows");
  verb.footer("docs/operators.md says which of ONNX's own tests each passes, docs/models.md what of them is refused.");
  add_common_options(verb, *options, {});
  verb.runs([options] {
    set_up_logging({.quiet = options->quiet});
    return run_operators(*options);
  });
}

}  // namespace hone::cli
