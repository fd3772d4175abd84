#include "cli/service.h"

#include <filesystem>
#include <optional>

#include "base/cat.h"
#include "base/clock.h"
#include "base/net/server.h"
#include "base/secret.h"
#include "cli/database_owner.h"
#include "server/compile_server.h"
#include "tracker/service.h"
#include "tracker/sqlite_store.h"

namespace hone::cli {

namespace {

constexpr std::string_view kAgentPrefix = "/agent/";
constexpr std::string_view kBlobPrefix = "/blob/";

bool begins_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

}  // namespace

// In the order of use: what stands below refers to what stands above, and goes first.
struct Service::Impl {
  net::HttpReply get(const net::HttpRequest& request) {
    if (begins_with(request.path, kBlobPrefix)) return server->get_blob(request);
    if (begins_with(request.path, kAgentPrefix))
      return net::static_file(config.agent_files, kAgentPrefix, request.path);
    if (request.path == "/")
      return net::HttpReply::text(200, "hone serves here. Open the URL that hone up printed: it carries the token.\n");
    return net::HttpReply::text(404, "nothing here\n");
  }

  Config config;
  std::optional<DatabaseOwner> owner;
  std::string token = random_secret();
  SteadyClock steady;
  SystemClock wall;
  std::unique_ptr<tracker::Service> tracker;
  std::unique_ptr<server::CompileServer> server;
  std::unique_ptr<net::Server> net;
};

Service::Service(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::start(net::EventLoop& loop, Config config) {
  if (config.agent_files.empty() || !std::filesystem::exists(config.agent_files + "/index.html"))
    return Error{
        ErrorCode::kNotFound,
        cat("the agent's page is missing (", config.agent_files.empty() ? "beside the binary" : config.agent_files,
            "); run scripts/build, or set HONE_AGENT_DIR to the folder that holds its index.html")};
  auto impl = std::make_unique<Impl>();
  impl->config = config;
  // Before anything is closed that an earlier run left open: it may be one that runs.
  HONE_ASSIGN(owner, DatabaseOwner::take(config.db, config.owner));
  impl->owner.emplace(std::move(owner));
  HONE_ASSIGN(fleet, config.keeps_fleet ? tracker::open_sqlite_store(config.db) : tracker::open_class_store(config.db));
  HONE_ASSIGN(tracker, tracker::Service::start(loop, std::move(fleet), impl->steady, impl->wall,
                                               {.token = impl->token, .limits = config.limits}));
  impl->tracker = std::move(tracker);
  auto watch = [t = impl->tracker.get()](const std::string& launch_id,
                                         std::function<void(protocol::AgentState)> on_state) {
    return t->watch(launch_id, std::move(on_state));
  };
  HONE_ASSIGN(server, server::CompileServer::start(loop, *impl->tracker,
                                                   {.token = impl->token,
                                                    .db = config.db,
                                                    .cache_folder = config.cache_folder,
                                                    .workers = config.workers,
                                                    .memory_bytes = config.memory_bytes,
                                                    .watch = watch,
                                                    .planner = config.planner,
                                                    .tasks = config.tasks,
                                                    .model_program = config.model_program,
                                                    .compile = config.compile}));
  impl->server = std::move(server);
  net::ServerConfig net;
  net.address = config.host;
  net.port = config.port;
  net.on_get = [i = impl.get()](const net::HttpRequest& request) { return i->get(request); };
  net.endpoints = {
      {"/ws/agent", [t = impl->tracker.get()](auto channel) { return t->accept(std::move(channel)); }},
      {"/ws/session", [s = impl->server.get()](auto channel) { return s->accept_session(std::move(channel)); }},
      {"/ws/client", [s = impl->server.get()](auto channel) { return s->accept_client(std::move(channel)); }}};
  HONE_ASSIGN(listening, net::Server::start(loop, std::move(net)));
  impl->net = std::move(listening);
  impl->owner->tell_port(impl->net->port());
  return std::unique_ptr<Service>(new Service(std::move(impl)));
}

uint16_t Service::port() const { return impl_->net->port(); }
std::string Service::agent_url() const { return cat(impl_->net->origin(), kAgentPrefix, "#token=", impl_->token); }

void Service::stop() {
  impl_->tracker->drain();
  impl_->server->stop();
}

bool Service::idle() const { return impl_->server->idle(); }

}  // namespace hone::cli
