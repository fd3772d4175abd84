// Files that are damaged, or made to be costly: each is refused with a sentence, soon and within little memory.
#include <gtest/gtest.h>

#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

// ---- protobuf's wire format, written by hand

std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  return out + static_cast<char>(value);
}
std::string message(uint32_t number, const std::string& bytes) { return cat(varint(number << 3 | 2), varint(bytes.size()), bytes); }
// A message as far as `first`, with so many bytes still to come.
std::string begin(uint32_t number, const std::string& first, size_t rest) { return cat(varint(number << 3 | 2), varint(first.size() + rest), first); }
// level(inside): what stands before a level's last message, which has so many bytes.
template <class Level>
std::string nested(int depth, const Level& level) {
  std::vector<std::string> levels;
  size_t inside = 0;
  for (int i = 0; i < depth; i++) inside += levels.emplace_back(level(inside)).size();
  std::string out;
  for (auto it = levels.rbegin(); it != levels.rend(); ++it) out += *it;
  return out;
}
std::string number(uint32_t field, uint64_t value) { return varint(field << 3) + varint(value); }

const std::string kOpset = message(8, number(2, 13));
std::string model_of(const std::string& graph) { return kOpset + message(7, graph); }

// Anything but an abort: tasks, or a sentence of a code for models.
void expect_bounded(const std::string& bytes, const std::string& what) {
  const auto tasks = tasks_from_onnx(bytes, {.verify = true});
  if (tasks.ok()) return;
  const ErrorCode code = tasks.error().code;
  EXPECT_TRUE(code == ErrorCode::kBadModel || code == ErrorCode::kUnsupported || code == ErrorCode::kLimitExceeded) << what << ": " << tasks.error().message;
  EXPECT_FALSE(tasks.error().message.empty()) << what;
}

// A bit of everything that a file may hold: functions, subgraphs, sparse tensors, sequences.
std::string rich_model() {
  const std::string body = "input { name: 'i' } input { name: 'g' } input { name: 'v' } " + node("Add", {"v", "w"}, "s") + output("g") + output("s") + output("s");
  return whole_model(
      "ir_version: 8 opset_import { version: 13 } opset_import { domain: 'own' version: 1 } graph { name: 'g' " + input("x", dim(2)) +
      "initializer { name: 'c' data_type: 9 int32_data: 1 } initializer { name: 'm' data_type: 7 int64_data: 2 } initializer { name: 'p' data_type: 7 int64_data: 0 } "
      "sparse_initializer { values { name: 'w' data_type: 1 dims: 1 float_data: 3 } indices { data_type: 7 dims: 1 int64_data: 1 } dims: 2 } " +
      node("Twice", {"x"}, "t", "domain: 'own' ") +
      node("If", {"c"}, "b", "attribute { name: 'then_branch' type: GRAPH g { name: 'a' " + node("Neg", {"t"}, "n") + output("n") +
                                 "} } attribute { name: 'else_branch' type: GRAPH g { name: 'e' " + output("t") + "} } ") +
      node("Loop", {"m", "", "b"}, "l", "output: 'k' attribute { name: 'body' type: GRAPH g { name: 'o' " + body + "} } ") +
      node("SequenceConstruct", {"l", "x"}, "q") + node("SequenceAt", {"q", "p"}, "y") + output("y") + output("k") +
      "} functions { name: 'Twice' domain: 'own' input: 'a' output: 'b' opset_import { version: 13 } " + node("Add", {"a", "a"}, "b") + "}");
}

TEST(HostileFile, CutAtEachByte) {
  // Given a model with a bit of everything, when it is cut at any of its bytes, then it gives tasks or a sentence; whole, it is accepted.
  const std::string sound = rich_model();
  EXPECT_EQ(results_of(sound), "y=-2,2, k=-2,-1,-2,2,");
  for (size_t length = 0; length < sound.size(); length++) expect_bounded(sound.substr(0, length), cat(length, " bytes"));
}

TEST(HostileFile, AnyBitFlipped) {
  // Given the same model, when any one bit is another, then it gives tasks or a sentence.
  const std::string sound = rich_model();
  for (size_t bit = 0; bit < 8 * sound.size(); bit++) {
    std::string damaged = sound;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    expect_bounded(damaged, cat("bit ", bit));
  }
}

TEST(HostileFile, LengthsBeyondTheFile) {
  // Given messages, lists and texts that say that they have 2^40 or 2^64 - 1 bytes, when imported, then each is damage.
  for (uint64_t length : {uint64_t{1} << 40, UINT64_MAX}) {
    const std::string beyond = cat(varint(length), "few bytes");
    for (const std::string& file : {varint(7 << 3 | 2) + beyond, model_of(varint(5 << 3 | 2) + beyond), model_of(message(5, varint(9 << 3 | 2) + beyond)),
                                    model_of(message(1, varint(1 << 3 | 2) + beyond)), model_of(message(5, varint(4 << 3 | 2) + beyond))})
      EXPECT_SAYS(message_of(file, ErrorCode::kBadModel), "not a complete ONNX model");
  }
}

