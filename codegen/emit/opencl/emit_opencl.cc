#include "codegen/emit/opencl/emit_opencl.h"

#include <cmath>
#include <cstdio>
#include <set>

#include "base/cat.h"
#include "base/check.h"
#include "codegen/emit/c_like/global_buffers.h"
#include "codegen/emit/c_like/printer.h"
#include "codegen/emit/opencl/raise.h"
#include "codegen/emit/opencl/reserved_words.h"
#include "codegen/ir/mutator.h"

namespace hone::emit {

using ir::Buffer;
using ir::DType;
using ir::Expr;
using ir::ExprKind;

namespace {

// A bool is an int: 1 for true, and in vectors −1, as comparisons of vectors are.
enum class ClKind { kBool, kInt, kUint, kFloat };

ClKind cl_kind(DType d) {
  if (d == DType::kBool) return ClKind::kBool;
  if (ir::is_float(d)) return ClKind::kFloat;
  return ir::is_unsigned(d) ? ClKind::kUint : ClKind::kInt;
}

std::string cl_type(ir::Type t) {
  static const char* const scalars[] = {"int", "int", "uint", "float"};
  const char* scalar = scalars[static_cast<size_t>(cl_kind(t.dtype))];
  return t.lanes == 1 ? scalar : cat(scalar, t.lanes);
}

std::string cl_float(double v) {
  if (std::isnan(v)) return "NAN";
  if (std::isinf(v)) return v > 0 ? "INFINITY" : "(-INFINITY)";
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", v);
  std::string out = text;
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return v < 0 || std::signbit(v) ? cat("(", out, "f)") : cat(out, "f");
}

int power_of(int64_t divisor) {
  int power = 0;
  while ((int64_t{1} << power) < divisor) power++;
  return (int64_t{1} << power) == divisor ? power : -1;
}

class OpenClPrinter final : public CLikePrinter {
 public:
  std::string program(const ir::Launch& launch, const std::vector<GlobalBuffer>& buffers);

 protected:
  std::string type(ir::Type t) override { return cl_type(t); }
  std::string literal(Expr c) override;
  std::string constructed(ir::Type t, const std::string& parts) override {
    const bool widens_truth = t.dtype == DType::kBool && t.lanes > 1;
    return cat(widens_truth ? "(-(" : "((", type(t), ")(", parts, "))");
  }
  std::string component(Expr vector, int lane) override {
    const std::string text = cat(expr(vector), ".s", "0123456789abcdef"[lane]);
    return vector->type.dtype == DType::kBool ? cat("(", text, " & 1)") : text;
  }
  std::string component(Expr vector, Expr lane) override;
  std::string arithmetic(Expr e, const char* op) override;
  std::string multiply_add(Expr e) override;
  std::string call(ir::Intrinsic intrinsic, const std::vector<std::string>& args) override;
  std::string select(Expr e) override {
    const std::string condition = expr(e->args[0]), yes = expr(e->args[1]), no = expr(e->args[2]);
    return e->args[0]->type.lanes == 1 ? cat("(", condition, " ? ", yes, " : ", no, ")")
                                       : cat("select(", no, ", ", yes, ", ", condition, ")");
  }
  std::string compare(Expr e) override {
    return binary(e, e->kind == ExprKind::kEq ? "==" : e->kind == ExprKind::kLt ? "<" : "<=");
  }
  std::string cast(Expr e) override;
  std::string bitcast(Expr e) override { return cat("as_", type(e->type), "(", expr(e->args[0]), ")"); }
  std::string quotient(Expr e, const char* op) override;
  std::string declare_variable(Buffer b) override {
    return cat(type({b->dtype, b->lanes}), " ", name_of(b), b->shape[0] == 1 ? "" : cat("[", b->shape[0], "]"), ";");
  }
  std::string declare_let(ir::Var var, const std::string& value) override {
    return cat("const ", type(var->type), " ", name_of(var), " = ", value, ";");
  }
  std::string loop_head(const std::string& var, int64_t extent) override {
    return cat("for (int ", var, " = 0; ", var, " < ", extent, "; ", var, "++)");
  }
  std::string barrier() override { return "barrier(CLK_LOCAL_MEM_FENCE);"; }
  bool reserved(std::string_view name) override { return is_reserved_in_opencl(name); }

