// ServerProcess: all of `hone server`: a compile server with its records, whose devices and tokens are those of a tracker elsewhere. On the event
// loop's thread; jobs, workers and commits have threads of their own inside.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/net/client.h"
#include "base/net/event_loop.h"
#include "base/result.h"
#include "cli/drainable.h"
#include "cli/listen_options.h"
#include "cli/service_url.h"

namespace hone::cli {

class ServerProcess : public Drainable {
 public:
  struct Config {
    Listening listening;
    ServiceUrl tracker;                     // with a token of the role server
    std::vector<net::ConnectTo> more_trackers = {};  // of the same farm
    std::vector<std::string> page_origins;  // where agents open the tracker's page; none: where the tracker is
    std::string db;                         // records and jobs; a file is created when it is not there
    std::string name;                       // whose jobs are its own, in a database of PostgreSQL; else ""
    std::string files;                      // how the names of the files beside it begin
    std::string cache_folder;               // for expected outputs; "" = memory only
    std::string model_program;              // server::CompileServer
    int workers = 1;                        // threads that compile
    std::string audit_file;                 // who did what (base/audit_log.h); "" = nowhere
    std::function<void(const Error&)> on_refused;  // the tracker will not have this server
  };
  // The tracker need not be there: the server connects when it is. Fails: as Service::start; as client_tls does.
  static Result<std::unique_ptr<ServerProcess>> start(net::EventLoop& loop, Config config);
  ~ServerProcess() override;  // idle() by then

  uint16_t port() const;
  std::string url() const;  // for clients, who add a token of the tracker

  void drain() override;
  void stop() override;
  bool idle() const override;

 private:
  struct Impl;
  explicit ServerProcess(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone::cli
