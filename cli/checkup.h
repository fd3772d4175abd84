// What hone needs of this machine: each need as a finding with its remedy. Reads the file system and binds a port for a moment.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hone::cli {

inline constexpr int kDefaultPort = 9190;
inline constexpr int kDefaultServerPort = 9191;  // of hone server

struct Finding {
  std::string name;
  bool ok = false;
  bool required = true;
  std::string found;   // what is there
  std::string remedy;  // what to do; empty when ok
};

struct CheckupConfig {
  std::string db;
  uint16_t port = kDefaultPort;
};

std::vector<Finding> check_machine(const CheckupConfig& config);
bool all_required_ok(const std::vector<Finding>& findings);

// One check each, for tests and for the verbs that fail early on the same grounds.
Finding check_browser(const std::string& search_path);
Finding check_firefox(const std::string& search_path);
Finding check_node(const std::string& search_path);
Finding check_gpu();
Finding check_agent_files(const std::string& dir);
Finding check_native_runner();
Finding check_opengl();  // whether EGL gives a context: asks the runner, as a process
Finding check_opencl();  // whether there is a platform with a device: likewise
// The same of that program.
Finding check_opengl(const std::string& runner);
Finding check_opencl(const std::string& runner);
Finding check_port(uint16_t port);
Finding check_database(const std::string& path);

}  // namespace hone::cli
