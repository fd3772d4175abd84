#include "cli/server_process.h"

#include <optional>

#include "base/audit_log.h"
#include "base/cat.h"
#include "base/clock.h"
#include "cli/database_owner.h"
#include "cli/readiness.h"
#include "cli/server_name.h"
#include "cli/tls_files.h"
#include "cli/web_front.h"
#include "server/compile_server.h"
#include "tracker/remote_access.h"
#include "tracker/remote_client.h"

namespace hone::cli {

namespace {

// "http://lab:9190", as browsers write it in Origin.
std::string page_origin_of(const ServiceUrl& url) {
  const bool is_default = url.port == (url.https ? 443 : 80);
  return cat(url.https ? "https://" : "http://", url.host, is_default ? "" : cat(":", url.port));
}

// "ws://10.0.0.7:9191/ws/session" of "http://10.0.0.7:9191".
std::string session_url(const std::string& origin) { return cat("ws", origin.substr(4), "/ws/session"); }

}  // namespace

// In the order of use: what stands below refers to what stands above, and goes first.
struct ServerProcess::Impl {
  Status take_database() {
    if (sql::is_postgres(config.db)) {
      HONE_ASSIGN(taken, ServerName::take(config.db, config.name));
      name.emplace(std::move(taken));
      return ok_status();
    }
    HONE_ASSIGN(taken, DatabaseOwner::take(config.db, "hone server"));
    owner.emplace(std::move(taken));
    return ok_status();
  }
  Status ready() {
    if (!link->is_up()) return link->away();
    const Status ready = readiness({stopping, {}, server->commits(), CommitMeter::now()});
    if (!ready.ok() && !stopping) server->try_write();
    return ready;
  }
  std::vector<net::ConnectTo> trackers() const {
    std::vector<net::ConnectTo> all{{.host = config.tracker.host, .port = config.tracker.port, .tls = config.tracker.https}};
    all.insert(all.end(), config.more_trackers.begin(), config.more_trackers.end());
    return all;
  }
  void count(MetricsOf& metrics) const {
    metrics.jobs = server->counts();
    metrics.record_commits = server->commits();
  }
  // Only the tracker knows tokens, and no reply waits for it: whoever scrapes from elsewhere goes through this machine.
  WebFront::Config front_config() {
    WebFront::Config front{.listening = config.listening, .greeting = "a compile server of hone serves here. Agents and browsers open the tracker's URL.\n"};
    front.ready = [this] { return ready(); };
    front.count = [this](MetricsOf& metrics) { count(metrics); };
    front.may_read_metrics = [](const std::string&) { return false; };
    front.on_call = [this](const net::HttpRequest& request, std::shared_ptr<net::HttpResponse> response) { return server->accept_call(request, std::move(response)); };
    front.endpoints = {{"/ws/session", [this](auto channel) { return server->accept_session(std::move(channel)); }},
                       {"/ws/client", [this](auto channel) { return server->accept_client(std::move(channel)); }}};
    front.page_origins = config.page_origins.empty() ? std::vector{page_origin_of(config.tracker)} : config.page_origins;
    return front;
  }

  Config config;
  SteadyClock steady;
  SystemClock wall;
  std::optional<DatabaseOwner> owner;  // of a file
  std::optional<ServerName> name;      // in PostgreSQL
  std::unique_ptr<AuditLog> audit;
  bool stopping = false, ends = false;
  std::unique_ptr<tracker::TrackerLink> link;
  std::unique_ptr<tracker::RemoteClient> tracker;
  std::unique_ptr<tracker::RemoteAccess> access;
  std::unique_ptr<server::CompileServer> server;
  std::unique_ptr<WebFront> front;
};

ServerProcess::ServerProcess(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ServerProcess::~ServerProcess() { impl_->audit->tell("service_stopped", {}); }

Result<std::unique_ptr<ServerProcess>> ServerProcess::start(net::EventLoop& loop, Config config) {
  HONE_ASSIGN(tls, config.tracker.https ? client_tls(config.tracker.ca_file) : Result<net::TlsContext>(net::TlsContext()));
  auto impl = std::make_unique<Impl>();
  impl->config = std::move(config);
  const Config& given = impl->config;
  impl->audit = std::make_unique<AuditLog>(AuditLog::Config{.path = given.audit_file}, impl->wall);
  HONE_TRY(impl->take_database());
  impl->link = std::make_unique<tracker::TrackerLink>(
      loop, impl->steady,
      tracker::TrackerLink::Config{.to = impl->trackers(), .tls = std::move(tls), .token = given.tracker.token, .on_refused = given.on_refused, .on_trackers = [i = impl.get()](const auto& origins) {
        if (i->config.page_origins.empty()) i->front->allow_pages(origins);
      }});
  impl->tracker = std::make_unique<tracker::RemoteClient>(loop, impl->steady, *impl->link);
  impl->access = std::make_unique<tracker::RemoteAccess>(*impl->link);
  impl->link->add(*impl->tracker);
  impl->link->add(*impl->access);
  HONE_ASSIGN(server, server::CompileServer::start(loop, *impl->tracker, *impl->access,
                                                   {.db = given.db,
                                                    .server = given.name,
                                                    .files = given.files,
                                                    .cache_folder = given.cache_folder,
                                                    .workers = given.workers,
                                                    .model_program = given.model_program,
                                                    .audit = impl->audit.get(),
                                                    .blobs_in_sessions = true}));
  impl->server = std::move(server);
  impl->link->relay_to([s = impl->server.get()](std::shared_ptr<net::Channel> channel) { return s->accept_session(std::move(channel)); });
  HONE_ASSIGN(front, WebFront::start(loop, impl->steady, impl->wall, impl->front_config()));
  impl->front = std::move(front);
  if (impl->owner) impl->owner->tell_port(impl->front->port());
  impl->link->start(session_url(impl->front->agents_origin()));
  impl->audit->tell("service_started", {{"version", HONE_VERSION}, {"url", impl->front->origin()}});
  return std::unique_ptr<ServerProcess>(new ServerProcess(std::move(impl)));
}

uint16_t ServerProcess::port() const { return impl_->front->port(); }

std::string ServerProcess::url() const {
  const std::string& origin = impl_->config.listening.public_origin;
  return cat(origin.empty() ? impl_->front->origin() : origin, "/");
}

void ServerProcess::drain() {
  impl_->stopping = true;
  impl_->server->drain();
}

void ServerProcess::stop() {
  impl_->stopping = impl_->ends = true;
  impl_->server->stop();
}

// With the last job the last lease is given back; then the tracker may forget this server.
bool ServerProcess::idle() const {
  if (!impl_->server->idle()) return false;
  if (impl_->ends) impl_->link->leave();
  return !impl_->ends || impl_->link->has_left();
}

}  // namespace hone::cli
