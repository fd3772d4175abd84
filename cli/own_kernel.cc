#include "cli/own_kernel.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "base/cat.h"
#include "base/hash.h"
#include "base/printable_text.h"
#include "cli/source.h"

namespace hone::cli {

namespace {

constexpr size_t kBindingsMax = 64;            // as a message takes
constexpr int64_t kElementsMax = 1 << 26;      // of a binding: as of a model's input
constexpr int64_t kGridMax = 65535;            // maxComputeWorkgroupsPerDimension of every device (WebGPU, section 3.6.2)

Error bad(const std::string& found, const std::string& expected) { return {ErrorCode::kInvalidArgument, cat("found '", shortened(found), "', expected ", expected)}; }

struct Binding {
  std::string name;
  bool reads = false, writes = false;
  ir::DType dtype = ir::DType::kF32;
  ir::Shape shape;
  int64_t bytes = 0;
};

// "64x16": 64, 16.
Result<std::vector<int64_t>> extents_of(const std::string& text, size_t count_max, int64_t most) {
  std::vector<int64_t> out;
  for (const char* at = text.data(), *const end = at + text.size(); at <= end;) {
    int64_t extent = 0;
    const auto [behind, failed] = std::from_chars(at, end, extent);
    if (failed != std::errc() || extent < 1 || extent > most || (behind != end && *behind != 'x') || out.size() == count_max) return bad(text, cat("up to ", count_max, " numbers from 1 to ", most, " with x between, such as 64x16"));
    out.push_back(extent);
    at = behind + 1;
  }
  return out;
}

Result<Binding> binding_of(const std::string& text) {
  std::istringstream words(text);
  std::string access, type, shape, more;
  Binding out;
  words >> out.name >> access >> type >> shape;
  const bool known = access == "in" || access == "out" || access == "inout";
  if (!known || shape.empty() || words >> more) return bad(text, "NAME ACCESS TYPE SHAPE, such as x in f32 1024x1024, where ACCESS is in, out or inout");
  out.reads = access != "out", out.writes = access != "in";
  if (!ir::parse_dtype(type, &out.dtype) || (type != "f32" && type != "f16" && type != "i32" && type != "u32")) return bad(type, "a type: f32, f16, i32 or u32");
  HONE_ASSIGN(extents, extents_of(shape, 8, kElementsMax));
  out.shape = extents;
  if (ir::element_count(out.shape) > kElementsMax) return bad(shape, cat("at most ", kElementsMax, " elements"));
  out.bytes = ir::element_count(out.shape) * ir::size_bytes(out.dtype);
  return out;
}

Result<std::vector<Binding>> bindings_of(const OwnKernel& kernel) {
  std::vector<Binding> out;
  std::set<std::string> names;
  for (const std::string& text : kernel.bindings) {
    HONE_ASSIGN(binding, binding_of(text));
    if (!names.insert(binding.name).second) return bad(text, "a name of its own for each binding");
    out.push_back(std::move(binding));
  }
  const bool writes = std::any_of(out.begin(), out.end(), [](const Binding& binding) { return binding.writes; });
  if (out.size() > kBindingsMax || !writes) return bad(cat(out.size(), " bindings"), cat("from 1 to ", kBindingsMax, ", of which one at least is out or inout"));
  return out;
}

int64_t rounded(int64_t bytes) { return (bytes + 15) / 16 * 16; }

class Maker {
 public:
  Maker(std::string code, const std::vector<int64_t>& grid) : code_(std::move(code)) {
    for (size_t d = 0; d < grid.size(); ++d) launch_.grid[d] = grid[d];
  }

  void add(const Binding& binding) {
    const int buffer = static_cast<int>(plan_.buffers.size());
    plan_.buffers.push_back(rounded(binding.bytes));
    launch_.buffers.push_back(buffer);
    launch_.binding_bytes.push_back(rounded(binding.bytes));
    writes_.push_back(binding.writes);
    if (binding.reads) add_port(binding, "", buffer, graph_.inputs, plan_.inputs);
    if (binding.writes) add_port(binding, binding.reads ? "_out" : "", buffer, graph_.outputs, plan_.outputs);
  }

  Result<package::PackageFiles> files(const std::string& name) {
    graph_.name = name;
    if (code_.find("enable f16") != std::string::npos) plan_.needs.insert("shader-f16");
    if (code_.find("enable subgroups") != std::string::npos) plan_.needs.insert("subgroups");
    plan_.steps.push_back({.name = name, .task = hash_bytes(code_)});
    plan_.kernels.push_back({.code = std::move(code_), .writes = std::move(writes_)});
    plan_.launches.push_back(std::move(launch_));
    const std::vector<package::PackagedPlan> plans{{.plan = std::move(plan_), .target = target::webgpu_default(), .made_for = "portable"}};
    return package::package_files(graph_, plans, {.name = name, .made_by = "hone " HONE_VERSION});
  }

 private:
  void add_port(const Binding& binding, const char* behind, int buffer, std::vector<graph::ValueId>& ports, std::vector<package::PlanTensor>& tensors) {
    ports.push_back(graph_.add_value({.name = cat(binding.name, behind), .dtype = binding.dtype, .shape = binding.shape, .shape_known = true}));
    tensors.push_back({.value = ports.back(), .stored = binding.dtype, .buffer = buffer, .bytes = binding.bytes});
  }

  std::string code_;
  graph::Graph graph_;
  package::ModelPlan plan_;
  package::PlanLaunch launch_;
  std::vector<bool> writes_;
};

}  // namespace

Result<package::PackageFiles> own_kernel_package(const OwnKernel& kernel, const std::string& name) {
  HONE_ASSIGN(code, read_file(kernel.file));
  HONE_ASSIGN(bindings, bindings_of(kernel));
  HONE_ASSIGN(grid, extents_of(kernel.grid, 3, kGridMax));
  Maker maker(std::move(code), grid);
  for (const Binding& binding : bindings) maker.add(binding);
  return maker.files(name);
}

}  // namespace hone::cli
