// <utility> before Asio: Boost 1.74 uses std::exchange without naming its header.
#include <utility>

#include "browser-agent/launch/browser_launcher.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>

#include "base/cat.h"
#include "browser-agent/launch/browser_flags.h"
#include "browser-agent/launch/firefox_program.h"
#include "browser-agent/launch/node_program.h"

namespace hone::launch {
namespace {

std::vector<std::string> own_flags(const BrowserLauncher::Options& options) {
  if (!options.node_script.empty()) return node_flags(options.node_major);
  if (options.firefox) return firefox_flags();
  return browser_flags(
      {.webgpu = options.target == "webgpu" || options.target == "webgl", .gpu = options.gpu, .root = geteuid() == 0});
}

std::vector<std::string> all_flags(const BrowserLauncher::Options& options) {
  std::vector<std::string> flags = own_flags(options);
  flags.insert(flags.end(), options.extra_flags.begin(), options.extra_flags.end());
  return flags;
}

std::string percent_encode(std::string_view text) {
  static const char digits[] = "0123456789ABCDEF";
  std::string out;
  for (unsigned char c : text) {
    if (std::isalnum(c) || c == '-' || c == '_' || c == '.') {
      out += static_cast<char>(c);
    } else {
      out += '%';
      out += digits[c >> 4];
      out += digits[c & 15];
    }
  }
  return out;
}

}  // namespace

BrowserLauncher::BrowserLauncher(boost::asio::io_context& io, Options options, OnState on_state)
    : io_(io), options_(std::move(options)), on_state_(std::move(on_state)), flags_(all_flags(options_)), timer_(io) {}

BrowserLauncher::~BrowserLauncher() { end_browser(); }

Status BrowserLauncher::start() {
  if (profile_) return ok_status();
  failures_ = 0;
  return launch();
}

void BrowserLauncher::stop() {
  forget_timer();
  end_browser();
  if (state_ != BrowserState::kStopped) become(BrowserState::kStopped, "");
}

void BrowserLauncher::on_agent(AgentLiveness liveness, const std::string& message) {
  if (!child_) return;  // news of a browser that was ended already
  switch (liveness) {
    case AgentLiveness::kConnected:
      forget_timer();
      failures_ = 0;
      if (state_ != BrowserState::kConnected) become(BrowserState::kConnected, "");
      return;
    case AgentLiveness::kStuck:
      // Before the first hello the tracker cannot know us: this is about an earlier browser.
      if (state_ == BrowserState::kConnected) replace(cat("the agent is stuck: ", message));
      return;
    case AgentLiveness::kGone:
      if (state_ != BrowserState::kConnected) return;
      after(options_.limits.gone_grace, [this] { replace("the agent did not come back"); });
      become(BrowserState::kStarting, cat("the agent is gone: ", message));
      return;
  }
}

Status BrowserLauncher::launch() {
  HONE_ASSIGN(profile, ProfileFolder::make(options_.temp_dir));
  profile_ = std::make_unique<ProfileFolder>(std::move(profile));
  const Status opened = options_.display_server.empty() ? open_browser("") : open_display();
  if (!opened.ok()) {
    end_browser();
    return opened;
  }
  const bool root = std::find(flags_.begin(), flags_.end(), "--no-sandbox") != flags_.end();
  after(options_.limits.connect, [this] { replace("the agent did not connect in time"); });
  become(BrowserState::kStarting, root ? "warning: running as root, so the browser runs without its sandbox" : "");
  return ok_status();
}

// The browser follows once the display takes clients.
Status BrowserLauncher::open_display() {
  auto display = VirtualDisplay::start(
      io_, {.program = options_.display_server, .log = profile_->path() + "/display.log"},
      {.on_ready =
           [this](const std::string& name) {
             const Status opened = open_browser(name);
             if (!opened.ok()) replace(opened.error().message);
           },
       .on_end =
           [this](const std::string& how) { replace(cat("the browser's display ended by itself (", how, ")")); }});
  if (!display.ok()) return display.error();
  display_ = std::move(*display);
  return ok_status();
}

Status BrowserLauncher::open_browser(const std::string& display) {
  ChildProcess::Config config{.program = options_.browser,
                              .arguments = flags_,
                              .output = profile_->log_path(),
                              .environment = options_.environment};
  HONE_ASSIGN(start_arguments, write_start());
  config.arguments.insert(config.arguments.end(), start_arguments.begin(), start_arguments.end());
  if (options_.firefox) {
    const std::vector<std::string> more = firefox_environment(display);
    config.environment.insert(config.environment.end(), more.begin(), more.end());
  }
  auto child = ChildProcess::start(io_, config, [this](const std::string& how) {
    replace(cat("the agent's process ended by itself (", how, "): ", profile_ ? profile_->last_log_line() : ""));
  });
  if (!child.ok()) return child.error();
  child_ = std::move(*child);
  return ok_status();
}

// What leads a browser, or the agent's program for Node.js, to the page's URL.
Result<std::vector<std::string>> BrowserLauncher::write_start() const {
  if (!is_browser()) {
    HONE_ASSIGN(file, profile_->write_start_url(page_url()));
    std::vector<std::string> arguments{options_.node_script, file};
    if (!options_.runner.empty()) arguments.push_back(options_.runner);
    return arguments;
  }
  HONE_ASSIGN(page, profile_->write_start_page(page_url()));
  if (!options_.firefox) return chromium_start(page);
  HONE_TRY(profile_->write_preferences(firefox_preferences()));
  return std::vector<std::string>{"--profile", profile_->path(), page};
}

// Who starts the browser has verified the service; the key that it showed is no property of the device, so it is not among the flags.
std::vector<std::string> BrowserLauncher::chromium_start(const std::string& page) const {
  std::vector<std::string> arguments{"--user-data-dir=" + profile_->path()};
  if (!options_.server_key.empty()) arguments.push_back("--ignore-certificate-errors-spki-list=" + options_.server_key);
  arguments.push_back(page);
  return arguments;
}

// The agent learns its target, its launch_id and the flags from the fragment, which no server sees.
std::string BrowserLauncher::page_url() const {
  std::string flags;
  for (const std::string& flag : flags_) flags += (flags.empty() ? "" : " ") + flag;
  const char* separator = options_.url.find('#') == std::string::npos ? "#" : "&";
  return cat(options_.url, separator, "target=", percent_encode(options_.target),
             "&launch=", percent_encode(options_.launch_id), "&flags=", percent_encode(flags),
             options_.physical_id.empty() ? "" : cat("&device=", percent_encode(options_.physical_id)));
}

void BrowserLauncher::replace(const std::string& reason) {
  const bool connected = state_ == BrowserState::kConnected;
  end_browser();
  failures_ = connected ? 0 : failures_ + 1;
  if (failures_ >= options_.limits.failures_max)
    return become(BrowserState::kFailed, cat("the agent failed ", failures_, " times in a row; ", reason));
  const auto backoff =
      std::min(options_.limits.backoff_max, options_.limits.backoff_first * (1 << std::min(failures_, 10)));
  after(backoff, [this] {
    const Status started = launch();
    if (!started.ok()) replace(started.error().message);
  });
  become(BrowserState::kRestarting, reason);
}

void BrowserLauncher::end_browser() {
  forget_timer();
  child_.reset();
  display_.reset();  // after its client
  profile_.reset();
}

void BrowserLauncher::after(std::chrono::milliseconds delay, std::function<void()> run) {
  forget_timer();
  timer_.expires_after(delay);
  timer_.async_wait([this, turn = timer_turn_, run = std::move(run)](const boost::system::error_code& error) {
    if (!error && turn == timer_turn_) run();
  });
}

void BrowserLauncher::forget_timer() {
  timer_turn_++;
  timer_.cancel();
}

void BrowserLauncher::become(BrowserState state, const std::string& message) {
  state_ = state;
  if (on_state_) on_state_(state, message);
}

}  // namespace hone::launch
