// Loop IR → fragment shaders of GLSL ES 3.00, one per launch (WebGL 2, OpenGL ES 3.0). A draw covers launch.grid[0] × launch.grid[1]
// fragments, one for each texel of what it writes; threads are 1.
//
// Binding i that is read is the uniform `b<i>`: a (i|u)sampler2D where its texture has one layer, else a (i|u)sampler2DArray, of RGBA32F,
// RGBA32I or RGBA32UI by `element` ("vec4", "ivec4", "uvec4"), or of RGBA16F ("f16vec4"), which no output is. Bindings that are written are no
// uniforms: their layers, binding after binding, are the outputs of locations 0, 1, …: at most render_targets_max. All of them are as large as the grid. No binding is read and written.
//
// The flat physical tensor fills the texels along x, then y, then the layers; the last ones may be beyond it and hold anything.
// The vertex shader is the caller's: a triangle over everything.
#pragma once
#include "base/result.h"
#include "codegen/emit/kernel_source.h"
#include "codegen/target/target.h"

namespace hone::emit {

// Needs: lower_kernel for a target on textures. Fails: kUnsupported for what has no texture, kIllegalSchedule where a fragment would write
// elsewhere than to its own texel.
Result<KernelSource> emit_glsl(const ir::Kernel& kernel, const target::Target& target);

}  // namespace hone::emit
