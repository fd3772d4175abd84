// guarded: the border of a thread's work. What a library throws ends the work with an Error, never the process.
#pragma once
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/cat.h"
#include "base/result.h"

namespace hone {

// `work` returns a Result, which is handed on. Memory that cannot be had, or more than a container holds, is out_of_memory; any other
// exception internal, with its words.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "this machine has no memory left for it; take smaller shapes, or fewer jobs at once"};
  } catch (const std::length_error&) {
    return Error{ErrorCode::kOutOfMemory, "it needs more memory than a process can have; take smaller shapes"};
  } catch (const std::exception& thrown) {
    return Error{ErrorCode::kInternal, cat("a library gave up: ", std::string(thrown.what()).substr(0, 200), "; please report it")};
  }
}

}  // namespace hone
