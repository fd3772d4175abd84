// What `hone records forget` is asked to forget.
#pragma once
#include <string>

#include "tuner/records/store.h"

namespace hone::cli {

struct ForgetOptions {
  std::string device, agent, task, before, lease;  // empty = not given
};

// Each condition as the store holds it: ids may be cut off where one id alone begins so, a task is also known by a part of its name. Fails:
// invalid_argument without any condition, or for one that fits several or is not a date; not_found.
Result<tuner::ForgetRequest> forget_request(const ForgetOptions& options, tuner::RecordStore& store);

// "2026-11-24", "2026-11-24 13:45", with seconds or not, in local time; or milliseconds since 1970. Fails: invalid_argument.
Result<int64_t> parse_moment(const std::string& text);

}  // namespace hone::cli
