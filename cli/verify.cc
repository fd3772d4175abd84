// hone verify: runs test folders in ONNX's backend layout on a device and compares the outputs with the stored ones.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/cat.h"
#include "base/log.h"
#include "base/number_text.h"
#include "cli/console.h"
#include "cli/report/device_text.h"
#include "cli/test_case.h"
#include "codegen/package/compare.h"
#include "codegen/package/pack_tensor.h"

namespace hone::cli {
namespace {

constexpr double kErrorShownMax = 1e30;  // JSON knows no infinity

struct VerifyOptions {
  CommonOptions common;
  PlaceOptions place;
  std::vector<std::string> folders;
};

struct Verdict {
  std::string name, status = "pass", message;
  double max_error = 0;
  int host_nodes = 0;
};

// What a model may be off. Tensors of 16 bits are compared after rounding to them.
double error_max(graph::DType dtype) {
  if (dtype == graph::DType::kBF16) return 1e-2;
  if (dtype == graph::DType::kF16) return 1e-3;
  return package::kModelErrorMax;
}

// Devices compute in f32 what the model has in f64; there, the comparison is one of f32.
graph::ConstantTensor as_computed(const graph::ConstantTensor& tensor) {
  return package::converted(tensor, tensor.dtype == graph::DType::kF64 ? graph::DType::kF32 : tensor.dtype);
}

// No case will fare better: nothing is left to run on, or the person has stopped it.
bool ends_all(const Error& error) {
  return error.code == ErrorCode::kNoDevice || error.code == ErrorCode::kCancelled ||
         error.code == ErrorCode::kIoError || error.code == ErrorCode::kUnauthorized;
}

void judge(const std::vector<NamedTensor>& outputs, const std::vector<NamedTensor>& expected, Verdict& verdict) {
  const auto wrong = [&](std::string message) {
    verdict.status = "fail";
    if (verdict.message.empty()) verdict.message = std::move(message);
  };
  if (outputs.size() != expected.size()) return wrong("the number of outputs differs");
  for (size_t i = 0; i < outputs.size(); i++) {
    const graph::ConstantTensor& got = outputs[i].tensor;
    graph::ConstantTensor reference = expected[i].tensor;
    if (got.dtype == graph::DType::kBF16 && reference.dtype == graph::DType::kU16)
      reference.dtype = got.dtype;  // as ONNX stores it
    if (got.shape != reference.shape || got.dtype != reference.dtype)
      return wrong(cat("the output '", outputs[i].name, "' has another shape or type"));
    const double error = package::relative_error(as_computed(got), as_computed(reference));
    verdict.max_error = std::max(verdict.max_error, std::min(error, kErrorShownMax));
    if (!(error <= error_max(got.dtype)))
      wrong(cat("the output '", outputs[i].name, "' differs by ", number_text(error), " of its range; ",
                number_text(error_max(got.dtype)), " is allowed"));
  }
}

class Verification {
 public:
  Verification(const VerifyOptions& options, const std::map<std::string, int64_t>& dims, JobRunner& runner)
      : options_(options), dims_(dims), runner_(runner) {}

  // Fails: only with what ends all.
  Result<Verdict> run(const std::string& folder) {
    Verdict verdict;
    auto test = read_case(folder, dims_);
    verdict.name = test.ok() ? test->name : folder.substr(folder.rfind('/') + 1);
    if (!test.ok()) return refused(std::move(verdict), test.error());
    for (const DataSet& set : test->sets) {
      protocol::JobRequest request = job_request(protocol::JobKind::kRun, options_.common, options_.place);
      request.dims = test->dims;
      ModelJob job = model_job(std::move(request), {.name = test->name}, test->model, set.inputs);
      auto result = runner_.run(std::move(job.request), std::move(job.payload));
      if (!result.ok() && ends_all(result.error())) return result.error();
      if (!result.ok()) return refused(std::move(verdict), result.error());
      device_ = report::measured_on_text(result->result);
      verdict.host_nodes = result->result.value("host_nodes", 0);
      auto outputs = outputs_of(*result);
      if (!outputs.ok()) return refused(std::move(verdict), outputs.error());
      judge(*outputs, set.outputs, verdict);
    }
    return verdict;
  }

  const std::string& device() const { return device_; }  // the latest, for people

 private:
  static Verdict refused(Verdict verdict, const Error& error) {
    verdict.status = error.code == ErrorCode::kUnsupported ? "unsupported" : "fail";
    verdict.message = error.message;
    return verdict;
  }

  const VerifyOptions& options_;
  const std::map<std::string, int64_t>& dims_;
  JobRunner& runner_;
  std::string device_;
};

nlohmann::ordered_json to_json(const std::vector<Verdict>& verdicts, const std::string& target) {
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const Verdict& v : verdicts)
    cases.push_back({{"name", v.name},
                     {"status", v.status},
                     {"max_error", v.max_error},
                     {"host_nodes", v.host_nodes},
                     {"message", v.message}});
  return {{"cases", std::move(cases)}, {"target", target}};
}

std::string to_text(const std::vector<Verdict>& verdicts) {
  Table table{.numeric = {false, false, true, false}};
  table.rows.push_back({"case", "status", "max error", ""});
  int passed = 0, failed = 0;
  for (const Verdict& v : verdicts) {
    passed += v.status == "pass";
    failed += v.status == "fail";
    table.rows.push_back({v.name, v.status, v.status == "unsupported" ? "-" : number_text(v.max_error), v.message});
  }
  return cat(table_text(table), "\n", passed, " passed, ", failed, " failed, ",
             verdicts.size() - static_cast<size_t>(passed) - static_cast<size_t>(failed), " unsupported\n");
}

ExitCode run_verify(const VerifyOptions& options) {
  auto dims = parse_dims(options.common.dims);
  if (!dims.ok()) return usage_error(dims.error().message);
  std::vector<std::string> folders;
  for (const std::string& path : options.folders) {
    auto found = case_folders(path);
    if (!found.ok()) return fail(found.error());
    folders.insert(folders.end(), found->begin(), found->end());
  }
  auto runner = JobRunner::start(options.common, options.place);
  if (!runner.ok()) return fail_to_start(runner.error());
  Verification verification(options, *dims, **runner);
  std::vector<Verdict> verdicts;
  for (const std::string& folder : folders) {
    auto verdict = verification.run(folder);
    if (!verdict.ok()) return fail(verdict.error());
    verdicts.push_back(std::move(*verdict));
    if (verdicts.back().status == "fail") log_warn(cat(verdicts.back().name, " fails"));
  }
  if (options.common.json) print_json(to_json(verdicts, options.place.target));
  else print_text(to_text(verdicts) + verification.device());
  const bool failed =
      std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.status == "fail"; });
  return failed ? ExitCode::kJobFailed : ExitCode::kDone;
}

}  // namespace

void add_verify(Verb program) {
  auto options = std::make_shared<VerifyOptions>();
  Verb verb = program.sub("verify", "Runs models with stored inputs and outputs, and compares");
  verb.footer(
      "Example:\n  hone verify /usr/share/libonnx-testdata/data/pytorch-operator\n"
      "A folder in the layout of ONNX's backend tests, or one that holds such folders. Exits 1 when a case fails.");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService, Uses::kModels});
  verb.option("folders", options->folders,
              "Folders with model.onnx and test_data_set_*, or folders that hold such folders")
      .required();
  add_place_options(verb, options->place);
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .warnings_only = true});
    return run_verify(*options);
  });
}

}  // namespace hone::cli
