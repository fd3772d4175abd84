#include "base/guarded.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "base/cat.h"

namespace hone {

namespace {

constexpr size_t kWordsMax = 200;  // bytes of a library's words

Error described() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kOutOfMemory,
            "out of memory: this machine has none left for it; take smaller shapes, or fewer jobs at once"};
  } catch (const std::length_error&) {
    return {ErrorCode::kOutOfMemory, "out of memory: it needs more than a process can have; take smaller shapes"};
  } catch (const std::exception& thrown) {
    return {ErrorCode::kInternal,
            cat("a library gave up: ", std::string(thrown.what()).substr(0, kWordsMax), "; please report it")};
  } catch (...) { return {ErrorCode::kInternal, "something was thrown that is not an exception; please report it"}; }
}

}  // namespace

Error what_was_thrown() noexcept {
  try {
    return described();
  } catch (...) { return {ErrorCode::kOutOfMemory, {}}; }
}

}  // namespace hone
