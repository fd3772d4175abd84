// hone compile: shows every stage of the compiler as text.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/best_schedule.h"
#include "cli/console.h"
#include "cli/kernel_summary.h"
#include "cli/options.h"
#include "cli/placements_text.h"
#include "cli/source.h"
#include "codegen/compile.h"
#include "codegen/emit/llvm/emit_wasm.h"
#include "codegen/emit/llvm/native_jit.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/value_ranges.h"
#include "server/agents/frames.h"
#include "tuner/space/census.h"
#include "tuner/space/space.h"

namespace hone::cli {
namespace {

struct CompileOptions {
  CommonOptions common;
  RecordSource* records = nullptr;  // where the schedule or the device is of the records
  SourceOptions source;
  std::string target = "webgpu";
  std::string dump = "source";
  std::string trace_file;
  std::string device;  // a key of the records; empty: none in particular
  std::string schedule = "seed";
  int task = -1;
  double tolerance = 0;
};

Result<schedule::Trace> chosen_trace(const CompileOptions& options, const te::Task& task,
                                     const target::Target& target) {
  if (!options.trace_file.empty()) {
    HONE_ASSIGN(text, read_file(options.trace_file));
    auto trace = schedule::trace_from_json(text);
    if (!trace.ok()) return Error{trace.error().code, cat(options.trace_file, ": ", trace.error().message)};
    return trace;
  }
  if (options.schedule == "naive") return baseline_trace(task, target);
  HONE_ASSIGN(space, tuner::Space::derive(task, target));
  std::vector<schedule::Trace> seeds = space.seeds();
  if (seeds.empty())
    return Error{ErrorCode::kUnsupported, cat("no expert schedule is legal for ", task.name, "; try --schedule naive")};
  return seeds.front();
}

bool asks_for_subgroups(const std::string& trace_file) {
  const auto text = read_file(trace_file);
  const auto trace = text.ok() ? schedule::trace_from_json(*text) : Result<schedule::Trace>(text.error());
  return trace.ok() && std::any_of(trace->steps.begin(), trace->steps.end(), [](const schedule::Step& step) {
           return step.primitive == schedule::Primitive::kSubgroup;
         });
}

// What the device that is asked for has, else what all of the kind have; of native ones there is one here. A given trace may ask for what only
// some have.
Result<target::Target> target_for(const CompileOptions& options) {
  const target::Kind kind = *target::parse_kind(options.target);
  if (!options.device.empty()) return recorded_target(*options.records, options.device, kind);
  if (kind == target::Kind::kNative) return emit::host_target();
  target::Target target = target::default_target(kind);
  if (kind == target::Kind::kWebGpu && !options.trace_file.empty()) {
    target.has_f16 = true;
    // What a trace does not ask for is taken to be so.
    if (asks_for_subgroups(options.trace_file)) target.subgroup_sizes = {2, 4, 8, 16, 32, 64, 128};
    else target.subgroup_size = 32;
    target.has_packed_products = true;
  }
  return target;
}

// For the device that the best schedule was measured on; every other one as target_for says.
Result<BestSchedule> chosen_schedule(const CompileOptions& options, const te::Task& task) {
  if (options.trace_file.empty() && options.schedule == "best")
    return best_schedule(*options.records, task, *target::parse_kind(options.target), options.device);
  HONE_ASSIGN(target, target_for(options));
  HONE_ASSIGN(trace, chosen_trace(options, task, target));
  return BestSchedule{trace, target};
}

// An estimate has two digits.
std::string estimated(double number) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(number, 1.0))) - 1));
  return cat("about ", number_text(std::round(number / unit) * unit));
}

std::string census_text(const tuner::Census& census) {
  const auto amount = [&](double number) { return census.drawn > 0 ? estimated(number) : number_text(number); };
  std::string text = cat("assignments before pruning: ", number_text(census.assignments),
                         "\nafter repair: ", amount(census.repaired), "\nafter pruning: ", amount(census.legal), "\n");
  if (census.drawn > 0)
    text += cat("estimated from ", census.drawn, " assignments drawn at random, and from the schedules of ",
                census.traced, " of them that repair left unchanged\n");
  for (const tuner::Pruned& pruned : census.pruned)
    text += cat("pruned, ", number_text(100 * pruned.share), " %: ", pruned.reason, "\n");
  return text;
}

Result<std::string> space_text(const te::Task& task, const target::Target& target) {
  HONE_ASSIGN(space, tuner::Space::derive(task, target));
  std::string text = cat("rules: ", space.sketch().rules, "\n", census_text(tuner::take_census(space)));
  for (const tuner::Decision& decision : space.decisions()) {
    text += decision.key + ":";
    for (size_t i = 0; i < decision.values.size(); ++i)
      text += " " + (decision.is_size() ? cat(decision.values[i]) : decision.labels[i]);
    text += "\n";
  }
  return text;
}

