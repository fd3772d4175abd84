#include "codegen/te/expr_text.h"

#include <cstdio>
#include <unordered_map>

#include "base/cat.h"

namespace hone::te {
namespace {

std::string bare(std::string text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return text;
  int depth = 0;
  for (size_t i = 0; i + 1 < text.size(); i++) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return text;  // (a) + (b)
  }
  return text.substr(1, text.size() - 2);
}

// Nodes of an expression, written out as often as they are read, and how often each is.
class Sharing {
 public:
  double size(Expr e) {
    if (const auto found = sizes_.find(e); found != sizes_.end()) return reads_[e]++, found->second;
    double out = 1;
    for (Expr a : e->args) out += size(a);
    for (Expr more : {e->mask, e->other}) out += more ? size(more) : 0;
    reads_[e] = 1;
    return sizes_[e] = out;
  }
  bool is_shared(Expr e) const { return !e->args.empty() && reads_.at(e) > 1; }

 private:
  std::unordered_map<Expr, double> sizes_;
  std::unordered_map<Expr, int> reads_;
};

constexpr double kWrittenMax = 1 << 16;  // nodes; of more, what is read several times is written once: "#0 = …", then "#0"

class Writer {
 public:
  Writer(const ExprNames& names, Expr root) : names_(names), names_shared_(sharing_.size(root) > kWrittenMax) {}
  std::string write(Expr e);

 private:
  std::string list(const std::vector<Expr>& args) {
    std::string out;
    for (size_t i = 0; i < args.size(); i++) out += cat(i ? ", " : "", bare(write(args[i])));
    return out;
  }
  std::string constant(Expr e);
  std::string load(Expr e) {
    std::string out = cat(names_.tensor(e->buffer), "[", list(e->args), "]");
    if (e->mask) out = cat("load(", out, ", ", write(e->mask), ", ", e->other ? write(e->other) : "0", ")");
    return out;
  }
  std::string text(Expr e);

  const ExprNames& names_;
  Sharing sharing_;
  const bool names_shared_;
  std::unordered_map<Expr, size_t> numbers_;
};

std::string Writer::constant(Expr e) {
  std::string out;
  if (ir::is_float(e->type.dtype)) {
    char text[40];
    std::snprintf(text, sizeof text, names_.types ? "%.17g" : "%.9g", e->fval);
    out = text;
  } else if (e->type.dtype == ir::DType::kBool && !names_.types) {
    return e->ival ? "true" : "false";
  } else {
    out = std::to_string(e->ival);
  }
  return names_.types && e->type != ir::kIndexType ? cat(out, ":", ir::type_name(e->type)) : out;
}

std::string Writer::write(Expr e) {
  if (!names_shared_ || !sharing_.is_shared(e)) return text(e);
  if (const auto found = numbers_.find(e); found != numbers_.end()) return cat("#", found->second);
  const std::string once = text(e);
  return cat("(#", numbers_.try_emplace(e, numbers_.size()).first->second, " = ", once, ")");
}

std::string Writer::text(Expr e) {
  using ir::ExprKind;
  switch (e->kind) {
    case ExprKind::kConst: return constant(e);
    case ExprKind::kVar: return names_.var(e);
    case ExprKind::kLoad: return load(e);
    case ExprKind::kCall: return cat(ir::intrinsic_name(e->intrinsic), "(", list(e->args), ")");
    case ExprKind::kCast:
    case ExprKind::kBitcast:
      return cat(e->kind == ExprKind::kBitcast ? "bits_" : "", ir::type_name(e->type), "(", list(e->args), ")");
    case ExprKind::kAdd: case ExprKind::kSub: case ExprKind::kMul: case ExprKind::kDiv: case ExprKind::kMod:
    case ExprKind::kAnd: case ExprKind::kOr: case ExprKind::kEq: case ExprKind::kLt: case ExprKind::kLe:
      return cat("(", write(e->args[0]), " ", ir::kind_name(e->kind), " ", write(e->args[1]), ")");
    case ExprKind::kMad: case ExprKind::kMin: case ExprKind::kMax: case ExprKind::kNot: case ExprKind::kBitAnd: case ExprKind::kBitOr:
    case ExprKind::kBitXor: case ExprKind::kShl: case ExprKind::kShr: case ExprKind::kSelect: case ExprKind::kBroadcast:
    case ExprKind::kRamp: case ExprKind::kExtract: case ExprKind::kShuffle:
      return cat(ir::kind_name(e->kind), "(", list(e->args), e->kind == ExprKind::kExtract ? cat(", ", e->lane()) : "", ")");
  }
  return "?";
}

}  // namespace

std::string expr_text(Expr e, const ExprNames& names) { return bare(Writer(names, e).write(e)); }

}  // namespace hone::te
