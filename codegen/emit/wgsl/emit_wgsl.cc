#include "codegen/emit/wgsl/emit_wgsl.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/cat.h"
#include "codegen/emit/c_like/global_buffers.h"
#include "codegen/emit/c_like/printer.h"
#include "codegen/emit/wgsl/raise.h"
#include "codegen/emit/wgsl/reserved_words.h"
#include "codegen/ir/mutator.h"
#include "codegen/target/target.h"

namespace hone::emit {

using ir::Buffer;
using ir::DType;
using ir::Expr;
using ir::ExprKind;

namespace {

std::string scalar_type(DType d) {
  switch (d) {
    case DType::kBool:
      return "bool";
    case DType::kF16:
      return "f16";
    case DType::kI8:
    case DType::kI16:
    case DType::kI32:
    case DType::kI64:
      return "i32";
    case DType::kU8:
    case DType::kU16:
    case DType::kU32:
    case DType::kU64:
    case DType::kIndex:
      return "u32";
    default:
      return "f32";
  }
}

// WGSL has no literals of these, and refuses constants that would be one; what a function makes of its argument is none.
constexpr const char* kFromBits = "fn from_bits(bits: u32) -> f32 { return bitcast<f32>(bits); }";
bool is_unwritable(Expr e) { return ir::is_const(e) && ir::is_float(e->type.dtype) && !std::isfinite(e->fval); }
std::string from_bits(double v) {
  return std::isnan(v) ? "from_bits(0x7fc00000u)" : v < 0 ? "from_bits(0xff800000u)" : "from_bits(0x7f800000u)";
}

std::string half_literal(double v) {
  if (!std::isfinite(v)) return cat("f16(", from_bits(v), ")");
  char text[40];
  std::snprintf(text, sizeof text, "%.5gh", v);
  return text;
}

std::string float_literal(double v) {
  if (!std::isfinite(v)) return from_bits(v);
  // Nine digits would round the largest number up beyond f32, which is an error.
  if (std::fabs(v) > 3.402823e38) return v < 0 ? "-0x1.fffffep+127f" : "0x1.fffffep+127f";
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", v);
  return cat(text, "f");
}

class WgslPrinter final : public CLikePrinter {
 public:
  std::string module(const ir::Launch& launch, const std::vector<GlobalBuffer>& buffers);

