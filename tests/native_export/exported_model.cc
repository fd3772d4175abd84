#include "tests/native_export/exported_model.h"

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/rng.h"
#include "codegen/graph/import.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/package/native_ports.h"
#include "codegen/reference/reference_run.h"
#include "tests/e2e/hone_command.h"

namespace hone::e2e {
namespace {

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(const std::string& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// The type that C has for it.
ir::DType c_type(ir::DType dtype) {
  return dtype == ir::DType::kF16 ? ir::DType::kF32 : ir::caller_type(dtype);
}

graph::ConstantTensor drawn(const graph::Value& value, uint64_t seed) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < ir::element_count(value.shape); i++) {
    const double number = uniform_at(seed, static_cast<uint64_t>(i));
    const bool is_whole = ir::is_int(value.dtype) || value.dtype == ir::DType::kBool;
    numbers.push_back(is_whole ? std::floor(std::abs(number) * (value.dtype == ir::DType::kBool ? 2 : 8)) : number);
  }
  return graph::from_doubles(value.dtype, value.shape, numbers);
}

void expect_close(const std::vector<double>& found, const std::vector<double>& expected, double error_max,
                  const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  double range = 0, error = 0;
  for (size_t i = 0; i < found.size(); i++) {
    range = std::max(range, std::abs(expected[i]));
    const double difference = std::abs(found[i] - expected[i]);
    error = std::max(error, std::isnan(difference) ? INFINITY : difference);
  }
  EXPECT_LE(error, error_max * range) << what;
}

}  // namespace

ExportedModel::ExportedModel(const TempFolder& folder, std::vector<std::string> options) : folder_(folder) {
  std::vector<std::string> arguments{"export", folder / "model.onnx", "--out", folder / "tiny"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  HoneProcess made(hone_in(folder, std::move(arguments)));
  EXPECT_EQ(made.wait(std::chrono::seconds(120)), 0) << made.err();
  import();
  write_ports();
}

void ExportedModel::import() {
  auto graph = graph::graph_from_onnx(read(folder_ / "model.onnx"), {});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  graph_ = std::move(*graph);
  ASSERT_TRUE(graph::prepare_graph(graph_).ok());
  protocol::Manifest names;
  for (graph::ValueId id : graph_.inputs)
    if (!graph_.value(id).constant) names.inputs.push_back({.name = graph_.value(id).name});
  for (graph::ValueId id : graph_.outputs) names.outputs.push_back({.name = graph_.value(id).name});
  const package::NativePorts ports = package::native_ports(names);
  for (const package::NativePort& port : ports.inputs) input_names_.push_back(port.id);
  for (const package::NativePort& port : ports.outputs) output_names_.push_back(port.id);
  package::Tensors drawn_inputs;
  for (graph::ValueId id : graph_.inputs) {
    if (graph_.value(id).constant) continue;
    drawn_inputs[id] = drawn(graph_.value(id), inputs_.size() + 7);
    inputs_.push_back(id);
    set_input(inputs_.size() - 1, drawn_inputs[id]);
  }
  auto expected = reference::reference_run(graph_, drawn_inputs);
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  expected_ = std::move(*expected);
}

void ExportedModel::set_input(size_t input, const graph::ConstantTensor& tensor) const {
  const auto held = graph::from_doubles(c_type(tensor.dtype), tensor.shape, graph::to_doubles(tensor));
  write(folder_ / (input_names_[input] + ".in"), *held.bytes);
}

void ExportedModel::write_ports() const {
  const auto ports = [&](const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += " port(" + name + ")";
    return out;
  };
  write(folder_ / "model.h", "#include \"tiny.h\"\n#define MODEL(name) tiny_##name\n#define INPUTS(port)" +
                                 ports(input_names_) + "\n#define OUTPUTS(port)" + ports(output_names_) + "\n");
}

Ran ExportedModel::shell(const std::string& line) const {
  const int status = std::system(("cd '" + folder_.path() + "' && { " + line + "; } >stdout.txt 2>stderr.txt").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(folder_ / "stdout.txt"),
          read(folder_ / "stderr.txt")};
}

void ExportedModel::compile(const std::string& program, const std::string& compiler, const std::string& objects) const {
  const Ran compiled =
      shell(compiler +
            " -pthread -I. -Itiny/native " HONE_SOURCE "/tests/native_export/app.c tiny/native/tiny.c tiny/native/" +
            objects + " -lm -o " + program);
  EXPECT_EQ(compiled.code, 0) << compiler << "\n" << compiled.err;
  EXPECT_EQ(compiled.err, "") << compiler;
}

Ran ExportedModel::run(const std::string& program, int threads, const std::string& level,
                       const std::string& before) const {
  return shell("rm -f *.out; " + before + " ./" + program + " tiny " + std::to_string(threads) + " " + level);
}

bool ExportedModel::expect_right(const std::string& program, int threads, const std::string& level,
                                 const std::string& before, double error_max) const {
  const Ran ran = run(program, threads, level, before);
  const std::string what = program + " on " + std::to_string(threads) + " threads, " + level;
  if (ran.err.find("lacks instructions of " + level) != std::string::npos) return false;
  EXPECT_EQ(ran.code, 0) << what << ": " << ran.err;
  EXPECT_TRUE(level == "-" || ran.out == level + "\n") << ran.out;
  for (size_t i = 0; i < expected_.size(); i++) {
    const graph::Value& value = graph_.value(graph_.outputs[i]);
    const auto bytes = shared_bytes(read(folder_ / (output_names_[i] + ".out")));
    expect_close(graph::to_doubles({c_type(value.dtype), value.shape, bytes}), graph::to_doubles(expected_[i]),
                 error_max, what + ", " + value.name);
  }
  return true;
}

std::string ExportedModel::weights_file() const {
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "tiny"))
    if (entry.path().extension() == ".bin") return entry.path();
  return "";
}

}  // namespace hone::e2e
