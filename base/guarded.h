// guarded: the border of a thread's work. What a library throws ends the work with an Error, never the process.
#pragma once
#include <utility>

#include "base/result.h"

namespace hone {

// In a catch block: the exception at hand as an Error. Memory that cannot be had, or more than a container holds, is out_of_memory; any other one
// internal, with its words. Throws nothing: without memory for words it has none.
Error what_was_thrown() noexcept;

// `work` returns a Result, which is handed on.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (...) { return what_was_thrown(); }
}

}  // namespace hone