 protected:
  std::string type(ir::Type t) override {
    return t.lanes == 1 ? scalar_type(t.dtype) : cat("vec", t.lanes, "<", scalar_type(t.dtype), ">");
  }
  std::string literal(Expr c) override {
    if (c->type.dtype == DType::kF16) return half_literal(c->fval);
    if (ir::is_float(c->type.dtype)) return float_literal(c->fval);
    if (c->type.dtype == DType::kBool) return c->ival ? "true" : "false";
    if (scalar_type(c->type.dtype) == "i32") return c->ival == INT32_MIN ? "(-2147483647i - 1i)" : cat(c->ival, "i");
    return cat(static_cast<uint32_t>(c->ival), "u");
  }
  std::string call(ir::Intrinsic intrinsic, const std::vector<std::string>& args) override {
    std::string name(intrinsic == ir::Intrinsic::kRsqrt ? "inverseSqrt" : ir::intrinsic_name(intrinsic));
    std::string out = name + "(";
    for (size_t i = 0; i < args.size(); i++) out += (i ? ", " : "") + args[i];
    return out + ")";
  }
  std::string exchange(Expr e) override {
    const std::string value = expr(e->args[0]);
    if (e->intrinsic == ir::Intrinsic::kLaneXor) return cat("subgroupShuffleXor(", value, ", ", e->id_difference(), "u)");
    const bool one_for_all = ir::is_const(e->args[1]);
    return cat(one_for_all ? "subgroupBroadcast(" : "subgroupShuffle(", value, ", ", expr(e->args[1]), ")");
  }
  // An index is a u32, and a conversion between that and i32 keeps the bits.
  std::string bitcast(Expr e) override {
    const DType from = e->args[0]->type.dtype, to = e->type.dtype;
    const bool of_index = (from == DType::kIndex && to == DType::kI32) || (from == DType::kI32 && to == DType::kIndex);
    return of_index ? cast(e) : CLikePrinter::bitcast(e);
  }
  std::string select(Expr e) override {
    return cat("select(", expr(e->args[2]), ", ", expr(e->args[1]), ", ", expr(e->args[0]), ")");
  }
  std::string compare(Expr e) override {
    const char* op = e->kind == ExprKind::kEq ? "==" : e->kind == ExprKind::kLt ? "<" : "<=";
    return cat("(", expr(e->args[0]), " ", op, " ", expr(e->args[1]), ")");
  }
  std::string declare_variable(Buffer b) override {
    std::string element = type({b->dtype, b->lanes});
    return b->shape[0] == 1 ? cat("var ", name_of(b), ": ", element, ";")
                            : cat("var ", name_of(b), ": array<", element, ", ", b->shape[0], ">;");
  }
  std::string declare_let(ir::Var var, const std::string& value) override {
    return cat("let ", name_of(var), " = ", value, ";");
  }
  std::string loop_head(const std::string& var, int64_t extent) override {
    return cat("for (var ", var, " = 0u; ", var, " < ", extent, "u; ", var, "++)");
  }
  std::string barrier() override { return "workgroupBarrier();"; }
  std::string packed_product(ir::Type type, const std::vector<std::string>& words) override {
    return cat(ir::is_unsigned(type.dtype) ? "dot4U8Packed(" : "dot4I8Packed(", words[0], ", ", words[1], ")");
  }
  // Counts are u32, and as many as numbers.
  std::string shift(Expr e, const char* op) override {
    const ir::Type counts{DType::kU32, e->type.lanes};
    const std::string count = expr(e->args[1]);
    return cat("(", expr(e->args[0]), " ", op, " ",
               e->args[1]->type == counts ? count : cat(type(counts), "(", count, ")"), ")");
  }
  bool reserved(std::string_view name) override { return is_reserved_in_wgsl(name); }
};

bool holds(const ir::Launch& launch, bool (*is_wanted)(Expr)) {
  bool found = false;
  ir::for_each_stmt(launch.body,
                    [&](ir::Stmt s) { ir::for_each_node(s->value, [&](Expr e) { found |= is_wanted(e); }); });
  return found;
}

bool is_packed_product(Expr e) { return e->kind == ExprKind::kCall && e->intrinsic == ir::Intrinsic::kDot4; }
bool exchanges(const ir::Launch& launch) { return holds(launch, ir::is_exchange); }
// For subgroups of a size. WGSL wants whole ones along x, so threads then lie along x alone, in the order of their numbers, which is that of the lanes.
bool asks(const ir::Launch& launch) { return launch.subgroup_size > 0 && exchanges(launch); }
bool writes_bits(const ir::Launch& launch) { return holds(launch, is_unwritable); }
bool packs(const ir::Launch& launch) { return holds(launch, is_packed_product); }

bool is_half(Buffer b) { return b && b->dtype == DType::kF16; }

bool uses_half(const ir::Launch& launch) {
  bool found = false;
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    found |= is_half(s->buffer);
    ir::for_each_node(s->value, [&](Expr e) { found |= is_half(e->buffer) || e->type.dtype == DType::kF16; });
  });
  return found;
}

int64_t threads_of(const ir::Launch& launch) { return launch.threads[0] * launch.threads[1] * launch.threads[2]; }

std::string workgroup_of(const ir::Launch& launch) {
  if (asks(launch)) return cat("@workgroup_size(", threads_of(launch), ") @subgroup_size(", launch.subgroup_size, ")");
  return cat("@workgroup_size(", launch.threads[0], ", ", launch.threads[1], ", ", launch.threads[2], ")");
}

std::string thread_id(const ir::Launch& launch, int d) {
  if (!asks(launch)) return cat("lid.", "xyz"[d]);
  const int64_t below = d == 0 ? 1 : d == 1 ? launch.threads[0] : launch.threads[0] * launch.threads[1];
  const std::string shifted = below == 1 ? "lix" : cat("lix / ", below, "u");
  if (below * launch.threads[d] == threads_of(launch)) return shifted;
  return cat(below == 1 ? shifted : cat("(", shifted, ")"), " % ", launch.threads[d], "u");
}

