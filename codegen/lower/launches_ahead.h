// Which launches of a kernel need run but once: all that they write follows from constants.
#pragma once
#include <vector>

#include "codegen/ir/stmt.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone::lower {

// For each launch: does it read only constants of the task, and temporaries that launches before it wrote which do so too, and does it write only
// temporaries that no other launch writes? `kernel`: of any stage of lowering; its arguments are the task's. None on targets whose agents run all
// launches each time.
std::vector<bool> launches_ahead(const te::Task& task, const ir::Kernel& kernel, const target::Target& target);
// The kernel less these: what is timed.
ir::Kernel without_launches_ahead(const te::Task& task, ir::Kernel kernel, const target::Target& target);

}  // namespace hone::lower
