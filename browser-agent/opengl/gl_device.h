// OpenGL ES 3.0 through EGL, without a window: Mesa's surfaceless platform. What runs here are the kernels of emit_glsl.h. One thread.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codegen/emit/kernel_source.h"
#include "codegen/target/target.h"

namespace hone::agent {

class GlDevice {
 public:
  // Fails: no_device where no driver gives a context with float render targets.
  static Result<std::unique_ptr<GlDevice>> open();
  ~GlDevice();
  GlDevice(const GlDevice&) = delete;
  GlDevice& operator=(const GlDevice&) = delete;

  const std::string& renderer() const { return renderer_; }  // of the driver, for people
  const target::Target& target() const { return target_; }
  // The first error since the last call, "" if none.
  std::string take_error();
  // Waits until everything so far has been drawn.
  void finish();

 private:
  GlDevice() = default;
  Status make_context();
  Status read_limits();

  void* display_ = nullptr;
  void* context_ = nullptr;
  unsigned vertices_ = 0;
  std::string renderer_;
  target::Target target_ = target::opengl_default();
};

// element: "vec4", "ivec4" or "uvec4". Made before GlDevice ends.
class GlTexture {
 public:
  GlTexture(const ir::Texture& shape, std::string_view element);
  ~GlTexture();
  GlTexture(const GlTexture&) = delete;
  GlTexture& operator=(const GlTexture&) = delete;

  const ir::Texture& shape() const { return shape_; }
  int64_t bytes() const { return shape_.texels() * 16; }
  unsigned id() const { return id_; }
  unsigned kind() const;                      // GL_TEXTURE_2D or GL_TEXTURE_2D_ARRAY
  void attach(int location, int layer) const;  // to the bound framebuffer
  void write(std::string_view content);       // its first bytes; the rest stays
  std::string read() const;                   // all of it

 private:
  ir::Texture shape_;
  unsigned format_, type_, id_ = 0;
};

// A shader and what it needs to draw. textures: by binding; they outlive the draw.
class GlDraw {
 public:
  // Fails: compile_error with the driver's message; validation_error where the textures are no framebuffer.
  static Result<std::unique_ptr<GlDraw>> create(const emit::LaunchSource& launch, const std::vector<GlTexture*>& textures);
  ~GlDraw();
  GlDraw(const GlDraw&) = delete;
  GlDraw& operator=(const GlDraw&) = delete;
  void run() const;

 private:
  GlDraw() = default;
  Status link(const std::string& code);
  Status bind(const emit::LaunchSource& launch, const std::vector<GlTexture*>& textures);

  unsigned program_ = 0, framebuffer_ = 0;
  int width_ = 0, height_ = 0;
  std::vector<GlTexture*> reads_;  // by texture unit
};

}  // namespace hone::agent
