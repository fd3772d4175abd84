#include "cli/agent_keeper.h"

#include <cstdlib>
#include <filesystem>
#include <random>

#include "base/cat.h"
#include "base/hash.h"
#include "browser-agent/launch/browser_finder.h"
#include "browser-agent/launch/firefox_program.h"
#include "browser-agent/launch/node_program.h"
#include "cli/find_runner.h"
#include "cli/machine_id.h"
#include "cli/tls_files.h"
#include "server/agent_files.h"

namespace hone::cli {

namespace {

std::string new_launch_id() {
  std::random_device device;
  return Hash{(static_cast<uint64_t>(device()) << 32) | device(), (static_cast<uint64_t>(device()) << 32) | device()}
      .hex();
}

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

// The agent's program for Node.js, on this machine.
Result<std::string> find_node_script() {
  const std::string folder = server::find_agent_files(), script = folder + "/node_agent.mjs";
  if (!folder.empty() && std::filesystem::exists(script)) return script;
  return Error{ErrorCode::kNotFound,
               cat("the agent's program for Node.js is missing (", folder.empty() ? "beside the binary" : script,
                   "); run scripts/build, or set HONE_AGENT_DIR to the folder that holds node_agent.mjs")};
}

// Where nothing else is said: a display for Firefox, and a software driver for Dawn, Chromium bringing its own of both.
Status choose_surroundings(const AgentKeeper::Config& config, launch::BrowserLauncher::Options& options) {
  options.gpu = launch::has_gpu();
  options.firefox = launch::is_firefox(config.browser);
  if (options.firefox && environment("DISPLAY", "").empty()) {
    auto display_server = launch::find_virtual_display(environment("PATH", ""));
    if (display_server.ok()) options.display_server = *display_server;
    else if (config.target.starts_with("webgl")) return display_server.error();
  }
  const bool dawn = launch::is_node(config.browser) && config.target == "webgpu";
  const bool driver_given = !environment("VK_ICD_FILENAMES", "").empty() || !environment("VK_DRIVER_FILES", "").empty();
  const std::string driver = dawn && !driver_given && !options.gpu ? launch::find_software_vulkan() : "";
  if (!driver.empty()) options.environment.push_back("VK_ICD_FILENAMES=" + driver);
  options.server_key = config.peer_key;
  const std::string authority = config.ca_file.empty() ? own_authority_file() : config.ca_file;
  if (launch::is_node(config.browser) && !config.peer_key.empty() && !authority.empty())
    options.environment.push_back("NODE_EXTRA_CA_CERTS=" + std::filesystem::absolute(authority).string());
  return ok_status();
}

// Runs Node.js to ask for its version, so it blocks.
Result<launch::BrowserLauncher::Options> launch_options(const AgentKeeper::Config& config, const std::string& launch_id) {
  HONE_ASSIGN(program, launch::find_browser(config.browser, environment("PATH", "")));
  launch::BrowserLauncher::Options options;
  options.browser = program;
  if (launch::is_node(config.browser)) {
    HONE_ASSIGN(script, find_node_script());
    HONE_ASSIGN(major, launch::find_node_major(program));
    options.node_script = script;
    options.node_major = major;
  }
  if (launch::has_runner(config.target)) {
    HONE_ASSIGN(runner, find_runner(config.target));
    options.runner = runner;
  }
  HONE_TRY(choose_surroundings(config, options));
  options.url = config.url;
  options.target = config.target;
  options.launch_id = launch_id;
  options.physical_id = machine_id();
  options.temp_dir = environment("TMPDIR", "/tmp");
  return options;
}

}  // namespace

AgentKeeper::AgentKeeper(net::EventLoop& loop, Config config, ServiceClient& client, Events events)
    : launch_id_(new_launch_id()),
      launcher_([config = std::move(config), id = launch_id_] { return launch_options(config, id); }, [&loop](std::function<void()> work) { loop.post(std::move(work)); },
                {.on_state = std::move(events.on_state), .on_failed = std::move(events.on_failed)}) {
  watch_through(client);
}

void AgentKeeper::watch_through(ServiceClient& client) {
  client.send(protocol::WatchAgent{.id = client.next_id(), .launch_id = launch_id_});
}

void AgentKeeper::on_agent_state(const protocol::AgentState& state) {
  if (state.launch_id != launch_id_) return;
  switch (state.state) {
    case protocol::AgentStateKind::kConnected:
      return launcher_.on_agent(launch::AgentLiveness::kConnected, state.message);
    case protocol::AgentStateKind::kGone:
      return launcher_.on_agent(launch::AgentLiveness::kGone, state.message);
    case protocol::AgentStateKind::kStuck:
      return launcher_.on_agent(launch::AgentLiveness::kStuck, state.message);
  }
}

}  // namespace hone::cli