TEST(HostileFile, NestedDeep) {
  // Given graphs within attributes of nodes, and types within types, 10,000 deep, when imported, then the depth is refused; within the limit it is not.
  const auto graphs = [](int depth) {
    return model_of(nested(depth, [](size_t inside) {
      return begin(1, message(4, "If") + begin(5, message(1, "then_branch") + begin(6, "", inside), inside), inside);
    }));
  };
  const auto types = [](int depth) {
    const std::string type = nested(depth, [](size_t inside) { return begin(4, begin(1, "", inside), inside); });
    return model_of(message(11, message(1, "x") + message(2, type)));
  };
  EXPECT_SAYS(message_of(graphs(10000), ErrorCode::kLimitExceeded), "nested deeper than 100");
  EXPECT_SAYS(message_of(types(10000), ErrorCode::kLimitExceeded), "nested deeper than 100");
  EXPECT_SAYS(message_of(graphs(20), ErrorCode::kBadModel), "no outputs");
  EXPECT_SAYS(message_of(types(20), ErrorCode::kUnsupported), "not a tensor");
}

TEST(HostileFile, PartsWithoutContents) {
  // Given a file of three million nodes of two bytes each, when imported, then it is refused before they take a hundred times that.
  std::string graph;
  for (int i = 0; i < 3'000'000; i++) graph += message(1, "");
  EXPECT_SAYS(message_of(model_of(graph), ErrorCode::kLimitExceeded), "more than 2097152 parts");
}

TEST(HostileFile, NamesThatAreTaken) {
  // Given one name for two values, in the graph, in a subgraph and in a function, when imported, then that is said.
  const std::string x = input("x", dim(2)), y = output("y"), twice = node("Neg", {"x"}, "n") + node("Abs", {"x"}, "n");
  EXPECT_SAYS(results_of(model_bytes(x + twice + node("Neg", {"n"}, "y") + y)), "'n' is defined twice");
  EXPECT_SAYS(results_of(model_bytes(x + x + node("Neg", {"x"}, "y") + y)), "'x' is defined twice");
  EXPECT_SAYS(results_of(model_bytes(x + "initializer { name: 'c' data_type: 9 int32_data: 1 } " +
                                     node("If", {"c"}, "y", "attribute { name: 'then_branch' type: GRAPH g { " + twice + output("n") + "} } ") + y)),
              "'n' is defined twice");
  EXPECT_SAYS(results_of(whole_model("opset_import { version: 13 } graph { " + x + node("F", {"x"}, "y", "domain: 'own' ") + y +
                                     "} functions { name: 'F' domain: 'own' input: 'x' output: 'n' " + twice + "}")),
              "'n' is defined twice");
}

TEST(HostileFile, TripsThatGrow) {
  // Given loops without end over nodes with long names, lists and attributes, a large branch that is never taken, or a sequence that grows on each, when imported, then they are refused
  // by what they would take.
  const auto loop = [](const std::string& inputs, const std::string& body) {
    return model_bytes(input("x", dim(2)) + node("SequenceEmpty", {}, "e") +
                       cat("node { op_type: 'Loop' input: '' input: '' input: '", inputs, "' output: 'y' attribute { name: 'body' type: GRAPH g { ",
                           "input { name: 'i' } input { name: 'g' } input { name: 'v' } ", body, output("g"), output("r"), " } } } ") +
                       node("Identity", {"y"}, "z") + output("z"));
  };
  const std::string name(4000, 'n');
  std::string many;
  for (int i = 0; i < 2000; i++) many += "input: 'v' ";
  for (const std::string& body : {node("Neg", {"v"}, "r", cat("name: '", name, "' ")), node("Neg", {"v"}, name) + node("Neg", {name}, "r"),
                                  cat("node { op_type: 'Sum' ", many, " output: 'r' } ")})
    EXPECT_SAYS(results_of(loop("x", body)), "when they are written out");
  std::string other = node("Neg", {"v"}, "o0");
  for (int i = 1; i < 5000; i++) other += node("Neg", {cat("o", i - 1)}, cat("o", i));
  EXPECT_SAYS(results_of(loop("x", "initializer { name: 'c' data_type: 9 int32_data: 1 } " +
                                       node("If", {"c"}, "r", cat("attribute { name: 'then_branch' type: GRAPH g { ", output("v"),
                                                                  " } } attribute { name: 'else_branch' type: GRAPH g { ", other, output("o4999"), " } } ")))),
              "when they are written out");
  EXPECT_SAYS(results_of(loop("e", node("SequenceInsert", {"v", "x"}, "r"))), "sequences have more than");
}

}  // namespace
}  // namespace hone::graph
