// A task's definition on inputs that are made from a seed. Part of reference.
#pragma once
#include <memory>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/value_range.h"
#include "codegen/emit/llvm/reference_jit.h"

namespace hone::emit {

struct Inputs {
  uint64_t seed;                   // argument p has hash_mix(seed, p)
  std::vector<ValueRange> ranges;  // per input
};

using Outputs = std::vector<std::vector<float>>;  // logical row-major; those of i32 and u32 with their own bits in each float's place

class ReferenceRun {
 public:
  // Fails: as ReferenceJit::create.
  static Result<ReferenceRun> create(ir::Kernel kernel);
  const ir::Kernel& kernel() const { return kernel_; }
  // Fails: as ReferenceJit::run.
  Result<Outputs> operator()(const Inputs& inputs, const CancelToken* cancel) const;

 private:
  ReferenceRun(ir::Kernel kernel, std::unique_ptr<ReferenceJit> jit);
  ir::Kernel kernel_;
  std::unique_ptr<ReferenceJit> jit_;
};

}  // namespace hone::emit
