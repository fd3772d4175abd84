#include "codegen/emit/llvm/raise_cpu.h"

#include "base/cat.h"
#include "codegen/emit/llvm/function_expansion.h"
#include "codegen/ir/mutator.h"

namespace hone::emit {

using ir::Expr;

namespace {

class Raise final : public ir::Mutator {
 public:
  explicit Raise(ir::Arena& arena) : Mutator(arena) {}

 protected:
  Expr expr(Expr e) override {
    const Expr r = rebuild(e);
    if (r->kind != ir::ExprKind::kCall) return r;
    const Expr expanded = expand_function(arena_, r);
    return expanded ? expanded : r;
  }
};

}  // namespace

Result<ir::Kernel> raise_cpu(const ir::Kernel& kernel) {
  for (const auto& list : {kernel.args, kernel.temps})
    for (ir::Buffer b : list)
      if (b->dtype == ir::DType::kF16 || b->dtype == ir::DType::kBF16)
        return Error{ErrorCode::kUnsupported, cat("buffer ", b->name, " has type ", ir::dtype_name(b->dtype),
                                                  "; a CPU's kernels store whole numbers, f32 and f64")};
  ir::Kernel out = kernel;
  for (ir::Launch& launch : out.launches) launch.body = Raise(*kernel.arena).mutate(launch.body);
  return out;
}

}  // namespace hone::emit
