// Variants: schedules of another program for what a task computes, one of those that the task carries (te::Task::alternatives).
#pragma once
#include <string>

#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone::schedule {

// The task with its alternative of that name, which defines `stage` otherwise, in the place of its program: the same arguments, accuracy and id; flops
// counts what the alternative does. It carries no alternatives.
// Fails: illegal_schedule where the task carries none of that name for `stage`, the task owes a smaller error than the alternative's, or the target keeps
// tensors in textures, whose fragments have no room for a tile.
Result<te::Task> variant_of(const te::Task& task, const std::string& stage, const std::string& name, const target::Target& target);

}  // namespace hone::schedule
