#include "codegen/emit/c_like/printer.h"

#include "base/cat.h"
#include "base/check.h"
#include "base/fresh_name.h"

namespace hone::emit {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

void CLikePrinter::line(int indent, std::string_view text) {
  out_.append(static_cast<size_t>(indent) * 2, ' ');
  out_ += text;
  out_ += '\n';
}

std::string CLikePrinter::unique(const void* identity, std::string_view wanted) {
  auto [it, fresh] = names_.try_emplace(identity);
  if (!fresh) return it->second;
  std::string base;
  for (char c : wanted)
    base += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ? c : '_';
  if (base.empty() || (base[0] >= '0' && base[0] <= '9') || base[0] == '_') base = "v" + base;
  if (reserved(cat(base, "_1"))) base = "v";  // reserved is how it begins, or what is within it
  return it->second = fresh_name(base, "_", 1, [&](const std::string& name) { return reserved(name) || !taken_.insert(name).second; });
}

std::string CLikePrinter::access(ir::Buffer buffer, Expr index) {
  std::string name = name_of(buffer);
  bool variable = buffer->scope == ir::Scope::kRegister && buffer->shape[0] == 1;
  return variable ? name : cat(name, "[", expr(index), "]");
}

std::string CLikePrinter::binary(Expr e, const char* op) {
  return widened(e, cat("(", operand(e->args[0]), " ", op, " ", operand(e->args[1]), ")"));
}

std::string CLikePrinter::widened(Expr e, const std::string& text) {
  for (Expr arg : e->args)
    if (arg->kind != ExprKind::kBroadcast) return text;
  return constructed(e->type, text);
}

std::string CLikePrinter::bitwise(Expr e, const char* op) {
  return cat("(", expr(e->args[0]), " ", op, " ", expr(e->args[1]), ")");
}

// Both sides are evaluated, as in vectors. A short circuit is a branch, and with forty of them Chromium's software GPU did not make a pipeline within
// half a minute.
std::string CLikePrinter::junction(Expr e) { return bitwise(e, e->kind == ExprKind::kAnd ? "&" : "|"); }

std::string CLikePrinter::packed_product(ir::Type, const std::vector<std::string>&) {
  CHECK(false, "a packed product reached a language without one");
  return "";
}

std::string CLikePrinter::exchange(Expr) {
  CHECK(false, "threads exchange values in a language without that");
  return "";
}

std::string CLikePrinter::cast(Expr e) { return cat(type(e->type), "(", expr(e->args[0]), ")"); }

std::string CLikePrinter::vector_of(Expr e) {
  std::vector<std::string> parts;
  for (int lane : e->lanes)
    for (Expr part : e->args) {
      if (lane < part->type.lanes) {
        parts.push_back(part->type.lanes == 1 ? expr(part) : component(part, lane));
        break;
      }
      lane -= part->type.lanes;
    }
  std::string out;
  for (size_t i = 0; i < parts.size(); i++) out += (i ? ", " : "") + parts[i];
  return constructed(e->type, out);
}

std::string CLikePrinter::component(Expr vector, int lane) { return cat(expr(vector), ".", "xyzw"[lane]); }

std::string CLikePrinter::component(Expr vector, Expr lane) { return cat(expr(vector), "[", expr(lane), "]"); }

std::string CLikePrinter::multiply_add(Expr e) {
  return widened(e, cat("((", operand(e->args[0]), " * ", operand(e->args[1]), ") + ", operand(e->args[2]), ")"));
}

std::string CLikePrinter::expr(Expr e) {
  switch (e->kind) {
    case ExprKind::kConst:
      return literal(e);
    case ExprKind::kVar:
      return name_of(e);
    case ExprKind::kCast:
      return cast(e);
    case ExprKind::kBitcast:
      return bitcast(e);
    case ExprKind::kAdd:
      return arithmetic(e, "+");
    case ExprKind::kSub:
      return arithmetic(e, "-");
    case ExprKind::kMul:
      return arithmetic(e, "*");
    case ExprKind::kDiv:
      return quotient(e, "/");
    case ExprKind::kMod:
      return quotient(e, "%");
    case ExprKind::kMad:
      return multiply_add(e);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return cat(e->kind == ExprKind::kMin ? "min(" : "max(", expr(e->args[0]), ", ", expr(e->args[1]), ")");
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return junction(e);
    case ExprKind::kNot:
      return negation(e);
    case ExprKind::kBitAnd:
      return bitwise(e, "&");
    case ExprKind::kBitOr:
      return bitwise(e, "|");
    case ExprKind::kBitXor:
      return bitwise(e, "^");
    case ExprKind::kShl:
      return shift(e, "<<");
    case ExprKind::kShr:
      return shift(e, ">>");
    case ExprKind::kEq:
    case ExprKind::kLt:
    case ExprKind::kLe:
      return compare(e);
    case ExprKind::kSelect:
      return select(e);
    case ExprKind::kBroadcast:
      return constructed(e->type, expr(e->args[0]));
    case ExprKind::kRamp:
      CHECK(false, "a ramp reached the printer: plan_vectors removes them");
    case ExprKind::kExtract:
      return e->args.size() == 2 ? component(e->args[0], e->args[1]) : component(e->args[0], e->lane());
    case ExprKind::kShuffle:
      return vector_of(e);
    case ExprKind::kLoad:
      return load(e);
    case ExprKind::kCall: {
      if (ir::is_exchange(e)) return exchange(e);
      std::vector<std::string> args;
      for (Expr a : e->args) args.push_back(expr(a));
      if (e->intrinsic == ir::Intrinsic::kDot4) return packed_product(e->type, args);
      return call(e->intrinsic, args);
    }
  }
  return "";
}

void CLikePrinter::stmt(Stmt s, int indent) {
  switch (s->kind) {
    case StmtKind::kBlock:
      for (Stmt b : s->body) stmt(b, indent);
      return;
    case StmtKind::kFor:
      CHECK(s->place == ir::Place::kSerial, "a loop with a place reached the printer");
      line(indent, loop_head(name_of(s->var), s->extent) + " {");
      stmt(s->body[0], indent + 1);
      line(indent, "}");
      return;
    case StmtKind::kIf:
      line(indent, cat("if (", expr(s->value), ") {"));
      stmt(s->body[0], indent + 1);
      if (s->body.size() > 1) {
        line(indent, "} else {");
        stmt(s->body[1], indent + 1);
      }
      line(indent, "}");
      return;
    case StmtKind::kLet:
      line(indent, declare_let(s->var, expr(s->value)));
      return;
    case StmtKind::kAlloc:
      if (s->buffer->scope == ir::Scope::kRegister) line(indent, declare_variable(s->buffer));
      return;
    case StmtKind::kStore: {
      std::string text = cat(access(s->buffer, s->indices[0]), " = ", expr(s->value), ";");
      line(indent, s->mask ? cat("if (", expr(s->mask), ") { ", text, " }") : text);
      return;
    }
    case StmtKind::kBarrier:
      line(indent, barrier());
      return;
  }
}

}  // namespace hone::emit
