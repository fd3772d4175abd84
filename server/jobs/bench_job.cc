#include "server/jobs/bench_job.h"

#include <algorithm>
#include <numeric>

#include "base/cat.h"
#include "base/median.h"
#include "base/number_text.h"
#include "server/jobs/limits.h"

namespace hone::server {

namespace {

// Half of the runs in each turn.
PlanTiming timing_of_turn(const RunRequest& request, int turn) {
  const uint32_t before = request.repeats * static_cast<uint32_t>(turn) / kBenchTurns;
  const uint32_t behind = request.repeats * static_cast<uint32_t>(turn + 1) / kBenchTurns;
  return {.repeats = behind - before,
          .ms_max = 1000 * request.time_s / kBenchTurns,
          .launches = request.launches && turn == kBenchTurns - 1};
}

double host_share(const protocol::Executed& times) {
  std::vector<double> shares;
  for (size_t i = 0; i < times.kernel_ms.size(); i++)
    shares.push_back(times.run_ms[i] > 0 ? std::max(0.0, 1 - times.kernel_ms[i] / times.run_ms[i]) : 0);
  return median(std::move(shares));
}

void add_medians(nlohmann::json& out, const protocol::Executed& times) {
  const bool has_clock = !times.kernel_ms.empty();
  out["model_ms_median"] = median(times.run_ms);
  out["model_ms_p10"] = quantile(times.run_ms, 0.1);
  out["model_ms_p90"] = quantile(times.run_ms, 0.9);
  out["kernel_ms_median"] = has_clock ? nlohmann::json(median(times.kernel_ms)) : nullptr;
  out["host_share"] = has_clock ? nlohmann::json(host_share(times)) : nullptr;
}

// What a step of a plan takes by the device's clock; its launches follow each other.
std::vector<double> step_us(const package::ModelPlan& plan, const std::vector<double>& launch_us) {
  std::vector<double> out(plan.steps.size(), 0);
  for (size_t i = 0; i < plan.launches.size() && i < launch_us.size(); i++)
    out[static_cast<size_t>(plan.launches[i].step)] += launch_us[i];
  return out;
}

struct TaskTime {
  std::string op;
  int uses = 0, launches = 0;  // launches: of all uses
  double us = 0;               // of all uses
};

std::map<Hash, TaskTime> task_times(const package::ModelPlan& plan, const std::map<Hash, ChosenKernel>& kernels,
                                    const std::optional<std::vector<double>>& launch_us) {
  std::map<Hash, TaskTime> out;
  const std::vector<double> measured_us = step_us(plan, launch_us.value_or(std::vector<double>{}));
  for (size_t i = 0; i < plan.steps.size(); i++) {
    TaskTime& task = out[plan.steps[i].task];
    task.op = plan.steps[i].name;
    task.uses++;
    task.us += launch_us ? measured_us[i] : kernels.at(plan.steps[i].task).recorded_us;
  }
  for (const package::PlanLaunch& launch : plan.launches)
    out[plan.steps[static_cast<size_t>(launch.step)].task].launches++;
  return out;
}

nlohmann::json tasks_json(const package::ModelPlan& plan, const std::map<Hash, ChosenKernel>& kernels,
                          const std::optional<std::vector<double>>& launch_us) {
  double sum_us = 0;
  const auto times = task_times(plan, kernels, launch_us);
  for (const auto& [id, task] : times) sum_us += task.us;
  nlohmann::json out = nlohmann::json::array();
  for (const auto& [id, task] : times)
    out.push_back({{"task", id.hex()},
                   {"op", task.op},
                   {"schedule", kernels.at(id).origin},
                   {"uses", task.uses},
                   {"launches", task.launches / task.uses},
                   {"us", task.us / task.uses},
                   {"share", sum_us > 0 ? task.us / sum_us : 0},
                   {"measured", launch_us.has_value()}});
  const auto share = [](const nlohmann::json& task) { return task["share"].get<double>(); };
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return share(a) > share(b); });
  return out;
}

// [ms] of one run by the records; tasks that have none are taken to be as fast as the others. 0: nothing is known.
double recorded_ms(const package::ModelPlan& plan, const std::map<Hash, ChosenKernel>& kernels) {
  double us = 0, known = 0, all = 0;
  for (const package::PlanStep& step : plan.steps) {
    const double step_us = kernels.at(step.task).recorded_us;
    all += step.flops;
    us += step_us;
    if (step_us > 0) known += step.flops;
  }
  return known > 0 ? us / 1000 * all / known : us / 1000;
}

}  // namespace

// Only times of one device are compared: with another one, however equal, all are taken anew.
Result<JobResult> BenchJob::with_model(ModelOnDevice& model) {
  HONE_TRY(generate(model));
  HONE_ASSIGN(variants, plan_all(model));
  HONE_TRY(take_turns(model, variants));
  while (std::exchange(moved_, false)) {
    if (device_changes_ > kDeviceChangesMax)
      return Error{ErrorCode::kDeviceLost, cat("the device went away ", device_changes_, " times in the middle of one timing; repeat the command when devices stay")};
    send_progress(in_phase(protocol::JobPhase::kMeasuring, "another device of the class came in the first one's place: the timing begins anew on it"));
    for (Variant& variant : variants) variant.times = {}, variant.skipped = variant.too_slow;
    HONE_TRY(take_turns(model, variants));
  }
  JobResult out{.result = head_of(model)};
  out.result["variants"] = nlohmann::json::array();
  for (const Variant& variant : variants) out.result["variants"].push_back(to_json(variant, model.request.launches));
  return out;
}

