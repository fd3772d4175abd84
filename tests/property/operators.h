// The operators of a small vision model as tasks, at sizes that no factor divides evenly and some that many do. What property tests draw from.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "codegen/te/task.h"

namespace hone {

// Per operator its tasks: f32, one output each, a few thousand operations.
std::map<std::string, std::vector<te::Task>> sample_operators();

}  // namespace hone
