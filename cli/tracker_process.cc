#include "cli/tracker_process.h"

#include <filesystem>
#include <optional>

#include "base/audit_log.h"
#include "base/cat.h"
#include "base/clock.h"
#include "base/net/static_files.h"
#include "cli/database_owner.h"
#include "cli/kept_token.h"
#include "cli/readiness.h"
#include "cli/web_front.h"
#include "server/client_desk.h"
#include "server/rest/rest_desk.h"
#include "tracker/relay_desk.h"
#include "tracker/server_desk.h"
#include "tracker/service.h"
#include "tracker/sql_store.h"

namespace hone::cli {

// In the order of use: what stands below refers to what stands above, and goes first.
struct TrackerProcess::Impl {
  std::optional<net::HttpReply> get_page(const net::HttpRequest& request) {
    if (!request.path.starts_with(kPagePrefix)) return std::nullopt;
    return page->reply(kPagePrefix, request.path);
  }
  bool may_read_metrics(const std::string& token) {
    const auto who = tracker->access().admit(token);
    return who.ok() && tracker::may(who->role, protocol::Role::kSubmitter);
  }
  void count(MetricsOf& metrics) const {
    metrics.fleet = tracker->counts();
    metrics.fleet_commits = tracker->commits();
    if (config.turn) metrics.trackers = trackers.size();
  }
  WebFront::Config front_config();
  // A file has one; a database that several share has leadership.h.
  Status own_database() {
    if (config.turn) return ok_status();
    HONE_ASSIGN(taken, DatabaseOwner::take(config.db, "hone tracker"));
    owner.emplace(std::move(taken));
    return ok_status();
  }
  tracker::ListTrackers tell_trackers() {
    if (!config.turn) return nullptr;
    return [this]() -> const std::vector<std::string>& { return trackers; };
  }

  Config config;
  std::vector<std::string> trackers;
  SteadyClock steady;
  SystemClock wall;
  std::optional<DatabaseOwner> owner;
  std::string token;
  std::optional<net::StaticFiles> page;
  std::unique_ptr<AuditLog> audit;
  bool stopping = false;
  std::unique_ptr<tracker::Service> tracker;
  std::unique_ptr<tracker::ServerDesk> servers;
  std::unique_ptr<tracker::RelayDesk> relays;
  std::unique_ptr<server::ClientDesk> clients;
  std::unique_ptr<server::RestDesk> rest;
  std::unique_ptr<WebFront> front;
};

WebFront::Config TrackerProcess::Impl::front_config() {
  WebFront::Config front{.listening = config.listening, .greeting = "a tracker of hone serves here. Open the URL that hone tracker printed: it carries the token.\n"};
  front.ready = [this] { return readiness({stopping, tracker->commits(), {}, CommitMeter::now()}); };
  front.count = [this](MetricsOf& metrics) { count(metrics); };
  front.may_read_metrics = [this](const std::string& shown) { return may_read_metrics(shown); };
  front.get = [this](const net::HttpRequest& request) { return get_page(request); };
  front.on_call = [this](const net::HttpRequest& request, std::shared_ptr<net::HttpResponse> response) { return rest->accept(request, std::move(response)); };
  front.endpoints = {{"/ws/agent", [this](auto channel) { return tracker->accept(std::move(channel)); }},
                     {"/ws/server", [this](auto channel) { return servers->accept(std::move(channel)); }},
                     {tracker::kRelayPath, [this](auto channel) { return relays->accept(std::move(channel)); }},
                     {"/ws/client", [this](auto channel) { return clients->accept(std::move(channel)); }}};
  return front;
}

TrackerProcess::TrackerProcess(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TrackerProcess::~TrackerProcess() { impl_->audit->tell("service_stopped", {}); }

Result<std::unique_ptr<TrackerProcess>> TrackerProcess::start(net::EventLoop& loop, Config config) {
  if (!std::filesystem::exists(config.agent_files + "/index.html"))
    return Error{ErrorCode::kNotFound, cat("the agent's page is missing (", config.agent_files, "); run scripts/build, or set HONE_AGENT_DIR to the folder that holds its index.html")};
  auto impl = std::make_unique<Impl>();
  impl->config = std::move(config);
  impl->page.emplace(impl->config.agent_files);
  impl->audit = std::make_unique<AuditLog>(AuditLog::Config{.path = impl->config.audit_file}, impl->wall);
  HONE_TRY(impl->own_database());
  HONE_ASSIGN(token, kept_token(cat(impl->config.files, ".token")));
  impl->token = std::move(token);
  HONE_ASSIGN(fleet, tracker::open_store(impl->config.db, impl->config.turn));
  HONE_ASSIGN(tracker, tracker::Service::start(loop, std::move(fleet), impl->steady, impl->wall,
                                               {.token = impl->token, .limits = impl->config.limits, .audit = impl->audit.get(), .trackers = impl->tell_trackers()}));
  impl->tracker = std::move(tracker);
  impl->servers = std::make_unique<tracker::ServerDesk>(loop, *impl->tracker, impl->tracker->access(),
                                                        tracker::ServerDesk::Config{.limits = impl->config.limits, .audit = impl->audit.get(), .trackers = impl->tell_trackers()});
  impl->relays = std::make_unique<tracker::RelayDesk>(loop, *impl->servers);
  auto watch = [t = impl->tracker.get()](const std::string& launch_id, std::function<void(protocol::AgentState)> on_state) { return t->watch(launch_id, std::move(on_state)); };
  auto watch_events = [t = impl->tracker.get()](std::function<void(const protocol::DeviceEvent&)> on_event) { return t->watch_events(std::move(on_event)); };
  impl->clients = std::make_unique<server::ClientDesk>(server::ClientDesk::Config{.job_bytes_max = protocol::kHelloBytesMax, .watch = watch, .watch_events = watch_events, .audit = impl->audit.get()}, *impl->tracker, impl->tracker->access(), nullptr, nullptr, nullptr);
  impl->rest = std::make_unique<server::RestDesk>(loop, server::RestDesk::Config{.accept = [c = impl->clients.get()](std::shared_ptr<net::Channel> channel) { return c->accept(std::move(channel)); }});
  HONE_ASSIGN(front, WebFront::start(loop, impl->steady, impl->wall, impl->front_config()));
  impl->front = std::move(front);
  if (impl->owner) impl->owner->tell_port(impl->front->port());
  impl->audit->tell("service_started", {{"version", HONE_VERSION}, {"url", impl->front->origin()}});
  return std::unique_ptr<TrackerProcess>(new TrackerProcess(std::move(impl)));
}

uint16_t TrackerProcess::port() const { return impl_->front->port(); }

std::string TrackerProcess::url() const { return url_of(impl_->config.listening, *impl_->front, impl_->token); }

std::string TrackerProcess::url_of(const Listening& listening, const WebFront& front, const std::string& token) {
  return cat(listening.public_origin.empty() ? front.origin() : listening.public_origin, kPagePrefix, "#token=", token);
}

void TrackerProcess::know(std::vector<std::string> trackers) {
  impl_->front->allow_pages(trackers);
  impl_->trackers = std::move(trackers);
}

void TrackerProcess::drain() { impl_->stopping = true; }

void TrackerProcess::stop() {
  impl_->stopping = true;
  impl_->tracker->drain();
  impl_->clients->close();
}

bool TrackerProcess::idle() const { return !impl_->clients->closing() || impl_->clients->closed(); }

}  // namespace hone::cli
