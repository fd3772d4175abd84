// One job of a service of its own, which starts the browser that it asks for.
#pragma once
#include <string>

#include "base/result.h"
#include "cli/service.h"
#include "schema/generated/protocol.h"

namespace hone::replay {

// Waits for its end; Ctrl-C cancels it. Fails: as Service::start and jobs do, and cancelled.
Status run_job(cli::Service::Config config, protocol::JobRequest job, const std::string& browser);

}  // namespace hone::replay
