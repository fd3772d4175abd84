#include "server/jobs/compare_job.h"

#include <algorithm>
#include <cmath>
#include <future>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/json_text.h"
#include "base/median.h"
#include "base/rng.h"
#include "server/agents/device_target.h"
#include "server/jobs/comparison_json.h"
#include "server/jobs/compiler_version.h"
#include "server/jobs/job_options.h"
#include "server/jobs/leased_store.h"
#include "server/jobs/limits.h"
#include "server/jobs/tune_settings.h"
#include "stats/many_cases.h"
#include "tuner/records/device_state.h"
#include "tuner/search/measured_record.h"

namespace hone::server {

namespace {

// The task that the options mean.
Result<const te::Task*> chosen_task(const JobTasks& tasks, const std::string& wanted) {
  const te::Task* found = nullptr;
  for (const te::Task& task : tasks.tasks) {
    if (!task.id.hex().starts_with(wanted) && task.name.find(wanted) == std::string::npos) continue;
    if (found)
      return Error{ErrorCode::kInvalidArgument,
                   cat("--task ", wanted, " fits ", found->name, " and ", task.name, "; give more of the task's id")};
    found = &task;
  }
  if (found) return found;
  return Error{ErrorCode::kNotFound,
               cat("the source has no task ", wanted, "; hone records best lists those with records")};
}

// The last two rounds are one in an order and one in the reversed one: a quad, and a block, since no round has a tab of its own.
stats::Block last_block(const std::vector<double>& first_us, const std::vector<double>& other_us) {
  const auto pair = [&](size_t from_end) { return stats::Pair{first_us[first_us.size() - from_end], other_us[other_us.size() - from_end]}; };
  return {.quads = {{pair(2), pair(1)}}};
}

// Of the same rounds: what b took of what a took.
std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) out.push_back(b[i] / a[i]);
  return out;
}

}  // namespace

void CompareJob::on_cancel() {
  if (runner_) runner_->cancel();
}

Result<JobResult> CompareJob::work() {
  HONE_ASSIGN(options, options_of<protocol::CompareOptions>(request_.job));
  if (options.schedules.empty())
    return Error{ErrorCode::kInvalidArgument,
                 "a comparison names at least one schedule; best, seed, naive or a source"};
  send_progress(in_phase(protocol::JobPhase::kPreparing, "reading the source"));
  HONE_ASSIGN(import_memory, take_import_memory());
  HONE_ASSIGN(tasks, context_.tasks({request_.job, payload_}, &cancel_));
  HONE_ASSIGN(task, chosen_task(*tasks, options.task.value_or("")));
  cache_ = cache_of(request_.job, options.cache);
  model_bytes_ = model_bytes(*tasks);
  HONE_ASSIGN(device, wait_for_device([this, tasks](const protocol::DeviceInfo& info) {
                runner_ = RunnerGroup::make({info.device_key, context_.reattach_ms, tasks}, context_.reactor,
                                            context_.expected, context_.workers);
                return runner_->add(info);
              }));
  Result<nlohmann::json> result = guarded([&]() -> Result<nlohmann::json> {
    HONE_ASSIGN(all, contestants(*task, device, options));
    HONE_TRY(run_rounds(*task, all, options.rounds));
    HONE_TRY(record(*task, all, device));
    return to_json(*task, all, device);
  });
  runner_->close();
  if (!result.ok()) return result.error();
  return JobResult{std::move(*result)};
}

Result<std::vector<CompareJob::Contestant>> CompareJob::contestants(const te::Task& task,
                                                                    const protocol::DeviceInfo& device,
                                                                    const protocol::CompareOptions& options) {
  HONE_ASSIGN(target, target_of(device.fingerprint));
  HONE_ASSIGN(known, context_.store.known_trials(task.id, device.device_key));
  const tuner::Planner planner = context_.planner(target, request_.job.seed, tuner::StrategyKind::kEvolutionary);
  HONE_ASSIGN(named, named_schedules(options.schedules, task, known, planner, target));
  std::vector<Contestant> all;
  for (NamedSchedule& one : named) all.push_back({.schedule = std::move(one)});
  return all;
}

