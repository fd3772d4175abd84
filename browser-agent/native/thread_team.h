// ThreadTeam: the threads that run kernels. The leader is whoever calls; the others (helpers) are started once, with the team.
#pragma once
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace hone::native {

// A kernel's launch, ready to be called. args: per thread of the team, since scratch memory is a thread's own.
struct Launch {
  void (*entry)(void* const* args, int64_t begin, int64_t end) = nullptr;
  int64_t extent = 1;
  std::vector<void* const*> args;
  int threads = 1;  // 1: the leader alone; else all
};

class ThreadTeam {
 public:
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  // While it lives the helpers stand ready: they watch for work instead of sleeping, and take a processor each.
  class Shift {
   public:
    // wanted: false for a shift of the leader alone.
    Shift(ThreadTeam& team, bool wanted);
    ~Shift();
    Shift(const Shift&) = delete;

   private:
    ThreadTeam* team_;
  };

  // Runs all iterations and returns. Needs: a shift with helpers, unless the launch is for one thread. One caller at a time.
  void run(const Launch& launch);

 private:
  void help(size_t thread);
  void take_ranges(const Launch& launch, size_t thread);

  std::vector<std::thread> helpers_;
  std::atomic<uint32_t> on_shift_{0};  // 1: the helpers watch
  std::atomic<int> present_{0};        // that do
  std::atomic<bool> ending_{false};
  // A launch is posted by its number; each helper answers it once.
  const Launch* launch_ = nullptr;
  int64_t grain_ = 1;
  std::atomic<int64_t> next_{0};
  std::atomic<uint64_t> posted_{0};
  std::atomic<int> owing_{0};
};

}  // namespace hone::native
