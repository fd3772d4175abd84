// The names that a GLSL ES shader of hone's may not declare.
#pragma once
#include <string_view>

namespace hone::emit {

// Keywords and reserved words (The OpenGL ES Shading Language 3.00, section 3.8), and what hone's own shaders use: built-in functions,
// and textures b0, b1, ….
bool is_reserved_in_glsl(std::string_view name);

}  // namespace hone::emit
