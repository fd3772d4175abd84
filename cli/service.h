// Service: all of `hone up` in one process on one port: tracker, compile server, agent page, blobs and client sockets.
// On the event loop's thread; jobs, workers and commits have threads of their own inside.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/event_loop.h"
#include "base/result.h"
#include "cli/drainable.h"
#include "cli/listen_options.h"
#include "codegen/target/target.h"
#include "server/compile/compile_builder.h"
#include "server/jobs/job_tasks.h"
#include "tracker/limits.h"
#include "tuner/search/planner.h"

namespace hone::cli {

class Service : public Drainable {
 public:
  struct Config {
    Listening listening;
    std::string db;            // fleet and records; created when it is not there
    bool keeps_fleet = true;   // and the URL's token; false: the agents are this run's own, the next one need not know them, and detached jobs are left to another
    std::string owner = "hone";  // who this is, for others that want the database
    std::string agent_files;   // the agent page's folder: server::find_agent_files
    std::string cache_folder;  // for expected outputs; "" = memory only
    int workers = 1;           // threads that compile
    int64_t memory_bytes = 0;  // that jobs may take; 0: half of what this machine has left
    tracker::Limits limits;    // tests shorten them
    tuner::PlannerMaker planner;  // none: the usual search
    server::ReadTasks tasks;  // none: those of an op SPEC or a model
    std::string model_program;  // a path of hone, which reads the clients' models in a process of its own; "" = this process does
    server::Compile compile;  // none: compile_kernel
    std::string audit_file;   // who did what (base/audit_log.h); "" = nowhere
  };
  // Fails: not_found without agent files, busy while another service has the database, address_in_use, io_error, disk_full,
  // version_mismatch, bad_certificate; each with its remedy.
  static Result<std::unique_ptr<Service>> start(net::EventLoop& loop, Config config);
  ~Service() override;  // idle() by then

  uint16_t port() const;
  // With the service's token, of the role admin, which a service that keeps its fleet has again at the next start: "http://127.0.0.1:9190/agent/#token=…".
  std::string agent_url() const;
  std::string public_url() const;  // the same at public_origin, where there is one
  // Where other devices reach it: public_origin, or on 0.0.0.0 this machine's first address in the network. An address, as a name would need a
  // resolver that knows it on each device.
  std::string agents_origin() const;

  // No new job begins, and GET /readyz says 503; jobs that run go on, on the devices that they have or wait for.
  void drain() override;
  // Tells the agents that the service stops, and cancels the jobs; idle() becomes true while the loop runs on.
  void stop() override;
  bool idle() const override;

 private:
  struct Impl;
  explicit Service(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone::cli
