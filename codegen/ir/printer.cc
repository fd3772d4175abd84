#include "codegen/ir/printer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/cat.h"
#include "base/fresh_name.h"
#include "codegen/ir/text_syntax.h"

namespace hone::ir {
namespace {

// Binding strength, loosest first; a child that binds looser than its place demands gets parentheses.
enum Strength { kLoose, kOr, kAnd, kNot, kCompare, kSum, kProduct, kPostfix };

Strength strength_of(Expr e) {
  switch (e->kind) {
    case ExprKind::kOr:
      return kOr;
    case ExprKind::kAnd:
      return kAnd;
    case ExprKind::kNot:
      return kNot;
    case ExprKind::kEq:
    case ExprKind::kLt:
    case ExprKind::kLe:
      return kCompare;
    case ExprKind::kAdd:
    case ExprKind::kSub:
      return kSum;
    case ExprKind::kMul:
    case ExprKind::kDiv:
    case ExprKind::kMod:
      return kProduct;
    default:
      return kPostfix;
  }
}

// The shortest decimal that reads back as the same value of `dtype`; always with a point or an exponent.
std::string float_text(double value, DType dtype) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    double back = std::strtod(buffer, nullptr);
    if (dtype == DType::kF64 ? back == value : static_cast<float>(back) == static_cast<float>(value)) break;
  }
  std::string text = buffer;
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string const_text(Expr e) {
  const DType dtype = e->type.dtype;
  if (dtype == DType::kBool) return e->ival ? "true" : "false";
  std::string text;
  if (is_float(dtype)) text = float_text(e->fval, dtype);
  else text = is_unsigned(dtype) ? std::to_string(static_cast<uint64_t>(e->ival)) : std::to_string(e->ival);
  if (dtype != DType::kIndex && dtype != DType::kF32) text += cat(":", dtype_name(dtype));
  return text;
}

// Gives each variable and buffer a name that is free where it is declared.
class Names {
 public:
  const std::string& of(const void* identity, const std::string& wish) {
    auto found = names_.find(identity);
    return found != names_.end() ? found->second : declare(identity, wish);
  }
  const std::string& declare(const void* identity, const std::string& wish) {
    declared_.push_back(identity);
    return names_[identity] = fresh_name(legal(wish), "$", 1, [&](const std::string& name) { return !used_.insert(name).second; });
  }
  size_t mark() const { return declared_.size(); }
  void release(size_t mark) {
    for (; declared_.size() > mark; declared_.pop_back()) {
      auto found = names_.find(declared_.back());
      if (found == names_.end()) continue;
      used_.erase(found->second);
      names_.erase(found);
    }
  }

 private:
  static std::string legal(const std::string& wish) {
    std::string name = wish;
    for (char& c : name)
      if (!is_name_char(c)) c = '_';
    if (name.empty() || !is_name_start(name[0])) name.insert(0, "_");
    size_t dot = name.rfind('.');
    if (dot != std::string::npos &&
        (dot + 1 == name.size() || lane_of_suffix(std::string_view(name).substr(dot + 1)) >= 0))
      name[dot] = '_';
    if (is_reserved(name)) name += '_';
    return name;
  }

  std::unordered_map<const void*, std::string> names_;
  std::unordered_set<std::string> used_;
  std::vector<const void*> declared_;
};

class Printer {
 public:
  std::string take() { return std::move(out_); }

  void kernel(const Kernel& kernel) {
    for (size_t i = 0; i < kernel.args.size(); ++i)
      declaration(static_cast<int>(i) < kernel.input_count ? "arg" : "out", kernel.args[i], Scope::kArg);
    for (Buffer temp : kernel.temps) declaration("temp", temp, Scope::kScratch);
    for (const Launch& launch : kernel.launches) this->launch(launch);
  }

  void expr(Expr e, Strength at_least = kLoose) {
    const bool parentheses = strength_of(e) < at_least;
    if (parentheses) out_ += '(';
    bare_expr(e);
    if (parentheses) out_ += ')';
  }

  void stmts(Stmt s, int indent) {
    if (!s) return;
    if (s->kind == StmtKind::kBlock) {
      for (Stmt child : s->body) stmts(child, indent);
    } else {
      stmt(s, indent);
    }
  }

 private:
  void declaration(std::string_view word, Buffer buffer, Scope scope_implied) {
    const std::string& name = names_.declare(buffer, buffer->name);
    out_ += cat(word, " ", name, ": ", type_name({buffer->dtype, buffer->lanes}), "[");
    for (size_t i = 0; i < buffer->shape.size(); ++i) out_ += cat(i ? ", " : "", buffer->shape[i]);
    out_ += ']';
    if (buffer->scope != scope_implied) out_ += cat(" ", scope_name(buffer->scope));
    std::string layout = print(buffer->layout);
    if (!layout.empty()) out_ += " layout" + layout;
    out_ += '\n';
  }

