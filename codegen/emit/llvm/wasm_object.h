// LLVM's WebAssembly code for one launch. All that LLVM does for this target happens here; wasm_link.h makes a module of it.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/ir/stmt.h"
#include "codegen/target/target.h"

namespace hone::emit {

struct WasmCode {
  std::string bytes;          // the object, or the text
  int64_t scratch_bytes = 0;  // of the last pointer in `args`; 0: there is none
};

enum class WasmForm : uint8_t {
  kObject,    // for wasm_link
  kAssembly,  // text for people and tests
};

inline constexpr const char* kWasmEntry = "launch";  // the symbol of the entry that emit_launch describes

// Uses SIMD128, bulk memory, sign extension, saturating conversions, and what `target` has of relaxed SIMD and threads.
// Some milliseconds. Any thread; each call has its own LLVM context. Needs: as emit_launch. Fails: internal when LLVM refuses.
Result<WasmCode> wasm_code(const ir::Kernel& kernel, const ir::Launch& launch, const std::vector<ir::Buffer>& buffers,
                           const target::Target& target, WasmForm form);

}  // namespace hone::emit
