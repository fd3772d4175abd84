#include "server/jobs/compare_builds_job.h"

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "base/median.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "base/rng.h"
#include "codegen/package/compare.h"
#include "server/jobs/comparison_json.h"
#include "server/jobs/job_options.h"
#include "server/jobs/limits.h"
#include "server/jobs/model_inputs.h"
#include "server/jobs/plan_frame.h"

namespace hone::server {

namespace {

Error differ(std::string_view what, const std::string& old_text, const std::string& new_text) {
  return {ErrorCode::kInvalidArgument, cat("the builds are not of one model: the old one's ", what, " are ", old_text, ", the new one's ", new_text, "; give two packages of the same model and sizes")};
}

std::string ports_text(const graph::Graph& graph, const std::vector<graph::ValueId>& ports) {
  std::string text;
  for (graph::ValueId id : ports) {
    const graph::Value& value = graph.value(id);
    text += cat(text.empty() ? "" : ", ", shortened(value.name), " ", ir::dtype_name(value.dtype), " ", shape_text(value.shape));
  }
  return shortened(text);
}

Status check_alike(const graph::Graph& old_graph, const graph::Graph& new_graph) {
  const std::string old_inputs = ports_text(old_graph, old_graph.inputs), new_inputs = ports_text(new_graph, new_graph.inputs);
  if (old_inputs != new_inputs) return differ("inputs", old_inputs, new_inputs);
  const std::string old_outputs = ports_text(old_graph, old_graph.outputs), new_outputs = ports_text(new_graph, new_graph.outputs);
  if (old_outputs != new_outputs) return differ("outputs", old_outputs, new_outputs);
  return ok_status();
}

size_t output_bytes(const package::ModelPlan& plan) {
  int64_t bytes = 0;
  for (const package::PlanTensor& output : plan.outputs) bytes += output.bytes;
  return static_cast<size_t>(bytes);
}

// An agent answers with both builds' outputs in one frame.
Status check_answer_size(size_t outputs_bytes) {
  constexpr size_t kMost = (protocol::kFrameBytesMax - protocol::kHeaderBytesMax) / 2;
  if (outputs_bytes <= kMost) return ok_status();
  return Error{ErrorCode::kLimitExceeded, cat("the model's outputs have ", outputs_bytes, " bytes; those of two builds that are compared have at most ", kMost, "; take smaller shapes")};
}

// Those up to the most pairs, and twice as many again and again beyond.
std::vector<int> looks_up_to(int pairs_max) {
  std::vector<int> looks;
  for (int look : stats::ComparisonRule().looks_pairs)
    if (look < pairs_max) looks.push_back(look);
  while (!looks.empty() && looks.back() == stats::ComparisonRule().looks_pairs.back() && 2 * looks.back() < pairs_max) looks.push_back(2 * looks.back());
  looks.push_back(pairs_max);
  return looks;
}

stats::Quad quad_at(const std::vector<double>& four, size_t at) { return {{four[at], four[at + 1]}, {four[at + 2], four[at + 3]}}; }

stats::Block block_of(const protocol::Executed& frame) {
  stats::Block block;
  const std::vector<double>& ms = *frame.quad_ms;
  for (size_t at = 0; at + 3 < ms.size(); at += 4) {
    block.quads.push_back(quad_at(ms, at));
    if (frame.reference_us) block.reference.push_back(quad_at(*frame.reference_us, at));
  }
  return block;
}

// The order in which four samples of a quad were taken, by their roles.
std::array<size_t, 4> order_of(bool rival_first) { return rival_first ? std::array<size_t, 4>{1, 0, 2, 3} : std::array<size_t, 4>{0, 1, 3, 2}; }

}  // namespace

Result<JobResult> CompareBuildsJob::with_model(ModelOnDevice& model) {
  if (!model.request.package) return Error{ErrorCode::kInvalidArgument, "what is compared are two packages; export the models first"};
  HONE_ASSIGN(options, options_of<protocol::CompareBuildsOptions>(request_.job));
  options_ = options;
  HONE_TRY(generate(model));
  HONE_ASSIGN(old_build, plan(model, protocol::ScheduleChoice::kBest));
  HONE_TRY(check_answer_size(output_bytes(old_build.plan)));
  HONE_ASSIGN(new_build, this->new_build(model, options_.model_bytes));
  HONE_TRY(check_answer_size(output_bytes(new_build.plan)));
  HONE_ASSIGN(frame, frame_of(model, old_build, new_build));
  HONE_TRY(take_blocks(model, old_build, new_build, frame));
  return JobResult{.result = to_json(model, old_build, new_build)};
}

Result<CompareBuildsJob::Build> CompareBuildsJob::new_build(const ModelOnDevice& model, size_t old_bytes) {
  send_progress(in_phase(protocol::JobPhase::kPreparing, "reading the new build"));
  HONE_ASSIGN(files, package::files_of(payload_.bytes()->substr(old_bytes)));
  HONE_ASSIGN(package, package::open_package(std::move(files)));
  HONE_TRY(check_alike(model.graph, package.graph));
  HONE_ASSIGN(chosen, choose_plan(package.manifest, model.device.fingerprint));
  HONE_ASSIGN(plan, package::read_plan(package, chosen));
  HONE_TRY(check_buffers(plan));
  HONE_ASSIGN(packed, context_.memory.take(packed_bytes(plan), "the new build's weights as its plan packs them"));
  shares_.push_back(std::move(packed));
  Build build{.graph = std::move(package.graph), .plan = std::move(plan), .made_for = package.manifest.plans[chosen].made_for};
  generate_inputs(build.graph, request_.job.seed, build.inputs);
  return build;
}

Result<protocol::Execute> CompareBuildsJob::frame_of(const ModelOnDevice& model, const Planned& old_build, const Build& new_build) {
  HONE_ASSIGN(frame, execute_frame(model, old_build.plan, {}));
  protocol::RivalPlan rival;
  HONE_TRY(fill_plan(rival, new_build.graph, new_build.plan, new_build.inputs, context_.blobs, blobs_));
  rival.sample_ms = options_.sample_ms.value_or(kBuildsSampleMs);
  rival.kernels_alone = options_.kernels_alone.value_or(false);
  // Of each build a sample to warm up, and those of the quads; one run may take longer than a sample is to.
  const PlanTiming timing{.repeats = 1, .ms_max = rival.sample_ms * (2 + 4 * kQuadsOfBlock)};
  frame.cap_ms = std::min(kPlanCapMsMax, plan_cap_ms(old_build.plan, timing) + plan_cap_ms(new_build.plan, timing));
  frame.rival = std::move(rival);
  frame.fresh = true;
  return frame;
}

Status CompareBuildsJob::begin() {
  found_ = {};
  HONE_ASSIGN(comparison, stats::Comparison::make({.same_within = options_.same_within.value_or(stats::ComparisonRule().same_within), .looks_pairs = looks_up_to(static_cast<int>(options_.pairs_max.value_or(kBuildsPairsMax)))}));
  found_.comparison = std::move(comparison);
  return ok_status();
}

Status CompareBuildsJob::take_blocks(ModelOnDevice& model, const Planned& old_build, const Build& new_build, protocol::Execute& frame) {
  Rng coin(request_.job.seed);
  HONE_TRY(begin());
  while (!is_known()) {
    frame.rival->rival_first.clear();
    for (int quad = 0; quad < kQuadsOfBlock; ++quad) frame.rival->rival_first.push_back(coin.below(2) == 1);
    tell_running(told());
    HONE_ASSIGN(answer, execute(frame));
    if (moved(model, answer)) {
      if (device_changes_ > kDeviceChangesMax)
        return Error{ErrorCode::kDeviceLost, cat("the device went away ", device_changes_, " times in the middle of one comparison; repeat the command when devices stay")};
      HONE_TRY(begin());
    }
    HONE_TRY(check_outputs(model, old_build, new_build, *answer.outputs));
    HONE_TRY(take_block(frame, answer));
  }
  return ok_status();
}

Status CompareBuildsJob::take_block(const protocol::Execute& frame, const PlanRunner::Answer& answer) {
  const std::vector<double>& ms = *answer.frame.quad_ms;
  for (size_t quad = 0; quad < frame.rival->rival_first.size(); ++quad)
    for (size_t role : order_of(frame.rival->rival_first[quad])) (role % 2 == 0 ? found_.old_ms : found_.new_ms).push_back(ms[4 * quad + role]);
  found_.create_ms.push_back(answer.frame.create_ms);
  found_.by_device_clock = answer.frame.by_device_clock.value_or(false);
  const stats::Block block = block_of(answer.frame);
  HONE_ASSIGN(ratios, stats::log_ratios(block.quads));
  found_.log_ratios.insert(found_.log_ratios.end(), ratios.begin(), ratios.end());
  return found_.comparison->add(block);
}

// Two that compute different things are not compared.
Status CompareBuildsJob::check_outputs(const ModelOnDevice& model, const Planned& old_build, const Build& new_build, std::string_view outputs) {
  HONE_ASSIGN(old_outputs, outputs_of(model.graph, old_build.plan, outputs));
  HONE_ASSIGN(new_outputs, outputs_of(new_build.graph, new_build.plan, outputs.substr(output_bytes(old_build.plan))));
  for (size_t i = 0; i < old_outputs.size(); ++i) {
    const double error = std::min(package::relative_error(new_outputs[i], old_outputs[i]), kErrorMax);
    found_.max_error = std::max(found_.max_error, error);
    if (error > kBuildsErrorMax)
      return Error{ErrorCode::kWrongOutput, cat("the builds compute different things: their output ", i + 1, " differs by ", number_text(error), " of its range, ", kBuildsErrorMax,
                                                " is permitted; compare builds of the same model and weights")};
  }
  return ok_status();
}

// Faster and slower are, where the other comparisons of its family are as sure of it, too: Bonferroni's correction, the first step of Holm's, by which whoever asked judges them together.
bool CompareBuildsJob::is_known() const {
  const stats::ComparisonResult& result = found_.comparison->result();
  if (result.verdict == stats::Verdict::kMorePairs) return false;
  const bool differs = result.verdict == stats::Verdict::kFaster || result.verdict == stats::Verdict::kSlower;
  return result.is_last_look || !differs || result.p_value * options_.family.value_or(1) <= found_.comparison->rule().alpha;
}

std::string CompareBuildsJob::told() const {
  const int pairs = found_.comparison->pairs();
  if (pairs == 0) return "both builds in turns";
  return cat(pairs, " of at most ", found_.comparison->rule().looks_pairs.back(), " pairs: the new build takes ", number_text(std::exp(median(found_.log_ratios))), " of the old one's time",
             device_changes_ > 0 ? ", on another device of the class: the first one went away" : "");
}

nlohmann::json CompareBuildsJob::to_json(const ModelOnDevice& model, const Planned& old_build, const Build& new_build) const {
  const stats::ComparisonResult& result = found_.comparison->result();
  nlohmann::json comparison = comparison_json(result, result.verdict, std::exp(median(found_.log_ratios)));
  comparison.update({{"blocks", result.blocks}, {"p_value", result.p_value}, {"standard_error", std::isfinite(result.standard_error) ? nlohmann::json(result.standard_error) : nlohmann::json()}, {"reference_ratio", std::exp(result.reference_effect)}});
  nlohmann::json out = head_of(model);
  out.update({{"comparison", std::move(comparison)},
              {"old_ms", found_.old_ms},
              {"new_ms", found_.new_ms},
              {"by_device_clock", found_.by_device_clock},
              {"old_plan", old_build.head ? old_build.head->made_for : ""},
              {"new_plan", new_build.made_for},
              {"max_error", found_.max_error},
              {"create_ms", found_.create_ms}});
  return out;
}

}  // namespace hone::server
