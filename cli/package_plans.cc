#include "cli/package_plans.h"

#include <algorithm>
#include <functional>

#include "base/cat.h"
#include "base/json_text.h"
#include "cli/report/device_text.h"
#include "codegen/emit/llvm/native_object.h"
#include "codegen/graph/model_bytes.h"
#include "server/agents/device_target.h"
#include "server/jobs/kernel_choice.h"
#include "server/jobs/portable_choice.h"
#include "tuner/search/planner.h"

namespace hone::cli {

namespace {

// A class of devices, as a plan is made for it.
struct DeviceClass {
  std::string key;  // of the records; empty: portable
  target::Target target;
  std::string made_for, vendor, architecture, browser;
};

Result<DeviceClass> class_of(const tuner::DeviceInfo& device) {
  HONE_ASSIGN(said, parse_json(device.fingerprint_json));
  HONE_ASSIGN(fingerprint, protocol::from_json<protocol::Fingerprint>(said));
  HONE_ASSIGN(target, server::target_of(fingerprint));
  return DeviceClass{
      device.key,         target, report::device_text(fingerprint), fingerprint.vendor, fingerprint.architecture,
      fingerprint.browser};
}

// The classes of the kind that the records know, each once: what a device last said of itself.
Result<std::vector<tuner::DeviceInfo>> recorded_classes(tuner::RecordStore& store, target::Kind kind) {
  HONE_ASSIGN(devices, store.devices());
  std::vector<tuner::DeviceInfo> classes;
  for (tuner::DeviceInfo& device : devices) {
    if (device.target != target::kind_name(kind)) continue;
    const auto known =
        std::find_if(classes.begin(), classes.end(), [&](const auto& other) { return other.key == device.key; });
    if (known == classes.end()) classes.push_back(std::move(device));
    else *known = std::move(device);
  }
  return classes;
}

// What every device of the kind has, and what most have besides where that makes other kernels.
std::vector<DeviceClass> portable_classes(target::Kind kind) {
  const target::Target least = target::default_target(kind);
  if (kind == target::Kind::kWebGl) {
    target::Target few = least;
    few.limits.storage_buffers_max -= few.limits.render_targets_max - target::kRenderTargetsMin;
    few.limits.render_targets_max = target::kRenderTargetsMin;
    return {{"", least, "portable, 8 render targets"}, {"", few, "portable, 4 render targets"}};
  }
  if (kind == target::Kind::kWasm) {
    std::vector<DeviceClass> classes;
    for (bool relaxed : {true, false})
      for (bool threads : {true, false}) {
        target::Target target = least;
        target.has_relaxed_simd = relaxed;
        target.has_threads = threads;
        classes.push_back(
            {"", target, cat("portable, ", threads ? "threads" : "1 thread", relaxed ? ", relaxed SIMD" : "")});
      }
    return classes;
  }
  return {{"", least, "portable"}};
}

// A model with larger values than every device binds asks for devices that bind them: its plan says how much (package/plan_needs.h).
void allow_large_values(const graph::Graph& graph, target::Target& target) {
  if (target.kind == target::Kind::kWebGpu && graph::count_bytes(graph).largest > target.limits.binding_bytes_max) target.limits.binding_bytes_max = int64_t{1} << 31;
}

class Plans {
 public:
  Plans(const graph::Graph& graph, tuner::RecordStore* store, const PlansWanted& wanted, const CancelToken* cancel)
      : graph_(graph), store_(store), wanted_(wanted), cancel_(cancel) {}

  Result<PackagePlans> make() {
    HONE_TRY(check_named());
    for (target::Kind kind : wanted_.kinds)
      if (kind != target::Kind::kNative) HONE_TRY(add_recorded(kind));
    for (target::Kind kind : wanted_.kinds)
      if (kind != target::Kind::kNative) HONE_TRY(add_portable(kind));
    if (is_wanted(target::Kind::kNative)) HONE_TRY(add_native());
    return std::move(out_);
  }

 private:
  struct Planned {
    package::PackagedPlan plan;
    PlannedFor about;
  };

  void add(Planned planned) {
    out_.plans.push_back(std::move(planned.plan));
    out_.about.push_back(std::move(planned.about));
  }

  bool is_wanted(target::Kind kind) const {
    return std::find(wanted_.kinds.begin(), wanted_.kinds.end(), kind) != wanted_.kinds.end();
  }

  Status check_named() const {
    if (wanted_.devices.empty()) return ok_status();
    HONE_ASSIGN(devices, store_->devices());
    for (const tuner::DeviceInfo& device : devices) {
      const auto kind = target::parse_kind(device.target);
      if (!is_named(device.key) || (kind && is_wanted(*kind))) continue;
      return Error{ErrorCode::kInvalidArgument,
                   cat("the device ", device.key, " runs ", device.target,
                       " kernels, which are not exported; add them to --targets, or give another device")};
    }
    return ok_status();
  }

  Status add_portable(target::Kind kind) {
    for (DeviceClass portable : portable_classes(kind)) {
      allow_large_values(graph_, portable.target);
      HONE_ASSIGN(plan, plan_for(portable));
      add(std::move(plan));
    }
    return ok_status();
  }