  // A variable where it is declared; its range follows when the place does not imply it.
  void declare_var(Var var, int64_t bound_implied, Type type_implied) {
    out_ += names_.declare(var, var->name);
    if (var->type != type_implied) out_ += cat(":", type_name(var->type));
    if (var->type == kIndexType && var->bound() != bound_implied) out_ += cat("<", var->bound());
  }

  void dims(std::string_view word, const Dims& extents, const std::array<Var, 3>& vars) {
    size_t count = 3;
    while (count > 1 && extents[count - 1] == 1 && !vars[count - 1]) --count;
    out_ += cat(" ", word, "(");
    for (size_t i = 0; i < count; ++i) {
      if (i) out_ += ", ";
      if (vars[i]) {
        declare_var(vars[i], extents[i], kIndexType);
        out_ += ": ";
      }
      out_ += cat(extents[i]);
    }
    out_ += ')';
  }

  void launch(const Launch& launch) {
    const size_t mark = names_.mark();
    out_ += "launch";
    dims("grid", launch.grid, launch.block_vars);
    dims("threads", launch.threads, launch.thread_vars);
    if (launch.thread_linear) {
      out_ += " linear ";
      declare_var(launch.thread_linear, launch.threads[0] * launch.threads[1] * launch.threads[2], kIndexType);
    }
    if (launch.subgroup_size > 0) out_ += cat(" subgroups ", launch.subgroup_size);
    if (launch.sampled) out_ += " sampled";
    out_ += '\n';
    stmts(launch.body, 1);
    names_.release(mark);
  }

  void nested(Stmt body, int indent, size_t mark) {
    stmts(body, indent + 1);
    names_.release(mark);
  }

  void stmt(Stmt s, int indent) {
    out_.append(static_cast<size_t>(indent) * 2, ' ');
    switch (s->kind) {
      case StmtKind::kBlock:
        break;
      case StmtKind::kFor: {
        const size_t mark = names_.mark();
        out_ += "for ";
        declare_var(s->var, s->extent, kIndexType);
        out_ += cat(" in 0..", s->extent, s->place == Place::kSerial ? "" : " ",
                    s->place == Place::kSerial ? "" : place_name(s->place), "\n");
        nested(s->body[0], indent, mark);
        return;
      }
      case StmtKind::kIf: {
        out_ += "if ";
        expr(s->value);
        out_ += '\n';
        nested(s->body[0], indent, names_.mark());
        if (s->body.size() < 2 || !s->body[1]) return;
        out_.append(static_cast<size_t>(indent) * 2, ' ');
        out_ += "else\n";
        nested(s->body[1], indent, names_.mark());
        return;
      }
      case StmtKind::kLet: {
        // The value comes first: it must not see the name it defines.
        std::string before = std::move(out_);
        out_.clear();
        expr(s->value);
        std::string value = std::move(out_);
        out_ = std::move(before) + "let ";
        declare_var(s->var, 0, s->value->type);
        out_ += " = " + value;
        break;
      }
      case StmtKind::kAlloc:
        declaration("alloc", s->buffer, Scope::kRegister);
        return;
      case StmtKind::kStore:
        access(s->buffer, s->indices, s->mask, nullptr, false);
        out_ += " = ";
        expr(s->value);
        break;
      case StmtKind::kBarrier:
        out_ += "barrier";
        break;
    }
    out_ += '\n';
  }

  void list(const std::vector<Expr>& exprs) {
    for (size_t i = 0; i < exprs.size(); ++i) {
      if (i) out_ += ", ";
      expr(exprs[i]);
    }
  }

  void access(Buffer buffer, const std::vector<Expr>& indices, Expr mask, Expr other, bool any_value) {
    out_ += names_.of(buffer, buffer->name) + "[";
    list(indices);
    if (mask) {
      out_ += " if ";
      expr(mask);
    }
    if (other) {
      out_ += " else ";
      expr(other);
    }
    if (any_value) out_ += " any";
    out_ += ']';
  }

  void binary(Expr e, Strength left, Strength right) {
    expr(e->args[0], left);
    out_ += cat(" ", kind_name(e->kind), " ");
    expr(e->args[1], right);
  }

  void function(std::string_view name, Expr e) {
    out_ += cat(name, "(");
    list(e->args);
    out_ += ')';
  }

  void exchange(Expr e) {
    out_ += cat(intrinsic_name(e->intrinsic), "(");
    list(e->args);
    out_ += cat(", ", e->parameter, ")");
  }

