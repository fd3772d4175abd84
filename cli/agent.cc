// hone agent: a headless browser on this machine, connected to a service and restarted when it hangs or dies.
#include <optional>

#include "base/cat.h"
#include "base/log.h"
#include "browser-agent/launch/node_program.h"
#include "cli/agent_keeper.h"
#include "cli/console.h"
#include "cli/find_service.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/service_manager.h"
#include "codegen/target/target.h"

namespace hone::cli {
namespace {

constexpr std::chrono::milliseconds kReconnect{2'000};

struct AgentOptions {
  CommonOptions common;
  launch::AgentPlace place;
};

// The browser outlives a broken connection to the service: the page comes back by itself, and so does this client.
class AgentSession {
 public:
  AgentSession(net::EventLoop& loop, const AgentOptions& options, ServiceUrl url)
      : loop_(loop), options_(options), url_(std::move(url)), reconnect_(loop), manager_(loop) {}

  ExitCode run() {
    connect();
    Interrupt interrupt(loop_, [this] { end(ExitCode::kInterrupted); });
    loop_.run();
    manager_.stopping();
    keeper_.reset();
    client_.reset();
    return code_;
  }

 private:
  void connect() {
    client_ = std::make_unique<ServiceClient>(
        loop_, url_,
        ServiceClient::Events{
            .on_ready = [this] { begin(); },
            .on_message = [this](const protocol::ClientFromService& message, std::string_view) { receive(message); },
            .on_failed = [this](Error error) { lost(std::move(error)); }});
  }

  void begin() {
    if (keeper_) return keeper_->watch_through(*client_);
    auto keeper = AgentKeeper::start(
        loop_, {.browser = options_.place.browser, .url = options_.common.tracker, .target = options_.place.target},
        *client_, [this](launch::BrowserState state, const std::string& message) { on_browser(state, message); });
    if (!keeper.ok()) return end(fail(keeper.error()));
    keeper_ = std::move(*keeper);
    manager_.ready();
  }

  void receive(const protocol::ClientFromService& message) {
    if (auto* state = std::get_if<protocol::AgentState>(&message); state && keeper_) keeper_->on_agent_state(*state);
  }

  void lost(Error error) {
    if (!keeper_ || error.code == ErrorCode::kUnauthorized) return end(fail(error));
    log_warn(cat(error.message, "; trying again"));
    reconnect_.start(kReconnect, [this] { connect(); });
  }

  void on_browser(launch::BrowserState state, const std::string& message) {
    switch (state) {
      case launch::BrowserState::kStarting:
        return log_info("the agent is starting");
      case launch::BrowserState::kConnected:
        return log_info("the agent is connected; Ctrl-C ends");
      case launch::BrowserState::kRestarting:
        return log_warn(cat("the agent is restarted: ", message));
      case launch::BrowserState::kFailed:
        return end(fail(Error{ErrorCode::kNoDevice, message}));
      case launch::BrowserState::kStopped:
        return;
    }
  }

  void end(ExitCode code) {
    code_ = code;
    loop_.stop();
  }

  net::EventLoop& loop_;
  const AgentOptions& options_;
  const ServiceUrl url_;
  net::Timer reconnect_;
  ServiceManager manager_;
  std::unique_ptr<ServiceClient> client_;
  std::unique_ptr<AgentKeeper> keeper_;
  ExitCode code_ = ExitCode::kDone;
};

ExitCode run_agent(AgentOptions options) {
  auto service = find_service(options.common);
  if (!service.ok()) return usage_error(service.error().message);
  if (service->url.empty())
    return usage_error(
        "no service of yours runs on this machine; start one with hone up, or give its URL with --tracker");
  say_service(options.common, *service);
  options.common.tracker = service->url;
  auto place = launch::complete_place(options.place);
  if (!place.ok()) return usage_error(place.error().message);
  options.place = std::move(*place);
  auto url = parse_service_url(options.common.tracker);
  if (!url.ok()) return usage_error(url.error().message);
  net::EventLoop loop;
  return AgentSession(loop, options, *url).run();
}

}  // namespace

void add_agent(Verb program) {
  auto options = std::make_shared<AgentOptions>();
  Verb verb = program.sub("agent", "Starts a headless browser on this machine and connects it to a service");
  verb.footer(
      "Examples:\n"
      "  hone agent --tracker 'http://127.0.0.1:9190/agent/#token=…'\n"
      "  hone agent --tracker 'http://127.0.0.1:9190/agent/#token=…' --browser firefox  WebGPU in a headless Firefox\n"
      "  hone agent --tracker 'http://127.0.0.1:9190/agent/#token=…' --browser node     WebGPU without a browser\n"
      "  hone agent --tracker 'http://127.0.0.1:9190/agent/#token=…' --browser native   kernels for this CPU\n"
      "  hone agent --tracker 'http://127.0.0.1:9190/agent/#token=…' --target opengl    OpenGL ES without a browser\n"
      "  hone agent --tracker 'http://127.0.0.1:9190/agent/#token=…' --target opencl    OpenCL without a browser");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService});
  add_log_format_option(verb, options->common.log_format);
  verb.option("--browser", options->place.browser,
              "chromium, firefox, node (no browser; WebGPU by Dawn, or --target wasm), native (no browser: this "
              "machine's CPU, or --target opengl or opencl), or a program's path; "
              "by default chromium, or native for --target native, opengl and opencl");
  verb.option("--target", options->place.target,
              cat("The kind of kernels that the agent runs: ", target::list_of_kinds("or"),
                  "; by default webgpu, or native for --browser native"))
      .check(one_of(target::kind_names()));
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .json = options->common.log_format == "json"});
    return run_agent(*options);
  });
}

}  // namespace hone::cli
