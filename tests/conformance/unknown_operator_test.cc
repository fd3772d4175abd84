// The operator that hone does not ship, compiled for all targets and run without a browser.
#include <gtest/gtest.h>

#include "base/cat.h"
#include "base/rng.h"
#include "codegen/compile.h"
#include "codegen/emit/glsl/emit_glsl.h"
#include "codegen/emit/llvm/native_jit.h"
#include "codegen/emit/opencl/emit_opencl.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "tests/conformance/cl_run.h"
#include "tests/conformance/gl_run.h"
#include "tests/conformance/guarded_run.h"
#include "tests/conformance/unknown_operator.h"
#include "tuner/space/space.h"

namespace hone::conformance {
namespace {

constexpr struct { int64_t m, n, k; } kShapes[] = {{16, 32, 24}, {7, 9, 13}, {1, 64, 40}};
constexpr int kSamples = 12;

std::vector<schedule::Trace> traces_of(const te::Task& task, const target::Target& target) {
  const auto space = tuner::Space::derive(task, target);
  EXPECT_TRUE(space.ok());
  std::vector<schedule::Trace> out = space->seeds();
  out.push_back(baseline_trace(task, target).value());
  Rng rng(11);
  for (int i = 0; i < kSamples; i++)
    if (auto trace = space->trace(space->sample(rng)); trace.ok()) out.push_back(std::move(*trace));
  return out;
}

const target::Target kTargets[] = {target::webgpu_default(),     target::webgl_default(),  target::wasm_default(),
                                   target::native_target(8, 16), target::opengl_default(), target::opencl_default()};

// Given the definition alone, when the yardstick, the experts' schedules and samples of the space are made for all six targets, then each
// becomes a kernel, and the interpreter finds in it what the definition says.
TEST(UnknownOperator, HasKernelsOnEveryTarget) {
  for (const auto& [m, n, k] : kShapes) {
    const te::Task task = distance_task(m, n, k);
    const Oracle oracle(task);
    for (const target::Target& target : kTargets) {
      SCOPED_TRACE(cat(target::kind_name(target.kind), " ", m, "x", n, "x", k));
      const std::vector<schedule::Trace> traces = traces_of(task, target);
      EXPECT_GE(traces.size(), 4u);
      for (const schedule::Trace& trace : traces) {
        const auto kernel = lower::lower_kernel(task, trace, target, {});
        if (!kernel.ok() && kernel.error().code == ErrorCode::kLimitExceeded) continue;
        ASSERT_TRUE(kernel.ok()) << kernel.error().message;
        EXPECT_EQ(difference(task, oracle, *kernel), "") << trace.sketch;
        const auto source = compile_kernel(task, trace, target);
        EXPECT_TRUE(source.ok()) << trace.sketch << ": " << source.error().message;
      }
    }
  }
}

// Given the same, when its kernels run on this machine's processor, by OpenGL and by OpenCL, then the results are right.
TEST(UnknownOperator, RunsOnDevices) {
  auto gl = agent::GlDevice::open();
  ASSERT_TRUE(gl.ok()) << gl.error().message;
  const auto cl = open_opencl();
  ASSERT_TRUE(cl.ok()) << cl.error().message;
  for (const auto& [m, n, k] : kShapes) {
    const te::Task task = distance_task(m, n, k);
    const TaskValues values(task);
    for (const schedule::Trace& trace : traces_of(task, emit::host_target())) {
      const auto kernel = lower::lower_kernel(task, trace, emit::host_target(), {});
      ASSERT_TRUE(kernel.ok()) << kernel.error().message;
      const auto native = emit::NativeKernel::create(*kernel);
      ASSERT_TRUE(native.ok()) << native.error().message;
      EXPECT_EQ(run_guarded(**native, stored_args(values, *kernel), 2, values.tolerance), "") << trace.sketch;
    }
    for (const schedule::Trace& trace : traces_of(task, (*gl)->target())) {
      const auto kernel = lower::lower_kernel(task, trace, (*gl)->target(), {});
      ASSERT_TRUE(kernel.ok()) << kernel.error().message;
      const auto source = emit::emit_glsl(*kernel, (*gl)->target());
      ASSERT_TRUE(source.ok()) << source.error().message;
      EXPECT_EQ(run_on_gl(**gl, *source, kernel->arg_layouts, values, 2), "") << trace.sketch;
    }
    for (const schedule::Trace& trace : traces_of(task, cl->device->target())) {
      const auto kernel = lower::lower_kernel(task, trace, cl->device->target(), {});
      ASSERT_TRUE(kernel.ok()) << kernel.error().message;
      const auto source = emit::emit_opencl(*kernel);
      ASSERT_TRUE(source.ok()) << source.error().message;
      EXPECT_EQ(run_on_cl(*cl->device, *source, kernel->arg_layouts, values, 2), "") << trace.sketch;
    }
  }
}

}  // namespace
}  // namespace hone::conformance
