// The list of passes from a trace to the kernel that emitters print. Each pass goes through one door: cancel, time, dump, verify.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "codegen/ir/stmt.h"
#include "codegen/schedule/schedule.h"
#include "codegen/schedule/trace.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone::lower {

// Called after each pass with its name and the IR text; printing costs time, so only when set.
using DumpSink = std::function<void(std::string_view pass, const std::string& text)>;

struct PipelineOptions {
  DumpSink dump;
  bool verify = false;  // run ir::verify after each pass (tests, debug builds)
  std::function<void(std::string_view pass, const ir::Kernel& kernel)> observe;  // each pass's result (tests)
  std::function<bool()> cancelled;  // asked before each pass; true ends the lowering with kCancelled
  std::function<double()> now_ms;   // a clock; the compiler has none of its own
  std::function<void(std::string_view pass, double ms)> time;  // what each pass took by it
};

Result<ir::Kernel> lower_kernel(const te::Task& task, const schedule::Trace& trace, const target::Target& target,
                                const PipelineOptions& options = {});

// The first half: every launch with its loops as scheduled, one flat index per access, grid and threads known; vectorize and unroll loops
// still stand. What the features of a schedule are read from (tuner/features): a fraction of the whole's time.
Result<ir::Kernel> lower_to_loops(const te::Task& task, const schedule::Trace& trace, const target::Target& target);
// Of a schedule to which all steps were applied; it is then used up.
Result<ir::Kernel> lower_to_loops(schedule::Schedule& schedule);

}  // namespace hone::lower
