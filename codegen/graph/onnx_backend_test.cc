// ONNX's own backend tests (Debian: libonnx-testdata), imported, fused and evaluated in f64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/cat.h"
#include "codegen/graph/evaluate_graph.h"
#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/graph_bytes.h"
#include "codegen/graph/import.h"
#include "codegen/graph/overflow.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/stored_set.h"

namespace hone::graph {
namespace {

namespace fs = std::filesystem;
constexpr double kFlopsMax = 2e7;
// Those of a newer onnx, written to a folder in the same layout, run where HONE_ONNX_TESTDATA names it.
std::string data_folder() {
  const char* other = std::getenv("HONE_ONNX_TESTDATA");
  return other ? other : "/usr/share/libonnx-testdata/data";
}

// They round -127.5 as f32 has it, which lies a little above that; the evaluator here computes in f64, where it is half way and goes to the
// even number.
constexpr const char* kRoundedInF32[] = {"test_dynamicquantizelinear", "test_dynamicquantizelinear_expanded"};

// Its expected numbers are written with four digits.
constexpr const char* kFewDigits[] = {"test_averagepool_2d_ceil_last_window_starts_on_pad", "test_roialign_aligned_false", "test_roialign_aligned_true"};

// Debian's numbers of these are made with π = 3.1415.
constexpr const char* kOtherPi[] = {"test_blackmanwindow", "test_blackmanwindow_expanded", "test_blackmanwindow_symmetric", "test_blackmanwindow_symmetric_expanded",
                                    "test_hammingwindow",  "test_hammingwindow_expanded",  "test_hammingwindow_symmetric",  "test_hammingwindow_symmetric_expanded",
                                    "test_hannwindow",     "test_hannwindow_expanded",     "test_hannwindow_symmetric",     "test_hannwindow_symmetric_expanded"};

template <size_t N>
bool is_among(const char* const (&names)[N], const fs::path& folder) {
  return std::find(std::begin(names), std::end(names), folder.filename()) != std::end(names);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Outcome {
  enum { kPass, kUnsupported, kFail } kind = kPass;
  std::string message;
};

Outcome outcome_of(const Error& error) {
  return {error.code == ErrorCode::kUnsupported ? Outcome::kUnsupported : Outcome::kFail, error.message};
}

// ONNX's reference lets these end at a fractional length (0.6 · 4 = 2.4 elements); ONNX Runtime, PyTorch and hone end at the last element.
constexpr const char* kOtherMeaning[] = {"test_resize_downsample_scales_cubic_align_corners", "test_resize_downsample_scales_linear_align_corners"};

// Their results are what NumPy has drawn.
constexpr const char* kDrawn[] = {"test_bernoulli", "test_bernoulli_double", "test_bernoulli_double_expanded", "test_bernoulli_expanded", "test_bernoulli_seed", "test_bernoulli_seed_expanded"};

// Of the largest element. Of f16 it is ONNX's own; bf16 has eight bits.
double tolerance_of(DType dtype) { return dtype == DType::kBF16 ? 1e-2 : dtype == DType::kF16 ? 1e-3 : 1e-5; }

// The model's outputs, as long as they are.
Result<std::vector<ConstantTensor>> outputs_of(const Graph& graph, const std::vector<std::vector<double>>& results) {
  std::vector<ConstantTensor> all;
  for (size_t i = 0; i < results.size(); i++) {
    const Value& value = graph.value(graph.outputs[i]);
    all.push_back(from_doubles(value.dtype, value.shape, results[i]));
  }
  return own_outputs(graph, std::move(all));
}

Outcome compare(const std::vector<ConstantTensor>& results, const std::vector<ConstantTensor>& stored) {
  if (results.size() != stored.size()) return {Outcome::kFail, cat("found ", results.size(), " outputs, expected ", stored.size())};
  for (size_t i = 0; i < results.size(); i++) {
    const ConstantTensor& expected = stored[i];
    const ConstantTensor& value = results[i];
    const std::vector<double> reference = to_doubles(expected), got = to_doubles(value);
    if (value.shape != expected.shape || value.dtype != expected.dtype || got.size() != reference.size())
      return {Outcome::kFail, cat("output ", i, " has another shape or type")};
    double largest = 0;
    for (double r : reference) largest = std::isfinite(r) ? std::max(largest, std::fabs(r)) : largest;
    for (size_t e = 0; e < reference.size(); e++) {
      const bool same = got[e] == reference[e] || (std::isnan(got[e]) && std::isnan(reference[e])) ||
                        std::fabs(got[e] - reference[e]) <= tolerance_of(value.dtype) * largest;
      if (!same) return {Outcome::kFail, cat("output ", i, " element ", e, " is ", got[e], ", expected ", reference[e])};
    }
  }
  return {};
}

// As another process has it.
Result<Graph> carried(const Graph& graph) {
  const GraphBytes bytes = graph_to_bytes(graph, "");
  std::string contents;
  for (const SharedBytes& part : bytes.contents) contents += *part;
  return graph_from_bytes(bytes.structure, nullptr, shared_bytes(std::move(contents)));
}

Outcome run_case(const fs::path& folder) {
  const std::string model = read_file(folder / "model.onnx");
  const fs::path set = folder / "test_data_set_0";
  ImportOptions options;
  const auto read = [&](const std::string& file) -> Result<std::optional<std::string>> {
    return fs::exists(set / file) ? std::optional(read_file(set / file)) : std::nullopt;
  };
  const auto stored = read_stored_set(model, read, options);
  if (!stored.ok()) return outcome_of(stored.error());
  auto graph = graph_from_onnx(model, options);
  if (!graph.ok()) return outcome_of(graph.error());
  ValueMap values;
  for (size_t i = 0; i < stored->inputs.size(); i++) values[graph->inputs[i]] = to_doubles(stored->inputs[i].tensor);
  if (const Status status = prepare_graph(*graph, {.verify = true}); !status.ok()) return outcome_of(status.error());
  graph = carried(*graph);
  if (!graph.ok()) return {Outcome::kFail, graph.error().message};
  const auto tasks = extract_tasks(*graph);
  if (!tasks.ok()) return outcome_of(tasks.error());
  double flops = 0;
  for (const te::Task& t : tasks->tasks) flops += t.flops;
  if (flops > kFlopsMax) return {Outcome::kUnsupported, "too much work for the evaluator"};
  // A padded input is made by the graph's own Pad node, so the model's inputs are enough.
  const auto results = evaluate_graph(*graph, values);
  if (!results.ok()) return outcome_of(results.error());
  const auto outputs = outputs_of(*graph, *results);
  if (!outputs.ok()) return outcome_of(outputs.error());
  return compare(*outputs, stored->outputs);
}

void run_suite(const char* suite, int passed_at_least) {
  const fs::path root = fs::path(data_folder()) / suite;
  ASSERT_TRUE(fs::exists(root)) << "libonnx-testdata is not installed: run scripts/setup";
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root))
    if (fs::exists(entry.path() / "model.onnx")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  int passed = 0, unsupported = 0;
  for (const fs::path& folder : folders) {
    if (is_among(kOtherMeaning, folder) || is_among(kRoundedInF32, folder) || is_among(kFewDigits, folder) || is_among(kDrawn, folder)) continue;
    if (!std::getenv("HONE_ONNX_TESTDATA") && is_among(kOtherPi, folder)) continue;
    const Outcome outcome = run_case(folder);
    passed += outcome.kind == Outcome::kPass;
    unsupported += outcome.kind == Outcome::kUnsupported;
    EXPECT_NE(outcome.kind, Outcome::kFail) << folder.filename().string() << ": " << outcome.message;
    if (outcome.kind == Outcome::kUnsupported && std::getenv("HONE_LIST_UNSUPPORTED"))
      std::printf("unsupported %s: %s\n", folder.filename().c_str(), outcome.message.c_str());
  }
  std::printf("%s: %d passed, %d unsupported, of %zu\n", suite, passed, unsupported, folders.size());
  EXPECT_GE(passed, passed_at_least);
}

// Given ONNX's tests of single operators, when each is imported, carried to another process and evaluated, then it agrees with the stored outputs or is unsupported.
TEST(OnnxBackend, Node) { run_suite("node", 875); }
// Given operators of com.microsoft and ai.onnx.ml with what ONNX Runtime makes of them (scripts/onnx_cases), when each is imported and evaluated, then it agrees.
TEST(OnnxBackend, Microsoft) {
  const bool are_there = fs::exists(fs::path(data_folder()) / "microsoft");
  if (are_there) run_suite("microsoft", 65);
  else std::printf("no cases of com.microsoft here: they need ONNX Runtime, which scripts/onnx_cases fetches\n");
}
// Given single operators as PyTorch exports them, when imported and evaluated, then they agree with PyTorch's outputs.
TEST(OnnxBackend, PytorchOperator) { run_suite("pytorch-operator", 34); }
// Given small modules as PyTorch exports them, when imported and evaluated, then they agree with PyTorch's outputs.
TEST(OnnxBackend, PytorchConverted) { run_suite("pytorch-converted", 82); }

}  // namespace
}  // namespace hone::graph
