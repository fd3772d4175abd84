// One run of a kernel by OpenGL, without a browser.
#pragma once
#include <string>

#include "browser-agent/opengl/gl_device.h"
#include "tests/conformance/subject.h"

namespace hone::conformance {

// "" if the kernel's outputs are as expected. layouts: of the arguments. What nobody writes, and what lies in pads, is NaN.
std::string run_on_gl(agent::GlDevice& device, const emit::KernelSource& source, const std::vector<ir::Layout>& layouts, const TaskValues& values,
                      size_t input_count);

}  // namespace hone::conformance
