// hone tune: tunes every distinct task of a model, or one operator, on one device.
#include <spdlog/spdlog.h>

#include <cstdio>
#include <filesystem>

#include "base/cat.h"
#include "cli/console.h"
#include "cli/embedded.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/source.h"
#include "cli/tune_report.h"
#include "cli/tune_session.h"

namespace hone::cli {
namespace {

struct TuneOptions {
  CommonOptions common;
  SourceOptions source;
  std::string target = "webgpu";
  std::string device;
  std::string browser = "chromium";
  int trials = 64;
  double time_s = 0;
  double wait_s = 60;
};

bool is_onnx_file(const std::string& op) { return op.size() > 5 && op.substr(op.size() - 5) == ".onnx"; }

protocol::JobRequest job_request(const TuneOptions& options) {
  protocol::JobRequest job;
  job.kind = protocol::JobKind::kTune;
  job.target = options.target;
  job.selector = options.device;
  job.trials = static_cast<uint32_t>(options.trials);
  job.time_s = options.time_s;
  job.seed = options.common.seed;
  job.device_wait_s = options.wait_s;
  return job;
}

Result<TuneSession::Config> session_config(const TuneOptions& options) {
  TuneSession::Config config{.job = job_request(options)};
  config.progress = {.quiet = options.common.quiet, .terminal = stderr_is_terminal()};
  std::string file =
      options.source.model.empty() ? (is_onnx_file(options.source.op) ? options.source.op : "") : options.source.model;
  if (file.empty()) {
    config.job.source.op = options.source.op;
    return config;
  }
  HONE_ASSIGN(dims, parse_dims(options.common.dims));
  HONE_ASSIGN(bytes, read_file(file));
  config.job.dims = dims;
  config.job.source.model_name = std::filesystem::path(file).filename().string();
  config.model_bytes = std::move(bytes);
  return config;
}

// A source that no service will take is refused before a browser is started for it.
std::optional<ExitCode> check_source(const TuneOptions& options) {
  if (options.source.model.empty() && options.source.op.empty())
    return usage_error("nothing to tune: give a model file or --op SPEC, for example --op matmul:512x512x512");
  if (auto dims = parse_dims(options.common.dims); !dims.ok()) return usage_error(dims.error().message);
  auto tasks = load_tasks(options.source, options.common.dims);
  if (tasks.ok()) return std::nullopt;
  return refuse_source(options.source, tasks.error());
}

ExitCode print_result(const TuneOptions& options, const Result<nlohmann::json>& result) {
  if (!result.ok()) return fail(result.error());
  if (options.common.json) std::printf("%s\n", in_documented_order(*result).dump().c_str());
  else std::fputs(tune_report_text(*result).c_str(), stdout);
  const std::string missing = tasks_without_time(*result);
  return missing.empty() ? ExitCode::kDone : fail(Error{ErrorCode::kNotFound, missing});
}

ExitCode run_tune(const TuneOptions& options) {
  if (auto refused = check_source(options)) return *refused;
  auto config = session_config(options);
  if (!config.ok()) return fail(config.error());
  net::EventLoop loop;
  std::unique_ptr<Service> service;
  if (options.common.tracker.empty()) {
    auto started = start_service(loop, options.common, "127.0.0.1", 0);
    if (!started.ok()) return fail(started.error());
    service = std::move(*started);
    config->url = service->agent_url();
    config->browser = options.browser;
  } else {
    config->url = options.common.tracker;
  }
  auto url = parse_service_url(config->url);
  if (!url.ok()) return usage_error(url.error().message);
  Result<nlohmann::json> result = Error{ErrorCode::kCancelled, "interrupted"};
  {
    auto on_end = [&](Result<nlohmann::json> r) {
      result = std::move(r);
      loop.stop();
    };
    TuneSession session(loop, std::move(*config), *url, on_end);
    Interrupt interrupt(loop, [&] { session.cancel(); });
    loop.run();
  }
  stop_service(loop, service);
  return print_result(options, result);
}

}  // namespace

void add_tune(CLI::App& app, Run& run) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* verb = app.add_subcommand("tune", "Tunes every distinct kernel of a model, or one operator, on a device");
  verb->footer(
      "Examples:\n"
      "  hone tune model.onnx --trials 64               in a headless Chromium, started for the purpose\n"
      "  hone tune --op matmul:512x512x512 --json       one operator, the result as JSON\n"
      "  hone tune model.onnx --time 300 --tracker 'http://127.0.0.1:9190/agent/#token=…' --device target=webgpu\n"
      "A run that was interrupted resumes where it stopped.");
  add_common_options(*verb, options->common);
  add_source_options(*verb, options->source);
  verb->add_option("--target", options->target, "Where the kernels run")
      ->capture_default_str()
      ->check(CLI::IsMember({"webgpu"}));
  verb->add_option("--device", options->device, "Selector: a device id, a kind, or e.g. target=webgpu&vendor=apple");
  verb->add_option("--browser", options->browser,
                   "Browser to start when no --tracker is given: chromium, or a program's path")
      ->capture_default_str();
  verb->add_option("--trials", options->trials, "Trials per task")->capture_default_str()->check(whole_from_1());
  verb->add_option("--time", options->time_s, "Seconds for the whole run; 0 sets no limit")
      ->capture_default_str()
      ->check(number_from_0());
  verb->add_option("--wait", options->wait_s, "Seconds to wait for a matching device")
      ->capture_default_str()
      ->check(number_from_0());
  verb->callback([options, &run] {
    run = [options] {
      set_up_logging({.quiet = options->common.quiet, .warnings_only = true});
      return run_tune(*options);
    };
  });
}

}  // namespace hone::cli
