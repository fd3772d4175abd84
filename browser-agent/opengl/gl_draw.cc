#include <GLES3/gl3.h>

#include <algorithm>

#include "base/cat.h"
#include "browser-agent/opengl/gl_device.h"
#include "browser-agent/opengl/gl_limit.h"

namespace hone::agent {

namespace {

// One triangle over everything.
constexpr const char* kVertexShader =
    "#version 300 es\n"
    "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }\n";

Error misfit(std::string message) { return {ErrorCode::kValidationError, std::move(message)}; }

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

// The type of the uniform, GL_NONE where the shader does not use it.
GLenum uniform_type(GLuint program, const std::string& wanted) {
  GLint count = 0;
  glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
  for (GLint i = 0; i < count; i++) {
    char name[64] = "";
    GLint size = 0;
    GLenum type = GL_NONE;
    glGetActiveUniform(program, static_cast<GLuint>(i), sizeof name, nullptr, &size, &type, name);
    if (name == wanted) return type;
  }
  return GL_NONE;
}

}  // namespace

Result<std::shared_ptr<const GlProgram>> GlProgram::link(const std::string& code) {
  std::shared_ptr<GlProgram> program(new GlProgram);
  HONE_ASSIGN(fragment, compiled(GL_FRAGMENT_SHADER, code.c_str()));
  HONE_ASSIGN(vertex, compiled(GL_VERTEX_SHADER, kVertexShader));
  program->id_ = glCreateProgram();
  for (GLuint shader : {vertex, fragment}) {
    glAttachShader(program->id_, shader);
    glDeleteShader(shader);  // with the program
  }
  glLinkProgram(program->id_);
  GLint ok = GL_FALSE;
  glGetProgramiv(program->id_, GL_LINK_STATUS, &ok);
  if (ok) return std::shared_ptr<const GlProgram>(std::move(program));
  char log[4096] = "";
  glGetProgramInfoLog(program->id_, sizeof log, nullptr, log);
  return misfit(cat("the driver does not link the shader: ", log));
}

GlProgram::~GlProgram() { glDeleteProgram(id_); }

Result<std::unique_ptr<GlDraw>> GlDraw::create(std::shared_ptr<const GlProgram> program,
                                               std::vector<GlBinding> bindings, const ir::Dims& grid) {
  std::unique_ptr<GlDraw> draw(new GlDraw);
  draw->program_ = std::move(program);
  HONE_TRY(draw->bind(bindings, grid));
  for (GLuint& framebuffer : draw->framebuffers_) HONE_TRY(draw->make_framebuffer(framebuffer));
  return draw;
}

Status GlDraw::bind(const std::vector<GlBinding>& bindings, const ir::Dims& grid) {
  width_ = static_cast<int>(grid[0]);
  height_ = static_cast<int>(grid[1]);
  glUseProgram(program_->id());
  for (size_t i = 0; i < bindings.size(); i++) {
    GlTexture* const texture = bindings[i].texture;
    if (!bindings[i].writes) {
      HONE_TRY(read(i, texture));
      continue;
    }
    if (std::count_if(bindings.begin(), bindings.end(), [&](const GlBinding& b) { return b.texture == texture; }) > 1)
      return misfit(cat("binding ", i, " is written, and its texture is bound twice"));
    if (texture->shape().width != width_ || texture->shape().height != height_)
      return misfit(cat("a launch of ", width_, "×", height_, " fragments writes a texture of ", texture->shape().width,
                        "×", texture->shape().height));
    writes_.push_back(texture);
  }
  return writes_.empty() ? Status(misfit("a launch writes nothing")) : ok_status();
}

Status GlDraw::read(size_t binding, GlTexture* texture) {
  const std::string name = cat("b", binding);
  const GLenum type = uniform_type(program_->id(), name);
  if (type != GL_NONE && type != texture->sampler())
    return misfit(cat("the shader's ", name, " does not read a texture of that format and so many layers"));
  if (static_cast<int64_t>(reads_.size()) == gl_limit(GL_MAX_TEXTURE_IMAGE_UNITS))
    return misfit(cat("a launch reads more than ", reads_.size(), " textures"));
  glUniform1i(glGetUniformLocation(program_->id(), name.c_str()), static_cast<GLint>(reads_.size()));
  reads_.push_back(texture);
  return ok_status();
}

Status GlDraw::make_framebuffer(GLuint& framebuffer) {
  int64_t layers = 0;
  for (const GlTexture* texture : writes_) layers += texture->shape().layers;
  const int64_t layers_max = std::min(gl_limit(GL_MAX_DRAW_BUFFERS), gl_limit(GL_MAX_COLOR_ATTACHMENTS));
  if (layers > layers_max)
    return misfit(cat("a launch writes ", layers, " layers; the device has ", layers_max, " targets"));
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  std::vector<GLenum> targets;
  for (const GlTexture* texture : writes_)
    for (int layer = 0; layer < texture->shape().layers; layer++) {
      texture->attach(static_cast<int>(targets.size()), layer);
      targets.push_back(GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(targets.size()));
    }
  glDrawBuffers(static_cast<GLsizei>(targets.size()), targets.data());
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) return ok_status();
  return misfit("this driver does not accept what the kernel writes as a framebuffer");
}

GlDraw::~GlDraw() { glDeleteFramebuffers(2, framebuffers_); }

void GlDraw::run(int64_t turn) const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffers_[turn % 2]);
  glViewport(0, 0, width_, height_);
  glUseProgram(program_->id());
  for (size_t unit = 0; unit < reads_.size(); unit++) {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(reads_[unit]->kind(), reads_[unit]->id());
  }
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void GlDraw::run_fragment() const {
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, 0, 1, 1);
  run();
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace hone::agent
