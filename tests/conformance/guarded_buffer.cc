#include "tests/conformance/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "base/check.h"

namespace hone::conformance {
namespace {

constexpr unsigned char kPoison = 0xa5;

size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
size_t whole_pages(size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

}  // namespace

GuardedBuffer::GuardedBuffer(size_t bytes, size_t reach, Edge edge)
    : bytes_(bytes), inner_bytes_(whole_pages(bytes + 2 * reach)) {
  void* all = mmap(nullptr, inner_bytes_ + 2 * page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(all != MAP_FAILED, "no address space");
  pages_ = static_cast<unsigned char*>(all);
  inner_ = pages_ + page_bytes();
  if (inner_bytes_ > 0) {
    CHECK(mprotect(inner_, inner_bytes_, PROT_READ | PROT_WRITE) == 0, "no memory");
    std::memset(inner_, kPoison, inner_bytes_);
  }
  data_ = edge == Edge::kFront ? inner_ + reach : inner_ + inner_bytes_ - reach - bytes;
}

GuardedBuffer::~GuardedBuffer() { munmap(pages_, inner_bytes_ + 2 * page_bytes()); }

void GuardedBuffer::freeze() {
  if (inner_bytes_ > 0) CHECK(mprotect(inner_, inner_bytes_, PROT_READ) == 0, "the pages are not ours");
}

bool GuardedBuffer::border_is_whole() const {
  for (const unsigned char* at = inner_; at < inner_ + inner_bytes_; ++at)
    if ((at < data_ || at >= data_ + bytes_) && *at != kPoison) return false;
  return true;
}

}  // namespace hone::conformance
