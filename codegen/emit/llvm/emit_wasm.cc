#include "codegen/emit/llvm/emit_wasm.h"

#include <unordered_map>

#include "base/cat.h"
#include "codegen/emit/llvm/launch_emitter.h"
#include "codegen/emit/llvm/raise_cpu.h"
#include "codegen/emit/llvm/wasm_link.h"
#include "codegen/emit/llvm/wasm_object.h"
#include "codegen/ir/mutator.h"

namespace hone::emit {
namespace {

using ir::Buffer;

constexpr int64_t kBindingAlignment = 16;

int64_t bytes_of(Buffer b) {
  const int64_t bytes = ir::element_count(b->shape) * b->lanes * ir::size_bytes(b->dtype);
  return (bytes + kBindingAlignment - 1) / kBindingAlignment * kBindingAlignment;
}

struct Bound {
  std::vector<Binding> bindings;
  std::vector<Buffer> buffers;
};

// The arguments and temporaries that the launch touches.
Bound bind(const ir::Kernel& kernel, const ir::Launch& launch) {
  std::unordered_map<Buffer, bool> written;
  const auto load = [&](ir::Expr e) {
    if (e->kind == ir::ExprKind::kLoad) written.try_emplace(e->buffer, false);
  };
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    for (ir::Expr i : s->indices) ir::for_each_node(i, load);
    ir::for_each_node(s->value, load);
    ir::for_each_node(s->mask, load);
    if (s->kind == ir::StmtKind::kStore || s->kind == ir::StmtKind::kAtomic) written[s->buffer] = true;
  });
  Bound out;
  const auto add = [&](const std::vector<Buffer>& list, Binding::Kind kind) {
    for (size_t i = 0; i < list.size(); ++i) {
      const auto found = written.find(list[i]);
      if (found == written.end()) continue;
      const Buffer b = list[i];
      out.bindings.push_back(
          {kind, static_cast<int>(i), found->second, ir::type_name({b->dtype, b->lanes}), bytes_of(b)});
      out.buffers.push_back(b);
    }
  };
  add(kernel.args, Binding::Kind::kArg);
  add(kernel.temps, Binding::Kind::kTemp);
  return out;
}

Result<LaunchSource> emit(const ir::Kernel& kernel, const ir::Launch& launch, const target::Target& target) {
  HONE_TRY(check_cpu_launch(launch));
  Bound bound = bind(kernel, launch);
  HONE_ASSIGN(object, wasm_code(kernel, launch, bound.buffers, target, WasmForm::kObject));
  WasmLinkOptions options;
  options.exports = {{kWasmEntry, "main"}};
  options.shared_memory = target.has_threads;
  HONE_ASSIGN(module, wasm_link(object.bytes, options));
  LaunchSource source;
  source.code = std::move(module);
  source.grid = launch.grid;
  source.bindings = std::move(bound.bindings);
  source.scratch_bytes = object.scratch_bytes;
  return source;
}

}  // namespace

Result<KernelSource> emit_wasm(const ir::Kernel& kernel, const target::Target& target) {
  HONE_ASSIGN(raised, raise_cpu(kernel));
  KernelSource out;
  for (const ir::Launch& launch : raised.launches) {
    HONE_ASSIGN(source, emit(raised, launch, target));
    out.launches.push_back(std::move(source));
  }
  for (Buffer b : raised.temps) out.temps.push_back({bytes_of(b)});
  if (target.has_relaxed_simd) out.needs.push_back("relaxed-simd");
  if (target.has_threads) out.needs.push_back("shared-memory");
  out.hash = hash_source(out);
  return out;
}

Result<std::string> wasm_assembly(const ir::Kernel& kernel, const target::Target& target) {
  HONE_ASSIGN(raised, raise_cpu(kernel));
  std::string out;
  for (const ir::Launch& launch : raised.launches) {
    HONE_TRY(check_cpu_launch(launch));
    HONE_ASSIGN(code, wasm_code(raised, launch, bind(raised, launch).buffers, target, WasmForm::kAssembly));
    out += code.bytes;
  }
  return out;
}

}  // namespace hone::emit
