// A piece of work done by a child process, so that what ends the process that does it, or takes what there is, ends its job alone.
//
// The child is this program, started anew (model_child.h). It has the payload as shared memory, and answers in shared memory. It ends with the work that is cancelled, and with this process.
#pragma once
#include <string>

#include "base/cancel.h"
#include "server/child/shared_memory.h"
#include "server/jobs/limits.h"
#include "server/jobs/model_messages.h"

namespace hone::server {

struct ChildConfig {
  std::string program;  // one that hands kModelChildVerb to run_model_child
  double processor_s = kModelChildS;  // for any model or task
  double clock_per_processor = kModelChildClockPerProcessor;
};

// What the child may take of the processor, beside what the config gives to any. s, whole, at least 1.
int64_t processor_limit_s(const ChildConfig& config, double more_s);

// The child's answer, as it wrote it. Fails: limit_exceeded where it took too long, out_of_memory where it had too little, internal where it crashed; io_error where there is no child;
// cancelled, within 20 ms. Any thread.
Result<SharedMemory> run_in_child(const ChildConfig& config, const ChildRequest& asked, const SharedMemory& payload, const CancelToken* cancel);

}  // namespace hone::server
