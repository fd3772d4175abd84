// Serving until a signal ends it: SIGINT at once, SIGTERM after draining.
#pragma once
#include "base/net/event_loop.h"
#include "cli/drainable.h"
#include "cli/exit_code.h"
#include "cli/service_manager.h"

namespace hone::cli {

// kDone where everything had ended within drain_s; kInterrupted where somebody's jobs may be cut off by what follows. The caller stops the service then.
ExitCode serve(net::EventLoop& loop, Drainable& service, double drain_s, ServiceManager& manager);

}  // namespace hone::cli
