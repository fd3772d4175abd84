// Variants: other programs that compute what a task does, up to an error that the task bears. A variant's name says which: "winograd2" and
// "winograd4" are Winograd's minimal filtering with tiles of 2×2 and 4×4 outputs (schedule/winograd.h).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone::schedule {

std::vector<std::string> variant_names();

// How far the variant's result is off in f32, relative to the result's range, where the definition adds up so many terms. Twice the greatest
// error over random operands (variant_test.cc), which grows with the root of the terms.
double variant_error(const std::string& name, int64_t terms);

// The task with its reduction `stage` computed by the variant: the same arguments and accuracy, of which new nodes lie in `arena`, a child of the
// task's; flops counts what the variant does. Fails: illegal_schedule where the name is unknown, the reduction has not the variant's
// pattern, the task owes a smaller error, or the target keeps tensors in textures, whose fragments have no room for a tile.
Result<te::Task> variant_of(const te::Task& task, const std::string& stage, const std::string& name,
                            const target::Target& target, std::shared_ptr<ir::Arena> arena);

}  // namespace hone::schedule
