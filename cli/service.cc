#include "cli/service.h"

#include <filesystem>
#include <optional>

#include "base/cat.h"
#include "base/clock.h"
#include "base/net/static_files.h"
#include "base/secret.h"
#include "cli/database_owner.h"
#include "cli/kept_token.h"
#include "cli/readiness.h"
#include "cli/web_front.h"
#include "server/compile_server.h"
#include "tracker/service.h"
#include "tracker/sql_store.h"

namespace hone::cli {

namespace {

constexpr std::string_view kAgentPrefix = "/agent/";
constexpr std::string_view kBlobPrefix = "/blob/";
constexpr std::chrono::milliseconds kTryWriteEvery{1'000};

// The URL of a service that keeps its fleet stays the same over restarts, so that those whom it let in come back by themselves.
Result<std::string> url_token(const Service::Config& config) {
  if (!config.keeps_fleet) return random_secret();
  std::error_code error;
  const auto db = std::filesystem::canonical(config.db, error);
  return kept_token(cat(error ? config.db : db.string(), ".token"));
}

}  // namespace

// In the order of use: what stands below refers to what stands above, and goes first.
struct Service::Impl {
  std::optional<net::HttpReply> get(const net::HttpRequest& request) {
    if (request.path.starts_with(kBlobPrefix)) return get_blob(request);
    if (request.path.starts_with(kAgentPrefix)) return page->reply(kAgentPrefix, request.path);
    return std::nullopt;
  }
  net::HttpReply get_blob(const net::HttpRequest& request) {
    if (request.token.empty()) return net::HttpReply::text(403, "the header X-Hone-Token is missing");
    return server->get_blob(request.path.substr(request.path.rfind('/') + 1), tracker->access().admit(request.token));
  }
  Status ready() {
    const Status ready = readiness({stopping, tracker->commits(), server->commits(), CommitMeter::now()});
    if (!ready.ok() && !stopping) try_write();
    return ready;
  }
  bool may_read_metrics(const std::string& shown) {
    const auto who = tracker->access().admit(shown);
    return who.ok() && tracker::may(who->role, protocol::Role::kSubmitter);
  }
  void count(MetricsOf& metrics) const {
    metrics.fleet = tracker->counts();
    metrics.jobs = server->counts();
    metrics.fleet_commits = tracker->commits();
    metrics.record_commits = server->commits();
  }
  // Nothing else may want to write for a long time: so that the next who asks hears how it is.
  void try_write() {
    if (const auto now = steady.now(); now - tried >= kTryWriteEvery) {
      tried = now;
      server->try_write();
    }
  }

  Config config;
  std::optional<DatabaseOwner> owner;
  std::string token;
  SteadyClock steady;
  SystemClock wall;
  std::optional<net::StaticFiles> page;
  std::unique_ptr<AuditLog> audit;
  bool stopping = false;
  std::chrono::milliseconds tried{0};  // when a write was last tried, of the steady clock
  std::unique_ptr<tracker::Service> tracker;
  std::unique_ptr<server::CompileServer> server;
  std::unique_ptr<WebFront> front;

  WebFront::Config front_config();
};

WebFront::Config Service::Impl::front_config() {
  return {.listening = config.listening,
          .greeting = "hone serves here. Open the URL that hone up printed: it carries the token.\n",
          .ready = [this] { return ready(); },
          .count = [this](MetricsOf& metrics) { count(metrics); },
          .may_read_metrics = [this](const std::string& shown) { return may_read_metrics(shown); },
          .get = [this](const net::HttpRequest& request) { return get(request); },
          .on_call = [this](const net::HttpRequest& request, std::shared_ptr<net::HttpResponse> response) { return server->accept_call(request, std::move(response)); },
          .endpoints = {{"/ws/agent", [this](auto channel) { return tracker->accept(std::move(channel)); }},
                        {"/ws/session", [this](auto channel) { return server->accept_session(std::move(channel)); }},
                        {"/ws/client", [this](auto channel) { return server->accept_client(std::move(channel)); }}}};
}

Service::Service(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Service::~Service() {
  if (impl_) impl_->audit->tell("service_stopped", {});
}

Result<std::unique_ptr<Service>> Service::start(net::EventLoop& loop, Config config) {
  if (config.agent_files.empty() || !std::filesystem::exists(config.agent_files + "/index.html"))
    return Error{
        ErrorCode::kNotFound,
        cat("the agent's page is missing (", config.agent_files.empty() ? "beside the binary" : config.agent_files,
            "); run scripts/build, or set HONE_AGENT_DIR to the folder that holds its index.html")};
  auto impl = std::make_unique<Impl>();
  impl->config = config;
  impl->page.emplace(config.agent_files);
  impl->audit = std::make_unique<AuditLog>(AuditLog::Config{.path = config.audit_file}, impl->wall);
  // Before anything is closed that an earlier run left open: it may be one that runs.
  HONE_ASSIGN(owner, DatabaseOwner::take(config.db, config.owner));
  impl->owner.emplace(std::move(owner));
  HONE_ASSIGN(token, url_token(config));
  impl->token = std::move(token);
  HONE_ASSIGN(fleet, config.keeps_fleet ? tracker::open_store(config.db) : tracker::open_class_store(config.db));
  HONE_ASSIGN(tracker, tracker::Service::start(loop, std::move(fleet), impl->steady, impl->wall,
                                               {.token = impl->token, .limits = config.limits, .audit = impl->audit.get()}));
  impl->tracker = std::move(tracker);
  auto watch = [t = impl->tracker.get()](const std::string& launch_id,
                                         std::function<void(protocol::AgentState)> on_state) {
    return t->watch(launch_id, std::move(on_state));
  };
  auto watch_events = [t = impl->tracker.get()](std::function<void(const protocol::DeviceEvent&)> on_event) { return t->watch_events(std::move(on_event)); };
  HONE_ASSIGN(server, server::CompileServer::start(loop, *impl->tracker, impl->tracker->access(),
                                                   {.db = config.db,
                                                    .cache_folder = config.cache_folder,
                                                    .workers = config.workers,
                                                    .memory_bytes = config.memory_bytes,
                                                    .watch = watch,
                                                    .watch_events = watch_events,
                                                    .planner = config.planner,
                                                    .tasks = config.tasks,
                                                    .model_program = config.model_program,
                                                    .compile = config.compile,
                                                    .audit = impl->audit.get(),
                                                    .resumes_jobs = config.keeps_fleet}));
  impl->server = std::move(server);
  HONE_ASSIGN(front, WebFront::start(loop, impl->steady, impl->wall, impl->front_config()));
  impl->front = std::move(front);
  impl->owner->tell_port(impl->front->port());
  impl->audit->tell("service_started", {{"version", HONE_VERSION}, {"url", impl->front->origin()}});
  return std::unique_ptr<Service>(new Service(std::move(impl)));
}

uint16_t Service::port() const { return impl_->front->port(); }
std::string Service::agent_url() const { return cat(impl_->front->origin(), kAgentPrefix, "#token=", impl_->token); }

std::string Service::public_url() const {
  const std::string& origin = impl_->config.listening.public_origin;
  return origin.empty() ? agent_url() : cat(origin, kAgentPrefix, "#token=", impl_->token);
}

std::string Service::agents_origin() const { return impl_->front->agents_origin(); }

void Service::drain() {
  impl_->stopping = true;
  impl_->server->drain();
}

void Service::stop() {
  impl_->stopping = true;
  impl_->tracker->drain();
  impl_->server->stop();
}

bool Service::idle() const { return impl_->server->idle(); }

}  // namespace hone::cli
