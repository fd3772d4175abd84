// MemoryBudget: how many bytes the jobs of a service may take at a time. A job counts what it will need before it takes it: where the kernel
// promises more memory than there is, an allocation succeeds and the process is killed later. Any thread.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace hone::server {

class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t bytes) : bytes_(bytes), left_(bytes) {}

  // What a job has taken; gives it back when it goes. The budget outlives it.
  class Share {
   public:
    Share() = default;
    Share(MemoryBudget& budget, int64_t bytes) : budget_(&budget), bytes_(bytes) {}
    Share(Share&& other) noexcept : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&& other) noexcept;
    ~Share();
    int64_t bytes() const { return bytes_; }

   private:
    MemoryBudget* budget_ = nullptr;
    int64_t bytes_ = 0;
  };

  int64_t bytes() const { return bytes_; }  // in all, taken or not

  // `what` it is for, for people: "the inputs of the model". Fails: out_of_memory with what is needed and what is left.
  Result<Share> take(double bytes, std::string_view what);
  // For work of which nobody knows before what it needs: half of what is left, so that others find some, but `least` at least and `most` at most. Fails: as take.
  Result<Share> take_most(int64_t least, int64_t most, std::string_view what);

 private:
  void give_back(int64_t bytes);
  Result<Share> take_locked(double bytes, std::string_view what);

  const int64_t bytes_;
  std::mutex mutex_;
  int64_t left_;  // guarded by mutex_
};

// Half of what the machine, the process's limits and its control group have left now: the other half is for the browser beside it, the
// compiler and other programs.
int64_t usable_memory_bytes();

}  // namespace hone::server
