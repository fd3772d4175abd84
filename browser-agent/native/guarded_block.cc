#include "browser-agent/native/guarded_block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/cat.h"
#include "codegen/emit/llvm/cpu_bindings.h"

namespace hone::native {
namespace {

// What an index of 32 bits reaches of scalars, on either side. It is address space only, of which there are 128 TiB.
constexpr int64_t kReserveBytes = int64_t{8} << 30;
static_assert(kReserveBytes >= emit::kReachBytesMax);
constexpr int64_t kAlignment = 64;
constexpr std::byte kSlack{0xa5};

int64_t page_bytes() {
  static const int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

int64_t round_up(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

void protect(std::byte* from, int64_t bytes, int access) {
  CHECK(mprotect(from, static_cast<size_t>(bytes), access) == 0, cat("mprotect: ", std::strerror(errno)));
}

}  // namespace

Result<std::unique_ptr<GuardedBlock>> GuardedBlock::make(int64_t bytes) {
  const Error none{ErrorCode::kOutOfMemory, cat("the machine has no ", bytes, " bytes left")};
  if (bytes < 0 || bytes > int64_t{1} << 40) return none;
  const int64_t body_bytes = round_up(std::max(bytes, kAlignment), page_bytes());
  const int64_t all_bytes = body_bytes + 2 * kReserveBytes;
  void* mapped =
      mmap(nullptr, static_cast<size_t>(all_bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return none;
  auto* reserve = static_cast<std::byte*>(mapped);
  if (mprotect(reserve + kReserveBytes, static_cast<size_t>(body_bytes), PROT_READ) != 0) {
    munmap(mapped, static_cast<size_t>(all_bytes));
    return none;
  }
  return std::unique_ptr<GuardedBlock>(new GuardedBlock(reserve, body_bytes, bytes));
}

GuardedBlock::GuardedBlock(std::byte* reserve, int64_t body_bytes, int64_t bytes)
    : reserve_(reserve),
      body_(reserve + kReserveBytes),
      body_bytes_(body_bytes),
      bytes_(bytes),
      data_(body_ + (body_bytes - bytes) / kAlignment * kAlignment) {
  open();
  visit_slack([](std::byte& b) { b = kSlack; });
  close();
}

GuardedBlock::~GuardedBlock() { munmap(reserve_, static_cast<size_t>(body_bytes_ + 2 * kReserveBytes)); }

void GuardedBlock::open() {
  if (opened_++ == 0) protect(body_, body_bytes_, PROT_READ | PROT_WRITE);
}

void GuardedBlock::close() {
  if (--opened_ == 0) protect(body_, body_bytes_, PROT_READ);
}

void GuardedBlock::fill(uint32_t word) {
  for (int64_t at = 0; at < bytes_; at += static_cast<int64_t>(sizeof word))
    std::memcpy(data_ + at, &word, static_cast<size_t>(std::min<int64_t>(sizeof word, bytes_ - at)));
}

Status GuardedBlock::allow_reads(int64_t reach_bytes) {
  if (reach_bytes <= reach_bytes_) return ok_status();
  if (reach_bytes > emit::kReachBytesMax)
    return Error{ErrorCode::kLimitExceeded,
                 cat("reads may lie ", reach_bytes, " bytes beside a buffer, more than ", emit::kReachBytesMax)};
  const int64_t open_bytes = round_up(reach_bytes, page_bytes());
  protect(body_ - open_bytes, open_bytes, PROT_READ);
  protect(body_ + body_bytes_, open_bytes, PROT_READ);
  reach_bytes_ = reach_bytes;
  return ok_status();
}

template <typename Visit>
void GuardedBlock::visit_slack(const Visit& visit) const {
  for (std::byte* at = body_; at < data_; ++at) visit(*at);
  for (std::byte* at = data_ + bytes_; at < body_ + body_bytes_; ++at) visit(*at);
}

bool GuardedBlock::mend_slack() {
  bool whole = true;
  visit_slack([&whole](std::byte& b) { whole = whole && b == kSlack; });
  if (whole) return true;
  open();
  visit_slack([](std::byte& b) { b = kSlack; });
  close();
  return false;
}

}  // namespace hone::native
