// ChildProcess: a program in a process group of its own, watched by an io_context. The whole group is killed with the object, and by the
// kernel when the thread that started it ends, so that no browser outlives its launcher.
#pragma once
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace hone::launch {

class ChildProcess {
 public:
  struct Config {
    std::string program;  // a path
    std::vector<std::string> arguments;
    std::string output;                    // file that receives stdout and stderr
    int answer = -1;                       // a descriptor that receives stdout instead
    std::vector<std::string> environment;  // "NAME=value" besides this process's, or in its place
  };
  using OnExit = std::function<void(const std::string& how)>;  // "exit code 1", "signal 9"; on the io_context's thread

  // Call on a thread that lives as long as the child may: the kernel kills the child when that thread ends.
  static Result<std::unique_ptr<ChildProcess>> start(boost::asio::io_context& io, const Config& config, OnExit on_exit);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }

 private:
  ChildProcess(boost::asio::io_context& io, pid_t pid, int pid_descriptor, OnExit on_exit);
  void watch();

  pid_t pid_;
  bool reaped_ = false;
  boost::asio::posix::stream_descriptor exit_;  // readable once the child has ended
  OnExit on_exit_;
};

}  // namespace hone::launch
