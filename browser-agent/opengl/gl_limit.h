#pragma once
#include <GLES3/gl3.h>

#include <cstdint>

namespace hone::agent {

// What the current context answers for an integer of its state.
inline int64_t gl_limit(GLenum name) {
  GLint value = 0;
  glGetIntegerv(name, &value);
  return value;
}

}  // namespace hone::agent