std::string dims_text(const ir::Dims& dims) { return cat("(", dims[0], ", ", dims[1], ", ", dims[2], ")"); }

// How a line that is none of the program begins in the text of a stage. Assembly and the loop IR share a sign.
std::string_view comment_sign(const CompileOptions& options, target::Kind kind) {
  return options.dump == "ir" || target::on_cores(kind) ? "#" : "//";
}

std::string source_text(const emit::KernelSource& source, std::string_view comment) {
  std::string text;
  for (size_t i = 0; i < source.launches.size(); ++i) {
    const emit::LaunchSource& launch = source.launches[i];
    text += cat(comment, " launch ", i, " of ", source.launches.size(), ": grid ", dims_text(launch.grid), ", threads ",
                dims_text(launch.threads), "\n", launch.code);
    if (text.back() != '\n') text += '\n';
  }
  return text;
}

// Modules are no text: their assembly is.
Result<std::string> assembly_text(const te::Task& task, const BestSchedule& chosen) {
  HONE_ASSIGN(kernel, lower::lower_kernel(task, chosen.trace, chosen.target, {}));
  return emit::wasm_assembly(kernel, chosen.target);
}

Result<std::string> stage_text(const CompileOptions& options, const te::Task& task) {
  if (options.dump == "te") return te::print_te(task.program);
  if (options.dump == "space") {
    HONE_ASSIGN(target, target_for(options));
    return space_text(task, target);
  }
  HONE_ASSIGN(chosen, chosen_schedule(options, task));
  if (options.dump == "schedule") return schedule::trace_to_json(chosen.trace) + "\n";
  if (options.dump == "source" && chosen.target.kind == target::Kind::kWasm) return assembly_text(task, chosen);
  std::string ir;
  DumpSink keep_last = [&ir](std::string_view, const std::string& text) { ir = text; };
  HONE_ASSIGN(source, compile_kernel(task, chosen.trace, chosen.target, options.dump == "ir" ? keep_last : nullptr));
  return options.dump == "ir" ? ir : source_text(source, comment_sign(options, chosen.target.kind));
}

// What the kernel asks of its device, before the text of a stage that shows it in full. "" for the others, and where nothing is computed.
Result<std::string> summary_text(const CompileOptions& options, const te::Task& task) {
  if (options.dump != "ir" && options.dump != "source") return std::string();
  HONE_ASSIGN(chosen, chosen_schedule(options, task));
  HONE_ASSIGN(source, compile_kernel(task, chosen.trace, chosen.target));
  if (source.launches.empty()) return std::string();
  HONE_ASSIGN(kernel, lower::lower_kernel(task, chosen.trace, chosen.target));
  const std::string_view comment = comment_sign(options, chosen.target.kind);
  const std::string of_device =
      chosen.device.empty() ? "" : cat(comment, " the best that the records know, of ", chosen.device, "\n");
  return of_device + kernel_summary(kernel, chosen.trace, comment);
}

Result<std::string> summarised_stage(const CompileOptions& options, const te::Task& task) {
  HONE_ASSIGN(summary, summary_text(options, task));
  HONE_ASSIGN(text, stage_text(options, task));
  return summary + text;
}

// The kernel as a device gets it, in the protocol's own form: {"buffers", "temps", "launches"}.
Result<nlohmann::json> kernel_json(const CompileOptions& options, const te::Task& task) {
  HONE_ASSIGN(chosen, chosen_schedule(options, task));
  HONE_ASSIGN(source, compile_kernel(task, chosen.trace, chosen.target));
  const nlohmann::json candidate = protocol::to_json(server::candidate_frame({.source = source}));
  const server::Expected inputs{.tolerance = task.accuracy.tolerance(), .ranges = te::input_ranges(task.program), .sets = {}};
  nlohmann::json kernel{{"buffers", protocol::to_json(server::prepare_frame(task, inputs, 0))["buffers"]},
                        {"temps", candidate["temps"]},
                        {"launches", candidate["launches"]},
                        {"layouts", candidate["layouts"]}};
  if (chosen.target.kind != target::Kind::kWasm) return kernel;
  HONE_ASSIGN(assembly, assembly_text(task, chosen));
  kernel["assembly"] = std::move(assembly);
  return kernel;
}

Result<nlohmann::json> stage_json(const CompileOptions& options, const te::Task& task) {
  if (options.dump == "source") return kernel_json(options, task);
  HONE_ASSIGN(text, stage_text(options, task));
  return nlohmann::json(text);
}

// The model as it is read, and behind each pass that changed it.
ExitCode print_passes(const CompileOptions& options, const std::vector<PassText>& texts) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string all;
  for (const auto& [pass, text] : texts) {
    list.push_back({{"pass", pass}, {"graph", text}});
    all += cat(all.empty() ? "" : "\n", "# ", pass.empty() ? "as it is read" : "behind " + pass, "\n", text);
  }
  if (options.common.json) print_json(nlohmann::ordered_json{{"passes", list}});
  else print_text(all);
  return ExitCode::kDone;
}

