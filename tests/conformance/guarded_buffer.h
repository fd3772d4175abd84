// Memory whose neighbourhood cannot be touched: an access beyond it ends the process.
#pragma once
#include <cstddef>

namespace hone::conformance {

class GuardedBuffer {
 public:
  // Poison, `bytes` of it and `reach` more before and behind, next to a page that cannot be read or written: behind the last byte (kBack)
  // or before the first one (kFront). On the other side poison fills the page, and another such page follows.
  enum class Edge { kFront, kBack };
  GuardedBuffer(size_t bytes, size_t reach, Edge edge);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  unsigned char* data() const { return data_; }
  void freeze();                 // from now on a write ends the process, too
  bool border_is_whole() const;  // nothing but the `bytes` was written

 private:
  size_t bytes_, inner_bytes_;
  unsigned char *pages_, *inner_, *data_;
};

}  // namespace hone::conformance
