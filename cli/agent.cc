// hone agent: a headless browser on this machine, connected to a service and restarted when it hangs or dies.
#include <filesystem>
#include <optional>

#include "base/backoff.h"
#include "base/cat.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/secret.h"
#include "browser-agent/launch/node_program.h"
#include "cli/agent_keeper.h"
#include "cli/console.h"
#include "cli/find_service.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/service_manager.h"
#include "cli/token_file.h"
#include "codegen/target/target.h"
#include "tracker/access.h"

namespace hone::cli {
namespace {

constexpr Backoff::Limits kReconnect{std::chrono::milliseconds(500), std::chrono::milliseconds(5'000)};

struct AgentOptions {
  CommonOptions common;
  launch::AgentPlace place;
};

// The browser outlives a broken connection to the service: the page comes back by itself, and so does this client.
class AgentSession {
 public:
  // token_file: where the token is written that the URL's code is exchanged for; "" = nowhere.
  AgentSession(net::EventLoop& loop, const AgentOptions& options, ServiceUrl url, std::string token_file)
      : loop_(loop), options_(options), token_file_(std::move(token_file)), url_(std::move(url)), reconnect_(loop), manager_(loop) {}

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
            .on_failed = [this](Error error) { lost(std::move(error)); },
            .on_token = [this](const std::string& token) { keep(token); }});
  }

  // A code lets in once; from here on it is this token.
  void keep(const std::string& token) {
    url_.token = token;
    url_.code.clear();
    if (token_file_.empty()) return;
    if (const Status kept = write_token_file(token_file_, token, "the agent's token"); !kept.ok())
      log_warn(cat("the next start of this agent needs another code: ", kept.error().message));
  }

  // Its launcher's token is the page's, too.
  std::string page_url() const {
    const std::string& given = options_.common.tracker;
    const auto parsed = parse_service_url(given);
    return parsed.ok() && parsed->token == url_.token ? given : with_token(given, url_.token);
  }

  void begin() {
    backoff_.reset();
    if (keeper_ && client_->peer_key() == peer_key_) return keeper_->watch_through(*client_);
    keeper_.reset();  // Chromium takes the service for right by the key that it showed before
    peer_key_ = client_->peer_key();
    const tracker::Identity who{.role = client_->role().value_or(protocol::Role::kAdmin)};
    if (const Status may = tracker::check_role(who, protocol::Role::kAgent, "an agent"); !may.ok()) return end(fail(may.error()));
    keeper_ = std::make_unique<AgentKeeper>(
        loop_, AgentKeeper::Config{.browser = options_.place.browser, .url = page_url(), .target = options_.place.target, .ca_file = url_.ca_file, .peer_key = peer_key_},
        *client_,
        AgentKeeper::Events{.on_state = [this](launch::BrowserState state, const std::string& message) { on_browser(state, message); },
                            .on_failed = [this](const Error& error) { end(fail(error)); }});
  }

  void receive(const protocol::ClientFromService& message) {
    if (auto* state = std::get_if<protocol::AgentState>(&message); state && keeper_) keeper_->on_agent_state(*state);
  }

  void lost(Error error) {
    if (!keeper_ || error.code == ErrorCode::kUnauthorized) return end(fail(error));
    log_warn(cat(error.message, "; trying again"));
    reconnect_.start(backoff_.next(), [this] { connect(); });
  }

  void on_browser(launch::BrowserState state, const std::string& message) {
    switch (state) {
      case launch::BrowserState::kStarting:
        manager_.ready();
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
  const std::string token_file_;
  ServiceUrl url_;
  std::string peer_key_;  // that the browser was told
  net::Timer reconnect_;
  Backoff backoff_{kReconnect, hash_bytes(random_secret()).lo};
  ServiceManager manager_;
  std::unique_ptr<ServiceClient> client_;
  std::unique_ptr<AgentKeeper> keeper_;
  ExitCode code_ = ExitCode::kDone;
};

// Where a code comes with a file that is not there yet, the file is to be made: the next start takes it.
std::string take_new_token_file(CommonOptions& options) {
  const bool is_new = !options.token_file.empty() && !std::filesystem::exists(options.token_file);
  const auto url = parse_service_url(options.tracker);
  return is_new && url.ok() && !url->code.empty() ? std::exchange(options.token_file, "") : "";
}

ExitCode run_agent(AgentOptions options) {
  const std::string token_file = take_new_token_file(options.common);
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
  auto url = parse_service_url(options.common.tracker, options.common.ca_file);
  if (!url.ok()) return usage_error(url.error().message);
  net::EventLoop loop;
  return AgentSession(loop, options, *url, token_file).run();
}

}  // namespace

void add_agent(Verb program) {
  auto options = std::make_shared<AgentOptions>();
  Verb verb = program.sub("agent", "Starts a headless browser on this machine and connects it to a service");
  verb.footer(
      "Examples:\n"
      "  hone agent                                                 of the service that you run here (hone up)\n"
      "  hone agent --tracker 'http://127.0.0.1:9190/agent/#token=…'\n"
      "  hone agent --tracker 'http://lab:9190/agent/#enroll=…' --token-file agent.token  first, with what hone enroll prints\n"
      "  hone agent --tracker 'http://lab:9190/agent/' --token-file agent.token           from then on\n"
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
