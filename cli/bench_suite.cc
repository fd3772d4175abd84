#include "cli/bench_suite.h"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <set>

#include "base/cat.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/source.h"
#include "codegen/target/target.h"

namespace hone::cli {

namespace {

namespace fs = std::filesystem;

constexpr size_t kSuiteBytesMax = 1 << 20;  // of a file that people write
constexpr size_t kCasesMax = 4096;          // as many as a report has
constexpr size_t kNameMax = 128;            // of a folder's name, half of what file systems take

Error bad(const YAML::Node& at, const std::string& text) { return {ErrorCode::kInvalidArgument, cat("line ", at.Mark().line + 1, ": ", text)}; }

std::string scalar(const YAML::Node& node) { return node.IsScalar() ? node.Scalar() : std::string(); }

Result<std::string> word(const YAML::Node& node, const std::string& key) {
  if (node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
  return bad(node, cat("found no word for ", key, "; expected one, such as ", key, ": ", key == "on" ? "each" : "…"));
}

Result<double> number(const YAML::Node& node, const std::string& key, double least, double most) {
  double value = 0;
  if (node.IsScalar() && YAML::convert<double>::decode(node, value) && value >= least && value <= most) return value;
  return bad(node, cat("found '", shortened(scalar(node)), "' for ", key, "; expected a number from ", number_text(least), " to ", number_text(most)));
}

Result<std::vector<std::string>> words(const YAML::Node& node, const std::string& key) {
  std::vector<std::string> out;
  if (!node.IsSequence()) {
    HONE_ASSIGN(one, word(node, key));
    return std::vector{one};
  }
  for (const YAML::Node& item : node) {
    HONE_ASSIGN(one, word(item, key));
    out.push_back(one);
  }
  return out;
}

Result<Spread> spread_of(const YAML::Node& node) {
  const std::string said = scalar(node);
  if (said == "one") return Spread::kOne;
  if (said == "each") return Spread::kEach;
  if (said == "classes") return Spread::kClasses;
  return bad(node, cat("found '", shortened(said), "' for on; expected one, each or classes"));
}

Status take_dims(const YAML::Node& node, BenchCase& into) {
  if (!node.IsMap()) return bad(node, "dims has a number for each name, such as {batch: 1}");
  into.dims.clear();
  for (const auto& entry : node) {
    HONE_ASSIGN(extent, number(entry.second, "a dimension", 1, 67108864));
    into.dims.push_back(cat(scalar(entry.first), "=", static_cast<int64_t>(extent)));
  }
  return ok_status();
}

// A path that is not absolute is one from the suite's folder.
std::string placed(const std::string& path, const std::string& folder) { return (fs::path(folder) / path).lexically_normal().string(); }

struct Written {
  BenchCase one;
  std::vector<std::string> targets{"webgpu"};
};

Status take_source(const std::string& key, const YAML::Node& value, const std::string& folder, BenchCase& one) {
  HONE_ASSIGN(said, word(value, key));
  if (!one.source_text().empty()) return bad(value, "a case is one of model, op, package and kernel; found a second one");
  if (key == "op") one.source.op = said;
  else (key == "model" ? one.source.model : key == "kernel" ? one.kernel.file : one.package) = placed(said, folder);
  return ok_status();
}

Status take_number(const std::string& key, const YAML::Node& value, BenchCase& one) {
  if (key == "pairs") {
    HONE_ASSIGN(pairs, number(value, key, 10, 480));
    one.pairs_max = static_cast<int>(pairs);
  } else if (key == "sample_ms") {
    HONE_ASSIGN(ms, number(value, key, 0, 10000));
    one.sample_ms = ms;
  } else {
    HONE_ASSIGN(tolerance, number(value, key, 0, 1));
    one.tolerance = tolerance;
  }
  return ok_status();
}

Status take_choice(const std::string& key, const YAML::Node& value, BenchCase& one) {
  HONE_ASSIGN(said, word(value, key));
  const bool weights = key == "weights";
  const std::vector<std::string> known = weights ? std::vector<std::string>{"f32", "f16"} : std::vector<std::string>{"run", "kernels"};
  if (said != known[0] && said != known[1]) return bad(value, cat("found '", shortened(said), "' for ", key, "; expected ", known[0], " or ", known[1]));
  if (weights) one.weights = said;
  else one.kernels_alone = said == "kernels";
  return ok_status();
}

Status take_targets(const YAML::Node& value, Written& into) {
  HONE_ASSIGN(targets, words(value, "target"));
  for (const std::string& target : targets)
    if (!target::parse_kind(target)) return bad(value, cat("found the target '", shortened(target), "'; expected webgpu, webgl or wasm"));
  into.targets = targets;
  return ok_status();
}

Status take_field(const std::string& key, const YAML::Node& value, const std::string& folder, Written& into) {
  BenchCase& one = into.one;
  if (key == "model" || key == "op" || key == "package" || key == "kernel") return take_source(key, value, folder, one);
  if (key == "pairs" || key == "sample_ms" || key == "tolerance") return take_number(key, value, one);
  if (key == "weights" || key == "clock") return take_choice(key, value, one);
  if (key == "target" || key == "targets") return take_targets(value, into);
  if (key == "dims") return take_dims(value, one);
  if (key == "bindings") {
    HONE_ASSIGN(bindings, words(value, key));
    one.kernel.bindings = bindings;
    return ok_status();
  }
  if (key == "on") {
    HONE_ASSIGN(spread, spread_of(value));
    one.spread = spread;
    return ok_status();
  }
  if (key != "name" && key != "device" && key != "grid")
    return bad(value, cat("there is no '", shortened(key), "'; a case has model, op, package or kernel, and name, target, dims, bindings, grid, device, on, pairs, sample_ms, weights, tolerance, clock"));
  HONE_ASSIGN(said, word(value, key));
  (key == "name" ? one.name : key == "grid" ? one.kernel.grid : one.device) = said;
  return ok_status();
}

Status take_fields(const YAML::Node& map, const std::string& folder, Written& into) {
  if (!map.IsMap()) return bad(map, "found no fields; expected such as model: FILE");
  std::set<std::string> seen;
  for (const auto& entry : map) {
    const YAML::Node &key = entry.first, &value = entry.second;
    if (!seen.insert(scalar(key)).second) return bad(key, cat("found ", shortened(scalar(key)), " twice"));
    HONE_TRY(take_field(scalar(key), value, folder, into));
  }
  return ok_status();
}

// One for each target.
Status add_cases(const YAML::Node& at, Written written, BenchSuite& suite) {
  if (written.one.source_text().empty()) return bad(at, "a case has a model, an op, a package or a kernel");
  const std::string name = case_name(written.one.name.empty() ? own_name(written.one) : written.one.name);
  for (const std::string& target : written.targets) {
    written.one.target = target;
    written.one.name = written.targets.size() > 1 ? cat(name, "-", target) : name;
    suite.cases.push_back(written.one);
  }
  if (suite.cases.size() > kCasesMax) return bad(at, cat("a suite has at most ", kCasesMax, " cases"));
  return ok_status();
}

Status check_names(const YAML::Node& at, const BenchSuite& suite) {
  std::set<std::string> names;
  for (const BenchCase& one : suite.cases) {
    if (one.name.size() > kNameMax) return bad(at, cat("a name has at most ", kNameMax, " characters; found ", shortened(one.name)));
    if (!names.insert(one.name).second) return bad(at, cat("two cases have the name ", shortened(one.name), "; give each its own with name:"));
  }
  return ok_status();
}

Result<BenchSuite> suite_of(const YAML::Node& root, const std::string& folder) {
  if (!root.IsMap() || !root["cases"] || !root["cases"].IsSequence()) return bad(root, "found no cases; expected name: and a list cases:");
  Written defaults;
  BenchSuite suite;
  for (const auto& entry : root) {
    const YAML::Node &key = entry.first, &value = entry.second;
    if (scalar(key) == "name") suite.name = case_name(scalar(value));
    else if (scalar(key) == "defaults") HONE_TRY(take_fields(value, folder, defaults));
    else if (scalar(key) != "cases") return bad(key, cat("there is no '", shortened(scalar(key)), "'; a suite has name, defaults and cases"));
  }
  for (const YAML::Node& item : root["cases"]) {
    Written written = defaults;
    HONE_TRY(take_fields(item, folder, written));
    HONE_TRY(add_cases(item, std::move(written), suite));
  }
  HONE_TRY(check_names(root, suite));
  if (suite.cases.empty()) return bad(root, "found no case; expected at least one");
  return suite;
}

}  // namespace

std::string own_name(const BenchCase& one) {
  if (!one.source.model.empty()) return fs::path(one.source.model).stem().string();
  if (!one.kernel.file.empty()) return fs::path(one.kernel.file).stem().string();
  return one.package.empty() ? one.source.op : fs::path(one.package).filename().string();
}

std::string case_name(const std::string& text) {
  std::string name;
  for (char c : text) name += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-' ? c : '-';
  while (!name.empty() && !std::isalnum(static_cast<unsigned char>(name.front()))) name.erase(name.begin());
  return name.empty() ? "case" : name;
}

Result<BenchSuite> parse_suite(const std::string& text, const std::string& folder) {
  if (text.size() > kSuiteBytesMax) return Error{ErrorCode::kLimitExceeded, cat("a suite has at most ", kSuiteBytesMax, " bytes")};
  // yaml-cpp throws for whatever is no YAML.
  try {
    return suite_of(YAML::Load(text), folder);
  } catch (const YAML::Exception& e) {
    return Error{ErrorCode::kInvalidArgument, cat("line ", e.mark.line + 1, ": ", shortened(e.msg))};
  }
}

Result<BenchSuite> read_suite(const std::string& path) {
  HONE_ASSIGN(text, read_file(path));
  auto suite = parse_suite(text, fs::path(path).parent_path().string());
  if (!suite.ok()) return Error{suite.error().code, cat(path, ": ", suite.error().message)};
  if (suite->name.empty()) suite->name = case_name(fs::path(path).stem().string());
  return suite;
}

}  // namespace hone::cli
