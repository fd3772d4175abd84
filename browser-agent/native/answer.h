// What a runner's answers have in common, whatever kind of kernel it runs (pipe_frame.h).
#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "base/cat.h"
#include "browser-agent/native/pipe_frame.h"

namespace hone::native {

using Answer = Result<PipeFrame>;

PipeFrame done(nlohmann::json fields = nlohmann::json::object());
// What `handle` answers. Its error is an answer, too, and so are a field that is missing and memory that is not there.
PipeFrame answered(const std::function<Answer()>& handle);

template <typename Map>
Result<typename Map::mapped_type*> find(Map& map, const nlohmann::json& id, const char* what) {
  const auto found = map.find(id.get<int64_t>());
  if (found == map.end()) return Error{ErrorCode::kNotFound, cat("there is no ", what, " ", id.get<int64_t>())};
  return &found->second;
}

using SteadyClock = std::chrono::steady_clock;
int64_t ns(SteadyClock::duration time);
// The smallest step between two readings of the clock.
int64_t clock_step_ns();

}  // namespace hone::native
