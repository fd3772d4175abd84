#include "cli/service.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/cat.h"
#include "base/clock.h"
#include "base/net/host_check.h"
#include "base/net/loop_lag.h"
#include "base/net/server.h"
#include "base/net/static_files.h"
#include "base/secret.h"
#include "cli/database_owner.h"
#include "cli/kept_token.h"
#include "cli/metrics_page.h"
#include "cli/plain_http_page.h"
#include "cli/process_stats.h"
#include "cli/readiness.h"
#include "schema/generated/rest_routes.h"
#include "server/compile_server.h"
#include "tracker/service.h"
#include "tracker/sqlite_store.h"

namespace hone::cli {

namespace {

constexpr std::string_view kAgentPrefix = "/agent/";
constexpr std::string_view kBlobPrefix = "/blob/";
constexpr std::chrono::milliseconds kTryWriteEvery{1'000}, kMetricsEvery{100};

bool begins_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

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
  net::HttpReply get(const net::HttpRequest& request) {
    if (begins_with(request.path, kBlobPrefix)) return get_blob(request);
    if (begins_with(request.path, kAgentPrefix))
      return page->reply(kAgentPrefix, request.path);
    if (request.path == kAuthorityPath) return get_authority();
    if (request.path == "/")
      return net::HttpReply::text(200, "hone serves here. Open the URL that hone up printed: it carries the token.\n");
    if (request.path == "/healthz") return net::HttpReply::text(200, "ok");
    if (request.path == "/readyz") return get_ready();
    if (request.path == "/metrics") return get_metrics(request);
    return net::HttpReply::text(404, "nothing here\n");
  }
  net::HttpReply get_blob(const net::HttpRequest& request) {
    if (request.token.empty()) return net::HttpReply::text(403, "the header X-Hone-Token is missing");
    return server->get_blob(request.path.substr(request.path.rfind('/') + 1), tracker->access().admit(request.token));
  }
  net::HttpReply get_authority() const {
    if (!config.tls || config.tls->authority.empty()) return net::HttpReply::text(404, "there is no authority to trust here\n");
    return {.content_type = "application/x-x509-ca-cert", .body = std::make_shared<const std::string>(config.tls->authority)};
  }
  // What one hears who comes without TLS: a phone that does not trust the authority yet can ask for nothing else.
  net::HttpReply get_plain(const net::HttpRequest& request) const {
    return request.path == kAuthorityPath ? get_authority() : plain_http_page(net->origin(), !config.tls->authority.empty());
  }
  net::HttpReply get_ready() {
    const Status ready = readiness({stopping, tracker->commits(), server->commits(), CommitMeter::now()});
    if (ready.ok()) return net::HttpReply::text(200, "ready");
    if (!stopping) try_write();
    return net::HttpReply::text(503, ready.error().message);
  }
  // Who may ask from elsewhere has shown a submitter's token, or an admin's. However often it is asked, the page is made ten times a second at most.
  net::HttpReply get_metrics(const net::HttpRequest& request) {
    const auto who = tracker->access().admit(request.token);
    const bool may_read = who.ok() && tracker::may(who->role, protocol::Role::kSubmitter);
    if (!request.local && !may_read)
      return net::HttpReply::text(403,
                                  "metrics are for this machine, and for who shows a token of the role submitter or "
                                  "admin: Authorization: Bearer, or X-Hone-Token");
    if (const auto now = steady.now(); !metrics || now - metrics_made >= kMetricsEvery) {
      metrics = std::make_shared<const std::string>(metrics_page(read_metrics()));
      metrics_made = now;
    }
    return {.content_type = kMetricsType, .body = metrics, .greeted = may_read};
  }
  MetricsOf read_metrics() {
    return {.version = HONE_VERSION,
            .started_unix_ms = started_unix_ms,
            .fleet = tracker->counts(),
            .jobs = server->counts(),
            .fleet_commits = tracker->commits(),
            .record_commits = server->commits(),
            .net = net->counts(),
            .loop_lag_seconds = lag->seconds(),
            .loop_lag_seconds_max = lag->take_max(),
            .process = process_stats()};
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
  const int64_t started_unix_ms = wall.now().count();
  std::unique_ptr<net::LoopLag> lag;
  std::shared_ptr<const std::string> metrics;  // the latest page; null = none yet
  std::chrono::milliseconds metrics_made{0};   // of the steady clock
  bool stopping = false;
  std::chrono::milliseconds tried{0};  // when a write was last tried, of the steady clock
  std::unique_ptr<tracker::Service> tracker;
  std::unique_ptr<server::CompileServer> server;
  std::unique_ptr<net::Server> net;
};

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
  impl->lag = std::make_unique<net::LoopLag>(loop, impl->steady);
  // Before anything is closed that an earlier run left open: it may be one that runs.
  HONE_ASSIGN(owner, DatabaseOwner::take(config.db, config.owner));
  impl->owner.emplace(std::move(owner));
  HONE_ASSIGN(token, url_token(config));
  impl->token = std::move(token);
  HONE_ASSIGN(fleet, config.keeps_fleet ? tracker::open_sqlite_store(config.db) : tracker::open_class_store(config.db));
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
  net::ServerConfig net;
  net.address = config.host;
  net.port = config.port;
  net.public_origin = config.public_origin;
  net.trusted_proxies = config.trusted_proxies;
  if (config.tls) {
    HONE_ASSIGN(facts, net::read_certificate(config.tls->certified.certificate));
    net.tls = config.tls->certified;
    net.names = facts.names;
    net.on_plain_get = [i = impl.get()](const net::HttpRequest& request) { return i->get_plain(request); };
  }
  net.on_get = [i = impl.get()](const net::HttpRequest& request) { return i->get(request); };
  net.calls_prefix = cat(protocol::kRestPrefix, "/");
  net.on_call = [s = impl->server.get()](const net::HttpRequest& request, std::shared_ptr<net::HttpResponse> response) { return s->accept_call(request, std::move(response)); };
  net.endpoints = {
      {"/ws/agent", [t = impl->tracker.get()](auto channel) { return t->accept(std::move(channel)); }},
      {"/ws/session", [s = impl->server.get()](auto channel) { return s->accept_session(std::move(channel)); }},
      {"/ws/client", [s = impl->server.get()](auto channel) { return s->accept_client(std::move(channel)); }}};
  HONE_ASSIGN(listening, net::Server::start(loop, std::move(net)));
  impl->net = std::move(listening);
  impl->owner->tell_port(impl->net->port());
  impl->audit->tell("service_started", {{"version", HONE_VERSION}, {"url", impl->net->origin()}});
  return std::unique_ptr<Service>(new Service(std::move(impl)));
}

uint16_t Service::port() const { return impl_->net->port(); }
std::string Service::agent_url() const { return cat(impl_->net->origin(), kAgentPrefix, "#token=", impl_->token); }

std::string Service::public_url() const {
  const std::string& origin = impl_->config.public_origin;
  return origin.empty() ? agent_url() : cat(origin, kAgentPrefix, "#token=", impl_->token);
}

std::string Service::agents_origin() const {
  if (!impl_->config.public_origin.empty()) return impl_->config.public_origin;
  const auto addresses = net::own_addresses();
  const auto lan = std::find_if_not(addresses.begin(), addresses.end(), net::is_loopback);
  if (impl_->config.host != "0.0.0.0" || lan == addresses.end()) return impl_->net->origin();
  return cat(impl_->config.tls ? "https://" : "http://", *lan, ":", port());
}

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
