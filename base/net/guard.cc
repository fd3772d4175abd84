#include "base/net/guard.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <new>

#include "base/cat.h"

namespace hone::net {

namespace {

Error logged(ErrorCode code, const char* what) {
  // Short of memory, the words may not be had either.
  try {
    spdlog::error("an event was dropped: {}", what);
    return {code, what};
  } catch (...) { return {code, {}}; }
}

}  // namespace

Status guarded(const std::function<void()>& work) {
  try {
    work();
    return ok_status();
  } catch (const std::bad_alloc&) {
    return logged(ErrorCode::kOutOfMemory, "out of memory");
  } catch (const std::exception& thrown) { return logged(ErrorCode::kInternal, thrown.what()); } catch (...) {
    return logged(ErrorCode::kInternal, "something that is no std::exception was thrown");
  }
}

}  // namespace hone::net
