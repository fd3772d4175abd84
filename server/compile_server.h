// CompileServer: the compile server as one object: workers, records, sessions of agents, clients and their jobs. It sees the tracker
// through tracker/client.h and tracker/access.h only, so that both may live in one process or in two. On the event loop's thread.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/commit_meter.h"
#include "base/net/channel.h"
#include "base/net/event_loop.h"
#include "base/net/server.h"
#include "base/result.h"
#include "codegen/target/target.h"
#include "server/client_desk.h"
#include "server/compile/compile_builder.h"
#include "server/jobs/job_tasks.h"
#include "tracker/access.h"
#include "tracker/client.h"
#include "tuner/search/planner.h"

namespace hone::server {

class CompileServer {
 public:
  struct Config {
    std::string db;            // records and jobs; a file is created when it is not there
    std::string server = "";   // whose jobs are its own, where several servers share the database
    std::string files = "";    // how the names of the files beside it begin; "": as that of the database
    std::string cache_folder;  // for expected outputs; "" = memory only
    int workers = 1;           // threads that compile
    int64_t memory_bytes = 0;  // that jobs may take; 0: usable_memory_bytes()
    ClientDesk::Watch watch;   // the tracker's view of an agent; none: they are watched elsewhere
    ClientDesk::WatchEvents watch_events;  // and of devices
    tuner::PlannerMaker planner;  // none: tuner::space_planner
    ReadTasks tasks;  // of the jobs that tune; none: job_tasks
    std::string model_program;  // reads the clients' models, as ChildModels says; "" = this process does
    Compile compile;  // of the jobs that tune; none: compile_kernel
    AuditLog* audit = nullptr;  // hears of jobs and labels; outlives the server
    bool blobs_in_sessions = false;  // agents ask for them there; false: over HTTP, at get_blob
    bool resumes_jobs = true;   // detached ones that an earlier service with this database left open
  };
  // Fails: io_error, disk_full, busy, version_mismatch of the database. Tracker and access outlive the server.
  static Result<std::unique_ptr<CompileServer>> start(net::EventLoop& loop, tracker::Client& tracker, tracker::Access& access,
                                                      Config config);
  ~CompileServer();  // idle() by then; commits what is queued

  std::unique_ptr<net::Handler> accept_session(std::shared_ptr<net::Channel> channel);  // for /ws/session
  std::unique_ptr<net::Handler> accept_client(std::shared_ptr<net::Channel> channel);   // for /ws/client
  std::unique_ptr<net::HttpCall> accept_call(const net::HttpRequest& request, std::shared_ptr<net::HttpResponse> response);  // below protocol::kRestPrefix
  net::HttpReply get_blob(const std::string& sha256, const Result<tracker::Identity>& who);  // for /blob/<sha256>, for agents: `who` asks

  CommitReading commits() const;  // of the records
  struct Counts {
    size_t jobs_running = 0, jobs_queued = 0;
    std::map<ErrorCode, uint64_t> jobs_ended;  // by outcome, since the service started, as all that follows
    uint64_t results_acknowledged = 0;
    int64_t records_added = 0;
    Histogram build_seconds;  // of kernels that searches had compiled
  };
  Counts counts() const;
  void try_write();               // RecordStore's

  void drain();  // no new job begins; those that run go on
  // Puts detached jobs back, and cancels the others; each client gets what was known by then, and is let go. idle() becomes true while the loop runs on.
  void stop();
  bool idle() const;  // no job runs; after stop(), no client either

 private:
  struct Impl;
  explicit CompileServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone::server
