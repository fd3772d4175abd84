// The child that reads models, as the service starts it.
#include <gtest/gtest.h>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "server/compile/reference_bytes.h"
#include "server/jobs/child_models.h"
#include "server/jobs/child_references.h"

namespace hone::cli {
namespace {

using namespace std::string_literals;
using server::ChildConfig, server::ChildModels, server::ChildReferences, server::LocalModels, server::MemoryBudget, server::SharedMemory;

// Protobuf's wire form, as far as these models need it.
std::string varint(uint64_t v) {
  std::string out;
  for (; v >= 128; v >>= 7) out += static_cast<char>(v | 128);
  return out + static_cast<char>(v);
}
std::string field(int number, std::string_view bytes) { return cat(varint(static_cast<uint64_t>(number) << 3 | 2), varint(bytes.size()), bytes); }
std::string number_field(int number, uint64_t value) { return varint(static_cast<uint64_t>(number) << 3) + varint(value); }

std::string value_info(std::string_view name, std::vector<uint64_t> shape) {
  std::string dims;
  for (uint64_t extent : shape) dims += field(1, number_field(1, extent));
  return field(1, name) + field(2, field(1, number_field(1, 1) + field(2, dims)));
}
std::string tensor(std::string_view name, std::vector<uint64_t> shape, int type, std::string_view raw) {
  std::string dims;
  for (uint64_t extent : shape) dims += number_field(1, extent);
  return dims + number_field(2, static_cast<uint64_t>(type)) + field(8, name) + field(9, raw);
}
std::string node(std::string_view op, std::vector<std::string_view> inputs, std::string_view output) {
  std::string out;
  for (std::string_view input : inputs) out += field(1, input);
  return field(1, out + field(2, output) + field(4, op));
}
std::string model(const std::string& graph) { return number_field(1, 8) + field(7, field(2, "g") + graph) + field(8, field(1, "") + number_field(2, 13)); }

// y = x · w + (1 + 1), w of 64 times 64 elements.
std::string product_model() {
  const std::string ones = "\x00\x00\x80\x3f"s;
  std::string weights;
  for (int i = 0; i < 64 * 64; i++) weights += ones;
  return model(node("MatMul", {"x", "w"}, "p") + node("Add", {"one", "one"}, "two") + node("Add", {"p", "two"}, "y") + field(5, tensor("w", {64, 64}, 1, weights)) +
               field(5, tensor("one", {1}, 1, ones)) + field(11, value_info("x", {1, 64})) + field(12, value_info("y", {1, 64})));
}

// y = x + a constant of 2^24 elements, which the file says in 8 bytes.
std::string large_constant_model() {
  return model(node("ConstantOfShape", {"s"}, "c") + node("Add", {"x", "c"}, "y") + field(5, tensor("s", {1}, 7, "\x00\x00\x00\x01\x00\x00\x00\x00"s)) +
               field(11, value_info("x", {1})) + field(12, value_info("y", {1 << 24})));
}

protocol::JobRequest job_of(protocol::JobKind kind) { return {.kind = kind, .source = {.model_name = "m.onnx"}, .target = "webgpu", .seed = 3}; }

ChildConfig hone() { return {.program = HONE_BINARY}; }

TEST(ModelChild, ReadsAModelAsThisProcessDoes) {
  // Given a model, when a child and this process read it, then the graphs are the same, and the child's weights lie in the payload: nobody has copied them.
  MemoryBudget memory(int64_t{1} << 30);
  const auto payload = SharedMemory::of(product_model());
  const protocol::JobRequest job = job_of(protocol::JobKind::kTune);
  const auto far = ChildModels(hone(), memory).graph({job, *payload}, nullptr);
  const auto near = LocalModels().graph({job, *payload}, nullptr);
  ASSERT_TRUE(far.ok() && near.ok()) << (far.ok() ? near : far).error().message;
  EXPECT_EQ(print_graph(*far), print_graph(*near));
  const std::string_view whole = *payload->bytes();
  int in_payload = 0;
  for (const graph::Value& v : far->values) in_payload += v.bytes && v.bytes->size() == 64 * 64 * 4 && v.bytes->data() > whole.data() && v.bytes->data() < whole.data() + whole.size();
  EXPECT_EQ(in_payload, 1);
}

TEST(ModelChild, ComputesTheReferenceThatThisProcessDoes) {
  // Given a job that runs a model, when a child and this process compute its reference, then every bit is the same.
  MemoryBudget memory(int64_t{1} << 30);
  const auto payload = SharedMemory::of(product_model());
  const protocol::JobRequest job = job_of(protocol::JobKind::kRun);
  const auto far = ChildModels(hone(), memory).reference({job, *payload}, {.memory_bytes = 1 << 20}, nullptr);
  const auto near = LocalModels().reference({job, *payload}, {}, nullptr);
  ASSERT_TRUE(far.ok() && near.ok()) << (far.ok() ? near : far).error().message;
  ASSERT_EQ(far->size(), 1u);
  EXPECT_EQ(*(*far)[0].bytes, *(*near)[0].bytes);
  EXPECT_EQ((*far)[0].shape, (ir::Shape{1, 64}));
}

TEST(ModelChild, SaysOfAModelWhatThisProcessSays) {
  // Given what is no model, an operator that nobody knows and a name that the model lacks, when a child reads each, then its error is this process's.
  MemoryBudget memory(int64_t{1} << 30);
  protocol::JobRequest job = job_of(protocol::JobKind::kTune);
  const auto judge = [&](const std::string& bytes, ErrorCode code) {
    const auto payload = SharedMemory::of(bytes);
    const auto far = ChildModels(hone(), memory).graph({job, *payload}, nullptr), near = LocalModels().graph({job, *payload}, nullptr);
    ASSERT_FALSE(far.ok() || near.ok());
    EXPECT_EQ(far.error().code, code);
    EXPECT_EQ(far.error().message, near.error().message);
  };
  judge("no model", ErrorCode::kBadModel);
  judge("", ErrorCode::kBadModel);
  judge(model(node("Nothing", {"x"}, "y") + field(11, value_info("x", {1})) + field(12, value_info("y", {1}))), ErrorCode::kUnsupported);
  job.dims["nobody"] = 2;
  judge(product_model(), ErrorCode::kBadModel);
}

TEST(ModelChild, ComputesATasksReferenceAsThisProcessDoes) {
  // Given tasks, when a child and this process compute their references, then every bit is the same.
  MemoryBudget memory(int64_t{1} << 30);
  for (const char* spec : {"matmul:33x17x65", "conv:1x8x7x7,4x8x3x3,pad=1,stride=1"}) {
    const auto task = graph::task_from_spec(spec);
    ASSERT_TRUE(task.ok()) << task.error().message;
    const auto far = ChildReferences(hone(), memory)(*task, nullptr);
    const auto near = emit::reference_outputs(*task, emit::task_seed(*task));
    ASSERT_TRUE(far.ok() && near.ok()) << spec << ": " << (far.ok() ? near : far).error().message;
    EXPECT_EQ(server::reference_to_bytes(*far), server::reference_to_bytes(*near)) << spec;
  }
  EXPECT_TRUE(memory.take(1 << 30, "all").ok());
}

TEST(ModelChild, AReferenceThatTakesTooLongEndsAlone) {
  // Given a task that has no end here, when its reference is computed in a microsecond's share of its time, then it took too long.
  MemoryBudget memory(int64_t{1} << 30);
  const auto task = graph::task_from_spec("matmul:2048x2048x2048");
  ASSERT_TRUE(task.ok()) << task.error().message;
  ChildConfig config = hone();
  config.clock_per_processor = 1e-6;
  const auto late = ChildReferences(config, memory)(*task, nullptr);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::kLimitExceeded) << late.error().message;
  EXPECT_NE(late.error().message.find("computing a task's reference took more than"), std::string::npos) << late.error().message;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ModelChild, WithoutEnoughMemoryEndsAlone) {
  // Given a small file that says a large constant, when a child reads it that may take 32 MiB, then there is too little memory; one that may take 512 reads it.
  const auto payload = SharedMemory::of(large_constant_model());
  const protocol::JobRequest job = job_of(protocol::JobKind::kTune);
  MemoryBudget little(64 << 20), enough(int64_t{1} << 30);
  const auto refused = ChildModels(hone(), little).graph({job, *payload}, nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kOutOfMemory);
  EXPECT_NE(refused.error().message.find("reading the model takes more than the 32 MiB"), std::string::npos) << refused.error().message;
  const auto read = ChildModels(hone(), enough).graph({job, *payload}, nullptr);
  EXPECT_TRUE(read.ok()) << read.error().message;
}

TEST(ModelChild, WithoutMemoryToCompileEndsAlone) {
  // Given a model, when its reference is computed in 2 MiB, which LLVM does not do with, then there is too little memory.
  const auto payload = SharedMemory::of(product_model());
  MemoryBudget little(1 << 20);
  const auto refused = ChildModels(hone(), little).reference({job_of(protocol::JobKind::kRun), *payload}, {.memory_bytes = 1 << 20}, nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kOutOfMemory) << refused.error().message;
  EXPECT_NE(refused.error().message.find("computing the model's reference takes more than the 2 MiB"), std::string::npos) << refused.error().message;
}
#endif

}  // namespace
}  // namespace hone::cli
