#include "codegen/emit/llvm/out_of_memory.h"

#include <llvm/Support/ErrorHandling.h>

namespace hone::emit {

void on_out_of_memory(void (*end)()) {
  llvm::install_bad_alloc_error_handler([](void* end, const char*, bool) { reinterpret_cast<void (*)()>(end)(); }, reinterpret_cast<void*>(end));
}

}  // namespace hone::emit
