#include "server/jobs/model_inputs.h"

#include <algorithm>

#include "base/cat.h"
#include "base/hash.h"
#include "base/rng.h"
#include "codegen/package/pack_tensor.h"
#include "server/jobs/job_options.h"
#include "server/jobs/limits.h"

namespace hone::server {

namespace {

Error bad(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

// The elements of the shape; nothing where there are more than an input may have.
std::optional<int64_t> elements_of(const ir::Shape& shape) {
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent > 0 && elements > kInputElementsMax / extent) return std::nullopt;
    elements *= extent;
  }
  return elements;
}

Result<RunRequest::Input> read_input(const protocol::RunInput& said, std::string_view& rest) {
  RunRequest::Input input{said.name, {}, said.constant.value_or(false)};
  if (!ir::parse_dtype(said.dtype, &input.tensor.dtype))
    return bad(cat("the input '", said.name, "' has the type '", said.dtype, "', which hone does not know"));
  const auto elements = elements_of(said.shape);
  if (!elements)
    return bad(
        cat("the input '", said.name, "' has more than ", kInputElementsMax, " elements: ", shape_text(said.shape)));
  const auto bytes = static_cast<size_t>(*elements * ir::size_bytes(input.tensor.dtype));
  if (rest.size() < bytes)
    return bad(cat("the input '", said.name, "' needs ", bytes, " bytes, ", rest.size(), " are left in the payload"));
  input.tensor.shape = said.shape;
  input.tensor.bytes = shared_bytes(std::string(rest.substr(0, bytes)));
  rest.remove_prefix(bytes);
  return input;
}

bool same_sort(ir::DType a, ir::DType b) {
  return a == b || (ir::is_float(a) && ir::is_float(b)) || (ir::is_int(a) && ir::is_int(b));
}

}  // namespace

std::string shape_text(const ir::Shape& shape) {
  std::string out;
  for (int64_t extent : shape) out += cat(out.empty() ? "" : "x", extent);
  return out.empty() ? "a scalar" : out;
}

Result<RunRequest> run_request(const protocol::JobRequest& job, std::string_view payload) {
  if (!job.source.model_name || job.source.op) return bad("a job that runs something needs a model");
  HONE_ASSIGN(options, options_of<protocol::RunOptions>(job));
  RunRequest out;
  const size_t model_bytes = options.model_bytes.value_or(payload.size());
  if (model_bytes > payload.size())
    return bad(cat("the model should have ", model_bytes, " bytes, the payload has ", payload.size()));
  out.model = payload.substr(0, model_bytes);
  payload.remove_prefix(model_bytes);
  for (const protocol::RunInput& said : options.inputs.value_or(std::vector<protocol::RunInput>{})) {
    HONE_ASSIGN(input, read_input(said, payload));
    out.inputs.push_back(std::move(input));
  }
  out.package = job.source.package.value_or(false);
  out.check = options.check.value_or(false);
  if (out.package && out.check) return bad("a package holds no definition of its model, so there is nothing to compare it with; leave out --check, or run the model");
  out.repeats = options.repeats.value_or(0);
  out.schedules = options.schedules.value_or(std::vector<protocol::ScheduleChoice>{});
  if (out.schedules.empty()) out.schedules = {protocol::ScheduleChoice::kBest};
  if (out.schedules.size() > 1 && job.kind != protocol::JobKind::kBench)
    return bad(cat("found ", out.schedules.size(), " schedules, a run takes one; a bench times several"));
  out.time_s = options.time_s.value_or(kTimedSDefault);
  out.launches = options.launches.value_or(false);
  out.placements = options.placements.value_or(false);
  if (out.package) out.schedules = {protocol::ScheduleChoice::kBest};  // its plans have theirs
  return out;
}

Result<package::Tensors> bind_inputs(graph::Graph& graph, const std::vector<RunRequest::Input>& inputs) {
  package::Tensors out;
  for (const RunRequest::Input& input : inputs) {
    const auto found = std::find_if(graph.inputs.begin(), graph.inputs.end(),
                                    [&](graph::ValueId id) { return graph.value(id).name == input.name; });
    if (found == graph.inputs.end()) {
      std::string names;
      for (graph::ValueId id : graph.inputs) names += cat(names.empty() ? "" : ", ", graph.value(id).name);
      return bad(cat("the model has no input '", input.name, "'; its inputs are: ", names));
    }
    graph::Value& value = graph.value(*found);
    if (input.tensor.shape != value.shape)
      return bad(cat("the input '", input.name, "' has the shape ", shape_text(input.tensor.shape),
                     ", the model expects ", shape_text(value.shape)));
    if (!same_sort(input.tensor.dtype, value.dtype))
      return bad(cat("the input '", input.name, "' has the type ", ir::dtype_name(input.tensor.dtype),
                     ", the model expects ", ir::dtype_name(value.dtype)));
    out[*found] = package::converted(input.tensor, value.dtype);
    if (!input.constant) continue;
    value.constant = true;
    value.bytes = out[*found].bytes;
  }
  return out;
}

// Piece by piece: the numbers of a whole input as doubles would take up to eight times its bytes.
graph::ConstantTensor generated_tensor(const graph::Value& value, uint64_t seed) {
  constexpr size_t kPieceElements = 1 << 16;
  const auto count = static_cast<size_t>(ir::element_count(value.shape));
  std::string bytes;
  bytes.reserve(count * static_cast<size_t>(ir::size_bytes(value.dtype)));
  for (size_t first = 0; first < count; first += kPieceElements) {
    std::vector<double> piece(std::min(kPieceElements, count - first));
    for (size_t i = 0; i < piece.size(); i++) {
      const double u = uniform_at(seed, first + i);
      piece[i] = ir::is_float(value.dtype) ? u : u < 0 ? 0 : 1;
    }
    bytes += *graph::from_doubles(value.dtype, {static_cast<int64_t>(piece.size())}, piece).bytes;
  }
  return {value.dtype, value.shape, shared_bytes(std::move(bytes))};
}

void generate_inputs(const graph::Graph& graph, uint64_t seed, package::Tensors& tensors) {
  for (size_t i = 0; i < graph.inputs.size(); i++)
    if (const graph::ValueId id = graph.inputs[i]; !tensors.count(id))
      tensors[id] = generated_tensor(graph.value(id), hash_mix(seed, i));
}

}  // namespace hone::server
