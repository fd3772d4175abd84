// Inbox: the message that is coming in, piece by piece. Growing copies no long message: glibc's realloc moves what it has mapped by its pages (mremap).
#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "base/shared_bytes.h"

namespace hone::net {

class Inbox {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // `more_bytes` are known to follow. Throws std::bad_alloc; what was there stays.
  void append(std::string_view bytes, size_t more_bytes) {
    if (size_ + bytes.size() > capacity_) grow(std::max(size_ + bytes.size() + more_bytes, 2 * capacity_));
    std::memcpy(bytes_.get() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  // The message; the inbox is empty then.
  SharedBytes take() {
    const std::string_view whole(bytes_.get(), std::exchange(size_, 0));
    capacity_ = 0;
    return shared_part(std::shared_ptr<const char>(std::move(bytes_)), whole);
  }
  void clear() { *this = Inbox(); }

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  void grow(size_t capacity) {
    char* grown = static_cast<char*>(std::realloc(bytes_.get(), capacity));
    if (!grown) throw std::bad_alloc();
    (void)bytes_.release();
    bytes_.reset(grown);
    capacity_ = capacity;
  }

  std::unique_ptr<char, Free> bytes_;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace hone::net
