// Where the agent page's static files lie.
#pragma once
#include <string>

namespace hone::server {

// HONE_AGENT_DIR if set, else the first of <dir of the binary>/{agent, ../share/hone/agent, ../../browser-agent/dist} that holds an
// index.html; "" if none does.
std::string find_agent_files();

}  // namespace hone::server
