// InputThread: reads requests on a thread of its own, so that the end of the input ends the process even while a kernel runs that does not.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "browser-agent/native/pipe_frame.h"

namespace hone::native {

inline constexpr size_t kRequestsWaitingMax = 4;  // who sends more does not wait for answers

class InputThread {
 public:
  // The thread is there, and reads nothing yet. at_end: called on it before it ends the process.
  explicit InputThread(
      int descriptor, std::function<void()> at_end = [] {});
  // From now on the process ends (_exit) with the input: with 0 between two frames; with 2, and a sentence on stderr, where what comes is no
  // frame or more requests wait than may.
  void begin();
  PipeFrame next();  // waits for one

 private:
  [[noreturn]] void read();
  [[noreturn]] void end(int code, const std::string& sentence);

  const int descriptor_;
  const std::function<void()> at_end_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool begun_ = false;
  std::deque<PipeFrame> waiting_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace hone::native
