// What a kernel takes on a GPU of which only published numbers are known. Follows from the lowered kernel: instructions, sectors, banks,
// registers and the threads that fit. The pace is the slowest pipe's where other warps hide the waits, and one warp's own where they are
// too few (Little's law; Hong and Kim, ISCA 2009; Volkov, "Understanding latency hiding on GPUs", 2016). It predicts no device to the
// percent; its use is that it judges schedules by what the search and its features do not see.
//
// Kernels find the caches without their tensors, as in a model. A launch after the first costs target::kLaunchUs more; the first one's is
// every schedule's.
#pragma once
#include "base/result.h"
#include "bench/space/hardware.h"
#include "codegen/ir/stmt.h"
#include "codegen/schedule/trace.h"
#include "codegen/te/task.h"

namespace hone::bench {

struct LaunchTime {
  double us = 0;  // the greatest of those below
  // The busiest core's, by what would set its pace alone.
  double products_us = 0, integers_us = 0, specials_us = 0, exchanges_us = 0, issue_us = 0, l1_us = 0, workgroup_us = 0, l2_core_us = 0;
  double waits_us = 0;         // rounds of workgroups, each as long as its warps take with nothing in their way
  double l2_us = 0, dram_us = 0;  // of all cores
  double registers = 0;        // of a thread, those that spill included
  double workgroups_core = 0;  // at a time
};

LaunchTime launch_time(const Hardware& gpu, const ir::Launch& launch);

// Less the launches that run ahead. Fails as lower::lower_kernel does.
Result<double> kernel_us(const Hardware& gpu, const te::Task& task, const schedule::Trace& trace);

}  // namespace hone::bench
