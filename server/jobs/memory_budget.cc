#include "server/jobs/memory_budget.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "base/cat.h"

namespace hone::server {

namespace {

constexpr int64_t kMiB = 1 << 20;

std::string megabytes(double bytes) { return cat(static_cast<int64_t>(std::ceil(bytes / kMiB)), " MiB"); }

// The first whole number of a file; nothing where there is none ("max").
std::optional<int64_t> number_in(const char* path) {
  std::ifstream file(path);
  int64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

// proc(5): an estimate of what can be taken without swapping.
std::optional<int64_t> machine_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, rest; file >> name && std::getline(file, rest);)
    if (name == "MemAvailable:") return std::stoll(rest) * 1024;
  return std::nullopt;
}

std::optional<int64_t> group_bytes() {
  const auto limit = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  return limit && used ? std::optional(*limit - *used) : std::nullopt;
}

std::optional<int64_t> process_bytes() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int64_t>::max()));
}

}  // namespace

MemoryBudget::Share& MemoryBudget::Share::operator=(Share&& other) noexcept {
  std::swap(budget_, other.budget_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

MemoryBudget::Share::~Share() {
  if (budget_) budget_->give_back(bytes_);
}

Result<MemoryBudget::Share> MemoryBudget::take(double bytes, std::string_view what) {
  const std::lock_guard lock(mutex_);
  return take_locked(bytes, what);
}

Result<MemoryBudget::Share> MemoryBudget::take_most(int64_t least, int64_t most, std::string_view what) {
  const std::lock_guard lock(mutex_);
  return take_locked(static_cast<double>(std::clamp(left_ / 2, least, most)), what);
}

Result<MemoryBudget::Share> MemoryBudget::take_locked(double bytes, std::string_view what) {
  if (bytes <= static_cast<double>(left_)) {
    left_ -= static_cast<int64_t>(bytes);
    return Share(*this, static_cast<int64_t>(bytes));
  }
  const char* remedy = bytes > static_cast<double>(bytes_) ? "take smaller shapes, or a machine with more memory"
                                                           : "repeat when other jobs have ended";
  return Error{ErrorCode::kOutOfMemory, cat("the job needs ", megabytes(bytes), " for ", what, "; of the ",
                                            megabytes(static_cast<double>(bytes_)), " that jobs may take here ",
                                            megabytes(static_cast<double>(left_)), " are left; ", remedy)};
}

void MemoryBudget::give_back(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  left_ += bytes;
}

int64_t usable_memory_bytes() {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const auto& bytes : {machine_bytes(), group_bytes(), process_bytes()})
    if (bytes) least = std::min(least, *bytes);
  return std::max<int64_t>(0, least / 2);
}

}  // namespace hone::server
