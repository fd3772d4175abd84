// Target: what a device can do, as data. The connected device's own limits fill it; nothing is generated for a "typical" device.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ir/layout.h"
#include "codegen/ir/type.h"

namespace hone::target {

enum class Kind : uint8_t { kWebGpu, kWebGl, kWasm, kNative, kOpenGl, kOpenCl };
std::string kind_name(Kind kind);  // "webgpu", …
std::optional<Kind> parse_kind(std::string_view name);
std::vector<std::string> kind_names();                    // of all
std::string list_of_kinds(std::string_view conjunction);  // "webgpu, … opengl or opencl" of "or"
bool on_cores(Kind kind);    // one thread to a core, no workgroups: parallel loops have the place `core`
bool runs_ahead(Kind kind);  // agents run launches whose results follow from constants once, not each time
bool on_textures(
    Kind
        kind);  // tensors lie in textures of 4 numbers a texel; parallel loops have the places texel.x, texel.y and target

struct Limits {
  int64_t invocations_max = 256;  // threads per workgroup
  int64_t workgroup_size_x_max = 256, workgroup_size_y_max = 256, workgroup_size_z_max = 64;
  int64_t workgroup_bytes_max = 16384;
  int64_t storage_buffers_max = 8;  // bindings per launch
  int64_t grid_dim_max = 65535;
  int64_t binding_bytes_max = 128ll << 20;
  int64_t render_targets_max = 8;   // outputs per fragment
  int64_t texture_size_max = 2048;  // texels along x and y
  int64_t texture_layers_max = 256;
  int64_t unrolled_nodes_max = 4000;  // code budget, statements after unrolling
  int64_t live_vectors_max = 48;      // register budget, vectors of 4 lanes
};

struct Target {
  Kind kind = Kind::kWebGpu;
  Limits limits;
  std::vector<int> lanes{1, 2, 4};  // legal vector widths
  bool has_workgroup_memory = true;
  bool has_f16 = false;
  bool has_packed_products = false;  // sums of four products of 8-bit numbers, packed in two words, as one operation
  // Threads of a subgroup whose lanes are consecutive invocations; a power of 2. 0: the device has no subgroups, or not of one size, or in
  // another order.
  int64_t subgroup_size = 0;
  // Where subgroups differ in size, those that a kernel may ask for, ascending; powers of 2, with lanes as above. Else empty.
  std::vector<int64_t> subgroup_sizes;
  bool has_relaxed_simd = false;  // WebAssembly: multiply-add with one or two roundings
  bool has_threads = false;       // WebAssembly: shared memory, so that several workers run one launch
  // What one launch more costs a run of a model, whatever it computes: the browser's checks, the driver, the gap on the device. Kernels of several
  // launches must earn it.
  double launch_us = 0;
  // Registers of 32 bits that a GPU's thread may have before they spill. 128: 65,536 a core, as NVIDIA, AMD and Apple have, for 512 threads.
  int64_t registers_max = 128;
  int64_t l1_bytes = 32 << 10;  // of a GPU's core; where nothing is known, between those of phones and of desktops (gpu_class.cc)
  double arithmetic_gflops = 0;  // of multiplications and additions alone, as measured; 0: it was not
};

// Of a device that has not been measured: 24–36 µs on Vulkan, 32–71 µs on Metal (arXiv 2604.02344, WebGPU dispatches); for
// draws of WebGL it stands in for want of a figure.
inline constexpr double kLaunchUs = 50;

// Outputs per fragment that models' layouts use at most, and what nearly every device has that runs kernels on textures; some phones have no more
// than what WebGL 2 guarantees.
inline constexpr int64_t kRenderTargets = 8, kRenderTargetsMin = 4;

// Element types of the buffers that kernels of this kind read and write.
std::vector<ir::DType> stored_types(Kind kind);
ir::Medium stored_in(Kind kind);  // buffers or textures

// What a device has, among its features, that takes kernels which ask for subgroups of so many threads.
std::string subgroup_feature(int64_t threads);

Target webgpu_default();  // the limits that every WebGPU adapter guarantees
Target webgl_default();   // what every WebGL 2 context has, with kRenderTargets render targets: textures of 2048²
Target wasm_default();    // SIMD128, one core
// A CPU whose vectors have at most `lanes` f32 (a power of 2, at least 4), of whose vector registers two are left to operands.
Target native_target(int lanes, int vector_registers);
Target opengl_default();  // the same kernels through EGL
// Workgroups of OpenCL 1.2, with what desktop and mobile drivers give. lanes: the vectors of f32 that the device likes best; from 8 on they are
// its widest, below there are vectors of 4 all the same.
Target opencl_target(int64_t lanes);
Target opencl_default();  // with vectors of 4 at most
// What every device of the kind has.
Target default_target(Kind kind);

}  // namespace hone::target
