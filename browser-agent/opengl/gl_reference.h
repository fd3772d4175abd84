// The runner's own small kernel, always the same work on one device, so that its time shows drift and nothing else: a chain of multiply-adds in
// registers, as in src/device/webgl2/reference_kernel.ts.
#pragma once
#include "browser-agent/opengl/gl_device.h"

namespace hone::agent {

class GlReference {
 public:
  // Draws it, so that the driver has everything that drawing needs.
  static Result<std::unique_ptr<GlReference>> create(GlDevice& device);
  // Nanoseconds of one draw, of the fastest of `runs` rows of about a millisecond: comparable between openings of one device.
  int64_t draw_ns(int runs) const;

 private:
  explicit GlReference(GlDevice& device) : device_(device), texture_({64, 32, 1}, "vec4") {}
  int64_t row_ns() const;

  GlDevice& device_;
  GlTexture texture_;
  std::unique_ptr<GlDraw> draw_;
  int64_t repeats_ = 1;
};

}  // namespace hone::agent
