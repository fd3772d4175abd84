// What is published of a maker's GPUs and no browser tells: for estimates, never for what is legal.
#pragma once
#include <string_view>

#include "codegen/target/target.h"

namespace hone::target {

// vendor: as WebGPU's adapters call it, "nvidia", "apple", …. Others are left as they are.
void add_class_facts(Target& target, std::string_view vendor);

}  // namespace hone::target
