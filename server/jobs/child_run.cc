#include "server/jobs/child_run.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/cat.h"
#include "server/child/child_process.h"
#include "server/jobs/model_child.h"

namespace hone::server {

namespace {

constexpr double kMiBBytes = 1 << 20;

Error too_much_memory(const ChildRequest& asked, std::string_view how) {
  return {ErrorCode::kOutOfMemory,
          cat(name_of(asked.work), how, " the ", std::llround(static_cast<double>(asked.limits.memory_bytes) / kMiBBytes),
              " MiB that it may take here; take smaller shapes, repeat when other jobs have ended, or take a machine with more memory")};
}

Error too_long(const ChildRequest& asked) {
  return {ErrorCode::kLimitExceeded, cat(name_of(asked.work), " took more than ", asked.limits.processor_s,
                                         " s of the processor, which models of its size do not; take a smaller one, or report it with the model")};
}

Error crashed(const ChildRequest& asked, const std::string& how) {
  return {ErrorCode::kInternal, cat(name_of(asked.work), " ended with ", how, "; the service goes on; please report it with the model")};
}

// Fails with what the child's end means, unless it has answered.
Status check_end(const ChildEnd& end, const ChildRequest& asked) {
  if (end.out_of_time || end.signal == SIGXCPU) return too_long(asked);
  if (end.exit_code == kExitWithoutMemory || end.signal == SIGXFSZ) return too_much_memory(asked, " takes more than");
  if (end.signal == SIGKILL) return too_much_memory(asked, " was ended by the system, mostly as the machine has no memory left, within");
  const char* described = sigdescr_np(end.signal);
  const std::string stack = end.signal == SIGSEGV ? cat(", as where it needs more than ", kChildStackBytes >> 20, " MiB of stack") : "";
  if (end.signal != 0) return crashed(asked, cat("the signal ", end.signal, " (", described ? described : "of no name", ")", stack));
  if (end.exit_code != 0) return crashed(asked, cat("the code ", end.exit_code));
  return ok_status();
}

}  // namespace

int64_t processor_limit_s(const ChildConfig& config, double more_s) {
  return std::llround(std::ceil(std::min(config.processor_s + more_s, kModelChildSMax)));
}

Result<SharedMemory> run_in_child(const ChildConfig& config, const ChildRequest& asked, const SharedMemory& payload, const CancelToken* cancel) {
  HONE_ASSIGN(text, SharedMemory::of(to_text(asked)));
  HONE_ASSIGN(answer, make_memory("hone_answer"));
  const ChildCommand command{.program = config.program,
                             .arguments = {std::string(kModelChildVerb), std::to_string(getpid())},
                             .descriptors = {text.descriptor(), payload.descriptor(), answer.number()}};
  const double clock_s = static_cast<double>(asked.limits.processor_s) * config.clock_per_processor;
  HONE_ASSIGN(end, run_child(command, std::chrono::milliseconds(std::llround(1000 * clock_s)), cancel));
  HONE_TRY(check_end(end, asked));
  return SharedMemory::seal(std::move(answer));
}

}  // namespace hone::server
