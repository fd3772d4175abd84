#include "browser-agent/native/answer.h"

#include <algorithm>

namespace hone::native {

using nlohmann::json;

namespace {

PipeFrame failed(const Error& error) {
  return {{{"ok", false}, {"outcome", error_name(error.code)}, {"message", error.message}}, ""};
}

}  // namespace

PipeFrame done(json fields) {
  fields["ok"] = true;
  return {std::move(fields), ""};
}

PipeFrame answered(const std::function<Answer()>& handle) {
  try {
    auto answer = handle();
    return answer.ok() ? std::move(*answer) : failed(answer.error());
  } catch (const json::exception& error) {
    return failed({ErrorCode::kProtocolError, cat("a request lacks a field: ", error.what())});
  } catch (const std::bad_alloc&) { return failed({ErrorCode::kOutOfMemory, "the machine has no memory left"}); }
}

int64_t ns(SteadyClock::duration time) { return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count(); }

int64_t clock_step_ns() {
  SteadyClock::duration least = std::chrono::seconds(1);
  for (int i = 0; i < 100; ++i) {
    const auto started = SteadyClock::now();
    auto now = started;
    while (now == started) now = SteadyClock::now();
    least = std::min(least, now - started);
  }
  return ns(least);
}

}  // namespace hone::native
