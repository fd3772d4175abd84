// Border: a package that travels to the service. The whole input is read as an archive. Then it is read as a package of text, so that changes to it
// stay within one file: the first line is manifest.json, each further line is the file that is named by its number, from 1. Sizes and digests are
// put right, as whoever makes a package would. What the service does with a plan before it meets a device is done: all tensors are packed.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/sha256.h"
#include "codegen/package/plan_frames.h"
#include "codegen/package/read_package.h"
#include "tests/fuzz/input.h"

namespace hone {
namespace {

constexpr size_t kFilesMax = 16;
constexpr int64_t kPackedBytesMax = 16 << 20;  // the service takes memory for more, or refuses

void mend_asset(nlohmann::json& asset, const package::Files& files) {
  if (!asset.is_object() || !asset.contains("file") || !asset["file"].is_string()) return;
  const auto found = files.find(asset["file"].get<std::string>());
  if (found == files.end()) return;
  asset["bytes"] = found->second.size();
  asset["sha256"] = sha256_hex(found->second);
}

void mend(nlohmann::json& manifest, const package::Files& files) {
  if (!manifest.is_object()) return;
  for (const char* list : {"chunks", "plans"})
    if (manifest.contains(list) && manifest[list].is_array())
      for (nlohmann::json& one : manifest[list]) {
        mend_asset(one, files);
        if (!one.is_object()) continue;
        for (const char* asset : {"plan", "kernels"})
          if (one.contains(asset)) mend_asset(one[asset], files);
      }
}

package::Files files_of_text(std::string_view text) {
  const std::string_view head = fuzz::take_line(text);
  package::Files files;
  for (size_t i = 1; i <= kFilesMax && !text.empty(); i++) files[cat(i)] = std::string(fuzz::take_line(text));
  auto manifest = parse_json(head);
  if (manifest.ok()) mend(*manifest, files);
  files["manifest.json"] = manifest.ok() ? json_line(*manifest) : std::string(head);
  return files;
}

int64_t bytes_of(const graph::Graph& graph, const std::vector<package::PlanTensor>& tensors) {
  int64_t bytes = 0;
  for (const package::PlanTensor& tensor : tensors)
    bytes += std::min(kPackedBytesMax, tensor.bytes) +
             std::min(kPackedBytesMax, ir::element_count(graph.value(tensor.value).shape));
  return bytes;
}

graph::ConstantTensor zeros(const graph::Value& value) {
  const auto bytes = static_cast<size_t>(ir::element_count(value.shape) * ir::size_bytes(value.dtype));
  return {value.dtype, value.shape, shared_bytes(std::string(bytes, '\0'))};
}

void pack_all(const graph::Graph& graph, const package::ModelPlan& plan) {
  if (bytes_of(graph, plan.constants) + bytes_of(graph, plan.inputs) + bytes_of(graph, plan.outputs) > kPackedBytesMax)
    return;
  for (const package::PlanLaunch& launch : plan.launches) (void)package::launch_frame(launch);
  for (const package::PlanTexture& texture : plan.textures)
    (void)package::texture_frame(texture.texture, texture.stored);
  for (const package::PlanTensor& constant : plan.constants) (void)package::constant_bytes(graph, constant);
  package::Tensors inputs;
  for (const package::PlanTensor& input : plan.inputs) inputs[input.value] = zeros(graph.value(input.value));
  (void)package::pack_inputs(graph, plan, inputs);
  for (const package::PlanTensor& output : plan.outputs)
    (void)package::unpack_output(graph, output, std::string(static_cast<size_t>(output.bytes), '\0'));
}

void read(package::Files files) {
  const auto package = package::open_package(std::move(files));
  if (!package.ok()) return;
  for (size_t i = 0; i < package->manifest.plans.size(); i++)
    if (const auto plan = package::read_plan(*package, i); plan.ok()) pack_all(package->graph, *plan);
}

void run(std::string_view text) {
  if (auto files = package::files_of(text); files.ok()) read(std::move(*files));
  read(files_of_text(text));
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::run(hone::fuzz::text_of(data, size));
  return 0;
}