std::string WgslPrinter::module(const ir::Launch& launch, const std::vector<GlobalBuffer>& buffers) {
  if (uses_half(launch)) line(0, "enable f16;");
  if (exchanges(launch)) line(0, "enable subgroups;");
  if (asks(launch)) line(0, "enable subgroup_size_control;");
  if (packs(launch)) line(0, "requires packed_4x8_integer_dot_product;");
  int position = 0;
  for (const auto& [b, binding] : buffers)
    line(0, cat("@group(0) @binding(", position++, ") var<storage, ", binding.writes ? "read_write" : "read", "> ",
                name_of(b), ": array<", type({b->dtype, b->lanes}), ", ", elements_bound(b), ">;"));
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    if (s->kind == ir::StmtKind::kAlloc && s->buffer->scope == ir::Scope::kWorkgroup)
      line(0, cat("var<workgroup> ", name_of(s->buffer), ": array<", type({s->buffer->dtype, s->buffer->lanes}), ", ",
                  s->buffer->shape[0], ">;"));
  });
  if (writes_bits(launch)) line(0, kFromBits);
  line(0, cat("@compute ", workgroup_of(launch)));
  line(0,
       "fn main(@builtin(workgroup_id) wid: vec3<u32>, @builtin(local_invocation_id) lid: vec3<u32>, "
       "@builtin(local_invocation_index) lix: u32) {");
  for (int d = 0; d < 3; d++)
    if (launch.block_vars[d])
      line(1, cat("let ", name_of(launch.block_vars[d]), " = min(wid.", "xyz"[d], ", ", launch.grid[d] - 1, "u);"));
  for (int d = 0; d < 3; d++)
    if (launch.thread_vars[d]) line(1, cat("let ", name_of(launch.thread_vars[d]), " = ", thread_id(launch, d), ";"));
  if (launch.thread_linear) line(1, cat("let ", name_of(launch.thread_linear), " = lix;"));
  stmt(launch.body, 1);
  line(0, "}");
  return std::move(out_);
}

int64_t bytes_of(Buffer b) {
  const int64_t scalars = elements_bound(b) * b->lanes;
  return is_half(b) ? (scalars * 2 + 15) / 16 * 16 : scalars * 4;
}

LaunchSource emit_launch(const ir::Kernel& kernel, const ir::Launch& launch) {
  LaunchSource source;
  source.grid = launch.grid;
  source.threads = launch.threads;
  const std::vector<GlobalBuffer> buffers = global_buffers(kernel, launch);
  for (const auto& [b, binding] : buffers) {
    source.bindings.push_back(binding);
    source.bindings.back().element =
        b->lanes == 1 ? scalar_type(b->dtype) : cat("vec", b->lanes, "<", scalar_type(b->dtype), ">");
    source.bindings.back().bytes = bytes_of(b);
  }
  source.code = WgslPrinter().module(launch, buffers);
  return source;
}

}  // namespace

Result<KernelSource> emit_wgsl(const ir::Kernel& kernel) {
  HONE_ASSIGN(raised, raise_wgsl(kernel));
  KernelSource out;
  for (const ir::Launch& launch : raised.launches) out.launches.push_back(emit_launch(raised, launch));
  if (std::any_of(raised.launches.begin(), raised.launches.end(), uses_half)) out.needs.push_back("shader-f16");
  if (std::any_of(raised.launches.begin(), raised.launches.end(), exchanges)) out.needs.push_back("subgroups");
  for (const ir::Launch& launch : raised.launches)
    if (asks(launch)) {
      out.needs.push_back("subgroup-size-control");
      out.needs.push_back(target::subgroup_feature(launch.subgroup_size));
      break;
    }
  if (std::any_of(raised.launches.begin(), raised.launches.end(), packs))
    out.needs.push_back("packed_4x8_integer_dot_product");
  for (Buffer b : raised.temps) out.temps.push_back({bytes_of(b)});
  out.hash = hash_source(out);
  return out;
}

}  // namespace hone::emit