Status CompareJob::run_rounds(const te::Task& task, std::vector<Contestant>& all, std::optional<uint32_t> rounds) {
  const bool compares = all.size() > 1;
  const int most = rounds ? static_cast<int>(*rounds) : compares ? kCompareRoundsMax : kAloneRounds;
  Rng coin(request_.job.seed);
  bool reversed = false;
  HONE_TRY(begin(all));
  for (int round = 0, attempt = 0; round < most; ++round, ++attempt) {
    reversed = round % 2 == 0 ? coin.below(2) == 1 : !reversed;
    send_progress(in_phase(protocol::JobPhase::kMeasuring, cat("round ", round + 1, rounds ? " of " : " of at most ", most, device_changes_ > 0 ? ", on another device of the class: the first one went away" : "")));
    HONE_ASSIGN(comparable, run_round(task, all, reversed, attempt));
    if (comparable) leave_out_failed(all);
    if (comparable && round % 2 == 1) HONE_TRY(add_block(all));
    if (comparable && !rounds && compares && is_decided(all)) return ok_status();
    if (comparable) continue;
    if (++device_changes_ > kDeviceChangesMax)
      return Error{ErrorCode::kDeviceLost, cat("the device went away ", device_changes_, " times in the middle of one comparison; repeat the command when devices stay")};
    HONE_TRY(begin(all));
    round = -1;
  }
  return ok_status();
}

Status CompareJob::begin(std::vector<Contestant>& all) {
  device_.clear();
  for (Contestant& one : all) {
    one.rounds_us.clear(), one.samples_us.clear(), one.failed = false;
    if (&one == &all.front()) continue;
    HONE_ASSIGN(with_first, stats::Comparison::make({}));
    one.with_first = std::move(with_first);
  }
  return ok_status();
}

void CompareJob::leave_out_failed(std::vector<Contestant>& all) {
  for (Contestant& one : all)
    if (one.failed || all.front().failed) one.with_first.reset();
}

Status CompareJob::add_block(std::vector<Contestant>& all) {
  for (Contestant& one : all)
    if (one.with_first) HONE_TRY(one.with_first->add(last_block(all.front().rounds_us, one.rounds_us)));
  return ok_status();
}

// Of those that are compared, in their order; together their verdicts are wrong with the probability of one.
std::vector<stats::Verdict> CompareJob::verdicts(const std::vector<Contestant>& all) {
  std::vector<stats::ComparisonResult> results;
  for (const Contestant& one : all)
    if (one.with_first) results.push_back(one.with_first->result());
  return stats::family_verdicts(results, stats::ComparisonRule().alpha);
}

bool CompareJob::is_decided(const std::vector<Contestant>& all) {
  const std::vector<stats::Verdict> known = verdicts(all);
  return std::find(known.begin(), known.end(), stats::Verdict::kMorePairs) == known.end();
}

// All that were measured, now and before, were by the same one; a contestant that went with its device was not.
bool CompareJob::same_device(const std::vector<Contestant>& all) {
  for (const Contestant& one : all) {
    const tuner::MeasureResult& last = one.last;
    const bool went = last.outcome == ErrorCode::kAgentGone || last.outcome == ErrorCode::kDeviceLost;
    if (one.failed && !went) continue;
    const std::string device = cat(last.agent, " ", last.device);
    if (device_.empty()) device_ = device, fingerprint_json_ = last.fingerprint_json;
    if (went || device != device_) return false;
  }
  return true;
}

// Within it the agent takes their samples in turns.
Result<bool> CompareJob::run_round(const te::Task& task, std::vector<Contestant>& all, bool reversed, int attempt) {
  std::vector<std::pair<Contestant*, std::future<tuner::MeasureResult>>> running;
  for (size_t i = 0; i < all.size(); ++i) {
    Contestant& one = all[reversed ? all.size() - 1 - i : i];
    if (one.failed) continue;
    auto done = std::make_shared<std::promise<tuner::MeasureResult>>();
    running.emplace_back(&one, done->get_future());
    runner_->submit({.trial_id = static_cast<uint64_t>(&one - all.data()),
                     .attempt = one.schedule.attempt + attempt,
                     .task = &task,
                     .source = one.schedule.source,
                     .predicted_us = one.rounds_us.empty() ? 0 : one.rounds_us.back(),
                     .samples_wanted = kCompareSamples,
                     .cache = cache_,
                     .model_bytes = model_bytes_,
                     .in_turns = true},
                    [done](tuner::MeasureResult result) { done->set_value(std::move(result)); });
  }
  for (auto& [one, result] : running) take(*one, result.get());
  for (auto& [one, result] : running) {
    runner_->committed(task.id, one->schedule.source.hash, one->schedule.attempt + attempt);
    if (one->last.ends_search || one->last.outcome == ErrorCode::kCancelled)
      return Error{one->last.outcome, one->last.message.empty() ? "the comparison was cancelled" : one->last.message};
  }
  return same_device(all);
}

