#include "server/jobs/model_child.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>

#include "base/guarded.h"
#include "codegen/emit/llvm/out_of_memory.h"
#include "codegen/emit/llvm/reference.h"
#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/model_steps.h"
#include "codegen/te/task_bytes.h"
#include "server/compile/reference_bytes.h"
#include "server/jobs/model_messages.h"
#include "server/jobs/models.h"

namespace hone::server {

namespace {

constexpr int kExitWithoutAnswer = 1;

// Its result is the service's to compute: here it matters that it ends.
void try_what_follows(const graph::Graph& graph, const protocol::JobRequest& job) {
  if (job.kind == protocol::JobKind::kRun || job.kind == protocol::JobKind::kBench) (void)graph::steps_of(graph);
  else (void)graph::extract_tasks(graph);
}

Result<graph::Graph> model_answer(const ChildRequest& asked, const SharedMemory& payload) {
  LocalModels models;
  const ModelRequest request{asked.job, payload, asked.layers_max};
  if (asked.work == ModelWork::kReference) {
    HONE_ASSIGN(outputs, models.reference(request, {}, nullptr));
    return graph_of_outputs(std::move(outputs));
  }
  HONE_ASSIGN(graph, models.graph(request, nullptr));
  try_what_follows(graph, asked.job);
  return std::move(graph);
}

Result<std::string> task_answer(const SharedMemory& payload) {
  HONE_ASSIGN(task, te::task_from_bytes(*payload.bytes()));
  HONE_ASSIGN(reference, emit::reference_outputs(task, emit::task_seed(task)));
  return reference_to_bytes(reference);
}

Status answer() {
  HONE_ASSIGN(text, SharedMemory::inherited(kRequestDescriptor));
  HONE_ASSIGN(asked, child_request(*text.bytes()));
  HONE_ASSIGN(payload, SharedMemory::inherited(kPayloadDescriptor));
  HONE_TRY(enter_limits(asked.limits));
  if (asked.work == ModelWork::kTaskReference) return write_bytes(kAnswerDescriptor, guarded([&] { return task_answer(payload); }));
  return write_answer(kAnswerDescriptor, guarded([&] { return model_answer(asked, payload); }), *payload.bytes());
}

}  // namespace

void run_model_child(std::string_view parent) {
  pid_t number = 0;
  std::from_chars(parent.data(), parent.data() + parent.size(), number);
  end_with_parent(number);
  prctl(PR_SET_NAME, "hone_model");  // for people: it was started as /proc/self/exe
  emit::on_out_of_memory([] { _exit(kExitWithoutMemory); });
  const Status done = guarded(answer);
  // What is left, the system takes faster than destructors do.
  _exit(done.ok() ? 0 : kExitWithoutAnswer);
}

}  // namespace hone::server
