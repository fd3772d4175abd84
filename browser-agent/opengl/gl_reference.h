// The runner's own small kernel, always the same work on one device, so that its time shows drift and nothing else: a chain of multiply-adds in
// registers, as in src/core/reference_work.ts.
#pragma once
#include "browser-agent/native/reference_work.h"
#include "browser-agent/opengl/gl_device.h"

namespace hone::agent {

class GlReference {
 public:
  // Draws it, so that the driver has everything that drawing needs.
  static Result<std::unique_ptr<GlReference>> create(GlDevice& device);
  // Nanoseconds of the first work (native/reference_work.h), by the fastest of `runs` rows of about a millisecond.
  int64_t work_ns(int runs) const;

 private:
  explicit GlReference(GlDevice& device) : device_(device), texture_({kWidth, ReferenceWork::kThreads / kWidth, 1}, "vec4") {}
  int64_t row_ns() const;
  void set_rounds();
  void fit();

  static constexpr int64_t kWidth = 128;

  GlDevice& device_;
  GlTexture texture_;
  std::shared_ptr<const GlProgram> program_;
  std::unique_ptr<GlDraw> draw_;
  ReferenceWork work_;
};

}  // namespace hone::agent