  void shuffle(Expr e) {
    bool is_concat = e->lanes.size() == e->args.size();
    for (size_t i = 0; is_concat && i < e->args.size(); ++i)
      is_concat = e->args[i]->type.lanes == 1 && e->lanes[i] == static_cast<int>(i);
    if (is_concat) return function("vec", e);
    out_ += "shuffle(";
    list(e->args);
    for (size_t i = 0; i < e->lanes.size(); ++i) out_ += cat(i ? ", " : "; ", e->lanes[i]);
    out_ += ')';
  }

  void load(Expr e) {
    access(e->buffer, e->args, e->mask, e->other, e->any_value);
    int index_lanes = 1;
    for (Expr index : e->args) index_lanes = std::max(index_lanes, index->type.lanes);
    const Type derived{e->buffer->dtype, index_lanes * e->buffer->lanes};
    if (e->type != derived) out_ += cat(":", type_name(e->type));
  }

  void bare_expr(Expr e) {
    switch (e->kind) {
      case ExprKind::kConst:
        out_ += const_text(e);
        return;
      case ExprKind::kVar:
        out_ += names_.of(e, e->name);
        return;
      case ExprKind::kCast:
        return function(type_name(e->type), e);
      case ExprKind::kBitcast:
        out_ += cat("bitcast(", type_name(e->type), ", ");
        expr(e->args[0]);
        out_ += ')';
        return;
      case ExprKind::kAdd:
      case ExprKind::kSub:
        return binary(e, kSum, kProduct);
      case ExprKind::kMul:
      case ExprKind::kDiv:
      case ExprKind::kMod:
        return binary(e, kProduct, kPostfix);
      case ExprKind::kEq:
      case ExprKind::kLt:
      case ExprKind::kLe:
        return binary(e, kSum, kSum);
      case ExprKind::kAnd:
        return binary(e, kAnd, kNot);
      case ExprKind::kOr:
        return binary(e, kOr, kAnd);
      case ExprKind::kNot:
        out_ += "not ";
        return expr(e->args[0], kNot);
      case ExprKind::kMad:
      case ExprKind::kMin:
      case ExprKind::kMax:
      case ExprKind::kBitAnd:
      case ExprKind::kBitOr:
      case ExprKind::kBitXor:
      case ExprKind::kShl:
      case ExprKind::kShr:
      case ExprKind::kSelect:
        return function(kind_name(e->kind), e);
      case ExprKind::kBroadcast:
      case ExprKind::kRamp:
        out_ += cat(kind_name(e->kind), "(");
        list(e->args);
        out_ += cat(", ", e->type.lanes / e->args[0]->type.lanes, ")");
        return;
      case ExprKind::kExtract:
        if (e->args.size() == 2) return function("extract", e);
        expr(e->args[0], kPostfix);
        out_ += lane_suffix(e->lane());
        return;
      case ExprKind::kShuffle:
        return shuffle(e);
      case ExprKind::kLoad:
        return load(e);
      case ExprKind::kCall:
        if (is_exchange(e)) return exchange(e);
        return function(intrinsic_name(e->intrinsic), e);
    }
  }

  std::string out_;
  Names names_;
};

}  // namespace

std::string print(const Kernel& kernel) {
  Printer printer;
  printer.kernel(kernel);
  return printer.take();
}

std::string print(Stmt stmt) {
  Printer printer;
  printer.stmts(stmt, 0);
  return printer.take();
}

std::string headline(Stmt stmt) {
  const std::string text = print(stmt);
  return text.substr(0, text.find('\n'));
}

std::string print(Expr expr) {
  Printer printer;
  printer.expr(expr);
  return printer.take();
}

std::string print(const Layout& layout) {
  std::string text;
  if (!layout.dims.empty()) {
    text = "(";
    for (size_t i = 0; i < layout.dims.size(); ++i) {
      const PhysicalDim& dim = layout.dims[i];
      text += cat(i ? ", " : "", dim.axis, dim.div == 1 ? "" : cat("/", dim.div), ":", dim.size);
    }
    text += ")";
  }
  if (layout.pad == Pad::kZero) text += " pad zero";
  if (layout.medium == Medium::kTexture2D) text += " texture";
  if (layout.layers > 0) text += cat(" layers ", layout.layers);
  return text;
}

std::string_view scope_name(Scope scope) {
  switch (scope) {
    case Scope::kArg:
      return "arg";
    case Scope::kScratch:
      return "scratch";
    case Scope::kWorkgroup:
      return "workgroup";
    case Scope::kRegister:
      return "register";
  }
  return "";
}

bool parse_scope(std::string_view name, Scope* out) {
  for (Scope scope : {Scope::kArg, Scope::kScratch, Scope::kWorkgroup, Scope::kRegister})
    if (scope_name(scope) == name) return *out = scope, true;
  return false;
}

}  // namespace hone::ir
