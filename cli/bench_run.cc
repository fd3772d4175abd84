#include "cli/bench_run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <fstream>
#include <map>

#include "base/cat.h"
#include "base/median.h"
#include "base/printable_text.h"
#include "cli/bench_places.h"
#include "cli/bench_verdicts.h"
#include "cli/console.h"
#include "cli/model_job.h"
#include "cli/report/device_text.h"
#include "cli/source.h"
#include "cli/temp_folder.h"

namespace hone::cli {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr size_t kLanesMax = 64;  // devices that work side by side: each has a connection of its own (policy)

uint64_t unix_ms_now() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

std::vector<double> numbers(const Json& result, const char* key) {
  const auto found = result.find(key);
  return found != result.end() && found->is_array() ? found->get<std::vector<double>>() : std::vector<double>();
}

std::optional<protocol::BenchTimes> times_of(const std::vector<double>& samples_ms) {
  if (samples_ms.empty()) return std::nullopt;
  return protocol::BenchTimes{.median_ms = median(samples_ms), .p10_ms = quantile(samples_ms, 0.1), .p90_ms = quantile(samples_ms, 0.9), .samples_ms = samples_ms};
}

std::optional<double> optional_number(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

protocol::BenchDevice device_of(const Json& result, const std::string& device_id) {
  protocol::BenchDevice device{.device_id = device_id};
  const auto said = result.find("device");
  if (said == result.end() || !said->is_object()) return device;
  device.device_key = said->value("key", "");
  device.fingerprint = *said;
  const auto fingerprint = protocol::from_json<protocol::Fingerprint>(*said);
  if (!fingerprint.ok()) return device;
  device.text = shortened(report::device_text(*fingerprint));
  device.target = fingerprint->target;
  device.browser = cat(fingerprint->browser, " ", fingerprint->browser_major);
  return device;
}

protocol::BenchComparison comparison_of(const Json& said) {
  protocol::BenchComparison out;
  (void)protocol::from_name(said.value("verdict", "inconclusive"), out.verdict);
  out.ratio = said.value("ratio", 1.0);
  out.ratio_low = optional_number(said, "ratio_low");
  out.ratio_high = optional_number(said, "ratio_high");
  out.pairs = said.value("pairs", 0u);
  out.blocks = said.value("blocks", 0u);
  out.standard_error = optional_number(said, "standard_error");
  out.p_value = std::clamp(said.value("p_value", 1.0), 0.0, 1.0);
  return out;
}

// What is measured of one case on one place.
struct Turn {
  size_t of_case = 0;
  BenchPlace place;
};

class Runner {
 public:
  Runner(BenchRun& run, TempFolder folder) : run_(run), folder_(std::move(folder)) {
    report_.format = protocol::kBenchReportFormat;
    report_.version = protocol::kBenchReportVersion;
    report_.suite = run.suite.name;
    report_.started_unix_ms = unix_ms_now();
    report_.new_build = run.new_build->about();
    if (run.old_build) report_.old_build = run.old_build->about();
    report_.fail_above = run.fail_above;
    set_rule(report_);
    for (const BenchCase& one : run.suite.cases) report_.cases.push_back({.name = one.name, .source = one.source_text(), .target = one.target});
  }

  Result<protocol::BenchReport> run() {
    const Clock::time_point start = Clock::now();
    HONE_TRY(measure(make_builds()));
    if (cancelled_) return Error{ErrorCode::kCancelled, "the benchmark was cancelled"};
    HONE_TRY(judge(report_));
    report_.took_ms = ms_since(start);
    return std::move(report_);
  }

 private:
  // Before a service runs: it may have the database that they are made with. A case that cannot be made has failed.
  std::vector<size_t> make_builds() {
    std::vector<size_t> made;
    for (size_t i = 0; i < run_.suite.cases.size(); ++i) {
      const Status done = make_case(i);
      if (done.ok()) made.push_back(i);
      else add(i, {.state = done.error().code == ErrorCode::kUnsupported ? protocol::BenchState::kSkipped : protocol::BenchState::kFailed, .message = shortened(done.error().message), .started_unix_ms = unix_ms_now()});
    }
    return made;
  }

  Status make_case(size_t i) {
    const BenchCase& one = run_.suite.cases[i];
    tell(cat("making ", one.name));
    if (run_.old_build) HONE_TRY(write(i, "old", run_.old_build->archive_of(one)));
    return write(i, "new", run_.new_build->archive_of(one));
  }

  // A browser that is started for this has devices of one target.
  Status measure(std::vector<size_t> cases) {
    family_ = cases.size();
    while (!cases.empty() && !cancelled_) {
      PlaceOptions place = run_.place;
      place.target = run_.suite.cases[cases.front()].target;
      HONE_ASSIGN(runner, JobRunner::start(run_.common, place));
      const auto others = !runner->has_own_service() ? cases.end() : std::stable_partition(cases.begin(), cases.end(), [&](size_t i) { return run_.suite.cases[i].target == place.target; });
      HONE_TRY(take_turns(*runner, {cases.begin(), others}));
      cases.erase(cases.begin(), others);
    }
    return ok_status();
  }

  std::string path(size_t i, const char* side) const { return cat(folder_.path(), "/", i, "-", side); }

  Status write(size_t i, const char* side, const Result<std::string>& archive) {
    if (!archive.ok()) return archive.error();
    std::ofstream out(path(i, side), std::ios::binary);
    out << *archive;
    out.close();
    return out ? ok_status() : Status(Error{ErrorCode::kIoError, cat("a package of ", archive->size(), " bytes cannot be written to ", folder_.path(), "; make room there, or set TMPDIR")});
  }

  Status take_turns(JobRunner& runner, const std::vector<size_t>& made) {
    std::map<std::string, std::deque<Turn>> queues;  // by device; "": whichever is free
    size_t lanes_of_any = 1;
    HONE_TRY(queue(runner, made, queues, lanes_of_any));
    for (const auto& [device, turns] : queues) turns_ += turns.size();
    family_ = std::max(family_, turns_);
    std::vector<JobRunner::NextWork> lanes;
    for (auto& [device, turns] : queues)
      for (size_t lane = 0; lane < (device.empty() ? std::min(lanes_of_any, turns.size()) : 1); ++lane)
        lanes.push_back([this, &turns = turns]() -> std::optional<JobRunner::Work> { return next_work(turns); });
    if (lanes.size() > kLanesMax) return Error{ErrorCode::kLimitExceeded, cat(lanes.size(), " devices fit, at most ", kLanesMax, " work side by side; choose some with --device, or one of each class")};
    runner.run_lanes(lanes);
    return ok_status();
  }

  Status queue(JobRunner& runner, const std::vector<size_t>& made, std::map<std::string, std::deque<Turn>>& queues, size_t& lanes_of_any) {
    std::vector<protocol::DeviceInfo> devices;
    if (!runner.has_own_service()) {
      HONE_ASSIGN(all, runner.devices());
      devices = std::move(all);
    }
    for (size_t i : made) {
      BenchCase one = run_.suite.cases[i];
      if (runner.has_own_service()) one.spread = Spread::kOne;
      HONE_ASSIGN(places, places_of(one, devices));
      HONE_ASSIGN(count, device_count(one, devices));
      if (one.spread == Spread::kOne) lanes_of_any = std::max(lanes_of_any, std::min(count, kLanesMax));
      if (places.empty()) add(i, {.state = protocol::BenchState::kSkipped, .message = cat("no ", one.target, " device is connected that fits '", one.device, "'; hone devices lists them"), .started_unix_ms = unix_ms_now()});
      for (const BenchPlace& place : places) queues[place.device_id].push_back({i, place});
    }
    return ok_status();
  }

  // What cannot be read is a failure of its own, and the next one comes.
  std::optional<JobRunner::Work> next_work(std::deque<Turn>& turns) {
    while (!turns.empty()) {
      const Turn turn = turns.front();
      turns.pop_front();
      auto work = work_of(turn);
      if (work.ok()) return std::move(*work);
      add(turn.of_case, {.state = protocol::BenchState::kFailed, .message = shortened(work.error().message), .started_unix_ms = unix_ms_now()});
    }
    return std::nullopt;
  }

  Result<JobRunner::Work> work_of(const Turn& turn) {
    const BenchCase& one = run_.suite.cases[turn.of_case];
    HONE_ASSIGN(fresh, read_file(path(turn.of_case, "new")));
    PlaceOptions place = run_.place;
    place.target = one.target, place.device = turn.place.selector;
    JobRunner::Work work;
    if (run_.old_build) {
      HONE_ASSIGN(old, read_file(path(turn.of_case, "old")));
      work.job = compare_request(one, place, old.size());
      work.payload = std::move(old) + fresh;
    } else {
      ModelJob job = model_job(job_request(protocol::JobKind::kBench, run_.common, place),
                               {.name = one.name, .package = true, .repeats = static_cast<uint32_t>(run_.runs), .time_s = run_.time_s}, fresh, {});
      work.job = std::move(job.request), work.payload = std::move(job.payload);
    }
    tell(cat(one.name, ", ", ++begun_, " of ", turns_));
    work.on_end = [this, turn, start = Clock::now(), started_unix_ms = unix_ms_now()](Result<JobResult> result) {
      protocol::BenchResult told = result_of(result, turn);
      told.started_unix_ms = started_unix_ms, told.took_ms = ms_since(start);
      add(turn.of_case, std::move(told));
    };
    return work;
  }

  protocol::JobRequest compare_request(const BenchCase& one, const PlaceOptions& place, size_t old_bytes) const {
    protocol::JobRequest job = job_request(protocol::JobKind::kCompareBuilds, run_.common, place);
    job.source.model_name = one.name;
    job.source.package = true;
    job.options = protocol::to_json(protocol::CompareBuildsOptions{.model_bytes = old_bytes,
                                                                   .pairs_max = static_cast<uint32_t>(one.pairs_max),
                                                                   .sample_ms = one.sample_ms,
                                                                   .kernels_alone = one.kernels_alone,
                                                                   .family = static_cast<uint32_t>(std::max<size_t>(1, family_)),
                                                                   .same_within = report_.same_within});
    return job;
  }

  protocol::BenchResult result_of(const Result<JobResult>& result, const Turn& turn) {
    protocol::BenchResult told;
    if (!result.ok()) {
      const Error& error = result.error();
      cancelled_ = cancelled_ || error.code == ErrorCode::kCancelled;
      told.state = error.code == ErrorCode::kNoDevice || error.code == ErrorCode::kUnsupported ? protocol::BenchState::kSkipped : protocol::BenchState::kFailed;
      told.message = shortened(error.message);
      return told;
    }
    const Json& said = result->result;
    told.job = said.value("job", "");
    told.device = device_of(said, turn.place.device_id);
    const Json variants = said.value("variants", Json::array());
    told.new_times = times_of(variants.empty() ? numbers(said, "new_ms") : numbers(variants.front(), "run_ms"));
    told.old_times = times_of(numbers(said, "old_ms"));
    if (said.contains("comparison")) told.comparison = comparison_of(said["comparison"]);
    told.state = told.new_times ? protocol::BenchState::kMeasured : protocol::BenchState::kFailed;
    if (!told.new_times) told.message = "the service answered without times";
    return told;
  }

  void add(size_t i, protocol::BenchResult result) { report_.cases[i].results.push_back(std::move(result)); }

  void tell(const std::string& what) const {
    if (!run_.common.quiet) std::fputs(printable_lines(cat(what, "\n")).c_str(), stderr);
  }

  BenchRun& run_;
  const TempFolder folder_;
  protocol::BenchReport report_;
  size_t turns_ = 0, begun_ = 0, family_ = 0;  // family_: comparisons that are judged together
  bool cancelled_ = false;
};

}  // namespace

Result<protocol::BenchReport> run_suite(BenchRun run) {
  HONE_ASSIGN(folder, TempFolder::make());
  return Runner(run, std::move(folder)).run();
}

}  // namespace hone::cli
