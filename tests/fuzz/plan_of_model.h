// A model as a job takes it, from bytes to plan, bounded so that one input takes less than a second.
#pragma once
#include <string_view>

namespace hone::fuzz {

// Imports, prepares and plans the model for WebGPU by naive schedules. What fails with an error is well.
void plan_of_model(std::string_view bytes);

}  // namespace hone::fuzz
