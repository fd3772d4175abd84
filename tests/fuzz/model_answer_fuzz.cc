// Border: what the child that reads models answers its service, of a model that lies elsewhere. Makes the tasks of a graph that is accepted.
#include <cstddef>
#include <cstdint>

#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/model_bytes.h"
#include "server/jobs/model_messages.h"
#include "tests/fuzz/input.h"

namespace hone {
namespace {

void read(std::string_view text) {
  auto graph = server::read_answer(shared_part(nullptr, text), shared_bytes(""));
  if (!graph.ok()) return;
  (void)server::outputs_of_graph(*graph);
  (void)graph::count_bytes(*graph);
  for (const ir::Medium medium : {ir::Medium::kBuffer, ir::Medium::kTexture2D}) {
    graph->medium = medium;
    graph->layers_max = target::kRenderTargets;
    (void)graph::extract_tasks(*graph);
  }
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::read(hone::fuzz::text_of(data, size));
  return 0;
}
