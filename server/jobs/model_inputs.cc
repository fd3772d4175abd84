#include "server/jobs/model_inputs.h"

#include <algorithm>

#include "base/cat.h"
#include "base/hash.h"
#include "base/rng.h"
#include "codegen/package/pack_tensor.h"
#include "server/jobs/limits.h"

namespace hone::server {

namespace {

Error bad(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::string shape_text(const ir::Shape& shape) {
  std::string out;
  for (int64_t extent : shape) out += cat(out.empty() ? "" : "x", extent);
  return out.empty() ? "a scalar" : out;
}

Result<RunRequest::Input> read_input(const nlohmann::json& said, std::string_view& rest) {
  RunRequest::Input input;
  ir::DType dtype;
  if (!said.is_object() || !said.contains("name") || !said["name"].is_string() || !said.contains("shape") ||
      !said["shape"].is_array() || !ir::parse_dtype(said.value("dtype", ""), &dtype))
    return bad("an input of the job has no name, type or shape");
  input.name = said["name"].get<std::string>();
  input.constant = said.value("constant", false);
  int64_t elements = 1;
  for (const auto& extent : said["shape"]) {
    const int64_t n = extent.is_number_integer() ? extent.get<int64_t>() : -1;
    if (n < 0 || n > kInputElementsMax || elements * n > kInputElementsMax)
      return bad(cat("the shape of the input '", input.name, "' is not one"));
    input.tensor.shape.push_back(n);
    elements *= n;
  }
  const auto bytes = static_cast<size_t>(elements * ir::size_bytes(dtype));
  if (rest.size() < bytes)
    return bad(cat("the input '", input.name, "' needs ", bytes, " bytes, ", rest.size(), " are left in the payload"));
  input.tensor.dtype = dtype;
  input.tensor.bytes = std::make_shared<const std::string>(rest.substr(0, bytes));
  rest.remove_prefix(bytes);
  return input;
}

bool same_sort(ir::DType a, ir::DType b) {
  return a == b || (ir::is_float(a) && ir::is_float(b)) || (ir::is_int(a) && ir::is_int(b));
}

graph::ConstantTensor generated(const graph::Value& value, uint64_t seed) {
  std::vector<double> values(static_cast<size_t>(ir::element_count(value.shape)));
  for (size_t i = 0; i < values.size(); i++) {
    const double u = uniform_at(seed, i);
    values[i] = ir::is_float(value.dtype) ? u : u < 0 ? 0 : 1;
  }
  return graph::from_doubles(value.dtype, value.shape, values);
}

}  // namespace

Result<RunRequest> run_request(const protocol::JobRequest& job, std::string_view payload) {
  if (!job.source.model_name || job.source.op) return bad("a job that runs something needs a model");
  const nlohmann::json options = job.options.value_or(nlohmann::json::object());
  RunRequest out;
  if (!options.is_object()) return bad("the job's options are no object");
  size_t model_bytes = payload.size();
  if (const auto said = options.find("model_bytes"); said != options.end() && said->is_number_unsigned())
    model_bytes = said->get<size_t>();
  if (model_bytes > payload.size())
    return bad(cat("the model should have ", model_bytes, " bytes, the payload has ", payload.size()));
  out.model = std::string(payload.substr(0, model_bytes));
  payload.remove_prefix(model_bytes);
  if (const auto inputs = options.find("inputs"); inputs != options.end() && inputs->is_array())
    for (const auto& said : *inputs) {
      HONE_ASSIGN(input, read_input(said, payload));
      out.inputs.push_back(std::move(input));
    }
  if (const auto said = options.find("check"); said != options.end() && said->is_boolean())
    out.check = said->get<bool>();
  if (const auto said = options.find("repeats"); said != options.end() && said->is_number_unsigned())
    out.repeats = static_cast<uint32_t>(std::min<uint64_t>(said->get<uint64_t>(), kRepeatsMax));
  return out;
}

Result<package::Tensors> bind_inputs(graph::Graph& graph, const std::vector<RunRequest::Input>& inputs, uint64_t seed) {
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
  for (size_t i = 0; i < graph.inputs.size(); i++)
    if (!out.count(graph.inputs[i])) out[graph.inputs[i]] = generated(graph.value(graph.inputs[i]), hash_mix(seed, i));
  return out;
}

}  // namespace hone::server