 private:
  void declare_ids(const ir::Launch& launch);
  std::set<std::string> helpers_;  // functions that the program needs
};

std::string OpenClPrinter::literal(Expr c) {
  switch (cl_kind(c->type.dtype)) {
    case ClKind::kFloat:
      return cl_float(c->fval);
    case ClKind::kBool:
      return c->ival ? "1" : "0";
    case ClKind::kUint:
      return cat(static_cast<uint32_t>(c->ival), "u");
    case ClKind::kInt:
      break;
  }
  if (c->ival == INT32_MIN) return "(-2147483647 - 1)";
  return c->ival < 0 ? cat("(", c->ival, ")") : cat(c->ival);
}

// Vectors have no subscripts.
std::string OpenClPrinter::component(Expr vector, Expr lane) {
  const int lanes = vector->type.lanes;
  const std::string whole = type(vector->type), part = type(vector->type.scalar());
  std::string chosen = "v.s0";
  for (int i = 1; i < lanes; i++) chosen = cat("i == ", i, " ? v.s", "0123456789abcdef"[i], " : ", chosen);
  helpers_.insert(cat(part, " lane_of_", whole, "(", whole, " v, int i) { return ", chosen, "; }\n"));
  const std::string text = cat("lane_of_", whole, "(", expr(vector), ", ", expr(lane), ")");
  return vector->type.dtype == DType::kBool ? cat("(", text, " & 1)") : text;
}

// Signed numbers wrap as unsigned ones: C leaves their overflow undefined.
std::string OpenClPrinter::arithmetic(Expr e, const char* op) {
  if (e->type.dtype == DType::kIndex || cl_kind(e->type.dtype) != ClKind::kInt) return binary(e, op);
  const std::string bits = cat("as_", type({DType::kU32, e->type.lanes}));
  return cat("as_", type(e->type), "(", bits, "(", expr(e->args[0]), ") ", op, " ", bits, "(", expr(e->args[1]), "))");
}

// The compiler may contract here, and only here: one operation where the device has a fast one, two elsewhere. OpenCL's own mad may lose bits.
std::string OpenClPrinter::multiply_add(Expr e) {
  if (!ir::is_float(e->type.dtype)) return CLikePrinter::multiply_add(e);
  const std::string t = type(e->type);
  helpers_.insert(cat(t, " mul_add_", t, "(", t, " a, ", t, " b, ", t,
                      " c) {\n#pragma OPENCL FP_CONTRACT ON\n  return a * b + c;\n}\n"));
  return cat("mul_add_", t, "(", expr(e->args[0]), ", ", expr(e->args[1]), ", ", expr(e->args[2]), ")");
}

std::string OpenClPrinter::call(ir::Intrinsic intrinsic, const std::vector<std::string>& args) {
  std::string out(intrinsic == ir::Intrinsic::kRound ? "rint"
                  : intrinsic == ir::Intrinsic::kAbs ? "fabs"
                                                     : ir::intrinsic_name(intrinsic));
  for (size_t i = 0; i < args.size(); i++) out += (i ? ", " : "(") + args[i];
  return out + ")";
}

std::string OpenClPrinter::cast(Expr e) {
  const ir::Type source = e->args[0]->type;
  const ClKind from = cl_kind(source.dtype), to = cl_kind(e->type.dtype);
  const bool scalar = e->type.lanes == 1;
  const std::string value = expr(e->args[0]);
  if (to == ClKind::kBool) return from == to ? value : cat("(", value, " != 0)");
  const std::string number = from == ClKind::kBool && !scalar ? cat("(", value, " & 1)") : value;
  if (cl_type(source) == type(e->type)) return number;
  if (to == ClKind::kFloat)
    return scalar ? cat("((float)", number, ")") : cat("convert_", type(e->type), "(", number, ")");
  if (from == ClKind::kFloat) return cat("convert_", type(e->type), "_sat(", number, ")");
  return cat("as_", type(e->type), "(", number, ")");
}

// An index is signed; shifts and masks floor.
std::string OpenClPrinter::quotient(Expr e, const char* op) {
  if (e->type.dtype != DType::kIndex || !is_const(e->args[1])) return binary(e, op);
  const int64_t d = e->args[1]->ival;
  const int power = power_of(d);
  if (power < 0) return binary(e, op);
  return e->kind == ExprKind::kDiv ? cat("(", expr(e->args[0]), " >> ", power, ")")
                                   : cat("(", expr(e->args[0]), " & ", d - 1, ")");
}

void OpenClPrinter::declare_ids(const ir::Launch& launch) {
  for (int d = 0; d < 3; d++)
    if (launch.block_vars[d])
      line(1, cat("const int ", name_of(launch.block_vars[d]), " = (int)get_group_id(", d, ");"));
  for (int d = 0; d < 3; d++)
    if (launch.thread_vars[d])
      line(1, cat("const int ", name_of(launch.thread_vars[d]), " = (int)get_local_id(", d, ");"));
  if (launch.thread_linear)
    line(1, cat("const int ", name_of(launch.thread_linear), " = (int)((get_local_id(2) * ", launch.threads[1],
                " + get_local_id(1)) * ", launch.threads[0], " + get_local_id(0));"));
}

std::string OpenClPrinter::program(const ir::Launch& launch, const std::vector<GlobalBuffer>& buffers) {
  line(0, cat("__kernel __attribute__((reqd_work_group_size(", launch.threads[0], ", ", launch.threads[1], ", ",
              launch.threads[2], ")))"));
  std::string arguments;
  for (const auto& [b, binding] : buffers)
    arguments += cat(arguments.empty() ? "" : ", ", binding.writes ? "__global " : "__global const ",
                     type({b->dtype, b->lanes}), "* restrict ", name_of(b));
  line(0, cat("void ", kOpenClEntry, "(", arguments, ") {"));
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    if (s->kind == ir::StmtKind::kAlloc && s->buffer->scope == ir::Scope::kWorkgroup)
      line(1, cat("__local ", type({s->buffer->dtype, s->buffer->lanes}), " ", name_of(s->buffer), "[",
                  s->buffer->shape[0], "];"));
  });
  declare_ids(launch);
  stmt(launch.body, 1);
  line(0, "}");
  std::string head = "#pragma OPENCL FP_CONTRACT OFF\n";
  for (const std::string& helper : helpers_) head += helper;
  return head + out_;
}

int64_t cl_bytes(Buffer b) { return (elements_bound(b) * b->lanes * 4 + 15) / 16 * 16; }

LaunchSource emit_program(const ir::Kernel& kernel, const ir::Launch& launch) {
  LaunchSource source;
  source.grid = launch.grid;
  source.threads = launch.threads;
  const std::vector<GlobalBuffer> buffers = global_buffers(kernel, launch);
  for (const auto& [b, binding] : buffers) {
    source.bindings.push_back(binding);
    source.bindings.back().element = cl_type({b->dtype, b->lanes});
    source.bindings.back().bytes = cl_bytes(b);
  }
  source.code = OpenClPrinter().program(launch, buffers);
  return source;
}

}  // namespace

Result<KernelSource> emit_opencl(const ir::Kernel& kernel) {
  HONE_ASSIGN(raised, raise_opencl(kernel));
  KernelSource out;
  for (const ir::Launch& launch : raised.launches) out.launches.push_back(emit_program(raised, launch));
  for (Buffer b : raised.temps) {
    Temp temp;
    temp.bytes = cl_bytes(b);
    out.temps.push_back(temp);
  }
  out.hash = hash_source(out);
  return out;
}

}  // namespace hone::emit
