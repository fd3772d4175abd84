// LLVM allocates by malloc, and aborts where that finds nothing.
#pragma once

namespace hone::emit {

// From now on it calls `end` before, which does not return. Once in a process.
void on_out_of_memory(void (*end)());

}  // namespace hone::emit