Result<std::vector<BenchJob::Variant>> BenchJob::plan_all(const ModelOnDevice& model) {
  std::vector<Variant> variants;
  for (const protocol::ScheduleChoice choice : model.request.schedules) {
    HONE_ASSIGN(planned, plan(model, choice));
    variants.push_back({.planned = std::move(planned)});
    Variant& variant = variants.back();
    // What is asked for first is timed in any case.
    const double ms = recorded_ms(variant.planned.plan, variant.planned.kernels);
    if (variants.size() > 1 && ms > 1000 * model.request.time_s)
      variant.too_slow = Error{ErrorCode::kTimeout, cat("one run takes about ", time_text(ms), ", the time is ", time_text(1000 * model.request.time_s), "; give more with --time")};
    variant.skipped = variant.too_slow;
  }
  return variants;
}

// In reversed order every second turn.
Status BenchJob::take_turns(ModelOnDevice& model, std::vector<Variant>& variants) {
  for (int turn = 0; turn < kBenchTurns; turn++) {
    const PlanTiming timing = timing_of_turn(model.request, turn);
    for (size_t i = 0; i < variants.size() && !moved_; i++) {
      Variant& variant = variants[turn % 2 == 0 ? i : variants.size() - 1 - i];
      if (wants_turn(model, variant, timing)) HONE_TRY(take_turn(model, variant, turn, timing));
    }
  }
  return ok_status();
}

// What has used its time up already is run again only for the launches of what was asked for first: a naive run may take minutes.
bool BenchJob::wants_turn(const ModelOnDevice& model, const Variant& variant, const PlanTiming& timing) {
  const double ms_max = 1000 * model.request.time_s;
  const bool is_first = variant.planned.choice == model.request.schedules.front();
  const std::vector<double>& run_ms = variant.times.run_ms;
  const double spent_ms = std::accumulate(run_ms.begin(), run_ms.end(), 0.0);
  const bool wants_more = spent_ms < ms_max && (timing.launches || timing.repeats > 0);
  return !variant.skipped && (wants_more || (timing.launches && is_first));
}

// A schedule that the device refuses, or that takes too long there, costs the others nothing; but where the first one fails, so will they.
Status BenchJob::take_turn(ModelOnDevice& model, Variant& variant, int turn, const PlanTiming& timing) {
  tell_running(cat("turn ", turn + 1, " of ", kBenchTurns, ": the model runs with its ",
                   protocol::to_name(variant.planned.choice), " schedules, for ", time_text(timing.ms_max), " or one run",
                   timing.launches ? "; then each launch runs alone" : ""));
  Status timed = time_once(model, variant, timing);
  if (timed.ok()) return timed;
  const bool is_first = variant.planned.choice == model.request.schedules.front() && variant.times.run_ms.empty();
  if (is_first || cancel_.cancelled()) return timed;
  variant.skipped = timed.error();
  return ok_status();
}

Status BenchJob::time_once(ModelOnDevice& model, Variant& variant, const PlanTiming& timing) {
  if (!variant.frame) {
    HONE_ASSIGN(frame, execute_frame(model, variant.planned.plan, timing));
    variant.frame = std::move(frame);
  }
  set_timing(*variant.frame, timing, variant.planned.plan);
  HONE_ASSIGN(answer, execute(*variant.frame));
  if (moved(model, answer)) moved_ = true;
  protocol::Executed& times = variant.times;
  if (times.run_ms.empty()) times = answer.frame;
  else {
    times.run_ms.insert(times.run_ms.end(), answer.frame.run_ms.begin(), answer.frame.run_ms.end());
    times.kernel_ms.insert(times.kernel_ms.end(), answer.frame.kernel_ms.begin(), answer.frame.kernel_ms.end());
  }
  if (answer.frame.launch_us) times.launch_us = answer.frame.launch_us;
  return ok_status();
}

nlohmann::json BenchJob::to_json(const Variant& variant, bool launches) {
  const Planned& planned = variant.planned;
  nlohmann::json out = RunJob::to_json(planned);
  out.update(times_json(variant.times));
  add_medians(out, variant.times);
  int trials = 0;
  for (const auto& [id, kernel] : planned.kernels) trials += kernel.trials;
  out["trials"] = trials;
  out["schedule"] = protocol::to_name(planned.choice);
  out["skipped"] = variant.skipped ? nlohmann::json(variant.skipped->message) : nullptr;
  out["tasks"] = launches ? tasks_json(planned.plan, planned.kernels, variant.times.launch_us) : nullptr;
  return out;
}

}  // namespace hone::server