// The whole model, as it stands before it is cut into tasks.
ExitCode print_source_graph(const CompileOptions& options) {
  auto texts = graph_texts(options.source, options.common);
  if (!texts.ok()) return refuse_source(options.source, texts.error());
  if (options.dump == "passes") return print_passes(options, *texts);
  const std::string& text = texts->back().graph;
  auto placed = model_placements(options.source, options.common);
  if (!placed.ok()) return refuse_source(options.source, placed.error());
  const std::string where = placements_text(*placed);
  if (options.common.json) print_json(nlohmann::json{{"graph", text}, {"placements", (*placed)["placements"]}});
  else print_text(cat(text, options.source.model.empty() ? "" : "\n", options.source.model.empty() ? "" : where));
  return ExitCode::kDone;
}

ExitCode print_stages(const CompileOptions& options) {
  const auto target = target_for(options);
  if (!target.ok()) return fail(target.error());
  auto model = load_tasks(options.source, options.common, options.target, target->limits.render_targets_max);
  if (!model.ok()) return refuse_source(options.source, model.error());
  if (options.task >= static_cast<int>(model->tasks.size()))
    return usage_error(cat("--task ", options.task, ": the model has ", model->tasks.size(), " tasks, counted from 0"));
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (size_t i = 0; i < model->tasks.size(); ++i) {
    te::Task& task = model->tasks[i];
    if (options.tolerance > 0) te::loosen(task, options.tolerance);
    if (options.task >= 0 && i != static_cast<size_t>(options.task)) continue;
    if (options.common.json) {
      auto stage = stage_json(options, task);
      if (!stage.ok()) return fail(Error{stage.error().code, cat(task.name, ": ", stage.error().message)});
      list.push_back({{"task", task.id.hex()}, {"op", task.name}, {options.dump, *stage}});
      continue;
    }
    auto text = summarised_stage(options, task);
    if (!text.ok()) return fail(Error{text.error().code, cat(task.name, ": ", text.error().message)});
    print_text(cat(model->tasks.size() > 1 && options.task < 0 ? cat("# task ", i, ": ", task.name, "\n") : "", *text));
  }
  if (options.common.json) print_json(list);
  return ExitCode::kDone;
}

ExitCode run_compile(CompileOptions options) {
  if (options.source.model.empty() && options.source.op.empty())
    return usage_error("nothing to compile: give a model file or --op SPEC, for example --op matmul:512x512x512");
  if (auto dims = parse_dims(options.common.dims); !dims.ok()) return usage_error(dims.error().message);
  if (options.dump == "graph" || options.dump == "passes") return print_source_graph(options);
  if (Status place = check_place(options.common); !place.ok()) return usage_error(place.error().message);
  if (options.device.empty() && options.schedule != "best") return print_stages(options);
  auto records = RecordSource::open(options.common);
  if (!records.ok()) return fail(records.error());
  options.records = records->get();
  return print_stages(options);
}

}  // namespace

void add_compile(Verb program) {
  auto options = std::make_shared<CompileOptions>();
  Verb verb = program.sub("compile", "Shows every stage of the compiler as text");
  verb.footer(
      "Examples:\n"
      "  hone compile --op matmul:512x512x512                           the kernel of the untuned schedule\n"
      "  hone compile --op matmul:512x512x512 --schedule naive --dump ir\n"
      "  hone compile model.onnx --dump graph\n"
      "  hone compile model.onnx --task 3 --dump te\n"
      "  hone compile model.onnx --task 3 --schedule best               the kernel that tuning found\n"
      "  hone compile --op matmul:512x512x512 --trace mine.json --dump source");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService, Uses::kModels});
  add_source_options(verb, options->source);
  verb.option("--target", options->target, "Where the kernel runs").default_shown().check(one_of(target::kind_names()));
  verb.option("--dump", options->dump, "The stage to print")
      .default_shown()
      .check(one_of({"graph", "passes", "te", "space", "schedule", "ir", "source"}));
  Option trace = verb.option("--trace", options->trace_file, "A schedule as JSON, as hone records prints it");
  verb.option("--schedule", options->schedule, "naive, seed (what an untuned task has), or best (of the records)")
      .default_shown()
      .check(one_of({"naive", "seed", "best"}))
      .excludes(trace);
  verb.option("--device", options->device,
              "A device's key in the records, or the beginning of it: takes its limits and its best schedule");
  add_tolerance_option(verb, options->tolerance);
  verb.option("--task", options->task, "Only this task of a model, counted from 0").check(whole_from_0());
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet});
    return run_compile(*options);
  });
}

}  // namespace hone::cli
