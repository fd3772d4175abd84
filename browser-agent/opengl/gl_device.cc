#include "browser-agent/opengl/gl_device.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
// After the types that it uses.
#include <GLES2/gl2ext.h>

#include <algorithm>
#include <cstring>

#include "base/cat.h"
#include "browser-agent/opengl/gl_limit.h"

namespace hone::agent {

namespace {

constexpr int kErrorsMax = 32;  // a lost context may go on reporting for ever

Error no_device(std::string what) { return {ErrorCode::kNoDevice, std::move(what)}; }

bool is_float(std::string_view element) { return element == "f16vec4" || element == "vec4"; }

GLenum inside_of(std::string_view element) {
  if (is_float(element)) return element == "vec4" ? GL_RGBA32F : GL_RGBA16F;
  return element == "ivec4" ? GL_RGBA32I : GL_RGBA32UI;
}

bool has(const char* extensions, const char* name) { return extensions && std::strstr(extensions, name); }

// Bound while it lives.
class ReadingFramebuffer {
 public:
  ReadingFramebuffer() {
    glGenFramebuffers(1, &id_);
    glBindFramebuffer(GL_FRAMEBUFFER, id_);
  }
  ~ReadingFramebuffer() { glDeleteFramebuffers(1, &id_); }
  ReadingFramebuffer(const ReadingFramebuffer&) = delete;
  ReadingFramebuffer& operator=(const ReadingFramebuffer&) = delete;

 private:
  GLuint id_ = 0;
};

}  // namespace

Result<std::unique_ptr<GlDevice>> GlDevice::open() {
  std::unique_ptr<GlDevice> device(new GlDevice);
  HONE_TRY(device->make_context());
  HONE_TRY(device->read_limits());
  return device;
}

Status GlDevice::make_context() {
  const auto get_display =
      reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  display_ = get_display ? get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr) : EGL_NO_DISPLAY;
  if (!display_ || !eglInitialize(display_, nullptr, nullptr)) return no_device("EGL has no display without a surface");
  eglBindAPI(EGL_OPENGL_ES_API);
  const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
  EGLConfig config = EGL_NO_CONFIG_KHR;
  EGLint found = 0;
  eglChooseConfig(display_, wanted, &config, 1, &found);
  // Robust: what a kernel reads beyond a texture is some value of its own, and a GPU that was reset is told.
  const bool robust = has(eglQueryString(display_, EGL_EXTENSIONS), "EGL_EXT_create_context_robustness");
  const EGLint plain[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
  const EGLint safe[] = {EGL_CONTEXT_MAJOR_VERSION,
                         3,
                         EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT,
                         EGL_TRUE,
                         EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
                         EGL_LOSE_CONTEXT_ON_RESET_EXT,
                         EGL_NONE};
  const EGLConfig chosen = found ? config : EGL_NO_CONFIG_KHR;
  if (robust) context_ = eglCreateContext(display_, chosen, EGL_NO_CONTEXT, safe);
  if (!context_) context_ = eglCreateContext(display_, chosen, EGL_NO_CONTEXT, plain);
  if (!context_ || !eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_))
    return no_device("EGL gives no context of OpenGL ES 3");
  glGenVertexArrays(1, &vertices_);
  glBindVertexArray(vertices_);
  return ok_status();
}

Status GlDevice::read_limits() {
  renderer_ = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const char* extensions = reinterpret_cast<const char*>(glGetString(GL_EXTENSIONS));
  tells_resets_ = has(extensions, "GL_EXT_robustness");
  if (!has(extensions, "GL_EXT_color_buffer_float"))
    return no_device(cat("the driver ", renderer_, " does not render to float textures"));
  target::Limits& l = target_.limits;
  l.texture_size_max = gl_limit(GL_MAX_TEXTURE_SIZE);
  l.texture_layers_max = gl_limit(GL_MAX_ARRAY_TEXTURE_LAYERS);
  l.render_targets_max = std::min(gl_limit(GL_MAX_DRAW_BUFFERS), gl_limit(GL_MAX_COLOR_ATTACHMENTS));
  l.storage_buffers_max = gl_limit(GL_MAX_TEXTURE_IMAGE_UNITS) + l.render_targets_max;
  l.grid_dim_max = l.texture_size_max;
  return ok_status();
}

