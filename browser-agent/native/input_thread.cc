#include "browser-agent/native/input_thread.h"

#include <unistd.h>

#include "base/cat.h"

namespace hone::native {

InputThread::InputThread(int descriptor, std::function<void()> at_end)
    : descriptor_(descriptor), at_end_(std::move(at_end)), thread_([this] { read(); }) {
  thread_.detach();
}

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
    if (!frame.ok()) end(2, frame.error().message);
    if (!*frame) end(0, "");
    const std::lock_guard lock(mutex_);
    if (waiting_.size() == kRequestsWaitingMax) end(2, cat("more than ", kRequestsWaitingMax, " requests wait"));
    waiting_.push_back(std::move(**frame));
    changed_.notify_all();
  }
}

void InputThread::end(int code, const std::string& sentence) {
  const std::string line = sentence + "\n";
  if (!sentence.empty()) (void)!write(2, line.data(), line.size());
  at_end_();
  _exit(code);
}

}  // namespace hone::native
