#include "codegen/emit/c_like/passes.h"

#include <algorithm>
#include <unordered_map>

#include "codegen/ir/mutator.h"

namespace hone::emit {

using ir::Buffer;
using ir::DType;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;
using ir::Type;

namespace {

constexpr int kWordLanes = 4;

bool is_small(Type t) { return ir::is_int(t.dtype) && ir::size_bytes(t.dtype) < 4; }
int bits_of(DType d) { return 8 * ir::size_bytes(d); }
Type wide(Type t) { return {ir::is_unsigned(t.dtype) ? DType::kU32 : DType::kI32, t.lanes}; }

bool is_dot4(Expr e) { return e->kind == ExprKind::kCall && e->intrinsic == ir::Intrinsic::kDot4; }

// Numbers between lanes and words, the first lane lowest.
class Words {
 public:
  explicit Words(ir::Arena& arena) : a_(arena) {}

  Expr pack(Expr v) {
    const Expr low = a_.bit(ExprKind::kBitAnd, a_.bitcast(kLanes, v), a_.constant(kLanes, 255));
    const Expr placed = a_.bit(ExprKind::kShl, low, counts(DType::kU32, 0, 8));
    const auto both = [&](int i) { return a_.bit(ExprKind::kBitOr, a_.extract(placed, i), a_.extract(placed, i + 1)); };
    return a_.bit(ExprKind::kBitOr, both(0), both(2));
  }

  // Lifted to the top of the word and lowered again, which copies the sign.
  Expr unpack(Expr word, DType dtype) {
    const Type type{wide({dtype, 1}).dtype, kWordLanes};
    const Expr all = a_.broadcast(a_.bitcast(type.scalar(), word), kWordLanes);
    return a_.bit(ExprKind::kShr, a_.bit(ExprKind::kShl, all, counts(type.dtype, 24, -8)), a_.constant(type, 24));
  }

  Expr lane(Expr word, DType dtype, Expr at) {
    const Type type = wide({dtype, 1});
    const Expr lift = a_.sub(a_.constant(type, 24), a_.mul(a_.cast(type, at), a_.constant(type, 8)));
    return a_.bit(ExprKind::kShr, a_.bit(ExprKind::kShl, a_.bitcast(type, word), lift), a_.constant(type, 24));
  }

 private:
  static constexpr Type kLanes{DType::kU32, kWordLanes};
  Expr counts(DType dtype, int64_t first, int64_t step) {
    std::vector<Expr> all;
    for (int i = 0; i < kWordLanes; i++) all.push_back(a_.integer(dtype, first + i * step));
    return a_.concat(std::move(all));
  }
  ir::Arena& a_;
};

class Widen final : public ir::Mutator {
 public:
  Widen(ir::Arena& arena, bool words) : Mutator(arena), words_(arena), has_words_(words) {}

  Buffer widened(Buffer b) {
    const Type type{b->dtype, b->lanes};
    if (!is_small(type)) return b;
    auto [it, fresh] = buffers_.try_emplace(b, nullptr);
    const Type kept = stored(type);
    if (fresh) it->second = arena_.buffer(b->name, kept.dtype, b->shape, b->scope, b->layout, kept.lanes);
    return it->second;
  }

 protected:
  Expr expr(Expr e) override {
    const bool small =
        is_small(e->type) || std::any_of(e->args.begin(), e->args.end(), [](Expr a) { return is_small(a->type); });
    if (!small) return rebuild(e);
    if (e->kind == ExprKind::kConst) return arena_.integer(wide(e->type).dtype, e->ival);
    if (e->kind == ExprKind::kVar) return variable(e);
    if (e->kind == ExprKind::kLoad) return load(e);
    return small_value(e);
  }

  Stmt stmt(Stmt s) override {
    if (s->kind == StmtKind::kLet && is_small(s->var->type)) return arena_.let(variable(s->var), mutate(s->value));
    if (s->kind == StmtKind::kAlloc) return arena_.alloc(widened(s->buffer));
    if (s->kind != StmtKind::kStore || !is_small({s->buffer->dtype, 1})) return rebuild(s);
    std::vector<Expr> indices;
    for (Expr i : s->indices) indices.push_back(mutate(i));
    return arena_.store(widened(s->buffer), std::move(indices), mutate(s->value), mutate(s->mask));
  }

 private:
  bool is_word(Type t) const {
    return has_words_ && is_small(t) && ir::size_bytes(t.dtype) == 1 && t.lanes == kWordLanes;
  }
  Type stored(Type t) const { return is_word(t) ? Type{DType::kU32, 1} : wide(t); }

