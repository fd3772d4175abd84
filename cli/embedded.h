// What verbs need to run a service in this process.
#pragma once
#include <memory>
#include <string>

#include "base/net/event_loop.h"
#include "cli/options.h"
#include "cli/service.h"

namespace hone::cli {

struct Serving {
  Listening listening = {};
  bool keeps_fleet = true;  // Service::Config
  std::string audit_file;   // likewise
};

// The service with what environment and options say: agent files, cache folder, workers.
Result<std::unique_ptr<Service>> start_service(net::EventLoop& loop, const CommonOptions& options, const Serving& serving);

// HONE_CACHE_DIR, else the user's cache folder; "" when there is neither.
std::string cache_folder();

// Stops the service and serves until its jobs have ended, some seconds at most; the process ends where they do not.
void stop_and_wait(net::EventLoop& loop, Drainable& service);
// The same, and the service is gone.
template <class Serves>
void stop_service(net::EventLoop& loop, std::unique_ptr<Serves>& service) {
  if (!service) return;
  stop_and_wait(loop, *service);
  service.reset();
}

}  // namespace hone::cli
