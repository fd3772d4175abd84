#include "cli/serve.h"

#include "base/cat.h"
#include "base/log.h"
#include "base/number_text.h"
#include "cli/draining.h"
#include "cli/interrupt.h"

namespace hone::cli {

ExitCode serve(net::EventLoop& loop, Drainable& service, double drain_s, ServiceManager& manager) {
  ExitCode code = ExitCode::kInterrupted;
  Draining draining(loop, service);
  const auto drained = [&] {
    code = ExitCode::kDone;
    loop.stop();
  };
  const auto drain = [&] {
    log_info(cat("draining: running jobs have ", duration_text(drain_s), " to end; new ones are refused"));
    manager.stopping();
    draining.begin(std::chrono::milliseconds(static_cast<int64_t>(drain_s * 1000)), drained);
  };
  const auto interrupted = [&] {
    code = ExitCode::kInterrupted;
    loop.stop();
  };
  Interrupt interrupt(loop, interrupted, drain);
  loop.run();
  log_info("stopping");
  manager.stopping();
  return code;
}

}  // namespace hone::cli