  Expr variable(ir::Var v) {
    auto [it, fresh] = variables_.try_emplace(v, nullptr);
    if (fresh) it->second = arena_.var(v->name, stored(v->type));
    return it->second;
  }

  Expr load(Expr e) {
    std::vector<Expr> indices;
    for (Expr i : e->args) indices.push_back(mutate(i));
    return arena_.load(widened(e->buffer), std::move(indices), mutate(e->mask), mutate(e->other), e->any_value);
  }

  Expr small_value(Expr e) {
    std::vector<Expr> args;
    for (Expr a : e->args) args.push_back(mutate(a));
    if (is_dot4(e)) return arena_.dot4(e->type, args[0], args[1]);
    const bool of_word = is_word(e->args[0]->type),
               scalar_choice = e->kind == ExprKind::kSelect && args[0]->type.lanes == 1;
    if (e->kind == ExprKind::kExtract && of_word)
      return words_.lane(args[0], e->type.dtype, args.size() == 2 ? args[1] : arena_.index(e->lane()));
    if (is_word(e->type) && scalar_choice) return arena_.select(args[0], args[1], args[2]);
    for (size_t i = 0; i < args.size(); i++)
      if (is_word(e->args[i]->type)) args[i] = words_.unpack(args[i], e->args[i]->type.dtype);
    const Expr value = computed(e, std::move(args));
    return is_word(e->type) ? words_.pack(value) : value;
  }

  Expr computed(Expr e, std::vector<Expr> args) {
    if (e->kind == ExprKind::kCast) return converted(e, args[0]);
    const Expr value = arena_.with_args(e, std::move(args), nullptr, nullptr);
    const bool stays = e->kind == ExprKind::kMin || e->kind == ExprKind::kMax || e->kind == ExprKind::kSelect ||
                       e->kind == ExprKind::kShuffle || e->kind == ExprKind::kExtract ||
                       e->kind == ExprKind::kBroadcast;
    return stays || !is_small(e->type) || is_word(e->type) ? value : wrapped(value, e->type.dtype);
  }

  Expr converted(Expr e, Expr from) {
    if (!is_small(e->type)) return arena_.cast(e->type, from);
    const Expr value = arena_.cast(wide(e->type), from);
    if (ir::is_float(from->type.dtype)) return saturated(value, e->type.dtype);
    return is_word(e->type) ? value : wrapped(value, e->type.dtype);
  }

  // As a whole number: the cast to 32 bits saturates and makes 0 of NaN, of which the smaller and the larger may be either.
  Expr saturated(Expr value, DType dtype) {
    const double span = static_cast<double>(int64_t{1} << bits_of(dtype)), low = ir::is_unsigned(dtype) ? 0 : -span / 2;
    const Expr below = arena_.min(value, arena_.constant(value->type, low + span - 1));
    return ir::is_unsigned(dtype) ? below : arena_.max(below, arena_.constant(value->type, low));
  }

  Expr wrapped(Expr value, DType dtype) {
    const int bits = bits_of(dtype);
    if (ir::is_unsigned(dtype))
      return arena_.bit(ExprKind::kBitAnd, value,
                        arena_.constant(value->type, static_cast<double>((int64_t{1} << bits) - 1)));
    const Expr count = arena_.constant(value->type, 32 - bits);
    return arena_.bit(ExprKind::kShr, arena_.bit(ExprKind::kShl, value, count), count);
  }

  Words words_;
  const bool has_words_;
  std::unordered_map<Buffer, Buffer> buffers_;
  std::unordered_map<ir::Var, ir::Var> variables_;
};

bool has_packed_products(const ir::Kernel& kernel) {
  bool found = false;
  for (const ir::Launch& launch : kernel.launches)
    ir::for_each_stmt(launch.body, [&](Stmt s) { ir::for_each_node(s->value, [&](Expr e) { found |= is_dot4(e); }); });
  return found;
}

}  // namespace

ir::Kernel widen_small_integers(const ir::Kernel& kernel) {
  ir::Kernel out = kernel;
  Widen widen(*kernel.arena, has_packed_products(kernel));
  for (ir::Launch& launch : out.launches) launch.body = widen.mutate(launch.body);
  for (auto* list : {&out.args, &out.temps})
    for (Buffer& b : *list) b = widen.widened(b);
  return out;
}

}  // namespace hone::emit
