#include "browser-agent/opengl/gl_reference.h"

#include <GLES3/gl3.h>

#include <algorithm>
#include <limits>

#include "browser-agent/native/answer.h"

namespace hone::agent {
namespace {

constexpr const char* kCode = R"(#version 300 es
precision highp float;
uniform int rounds;
layout(location = 0) out vec4 result;
void main() {
  vec4 a = vec4(gl_FragCoord.x * 1e-6);
  vec4 b = a + 0.25;
  for (int i = 0; i < rounds; i++) {
    a = a * 0.999 + b;
    b = b * 0.998 + 0.001;
    a = a * 0.997 - b;
    b = b * 0.996 + 0.002;
  }
  result = a + b;
})";

}  // namespace

Result<std::unique_ptr<GlReference>> GlReference::create(GlDevice& device) {
  std::unique_ptr<GlReference> reference(new GlReference(device));
  HONE_ASSIGN(program, GlProgram::link(kCode));
  reference->program_ = program;
  HONE_ASSIGN(draw, GlDraw::create(program, {{&reference->texture_, true}}, {kWidth, ReferenceWork::kThreads / kWidth, 1}));
  reference->draw_ = std::move(draw);
  reference->set_rounds();
  reference->row_ns();  // cold
  for (int step = 0; step < 3; step++) reference->fit();
  reference->texture_.read();
  HONE_TRY(device.check());
  return reference;
}

void GlReference::set_rounds() {
  glUseProgram(program_->id());
  glUniform1i(glGetUniformLocation(program_->id(), "rounds"), static_cast<GLint>(work_.rounds));
}

void GlReference::fit() {
  work_.fit(row_ns());
  set_rounds();
}

int64_t GlReference::work_ns(int runs) const {
  int64_t fastest = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < runs; i++) fastest = std::min(fastest, row_ns());
  return work_.first_ns(fastest);
}

int64_t GlReference::row_ns() const {
  const auto started = native::SteadyClock::now();
  for (int64_t i = 0; i < work_.launches; i++) draw_->run(i);
  device_.finish();
  return native::ns(native::SteadyClock::now() - started);
}

}  // namespace hone::agent
