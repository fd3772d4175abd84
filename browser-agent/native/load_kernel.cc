#include "browser-agent/native/load_kernel.h"

#include "base/cat.h"
#include "codegen/arith/verify_bounds.h"
#include "codegen/ir/parser.h"
#include "codegen/ir/verify.h"
#include "codegen/lower/passes.h"

namespace hone::native {
namespace {

Status verify(const ir::Kernel& kernel) {
  HONE_TRY(ir::verify(kernel, ir::VerifyStage::kLaunched));
  HONE_TRY(arith::verify_bounds(kernel));
  return lower::verify_for(kernel, emit::host_target());
}

Error refused(const Error& why) { return {ErrorCode::kValidationError, cat("the kernel is refused: ", why.message)}; }

}  // namespace

Result<std::unique_ptr<emit::NativeKernel>> load_kernel(std::string_view text) {
  auto kernel = ir::parse_kernel(text);
  if (!kernel.ok()) return refused(kernel.error());
  if (const Status good = verify(*kernel); !good.ok()) return refused(good.error());
  auto native = emit::NativeKernel::create(*kernel);
  if (!native.ok() && native.error().code == ErrorCode::kInternal)
    return Error{ErrorCode::kCompileError, native.error().message};
  return native;
}

}  // namespace hone::native
