#include "tests/kernel_mutants/mutant_pool.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "base/cat.h"
#include "base/rng.h"
#include "base/value_range.h"
#include "browser-agent/runtime/tensor_check.h"
#include "codegen/compile.h"
#include "codegen/emit/llvm/reference.h"
#include "codegen/ir/interpreter.h"
#include "codegen/ir/numeric.h"
#include "codegen/ir/printer.h"
#include "codegen/lower/passes.h"
#include "codegen/lower/pipeline.h"
#include "tuner/space/space.h"

namespace hone::kernel_mutants {
namespace {

constexpr int kTracesPerCase = 3;
constexpr int64_t kStepsMax = 2'000'000;    // of an interpretation
constexpr uint64_t kOtherInputs = 0x5eed;   // seeds beside the check's own

// A task's kernel, and what tells its mutants from it.
struct Base {
  size_t of_case;
  schedule::Trace trace;
  ir::Kernel kernel;
  std::vector<ValueRange> ranges;
  double tolerance;
  std::vector<std::vector<ir::TensorValue>> inputs, outputs;  // per set of inputs
};

ir::TensorValue argument(ir::Buffer buffer, te::Tensor tensor, ValueRange range, uint64_t seed) {
  ir::TensorValue value = ir::make_tensor(buffer->dtype, tensor->shape);
  for (size_t i = 0; i < value.real.size(); i++) value.real[i] = ir::round_to(buffer->dtype, real_at(range, seed, i));
  for (size_t i = 0; i < value.whole.size(); i++) value.whole[i] = whole_at(range, seed, i);
  return value;
}

Result<std::vector<ir::TensorValue>> computed(const te::Task& task, const ir::Kernel& kernel, const std::vector<ir::TensorValue>& inputs) {
  std::vector<ir::TensorValue> args;
  for (const ir::TensorValue& value : inputs) args.push_back(ir::to_physical(value, kernel.arg_layouts[args.size()]));
  for (te::Tensor t : task.program.outputs)
    args.push_back(ir::to_physical(ir::make_tensor(t->dtype, t->shape), kernel.arg_layouts[args.size()]));
  HONE_TRY(ir::interpret(kernel, args, {.steps_max = kStepsMax, .nearest_any = true}));
  std::vector<ir::TensorValue> outputs;
  for (size_t o = 0; o < task.program.outputs.size(); o++) {
    const size_t at = inputs.size() + o;
    outputs.push_back(ir::from_physical(args[at], task.program.outputs[o]->shape, kernel.arg_layouts[at]));
  }
  return outputs;
}

std::vector<uint32_t> words(const ir::TensorValue& value) {
  std::vector<uint32_t> out;
  for (double v : value.real) out.push_back(std::bit_cast<uint32_t>(static_cast<float>(v)));
  for (int64_t v : value.whole) out.push_back(static_cast<uint32_t>(v));
  return out;
}

runtime::Magnitudes magnitudes_of(const ir::TensorValue& value) {
  std::vector<double> sizes;
  for (double v : value.real)
    if (std::isfinite(v) && v != 0) sizes.push_back(std::fabs(v));
  std::sort(sizes.begin(), sizes.end());
  return sizes.empty() ? runtime::Magnitudes{} : runtime::Magnitudes{sizes.back(), sizes[sizes.size() / 2]};
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// In tolerances.
double error_of(double tolerance, const ir::TensorValue& right, const ir::TensorValue& found) {
  if (right.size() == 0) return 0;
  const runtime::TensorView view{{static_cast<int>(right.size())}, {}};
  const auto element = ir::is_float(right.dtype) ? runtime::Element::kF32 : runtime::Element::kI32;
  const auto c = runtime::compare(view, element, words(found).data(), words(right).data(), magnitudes_of(right), false);
  return c.unwritten > 0 ? kInfinite : c.max_error / tolerance;
}

// Undefined is what compilers may take for anything, for the right value, too.
bool is_undefined(const Error& error) { return error.message.find("never written") != std::string::npos; }

double error_of(const te::Task& task, const Base& base, const ir::Kernel& kernel) {
  double worst = 0;
  for (size_t set = 0; set < base.inputs.size(); set++) {
    const auto outputs = computed(task, kernel, base.inputs[set]);
    if (!outputs.ok()) return is_undefined(outputs.error()) ? 0 : kInfinite;
    for (size_t o = 0; o < outputs->size(); o++) worst = std::max(worst, error_of(base.tolerance, base.outputs[set][o], (*outputs)[o]));
  }
  return worst;
}

// False where the interpreter finds the kernel too long.
bool run_base(const te::Task& task, Base& base) {
  for (uint64_t set = 0; set < 2; set++) {
    std::vector<ir::TensorValue> inputs;
    for (size_t i = 0; i < task.program.inputs.size(); i++)
      inputs.push_back(argument(base.kernel.args[i], task.program.inputs[i], base.ranges[i], hash_mix(kOtherInputs + set, i)));
    auto outputs = computed(task, base.kernel, inputs);
    if (!outputs.ok()) {
      CHECK(outputs.error().code == ErrorCode::kLimitExceeded, cat(task.name, ": ", outputs.error().message));
      return false;
    }
    base.inputs.push_back(std::move(inputs));
    base.outputs.push_back(std::move(*outputs));
  }
  return true;
}

std::vector<schedule::Trace> traces_of(const te::Task& task, const target::Target& target, Rng& rng) {
  const auto space = tuner::Space::derive(task, target);
  std::vector<schedule::Trace> out;
  if (!space.ok()) return out;
  std::vector<schedule::Trace> seeds = space->seeds();
  if (!seeds.empty()) out.push_back(seeds[rng.below(seeds.size())]);
  for (int i = 0; i < 8 && out.size() < kTracesPerCase; i++)
    if (auto trace = space->trace(space->sample(rng)); trace.ok()) out.push_back(std::move(*trace));
  return out;
}

bool uses_halves(const ir::Kernel& kernel) {
  bool found = false;
  for (const auto* list : {&kernel.args, &kernel.temps})
    for (ir::Buffer b : *list) found = found || b->dtype == ir::DType::kF16;
  for (const ir::Launch& launch : kernel.launches)
    ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
      found = found || (s->buffer && s->buffer->dtype == ir::DType::kF16);
      ir::for_each_node(s->value, [&](ir::Expr e) { found = found || e->type.dtype == ir::DType::kF16; });
    });
  return found;
}

std::vector<Base> bases_of(const std::vector<Case>& cases, const std::string& type, const target::Target& target, Rng& rng) {
  std::vector<Base> out;
  for (size_t c = 0; c < cases.size(); c++) {
    if (cases[c].type != type) continue;
    const auto reference = emit::reference_outputs(cases[c].task, emit::task_seed(cases[c].task));
    CHECK(reference.ok(), cat(cases[c].task.name, ": ", reference.error().message));
    for (schedule::Trace& trace : traces_of(cases[c].task, target, rng)) {
      auto kernel = lower::lower_kernel(cases[c].task, trace, target);
      if (!kernel.ok() || (type == "f16" && !uses_halves(*kernel))) continue;
      Base base{c, std::move(trace), std::move(*kernel), reference->ranges, reference->tolerance, {}, {}};
      if (run_base(cases[c].task, base)) out.push_back(std::move(base));
    }
  }
  return out;
}

// Is its text another than those seen? A search measures each text once; what cannot be printed is refused by the compiler.
bool is_new(const te::Task& task, const ir::Kernel& kernel, const target::Target& target, std::set<Hash>& seen) {
  const auto source = kernel_source(task, kernel, target);
  return source.ok() && seen.insert(source->hash).second;
}

// What may be drawn, by kind: places in the list of bases, and sites; in random order.
using Drawable = std::vector<std::pair<size_t, Site>>;
std::array<Drawable, kKinds> drawable(const std::vector<Base>& bases, Rng& rng) {
  std::array<Drawable, kKinds> out;
  for (size_t b = 0; b < bases.size(); b++)
    for (const Site& site : sites_of(bases[b].kernel)) out[static_cast<size_t>(site.kind)].emplace_back(b, site);
  for (Drawable& list : out)
    for (size_t i = list.size(); i > 1; i--) std::swap(list[i - 1], list[rng.below(i)]);
  return out;
}

void draw_type(const std::vector<Case>& cases, const std::string& type, const target::Target& target, size_t count, Rng& rng, Pool& pool) {
  const std::vector<Base> bases = bases_of(cases, type, target, rng);
  std::array<Drawable, kKinds> left = drawable(bases, rng);
  std::set<Hash> seen;
  for (const Base& base : bases) (void)is_new(cases[base.of_case].task, base.kernel, target, seen);
  const size_t wanted = pool.mutants.size() + count;
  const auto some_left = [&] { return std::any_of(left.begin(), left.end(), [](const Drawable& d) { return !d.empty(); }); };
  while (pool.mutants.size() < wanted && some_left())
    for (Drawable& list : left) {
      if (list.empty() || pool.mutants.size() >= wanted) continue;
      const auto [b, site] = list.back();
      list.pop_back();
      const Base& base = bases[b];
      Mutant mutant{type, site.kind, base.of_case, base.trace, mutated(base.kernel, site)};
      mutant.error = error_of(cases[base.of_case].task, base, mutant.kernel);
      if (mutant.error <= 1) {
        pool.equivalent++;
        continue;
      }
      if (site.from) mutant.change = cat(ir::print(site.from), " -> ", ir::print(site.to));
      mutant.is_refused = !lower::verify_for(mutant.kernel, target).ok();
      if (!mutant.is_refused && !is_new(cases[base.of_case].task, mutant.kernel, target, seen)) continue;
      pool.mutants.push_back(std::move(mutant));
    }
}

}  // namespace

Pool draw_mutants(const std::vector<Case>& cases, const target::Target& target, int count, uint64_t seed) {
  Pool pool;
  Rng rng(seed);
  std::vector<std::string> types;
  for (const Case& one : cases)
    if (types.empty() || types.back() != one.type) types.push_back(one.type);
  for (const std::string& type : types) draw_type(cases, type, target, static_cast<size_t>(count), rng, pool);
  return pool;
}

}  // namespace hone::kernel_mutants
