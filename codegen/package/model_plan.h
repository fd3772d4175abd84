// ModelPlan: all that a device needs to run a model: buffers, kernels, launches in order, constants ready to upload. The content of an
// `execute` frame, and of a package's manifest.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/emit/kernel_source.h"
#include "codegen/graph/placements.h"

namespace hone::package {

struct PlanKernel {
  std::string code;          // as in emit::LaunchSource
  std::vector<bool> writes;  // per binding
  ir::Dims threads{1, 1, 1};
  int64_t scratch_bytes = 0;  // that each call needs to itself
};

struct PlanTexture {
  ir::Texture texture;
  ir::DType stored = ir::DType::kF32;  // f32, i32, u32 or f16
};

struct PlanLaunch {
  int kernel = 0;
  ir::Dims grid{1, 1, 1};
  std::vector<int> buffers;            // per binding, into ModelPlan::buffers; one that it writes is bound once
  std::vector<int64_t> binding_bytes;  // what the kernel declares; a multiple of 16
  int step = 0;                        // into ModelPlan::steps
  bool ahead = false;  // as in emit::LaunchSource: in the first run alone; nobody else writes what it does
};

// Launches that run again and again: the host asks before each trip whether the first word of the buffer `condition` is not 0; where there is none, `trips` run.
struct PlanLoop {
  int first = 0, last = 0;  // the launches [first, last), at least one
  std::optional<int> condition;
  int64_t trips = 0;
};

// A value of the model as it lies in a buffer.
struct PlanTensor {
  graph::ValueId value = graph::kNoValue;
  ir::DType stored = ir::DType::kF32;  // of constants also f16
  ir::Layout layout;
  int buffer = 0;
  int64_t bytes = 0;  // that hold elements; the buffer may be larger
};

struct PlanStep {
  std::string name;  // of its task, for people
  Hash task;
  double flops = 0;
};

struct PlanMemory {
  int64_t port_bytes = 0;  // inputs
  int64_t constant_bytes = 0;
  int64_t pool_bytes = 0;      // everything that is computed, after sharing
  int64_t pool_bytes_min = 0;  // no sharing needs less
  int64_t pool_bytes_unshared = 0;
};

struct ModelPlan {
  std::vector<int64_t> buffers;       // bytes, multiples of 16
  std::vector<PlanTexture> textures;  // per buffer, where kernels read textures; else empty
  std::vector<PlanKernel> kernels;
  std::vector<PlanLaunch> launches;
  std::vector<PlanLoop> loops;         // as graph::ModelSteps::loops
  std::vector<PlanTensor> constants;   // packed by constant_bytes
  std::vector<PlanTensor> inputs;      // what is uploaded before a run; packed by pack_inputs
  std::vector<PlanTensor> outputs;     // the graph's outputs, in order; several may show one buffer
  std::vector<graph::Step> on_upload;  // computed by the host from the graph's inputs; none with Boundary::kPorts
  std::set<std::string> needs;         // emit::KernelSource::needs of all kernels
  std::vector<PlanStep> steps;
  std::vector<graph::Placement> placements;  // by node of the model, whose steps are those above; empty: not known
  PlanMemory memory;
};

// Where the zeros come from that hone adds to a graph input for its own use, such as an image's fourth channel: the host computes the larger
// tensor before it is sent, or the input's own layout has place for them.
enum class Boundary : uint8_t { kHost, kPorts };

// The kernel of a task; called once per distinct task.
using KernelOf = std::function<Result<emit::KernelSource>(const te::Task&)>;
// Needs: prepare_graph. Fails: as steps_of and kernel_of (with the task's name); unsupported where a constant's contents are not known or
// an element type has no place on a device; cancelled.
Result<ModelPlan> plan_model(const graph::Graph& graph, const KernelOf& kernel_of, const CancelToken* cancel = nullptr,
                             Boundary boundary = Boundary::kHost);

// The bytes of plan.constants[i].
std::string constant_bytes(const graph::Graph& graph, const PlanTensor& constant);
// The bytes of each of plan.inputs, for the graph's inputs in the model's types. Fails: invalid_argument for an input that is missing or
// has another shape, limit_exceeded for a whole number that does not fit 32 bits.
using Tensors = std::map<graph::ValueId, graph::ConstantTensor>;
Result<std::vector<std::string>> pack_inputs(const graph::Graph& graph, const ModelPlan& plan, const Tensors& inputs);
// An output in the model's type and shape, from what its buffer holds.
graph::ConstantTensor unpack_output(const graph::Graph& graph, const PlanTensor& output, std::string_view physical);

}  // namespace hone::package