GlDevice::~GlDevice() {
  if (vertices_) glDeleteVertexArrays(1, &vertices_);
  if (!display_) return;
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  if (context_) eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

Status GlDevice::check() {
  const auto reset = reinterpret_cast<PFNGLGETGRAPHICSRESETSTATUSEXTPROC>(
      tells_resets_ ? eglGetProcAddress("glGetGraphicsResetStatusEXT") : nullptr);
  if (reset && reset() != GL_NO_ERROR) return Error{ErrorCode::kDeviceLost, "the driver reset the GPU"};
  const GLenum error = glGetError();
  for (int i = 0; i < kErrorsMax && glGetError() != GL_NO_ERROR; i++) {}
  if (error == GL_NO_ERROR) return ok_status();
  if (error == GL_OUT_OF_MEMORY) return Error{ErrorCode::kOutOfMemory, "the device is out of memory"};
  return Error{ErrorCode::kValidationError, cat("OpenGL reports error ", error)};
}

void GlDevice::finish() { glFinish(); }

GlTexture::GlTexture(const ir::Texture& shape, std::string_view element)
    : GlTexture(shape, element == "f16vec4", inside_of(element), is_float(element) ? GL_RGBA : GL_RGBA_INTEGER,
                is_float(element)    ? GL_FLOAT
                : element == "ivec4" ? GL_INT
                                     : GL_UNSIGNED_INT) {}

GlTexture::GlTexture(const ir::Texture& shape, bool is_half, unsigned inside, unsigned format, unsigned type)
    : shape_(shape), is_half_(is_half), inside_(inside), format_(format), type_(type) {
  const auto width = static_cast<GLsizei>(shape.width), height = static_cast<GLsizei>(shape.height);
  glGenTextures(1, &id_);
  glBindTexture(kind(), id_);
  if (shape.layers == 1) glTexStorage2D(GL_TEXTURE_2D, 1, inside, width, height);
  else glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, inside, width, height, static_cast<GLsizei>(shape.layers));
  for (GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER}) glTexParameteri(kind(), filter, GL_NEAREST);
}

GlTexture::~GlTexture() { glDeleteTextures(1, &id_); }

unsigned GlTexture::kind() const { return shape_.layers == 1 ? GL_TEXTURE_2D : GL_TEXTURE_2D_ARRAY; }

unsigned GlTexture::sampler() const {
  const bool flat = shape_.layers == 1;
  if (type_ == GL_FLOAT) return flat ? GL_SAMPLER_2D : GL_SAMPLER_2D_ARRAY;
  if (type_ == GL_INT) return flat ? GL_INT_SAMPLER_2D : GL_INT_SAMPLER_2D_ARRAY;
  return flat ? GL_UNSIGNED_INT_SAMPLER_2D : GL_UNSIGNED_INT_SAMPLER_2D_ARRAY;
}

void GlTexture::attach(int location, int layer) const {
  const GLenum at = GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(location);
  if (shape_.layers == 1) glFramebufferTexture2D(GL_FRAMEBUFFER, at, GL_TEXTURE_2D, id_, 0);
  else glFramebufferTextureLayer(GL_FRAMEBUFFER, at, id_, 0, layer);
}

void GlTexture::write(std::string_view content, uint32_t rest) {
  const uint32_t word = is_half_ ? (rest >> 16) * 0x10001u : rest;
  const GLenum type = is_half_ ? GL_HALF_FLOAT : type_;
  std::vector<uint32_t> all(static_cast<size_t>(bytes()) / sizeof(uint32_t), word);
  std::memcpy(all.data(), content.data(), std::min(content.size(), static_cast<size_t>(bytes())));
  const auto width = static_cast<GLsizei>(shape_.width), height = static_cast<GLsizei>(shape_.height);
  glBindTexture(kind(), id_);
  if (shape_.layers == 1) glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, format_, type, all.data());
  else
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, width, height, static_cast<GLsizei>(shape_.layers), format_, type,
                    all.data());
}

std::string GlTexture::read() const {
  std::string out(static_cast<size_t>(shape_.texels() * 16), '\0');
  const size_t layer_bytes = out.size() / static_cast<size_t>(shape_.layers);
  const ReadingFramebuffer framebuffer;
  for (int layer = 0; layer < shape_.layers; layer++) {
    attach(0, layer);
    glReadPixels(0, 0, static_cast<GLsizei>(shape_.width), static_cast<GLsizei>(shape_.height), format_, type_,
                 out.data() + static_cast<size_t>(layer) * layer_bytes);
  }
  return out;
}

std::shared_ptr<GlTexture> GlTexture::copy() const {
  std::shared_ptr<GlTexture> made(new GlTexture(shape_, is_half_, inside_, format_, type_));
  const auto width = static_cast<GLsizei>(shape_.width), height = static_cast<GLsizei>(shape_.height);
  const ReadingFramebuffer framebuffer;
  for (int layer = 0; layer < shape_.layers; layer++) {
    attach(0, layer);
    if (shape_.layers == 1) glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, width, height);
    else glCopyTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, layer, 0, 0, width, height);
  }
  return made;
}

}  // namespace hone::agent