// Samples that disagree are samples all the same: those beside them were taken at the same moments.
void CompareJob::take(Contestant& one, tuner::MeasureResult result) {
  const bool timed = tuner::gives_time(tuner::Origin::kRecheck, result.outcome, result.latency_us_median);
  one.failed = !timed;
  if (timed) {
    one.rounds_us.push_back(result.latency_us_median);
    one.samples_us.insert(one.samples_us.end(), result.samples_us.begin(), result.samples_us.end());
  }
  one.last = std::move(result);
}

Status CompareJob::record(const te::Task& task, const std::vector<Contestant>& all,
                          const protocol::DeviceInfo& device) {
  LeasedStore store(context_.store, fences_, [](const Hash&, const Hash&, int) {});
  const std::string fingerprint = json_line(protocol::to_json(device.fingerprint));
  HONE_TRY(store.put_task({task.id, task.name, te::canonical_text(task), task.flops}));
  HONE_TRY(store.put_device({device.device_key, request_.job.target, fingerprint}));
  for (const Contestant& one : all) {
    tuner::Record r;
    r.task_id = task.id;
    r.device_key = device.device_key;
    r.source_hash = one.schedule.source.hash;
    r.trace_json = schedule::trace_to_json(one.schedule.trace);
    r.job_id = request_.id;
    r.origin = one.schedule.name == "naive" ? tuner::Origin::kNaive : tuner::Origin::kRecheck;
    r.fingerprint_json = fingerprint;
    r.compiler_version = kCompilerVersion;
    tuner::take_measurement(r, one.last);
    HONE_ASSIGN(known, store.known_trial(task.id, device.device_key, one.schedule.source.hash));
    r.attempt = known ? known->attempts : 0;  // others may have tried it meanwhile
    if (!one.failed) r.samples_us = one.samples_us, r.latency_us_median = median(one.samples_us);
    store.insert(std::move(r), nullptr);
  }
  return store.flush();
}

nlohmann::json CompareJob::to_json(const te::Task& task, const std::vector<Contestant>& all,
                                   const protocol::DeviceInfo& device) const {
  const auto said = parse_json(fingerprint_json_);
  nlohmann::json fingerprint = said.ok() && said->is_object() ? *said : protocol::to_json(device.fingerprint);
  fingerprint["key"] = device.device_key;
  nlohmann::json schedules = nlohmann::json::array();
  const std::vector<stats::Verdict> known = verdicts(all);
  size_t rounds = 0, compared = 0;
  for (const Contestant& one : all) {
    rounds = std::max(rounds, one.rounds_us.size());
    nlohmann::json schedule{{"name", one.schedule.name},
                            {"source", one.schedule.source.hash.hex()},
                            {"us_median", one.failed ? 0 : median(one.samples_us)},
                            {"us_rounds", one.rounds_us},
                            {"message", one.failed ? one.last.message : ""}};
    if (one.with_first) schedule["comparison"] = comparison_json(one.with_first->result(), known[compared++], median(ratios(all.front().rounds_us, one.rounds_us)));
    schedules.push_back(std::move(schedule));
  }
  nlohmann::json out{{"job", request_.id},
          {"device", std::move(fingerprint)},
          {"target", request_.job.target},
          {"task", task.id.hex()},
          {"op", task.name},
          {"cache", tuner::cache_name(cache_)},
          {"rounds", rounds},
          {"schedules", std::move(schedules)}};
  if (device_changes_ > 0) out["device_changes"] = device_changes_;
  return out;
}

}  // namespace hone::server
