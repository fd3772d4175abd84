// A task as bytes, for another process of the same program on the same machine. Its alternatives are not among them: what a task computes does not depend on them.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "codegen/te/task.h"

namespace hone::te {

std::string task_to_bytes(const Task& task);
// The task that task_to_bytes was given, with its id, in an arena of its own. Not for strangers' bytes: operands of types that do not fit end the process.
// Fails: parse_error with what is missing or out of range; as verify_te.
Result<Task> task_from_bytes(std::string_view bytes);

}  // namespace hone::te
