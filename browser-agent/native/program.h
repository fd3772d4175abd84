// Program: kernels called one after the other on given buffers: a candidate, or a whole model.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "browser-agent/native/guarded_block.h"
#include "browser-agent/native/thread_team.h"
#include "codegen/emit/llvm/native_jit.h"

namespace hone::native {

using KernelPtr = std::shared_ptr<const emit::NativeKernel>;
using BlockPtr = std::shared_ptr<GuardedBlock>;

struct Call {
  KernelPtr kernel;
  std::vector<BlockPtr> buffers;  // one per kernel->arguments()
};

class Program {
 public:
  // What the calls write stays open to writes as long as the program lives. Fails: validation_error for buffers that do not fit their
  // bindings, or where one that a call writes is bound twice; out_of_memory.
  static Result<std::unique_ptr<Program>> bind(std::vector<Call> calls, ThreadTeam& team);
  // The calls of another program, which outlives it, on other buffers: as many threads for each launch, and the same scratch memory where
  // that is wanted. Fails: as bind.
  static Result<std::unique_ptr<Program>> bind_like(const Program& other, std::vector<Call> calls, bool same_scratch);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Nanoseconds by the steady clock; what wakes the threads is not in it.
  int64_t run_ns(int repeats);
  // The same of several programs in turns, from that numbered `first` on.
  static int64_t run_in_turns_ns(const std::vector<std::unique_ptr<Program>>& programs, size_t first, int repeats);
  // Runs until it is warm, finds out for each launch on how many threads it is fastest, and returns the time of one run from then on.
  int64_t settle_ns();
  // What was written beside the buffers, in words, else empty; it is made good.
  std::string inspect();

 private:
  explicit Program(ThreadTeam& team) : team_(team) {}
  Status add(const Call& call);
  Status add_temps(const emit::NativeKernel& kernel);
  Status add_launch(const emit::NativeKernel::Launch& launch, const Call& call);
  Result<std::byte*> scratch(int64_t bytes, int thread);
  bool is_shared() const;
  void run_once() const;

  ThreadTeam& team_;
  int64_t past_ns_ = 0;  // of all runs
  int64_t run_ns_ = 0;   // of one, as of late
  std::vector<Call> calls_;
  std::vector<Launch> launches_;
  std::vector<std::unique_ptr<std::vector<void*>>> arrays_;  // the launches' arguments
  // Calls run one after the other, so kernels share what is theirs alone: by size, and place among equals.
  std::map<std::pair<int64_t, int>, BlockPtr> temps_, scratch_;
  std::vector<BlockPtr> current_temps_;  // of the kernel that is being added
  std::vector<BlockPtr> opened_;
};

}  // namespace hone::native
