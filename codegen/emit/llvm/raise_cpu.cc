#include "codegen/emit/llvm/raise_cpu.h"

#include "base/cat.h"

namespace hone::emit {

Result<ir::Kernel> raise_cpu(const ir::Kernel& kernel) {
  for (const auto& list : {kernel.args, kernel.temps})
    for (ir::Buffer b : list)
      if (b->dtype == ir::DType::kF16 || b->dtype == ir::DType::kBF16)
        return Error{ErrorCode::kUnsupported, cat("buffer ", b->name, " has type ", ir::dtype_name(b->dtype),
                                                  "; WebAssembly kernels store whole numbers, f32 and f64")};
  return kernel;
}

}  // namespace hone::emit
