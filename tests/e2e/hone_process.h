// HoneProcess: the real binary in a process group of its own, with its output in files. Ends with the object.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace hone::e2e {

class HoneProcess {
 public:
  struct Config {
    std::vector<std::string> arguments;
    std::string folder;                              // where it runs, and where its output goes
    std::map<std::string, std::string> environment;  // besides that of the test
    std::string network = {};                        // the network namespace that it runs in, of ip netns; "" = the test's
  };
  explicit HoneProcess(const Config& config);
  ~HoneProcess();
  HoneProcess(const HoneProcess&) = delete;

  // The exit code, 128 + n for signal n, or -1 when it runs longer than `limit` (and is killed).
  int wait(std::chrono::seconds limit);
  void signal(int number) const;
  pid_t pid() const { return pid_; }
  bool running();
  std::string out() const;
  std::string err() const;

 private:
  bool reap(bool block);
  const std::string out_path_, err_path_;
  pid_t pid_ = 0;
  int status_ = 0;
  bool reaped_ = false;
};

// A fresh empty folder, gone with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Waits until `happened`, looking every few milliseconds: for what other processes do. False after `limit`.
bool wait_until(std::chrono::seconds limit, const std::function<bool()>& happened);

// Neither gone nor dead and only waiting for its parent.
bool is_alive(pid_t pid);

// Processes whose ancestors include `root`, by a part of their command line.
std::vector<pid_t> descendants(pid_t root, const std::string& command_part);

}  // namespace hone::e2e