  Status add_native() {
    for (const target::CpuLevel& level : target::cpu_levels()) {
      HONE_ASSIGN(planned, plan_for({"", target::level_target(level), std::string(level.name)}));
      std::vector<std::string> kernels;
      for (const package::PlanKernel& kernel : planned.plan.plan.kernels) kernels.push_back(kernel.code);
      HONE_TRY(check_cancel(cancel_));
      HONE_ASSIGN(code, emit::native_object(kernels, level, wanted_.native_name));
      out_.native.push_back({std::move(planned.plan.plan), level, std::move(code)});
      out_.about.push_back(std::move(planned.about));
    }
    return ok_status();
  }

  bool is_named(const std::string& key) const {
    return std::find(wanted_.devices.begin(), wanted_.devices.end(), key) != wanted_.devices.end();
  }

  Status add_recorded(target::Kind kind) {
    if (!store_) return ok_status();
    HONE_ASSIGN(classes, recorded_classes(*store_, kind));
    for (const tuner::DeviceInfo& device : classes) {
      if (!wanted_.devices.empty() && !is_named(device.key)) continue;
      HONE_ASSIGN(device_class, class_of(device));
      HONE_ASSIGN(plan, plan_for(device_class));
      if (plan.about.tuned > 0 || is_named(device.key)) add(std::move(plan));
    }
    return ok_status();
  }

  using Choose = std::function<Result<server::ChosenKernel>(const te::Task&)>;
  Result<Choose> chooser_for(const DeviceClass& device) const {
    tuner::Planner planner = tuner::space_planner(device.target, wanted_.seed, tuner::StrategyKind::kEvolutionary);
    const auto best_of = [&](const std::string& key) {
      const server::KernelChooser chooser(store_, std::move(planner), device.target, key);
      return Choose([chooser](const te::Task& task) { return chooser.choose(task, protocol::ScheduleChoice::kBest); });
    };
    if (!device.key.empty()) return best_of(device.key);
    HONE_ASSIGN(classes, classes_for(device.target));
    if (device.target.kind == target::Kind::kNative && classes.size() == 1) return best_of(classes[0].key);
    const server::PortableChooser chooser(store_, std::move(planner), device.target, std::move(classes));
    return Choose([chooser](const te::Task& task) { return chooser.choose(task); });
  }

  // Devices whose kernels a portable plan may have. Of processors those alone that have vectors as the level has, and, where some are named, those.
  Result<std::vector<server::KnownClass>> classes_for(const target::Target& target) const {
    std::vector<server::KnownClass> all, named;
    if (!store_) return all;
    HONE_ASSIGN(devices, recorded_classes(*store_, target.kind));
    for (const tuner::DeviceInfo& device : devices) {
      HONE_ASSIGN(device_class, class_of(device));
      if (target.kind == target::Kind::kNative && !has_vectors_of(device_class.target, target)) continue;
      all.push_back({device.key, device_class.target.launch_us});
      if (is_named(device.key)) named.push_back(all.back());
    }
    return target.kind == target::Kind::kNative && !named.empty() ? named : all;
  }

  static bool has_vectors_of(const target::Target& device, const target::Target& level) {
    return device.lanes == level.lanes && device.limits.live_vectors_max == level.limits.live_vectors_max;
  }

  Result<Planned> plan_for(const DeviceClass& device) {
    graph::Graph graph = graph_;
    graph.medium = target::stored_in(device.target.kind);
    graph.layers_max = device.target.limits.render_targets_max;
    HONE_ASSIGN(choose, chooser_for(device));
    PlannedFor about{.made_for = device.made_for, .target = std::string(target::kind_name(device.target.kind))};
    std::map<Hash, double> recorded_us;
    const auto kernel_of = [&](te::Task task) -> Result<emit::KernelSource> {
      HONE_TRY(check_cancel(cancel_));
      const Hash id = task.id;
      if (wanted_.tolerance > 0) te::loosen(task, wanted_.tolerance);
      HONE_ASSIGN(chosen, choose(task));
      (chosen.origin == "tuned" ? about.tuned : chosen.origin == "seed" ? about.seed : about.naive)++;
      recorded_us[id] = chosen.recorded_us;
      return std::move(chosen.source);
    };
    auto plan = package::plan_model(graph, kernel_of, cancel_, package::Boundary::kPorts);
    if (!plan.ok()) return Error{plan.error().code, cat("for ", about.target, ": ", plan.error().message)};
    about.launches = static_cast<int>(
        std::count_if(plan->launches.begin(), plan->launches.end(), [](const auto& launch) { return !launch.ahead; }));
    about.recorded_ms = run_ms(*plan, recorded_us);
    const auto tuned = static_cast<uint32_t>(about.tuned);
    return Planned{
        {std::move(*plan), device.target, device.made_for, device.vendor, device.architecture, device.browser, tuned},
        std::move(about)};
  }

  static double run_ms(const package::ModelPlan& plan, const std::map<Hash, double>& recorded_us) {
    double us = 0;
    for (const package::PlanStep& step : plan.steps) {
      const double step_us = recorded_us.at(step.task);
      if (step_us <= 0) return 0;
      us += step_us;
    }
    return us / 1000;
  }

  const graph::Graph& graph_;
  tuner::RecordStore* const store_;
  const PlansWanted& wanted_;
  const CancelToken* const cancel_;
  PackagePlans out_;
};

}  // namespace

Result<PackagePlans> package_plans(const graph::Graph& graph, tuner::RecordStore* store, const PlansWanted& wanted,
                                   const CancelToken* cancel) {
  return Plans(graph, store, wanted, cancel).make();
}

}  // namespace hone::cli
