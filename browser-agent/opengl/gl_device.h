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
  // Fails: no_device where no driver gives a context with float render targets; what to do about it is the caller's to say.
  static Result<std::unique_ptr<GlDevice>> open();
  ~GlDevice();
  GlDevice(const GlDevice&) = delete;
  GlDevice& operator=(const GlDevice&) = delete;

  const std::string& renderer() const { return renderer_; }  // of the driver, for people
  const target::Target& target() const { return target_; }
  // Fails: out_of_memory, or validation_error for whatever else OpenGL reports since the last call; device_lost where the driver reset.
  Status check();
  // Waits until everything so far has been drawn.
  void finish();

 private:
  GlDevice() = default;
  Status make_context();
  Status read_limits();

  void* display_ = nullptr;
  void* context_ = nullptr;
  unsigned vertices_ = 0;
  bool tells_resets_ = false;
  std::string renderer_;
  target::Target target_ = target::opengl_default();
};

// element: "vec4", "f16vec4" (whose numbers go up as halves, and down as f32), "ivec4" or "uvec4". Made before GlDevice ends.
class GlTexture {
 public:
  GlTexture(const ir::Texture& shape, std::string_view element);
  ~GlTexture();
  GlTexture(const GlTexture&) = delete;
  GlTexture& operator=(const GlTexture&) = delete;

  const ir::Texture& shape() const { return shape_; }
  int64_t bytes() const { return shape_.texels() * (is_half_ ? 8 : 16); }  // as it goes up
  bool is_half() const { return is_half_; }
  unsigned id() const { return id_; }
  unsigned kind() const;                       // GL_TEXTURE_2D or GL_TEXTURE_2D_ARRAY
  unsigned sampler() const;                    // the type of the uniform that reads it
  void attach(int location, int layer) const;  // to the bound framebuffer
  // Its first bytes; each word behind them becomes `rest`, of halves each number the upper half of it.
  void write(std::string_view content, uint32_t rest);
  std::string read() const;  // all of it
  std::shared_ptr<GlTexture> copy() const;

 private:
  GlTexture(const ir::Texture& shape, bool is_half, unsigned inside, unsigned format, unsigned type);

  ir::Texture shape_;
  bool is_half_;
  unsigned inside_, format_, type_, id_ = 0;  // inside_: the device's own format; type_: of what goes down
};

// A linked shader.
class GlProgram {
 public:
  // Fails: compile_error with the driver's message, validation_error where it does not link.
  static Result<std::shared_ptr<const GlProgram>> link(const std::string& code);
  ~GlProgram();
  GlProgram(const GlProgram&) = delete;
  GlProgram& operator=(const GlProgram&) = delete;
  unsigned id() const { return id_; }

 private:
  GlProgram() = default;
  unsigned id_ = 0;
};

struct GlBinding {
  GlTexture* texture = nullptr;  // outlives the draw
  bool writes = false;
};

// A program on its textures (emit_glsl.h).
class GlDraw {
 public:
  // Fails: validation_error where textures and program do not fit each other, the grid or the device.
  static Result<std::unique_ptr<GlDraw>> create(std::shared_ptr<const GlProgram> program,
                                                std::vector<GlBinding> bindings, const ir::Dims& grid);
  ~GlDraw();
  GlDraw(const GlDraw&) = delete;
  GlDraw& operator=(const GlDraw&) = delete;
  // turn: of repeated draws, their number. They go to two framebuffers in turns: GPUs that draw by tiles leave out of one framebuffer's work what
  // a later draw hides, and would run a repeated kernel once. (llvmpipe of Mesa 22.3 takes as long with one.)
  void run(int64_t turn = 0) const;
  // One fragment: drivers compile at the first draw.
  void run_fragment() const;

 private:
  GlDraw() = default;
  Status bind(const std::vector<GlBinding>& bindings, const ir::Dims& grid);
  Status read(size_t binding, GlTexture* texture);
  Status make_framebuffer(unsigned& framebuffer);

  std::shared_ptr<const GlProgram> program_;
  unsigned framebuffers_[2] = {0, 0};
  int width_ = 0, height_ = 0;
  std::vector<GlTexture*> reads_;   // by texture unit
  std::vector<GlTexture*> writes_;  // in the order of their locations
};

}  // namespace hone::agent
