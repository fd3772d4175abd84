// What fragment shaders lack, removed: conditional reads, stores to memory, functions that GLSL ES does not have.
#pragma once
#include <vector>

#include "base/result.h"
#include "codegen/ir/stmt.h"
#include "codegen/target/target.h"

namespace hone::emit {

struct Draw {
  ir::Launch launch;
  std::vector<ir::Buffer> written;  // textures, in the order of their first locations
  std::vector<ir::Buffer> outputs;  // by location: registers of one texel that the body stores to, once each
};

// One draw per launch. Fails: as emit_glsl.
Result<std::vector<Draw>> raise_glsl(const ir::Kernel& kernel, const target::Target& target);

}  // namespace hone::emit
