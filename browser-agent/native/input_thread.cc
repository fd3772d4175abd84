#include "browser-agent/native/input_thread.h"

#include <unistd.h>

#include "base/cat.h"

namespace hone::native {
namespace {

[[noreturn]] void end(const std::string& sentence) {
  const std::string line = sentence + "\n";
  (void)!write(2, line.data(), line.size());
  _exit(2);
}

}  // namespace

InputThread::InputThread(int descriptor) : descriptor_(descriptor), thread_([this] { read(); }) { thread_.detach(); }

void InputThread::begin() {
  const std::lock_guard lock(mutex_);
  begun_ = true;
  changed_.notify_all();
}

PipeFrame InputThread::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !waiting_.empty(); });
  PipeFrame frame = std::move(waiting_.front());
  waiting_.pop_front();
  return frame;
}

void InputThread::read() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return begun_; });
  }
  for (;;) {
    auto frame = read_frame(descriptor_);
    if (!frame.ok()) end(frame.error().message);
    if (!*frame) _exit(0);
    const std::lock_guard lock(mutex_);
    if (waiting_.size() == kRequestsWaitingMax) end(cat("more than ", kRequestsWaitingMax, " requests wait"));
    waiting_.push_back(std::move(**frame));
    changed_.notify_all();
  }
}

}  // namespace hone::native
