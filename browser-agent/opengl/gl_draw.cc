#include <GLES3/gl3.h>

#include "base/cat.h"
#include "browser-agent/opengl/gl_device.h"

namespace hone::agent {

namespace {

// One triangle over everything.
constexpr const char* kVertexShader =
    "#version 300 es\n"
    "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }\n";

Result<GLuint> compiled(GLenum kind, const char* code) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &code, nullptr);
  glCompileShader(shader);
  GLint ok = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (ok) return shader;
  char log[4096] = "";
  glGetShaderInfoLog(shader, sizeof log, nullptr, log);
  glDeleteShader(shader);
  return Error{ErrorCode::kCompileError, cat("the driver refuses the shader: ", log)};
}

}  // namespace

Result<std::unique_ptr<GlDraw>> GlDraw::create(const emit::LaunchSource& launch, const std::vector<GlTexture*>& textures) {
  std::unique_ptr<GlDraw> draw(new GlDraw);
  HONE_TRY(draw->link(launch.code));
  HONE_TRY(draw->bind(launch, textures));
  return draw;
}

Status GlDraw::link(const std::string& code) {
  HONE_ASSIGN(fragment, compiled(GL_FRAGMENT_SHADER, code.c_str()));
  HONE_ASSIGN(vertex, compiled(GL_VERTEX_SHADER, kVertexShader));
  program_ = glCreateProgram();
  for (GLuint shader : {vertex, fragment}) {
    glAttachShader(program_, shader);
    glDeleteShader(shader);  // with the program
  }
  glLinkProgram(program_);
  GLint ok = GL_FALSE;
  glGetProgramiv(program_, GL_LINK_STATUS, &ok);
  if (ok) return ok_status();
  char log[4096] = "";
  glGetProgramInfoLog(program_, sizeof log, nullptr, log);
  return Error{ErrorCode::kCompileError, cat("the driver does not link the shader: ", log)};
}

Status GlDraw::bind(const emit::LaunchSource& launch, const std::vector<GlTexture*>& textures) {
  width_ = static_cast<int>(launch.grid[0]);
  height_ = static_cast<int>(launch.grid[1]);
  glGenFramebuffers(1, &framebuffer_);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glUseProgram(program_);
  std::vector<GLenum> targets;
  for (size_t i = 0; i < launch.bindings.size(); i++) {
    if (!launch.bindings[i].writes) {
      glUniform1i(glGetUniformLocation(program_, cat("b", i).c_str()), static_cast<GLint>(reads_.size()));
      reads_.push_back(textures[i]);
      continue;
    }
    for (int layer = 0; layer < textures[i]->shape().layers; layer++) {
      textures[i]->attach(static_cast<int>(targets.size()), layer);
      targets.push_back(GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(targets.size()));
    }
  }
  glDrawBuffers(static_cast<GLsizei>(targets.size()), targets.data());
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) return ok_status();
  return Error{ErrorCode::kValidationError, "what the kernel writes is no framebuffer for this driver"};
}

GlDraw::~GlDraw() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteProgram(program_);
}

void GlDraw::run() const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glViewport(0, 0, width_, height_);
  glUseProgram(program_);
  for (size_t unit = 0; unit < reads_.size(); unit++) {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(reads_[unit]->kind(), reads_[unit]->id());
  }
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace hone::agent
