// Firefox in a browser's place: what it is started with, so that nothing but the agent uses the machine and no timer of the page is slowed down.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace hone::launch {

// "firefox", or the path of a program whose name begins so.
bool is_firefox(std::string_view browser);

// Without profile and URL: what is worth recording with a device.
std::vector<std::string> firefox_flags();

// The text of the profile's user.js: WebGPU, also in workers and on software adapters, exact clocks, and silence.
std::string firefox_preferences();

// "NAME=value" each. display: ":7", or "" for the one that is there already, or none.
std::vector<std::string> firefox_environment(const std::string& display);

}  // namespace hone::launch
