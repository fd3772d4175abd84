#include "cli/embedded.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/log.h"
#include "base/net/descriptors.h"
#include "cli/exit_code.h"
#include "server/agent_files.h"

namespace hone::cli {

namespace {

constexpr std::chrono::milliseconds kStopWait{10'000};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::string cache_folder() {
  if (std::string folder = environment("HONE_CACHE_DIR"); !folder.empty()) return folder;
  if (std::string folder = environment("XDG_CACHE_HOME"); !folder.empty()) return folder + "/hone";
  if (std::string home = environment("HOME"); !home.empty()) return home + "/.cache/hone";
  return "";
}

Result<std::unique_ptr<Service>> start_service(net::EventLoop& loop, const CommonOptions& options, const Serving& serving) {
  net::raise_descriptor_limit();
  Service::Config config;
  config.listening = serving.listening;
  config.keeps_fleet = serving.keeps_fleet;
  config.audit_file = serving.audit_file;
  config.db = options.db;
  config.owner = "hone " + options.verb;
  config.agent_files = server::find_agent_files();
  config.cache_folder = cache_folder();
  config.model_program = "/proc/self/exe";
  config.workers = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1);
  return Service::start(loop, std::move(config));
}

void stop_and_wait(net::EventLoop& loop, Drainable& service) {
  service.stop();
  if (!loop.run_until([&] { return service.idle(); }, kStopWait)) {
    // A thread is stuck in a compiler or on a disk; what was acknowledged is on disk already.
    log_error("a job did not end in time; it is abandoned");
    _exit(static_cast<int>(ExitCode::kInterrupted));
  }
}

}  // namespace hone::cli
