// A linker for one WebAssembly object of a kernel: its module, ready to instantiate. Pure; any thread; some microseconds.
//
// Formats: the WebAssembly core specification, and "WebAssembly Object File Linking" (version 2) of the tool conventions. An object as LLVM
// writes it is already a module but for:
//   import section     the memory is env.__linear_memory        → env.memory, with the limits that the caller asks for
//   no export section  names stand in the custom "linking"      → the functions asked for are exported
//   relocations        a kernel has no data and no table, hence the indices of functions, types and globals written in place are final
//   custom sections    names, features, relocations             → dropped
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone::emit {

struct WasmExport {
  std::string symbol;  // a function defined in the object
  std::string name;    // as the module exports it
};

struct WasmLinkOptions {
  std::vector<WasmExport> exports;
  bool shared_memory = false;
  uint32_t pages_min = 1;      // of 64 KiB
  uint32_t pages_max = 65536;  // stated for shared memory only; a memory's own maximum may not exceed it
};

// The module imports env.memory and what libm functions the object leaves undefined (env.expf), nothing else.
// Fails: internal, for what a kernel never has: data or element segments, other relocations and imports (a stack pointer: some array
// stayed in a frame), a symbol that is missing, bytes that are no object.
Result<std::string> wasm_link(std::string_view object, const WasmLinkOptions& options);

}  // namespace hone::emit
