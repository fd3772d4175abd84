// The part of the IR's verification that needs the threads of a workgroup: no two of them touch the same element of workgroup memory between
// two barriers, one of them writing.
#pragma once
#include "base/result.h"
#include "codegen/ir/stmt.h"

namespace hone::ir {

// Walks a launch as the workgroups at the corners of its grid do (those that a condition, mask or index can tell apart), all threads at once,
// and executes nothing but the arithmetic of indices. A loop around a barrier runs its first three iterations and its last two: what touches
// an element between two barriers lies in one iteration or in two that follow each other.
// Passes what it cannot judge, for the interpreter to do: accesses whose index, mask or condition depends on memory, two threads that write
// the same element (their values may be equal: a shifted tail), memory that is not a workgroup's, and what comes behind 2^24 numbers and elements of a workgroup.
// kernel: of the stage kLaunched, flat, and verified. Fails: internal with both threads, the element and the statement.
Status verify_races(const Kernel& kernel);

}  // namespace hone::ir
