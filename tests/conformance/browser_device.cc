#include "tests/conformance/browser_device.h"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/cat.h"
#include "base/clock.h"
#include "base/net/server.h"
#include "base/net/static_files.h"
#include "base/secret.h"
#include "browser-agent/launch/browser_finder.h"
#include "browser-agent/launch/browser_launcher.h"
#include "server/agent_files.h"
#include "server/agents/device_target.h"
#include "server/agents/limits.h"
#include "server/agents/loop_reactor.h"
#include "server/agents/session_desk.h"
#include "server/jobs/device_lease.h"
#include "tracker/service.h"
#include "tracker/sql_store.h"

namespace hone::conformance {
namespace {

constexpr std::chrono::seconds kDeviceWait{30}, kExecuteWait{600};
constexpr char kLaunchId[] = "conformance";
constexpr std::string_view kAgentPrefix = "/agent/", kBlobPrefix = "/blob/";

launch::AgentLiveness liveness_of(protocol::AgentStateKind state) {
  switch (state) {
    case protocol::AgentStateKind::kConnected:
      return launch::AgentLiveness::kConnected;
    case protocol::AgentStateKind::kGone:
      return launch::AgentLiveness::kGone;
    case protocol::AgentStateKind::kStuck:
      return launch::AgentLiveness::kStuck;
  }
  return launch::AgentLiveness::kGone;
}

}  // namespace

// In the order of use: what stands below refers to what stands above, and goes first.
struct BrowserDevice::Impl {
  ~Impl() {
    if (lease) lease->stop();
    if (stop_watch) stop_watch();
  }

  Status serve();
  Status start_browser(const std::string& kind);
  Status lease_device(const std::string& kind);
  net::HttpReply get(const net::HttpRequest& request);

  const std::string token = random_secret();
  SteadyClock steady;
  SystemClock wall;
  net::EventLoop loop;
  server::LoopReactor reactor{loop};
  server::BlobStore blobs;
  const net::StaticFiles page{server::find_agent_files()};
  std::unique_ptr<tracker::Service> tracker;
  std::optional<server::SessionDesk> sessions;
  std::unique_ptr<net::Server> net;
  std::unique_ptr<launch::BrowserLauncher> browser;
  std::function<void()> stop_watch;
  std::shared_ptr<server::PlanRunner> runner;
  std::shared_ptr<server::DeviceLease> lease;
  protocol::DeviceInfo device;
  target::Target target;
};

net::HttpReply BrowserDevice::Impl::get(const net::HttpRequest& request) {
  if (request.path.starts_with(kAgentPrefix))
    return page.reply(kAgentPrefix, request.path);
  const server::BlobPtr blob =
      request.path.starts_with(kBlobPrefix) ? blobs.find(request.path.substr(kBlobPrefix.size())) : nullptr;
  if (!blob) return net::HttpReply::text(404, "no such blob");
  net::HttpReply reply{.content_type = "application/octet-stream", .immutable = true};
  reply.body = std::shared_ptr<const std::string>(blob, &blob->bytes);
  return reply;
}

Status BrowserDevice::Impl::serve() {
  if (!std::filesystem::exists(server::find_agent_files() + "/index.html"))
    return Error{ErrorCode::kNotFound, "the agent's page is not there; set HONE_AGENT_DIR to its folder"};
  HONE_ASSIGN(fleet, tracker::open_store(sql::kInMemory));
  HONE_ASSIGN(started, tracker::Service::start(loop, std::move(fleet), steady, wall, {.token = token}));
  tracker = std::move(started);
  sessions.emplace(*tracker);
  net::ServerConfig config;
  config.on_get = [this](const net::HttpRequest& request) { return get(request); };
  config.endpoints = {{"/ws/agent", [this](auto channel) { return tracker->accept(std::move(channel)); }},
                      {"/ws/session", [this](auto channel) { return sessions->accept(std::move(channel)); }}};
  HONE_ASSIGN(listening, net::Server::start(loop, std::move(config)));
  net = std::move(listening);
  return ok_status();
}

Status BrowserDevice::Impl::start_browser(const std::string& kind) {
  const char* path = std::getenv("PATH");
  HONE_ASSIGN(program, launch::find_browser("chromium", path ? path : ""));
  launch::BrowserLauncher::Options options;
  options.browser = program;
  options.url = cat(net->origin(), kAgentPrefix, "#token=", token);
  options.target = kind;
  options.launch_id = kLaunchId;
  options.gpu = launch::has_gpu();
  browser = std::make_unique<launch::BrowserLauncher>(loop.io(), std::move(options),
                                                      [](launch::BrowserState, const std::string&) {});
  HONE_TRY(browser->start());
  stop_watch = tracker->watch(kLaunchId, [this](const protocol::AgentState& state) {
    browser->on_agent(liveness_of(state.state), state.message);
  });
  return ok_status();
}

Status BrowserDevice::Impl::lease_device(const std::string& kind) {
  std::optional<Result<protocol::DeviceInfo>> first;
  server::DeviceLease::Config config{
      .request = {.target = kind, .job = "conformance", .user = "conformance", .wait = kDeviceWait},
      .reacquire_ms = server::kReattachMs,
      .make_user =
          [this](const protocol::DeviceInfo&) {
            runner = server::PlanRunner::make(server::kReattachMs, reactor);
            return runner;
          },
      .on_first = [&first](Result<protocol::DeviceInfo> info) { first = std::move(info); }};
  lease =
      std::make_shared<server::DeviceLease>(std::move(config), *tracker, *sessions, std::make_shared<server::Fences>());
  lease->start();
  if (!loop.run_until([&] { return first.has_value(); }, 2 * kDeviceWait))
    return Error{ErrorCode::kNoDevice, "the tracker did not answer"};
  if (!first->ok()) return first->error();
  device = **first;
  HONE_ASSIGN(found, server::target_of(device.fingerprint));
  target = found;
  return ok_status();
}

BrowserDevice::BrowserDevice(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BrowserDevice::~BrowserDevice() = default;

Result<std::unique_ptr<BrowserDevice>> BrowserDevice::open(const std::string& kind) {
  auto impl = std::make_unique<Impl>();
  HONE_TRY(impl->serve());
  HONE_TRY(impl->start_browser(kind));
  HONE_TRY(impl->lease_device(kind));
  return std::unique_ptr<BrowserDevice>(new BrowserDevice(std::move(impl)));
}

const target::Target& BrowserDevice::target() const { return impl_->target; }
server::BlobStore& BrowserDevice::blobs() { return impl_->blobs; }

std::string BrowserDevice::name() const {
  const protocol::Fingerprint& found = impl_->device.fingerprint;
  return cat(found.browser, " ", found.browser_major, ", ", found.description);
}

Result<std::string> BrowserDevice::execute(protocol::Execute plan) {
  std::optional<Result<server::PlanRunner::Answer>> answer;
  impl_->runner->execute(std::move(plan),
                         [&answer](Result<server::PlanRunner::Answer> done) { answer = std::move(done); });
  if (!impl_->loop.run_until([&] { return answer.has_value(); }, kExecuteWait))
    return Error{ErrorCode::kTimeout, "the agent did not answer"};
  if (!answer->ok()) return answer->error();
  return std::string(*(**answer).outputs);
}

}  // namespace hone::conformance
