#include "cli/model_job.h"

#include "base/cat.h"

namespace hone::cli {

ModelJob model_job(protocol::JobRequest request, const ModelJobOptions& options, const std::string& model,
                   const std::vector<NamedTensor>& inputs) {
  ModelJob out{std::move(request), model};
  nlohmann::json said = nlohmann::json::array();
  for (const NamedTensor& input : inputs) {
    said.push_back({{"name", input.name},
                    {"dtype", ir::dtype_name(input.tensor.dtype)},
                    {"shape", input.tensor.shape},
                    {"bytes", input.tensor.bytes->size()},
                    {"constant", input.constant}});
    out.payload += *input.tensor.bytes;
  }
  out.request.source.model_name = options.name;
  if (options.package) out.request.source.package = true;
  out.request.options =
      nlohmann::json{{"model_bytes", model.size()}, {"inputs", std::move(said)},      {"check", options.check},
                     {"repeats", options.repeats},  {"schedules", options.schedules}, {"launches", options.launches}, {"placements", options.placements}};
  if (options.time_s > 0) (*out.request.options)["time_s"] = options.time_s;
  return out;
}

Result<std::vector<NamedTensor>> outputs_of(const JobResult& result) {
  std::vector<NamedTensor> out;
  std::string_view rest = result.payload;
  for (const auto& said : result.result.value("outputs", nlohmann::json::array())) {
    NamedTensor output{said.value("name", ""), {}};
    if (!ir::parse_dtype(said.value("dtype", ""), &output.tensor.dtype))
      return Error{ErrorCode::kProtocolError, cat("the service sent the output '", output.name, "' without a type")};
    output.tensor.shape = said.value("shape", ir::Shape{});
    const auto bytes =
        static_cast<size_t>(ir::element_count(output.tensor.shape) * ir::size_bytes(output.tensor.dtype));
    if (bytes > rest.size())
      return Error{ErrorCode::kProtocolError, cat("the service sent too few bytes for the output '", output.name, "'")};
    output.tensor.bytes = shared_bytes(std::string(rest.substr(0, bytes)));
    rest.remove_prefix(bytes);
    out.push_back(std::move(output));
  }
  return out;
}

}  // namespace hone::cli
