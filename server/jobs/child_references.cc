#include "server/jobs/child_references.h"

#include "codegen/te/task_bytes.h"
#include "server/compile/reference_bytes.h"

namespace hone::server {

namespace {

// The result: its sets, those of the moved definitions, and as bytes, which are copied behind their digest and into the answer.
constexpr int64_t kResultCopies = 6;

double processor_s(const te::Task& task) {
  return kReferenceSPerStep * static_cast<double>(task.program.computes.size()) + 1e-9 * emit::reference_operations_max(task) / kReferenceGflopsMin;
}

}  // namespace

Result<emit::Reference> ChildReferences::operator()(const te::Task& task, const CancelToken* cancel) const {
  const int64_t result_bytes = kResultCopies * emit::reference_result_bytes(task);
  HONE_ASSIGN(taken, memory_.take_most(result_bytes, result_bytes + kModelChildBytesMax, name_of(ModelWork::kTaskReference)));
  HONE_ASSIGN(payload, SharedMemory::of(te::task_to_bytes(task)));
  const int64_t memory_bytes = emit::reference_bytes(task) + taken.bytes();
  const ChildRequest asked{.work = ModelWork::kTaskReference,
                           .limits = {.memory_bytes = memory_bytes, .written_bytes = memory_bytes, .processor_s = processor_limit_s(config_, processor_s(task))}};
  HONE_ASSIGN(answer, run_in_child(config_, asked, payload, cancel));
  HONE_ASSIGN(bytes, read_bytes(answer.bytes()));
  auto reference = reference_from_bytes(bytes, task.program);
  if (!reference) return no_answer("no reference of the task");
  return std::move(*reference);
}

}  // namespace hone::server
