#include "browser-agent/launch/firefox_program.h"

#include "base/cat.h"

namespace hone::launch {
namespace {

struct Preference {
  std::string_view name, value;
};

constexpr Preference kPreferences[] = {
    // WebGPU in the page's worker, on any adapter, a software one too.
    {"dom.webgpu.enabled", "true"},
    {"dom.webgpu.workers.enabled", "true"},
    {"gfx.webgpu.ignore-blocklist", "true"},
    {"gfx.webrender.all", "true"},
    {"webgl.force-enabled", "true"},
    // Clocks and timers as they are, also where the page counts as hidden: Firefox lets hidden ones wait for 1 s.
    {"privacy.reduceTimerPrecision", "false"},
    {"dom.min_background_timeout_value", "4"},
    {"dom.min_background_timeout_value_without_budget_throttling", "4"},
    {"dom.timeout.enable_budget_timer_throttling", "false"},
    {"dom.timeout.throttling_delay", "-1"},
    {"dom.ipc.processPriorityManager.enabled", "false"},
    {"browser.tabs.unloadOnLowMemory", "false"},
    // The agent's page and no other; by the scheme that its URL has.
    {"browser.startup.page", "0"},
    {"browser.startup.homepage_override.mstone", "\"ignore\""},
    {"browser.aboutwelcome.enabled", "false"},
    {"browser.shell.checkDefaultBrowser", "false"},
    {"browser.sessionstore.resume_from_crash", "false"},
    {"toolkit.startup.max_resumed_crashes", "-1"},
    {"termsofuse.bypassNotification", "true"},
    {"dom.security.https_first", "false"},
    // Nothing but the agent may use the machine and its network while kernels are timed.
    {"app.update.auto", "false"},
    {"app.update.service.enabled", "false"},
    {"app.normandy.enabled", "false"},
    {"app.shield.optoutstudies.enabled", "false"},
    {"browser.newtabpage.enabled", "false"},
    {"browser.newtabpage.activity-stream.feeds.system.topstories", "false"},
    {"browser.region.update.enabled", "false"},
    {"browser.search.update", "false"},
    {"browser.safebrowsing.malware.enabled", "false"},
    {"browser.safebrowsing.phishing.enabled", "false"},
    {"browser.safebrowsing.downloads.enabled", "false"},
    {"browser.safebrowsing.blockedURIs.enabled", "false"},
    {"datareporting.policy.dataSubmissionEnabled", "false"},
    {"datareporting.healthreport.uploadEnabled", "false"},
    {"toolkit.telemetry.enabled", "false"},
    {"toolkit.telemetry.unified", "false"},
    {"toolkit.telemetry.server", "\"\""},
    {"dom.push.connection.enabled", "false"},
    {"extensions.update.enabled", "false"},
    {"extensions.getAddons.cache.enabled", "false"},
    {"extensions.systemAddon.update.enabled", "false"},
    {"media.gmp-manager.updateEnabled", "false"},
    {"network.captive-portal-service.enabled", "false"},
    {"network.connectivity-service.enabled", "false"},
    {"network.dns.disablePrefetch", "true"},
    {"network.prefetch-next", "false"},
    {"network.trr.mode", "5"},
};

}  // namespace

bool is_firefox(std::string_view browser) { return browser.substr(browser.rfind('/') + 1).starts_with("firefox"); }

std::vector<std::string> firefox_flags() { return {"--headless", "--no-remote"}; }

std::string firefox_preferences() {
  std::string text;
  for (const auto& [name, value] : kPreferences) text += cat("user_pref(\"", name, "\", ", value, ");\n");
  return text;
}

std::vector<std::string> firefox_environment(const std::string& display) {
  // A crash is the launcher's to see: no window that asks whether to report it.
  std::vector<std::string> environment{"MOZ_CRASHREPORTER_DISABLE=1"};
  if (!display.empty()) environment.push_back("DISPLAY=" + display);
  return environment;
}

}  // namespace hone::launch
