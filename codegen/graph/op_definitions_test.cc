// Which opsets' operators hone takes, against what ONNX has published.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/remedies.h"

namespace hone::graph {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(cat(HONE_SOURCE_DIR, "/", path));
  EXPECT_TRUE(file) << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

using Opsets = std::vector<int>;

std::map<std::string, Opsets> published() {
  std::map<std::string, Opsets> out;
  for (const std::string& line : lines_of("codegen/graph/onnx_definitions.txt")) {
    std::istringstream words(line);
    std::string op;
    if (line[0] == '#' || !(words >> op)) continue;
    for (int opset; words >> opset;) out[op].push_back(opset);
  }
  return out;
}

Opsets known(const OpEntry& entry) {
  Opsets out;
  for (int opset : entry.definitions)
    if (opset != 0) out.push_back(std::abs(opset));
  return out;
}

// Given ONNX's published definitions, when the table is read, then each operator has exactly those, up to the newest opset.
TEST(Definitions, AreThosePublished) {
  const auto all = published();
  int newest = 0;
  for (const auto& [op, opsets] : all) newest = std::max(newest, opsets.back());
  EXPECT_EQ(newest, kOpsetMax);
  for (std::string_view op : supported_ops()) {
    const auto it = all.find(std::string(op));
    ASSERT_NE(it, all.end()) << op;
    EXPECT_EQ(known(*find_op(op)), it->second) << op;
  }
}

// Given an operator with a definition that hone does not implement, when an opset selects it, then one sentence names operator, opset, what is
// known and what to do; opsets before and behind it are taken, and so is one from before the operator's first.
TEST(Definitions, OneThatIsNotImplemented) {
  const OpEntry entry{.op = "Sprocket", .definitions = {9, 13, not_implemented(18), 22}};
  for (int taken : {6, 9, 12, 13, 17, 22, 28}) EXPECT_TRUE(check_definition(entry, taken).ok()) << taken;
  for (int refused : {18, 21}) {
    const Status status = check_definition(entry, refused);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
    EXPECT_EQ(status.error().message.rfind(cat("the model's opset ", refused,
                                               " means Sprocket as opset 18 defines it, which hone does not "
                                               "support; it knows the definitions of opset 9, 13, 22; export"),
                                           0),
              0u)
        << status.error().message;
  }
}

// Given the documentation's table, when it is read, then it has a line for each operator, with the definitions of the operator's row.
TEST(Definitions, AreDocumented) {
  const std::vector<std::string> lines = lines_of("docs/models.md");
  for (std::string_view op : supported_ops()) {
    std::string definitions;
    for (int opset : find_op(op)->definitions)
      if (opset != 0)
        definitions += cat(definitions.empty() ? "" : ", ", opset > 0 ? cat(opset) : cat("(", -opset, ")"));
    const std::string begin = cat("| ", op, " | ", definitions, " |");
    const auto is_its = [&](const std::string& line) { return line.rfind(begin, 0) == 0; };
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), is_its), 1) << "docs/models.md lacks the line " << begin;
  }
  for (std::string_view op : composed_ops()) {
    const auto is_its = [&](const std::string& line) { return line.rfind(cat("| ", op, " | "), 0) == 0; };
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), is_its), 1) << "docs/models.md lacks a line for " << op;
  }
  const std::string range = cat("opsets ", kOpsetMin, " to ", kOpsetMax, " whose operators");
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(),
                          [&](const std::string& line) { return line.find(range) != std::string::npos; }));
}

// Given the page of operators, when it is read, then it has a line for each; scripts/gen_operators writes it.
TEST(Definitions, HaveALineOnThePageOfOperators) {
  const std::vector<std::string> lines = lines_of("docs/operators.md");
  for (const auto& ops : {supported_ops(), composed_ops()})
    for (std::string_view op : ops)
      EXPECT_EQ(std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.rfind(cat("| ", op, " | "), 0) == 0; }), 1) << "docs/operators.md lacks a line for " << op;
}

// Given the advice of messages, when the documentation is read, then it says the same.
TEST(Definitions, AdviceIsDocumented) {
  std::string text;
  for (const std::string& line : lines_of("docs/models.md")) text += line + "\n";
  for (std::string_view command : {kConvertOpset, kSaveInOneFile})
    EXPECT_NE(text.find(command), std::string::npos) << command;
}

}  // namespace
}  // namespace hone::graph
