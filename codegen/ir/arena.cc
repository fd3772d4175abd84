#include "codegen/ir/arena.h"

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "base/check.h"
#include "codegen/ir/numeric.h"

namespace hone::ir {
namespace {

// Constants of f16 and bf16 keep the model's number.
double kept(DType d, double v) { return d == DType::kF32 ? static_cast<double>(static_cast<float>(v)) : v; }
// Types whose arithmetic in double or int64, rounded once, is the type's own: only these are folded.
bool foldable_float(DType d) { return d == DType::kF32 || d == DType::kF64; }
bool foldable_int(DType d) { return is_int(d) && d != DType::kU64; }

// The whole number nearest to a constant of a model, which may be anything; NaN becomes 0.
int64_t whole(double v) {
  if (std::isnan(v)) return 0;
  return v >= 0x1p63 ? INT64_MAX : v <= -0x1p63 ? INT64_MIN : static_cast<int64_t>(v);
}

bool both_const(Expr a, Expr b) { return is_const(a) && is_const(b); }

}  // namespace

Arena::Arena(const Arena* parent) : parent_(parent), next_id_(parent ? parent->next_id_ : 0) {}

template <class IsSame>
Expr Arena::find(size_t hash, const IsSame& is_same) const {
  if (parent_)
    if (Expr e = parent_->find(hash, is_same)) return e;
  return interned_.find(hash, is_same);
}

Expr Arena::intern(ExprNode node) {
  const size_t hash = hash_node(node);
  if (Expr e = find(hash, [&](const ExprNode& known) { return same_node(known, node); })) return e;
  return intern_new(hash, std::move(node));
}

Expr Arena::intern_new(size_t hash, ExprNode node) {
  node.id = next_id_++;
  Expr e = exprs_.add(std::move(node));
  interned_.insert(hash, e);
  return e;
}

// Most nodes are these, and most of them are there already: a node, whose operands lie on the heap, is made for new ones alone.
Expr Arena::binary(ExprKind kind, Expr a, Expr b, Type type) {
  CHECK(a->type == b->type,
        cat("operands of ", kind_name(kind), " differ: ", type_name(a->type), " and ", type_name(b->type)));
  const size_t hash = hash_binary(kind, a, b, type);
  auto is_same = [&](const ExprNode& n) {
    return n.kind == kind && n.type == type && n.args.size() == 2 && n.args[0] == a && n.args[1] == b;
  };
  if (Expr e = find(hash, is_same)) return e;
  ExprNode node;
  node.kind = kind;
  node.type = type;
  node.args = {a, b};
  return intern_new(hash, std::move(node));
}

Var Arena::var(std::string name, Type type, int64_t bound) {
  ExprNode node;
  node.kind = ExprKind::kVar;
  node.type = type;
  node.parameter = bound;
  node.name = std::move(name);
  node.id = next_id_++;
  return exprs_.add(std::move(node));
}

Buffer Arena::buffer(std::string name, DType dtype, Shape shape, Scope scope, Layout layout, int lanes) {
  buffers_.push_back({next_id_++, std::move(name), dtype, std::move(shape), scope, std::move(layout), lanes});
  return &buffers_.back();
}

Expr Arena::integer(DType dtype, int64_t value) {
  ExprNode node;
  node.type = {dtype, 1};
  node.ival = wrap_to(dtype, value);
  return intern(std::move(node));
}

Expr Arena::index(int64_t value) {
  if (value < 0 || value >= kSmall) return integer(DType::kIndex, value);
  Expr& known = small_[static_cast<size_t>(value)];
  if (!known) known = integer(DType::kIndex, value);
  return known;
}
Expr Arena::boolean(bool value) { return integer(DType::kBool, value); }

Expr Arena::constant(Type type, double value) {
  if (type.lanes > 1) return broadcast(constant(type.scalar(), value), type.lanes);
  if (!is_float(type.dtype)) return integer(type.dtype, whole(value));
  ExprNode node;
  node.type = type;
  node.fval = kept(type.dtype, value);
  return intern(std::move(node));
}

Expr Arena::add(Expr a, Expr b) {
  if (is_int(a->type.dtype)) {
    if (is_const_int(a, 0) && a->type == b->type) return b;
    if (is_const_int(b, 0) && a->type == b->type) return a;
    if (both_const(a, b) && foldable_int(a->type.dtype))
      return integer(a->type.dtype,
                     static_cast<int64_t>(static_cast<uint64_t>(a->ival) + static_cast<uint64_t>(b->ival)));
  } else if (both_const(a, b) && foldable_float(a->type.dtype)) {
    return constant(a->type, a->fval + b->fval);
  }
  return binary(ExprKind::kAdd, a, b, a->type);
}

Expr Arena::sub(Expr a, Expr b) {
  if (is_int(a->type.dtype)) {
    if (is_const_int(b, 0) && a->type == b->type) return a;
    if (a->type.dtype == DType::kIndex && a == b && a->type.lanes == 1) return index(0);
    if (both_const(a, b) && foldable_int(a->type.dtype))
      return integer(a->type.dtype,
                     static_cast<int64_t>(static_cast<uint64_t>(a->ival) - static_cast<uint64_t>(b->ival)));
  } else if (both_const(a, b) && foldable_float(a->type.dtype)) {
    return constant(a->type, a->fval - b->fval);
  }
  return binary(ExprKind::kSub, a, b, a->type);
}

Expr Arena::mul(Expr a, Expr b) {
  if (is_int(a->type.dtype)) {
    if (is_const_int(a, 1) || is_const_int(b, 0)) return a->type == b->type ? b : binary(ExprKind::kMul, a, b, a->type);
    if (is_const_int(b, 1) || is_const_int(a, 0)) return a->type == b->type ? a : binary(ExprKind::kMul, a, b, a->type);
    if (both_const(a, b) && foldable_int(a->type.dtype))
      return integer(a->type.dtype,
                     static_cast<int64_t>(static_cast<uint64_t>(a->ival) * static_cast<uint64_t>(b->ival)));
  } else if (both_const(a, b) && foldable_float(a->type.dtype)) {
    return constant(a->type, a->fval * b->fval);
  }
  return binary(ExprKind::kMul, a, b, a->type);
}

Expr Arena::div(Expr a, Expr b) {
  if (is_int(a->type.dtype)) {
    if (is_const_int(b, 1) && a->type == b->type) return a;
    if (both_const(a, b) && foldable_int(a->type.dtype)) return integer(a->type.dtype, floor_div(a->ival, b->ival));
  } else if (both_const(a, b) && foldable_float(a->type.dtype)) {
    return constant(a->type, a->fval / b->fval);
  }
  return binary(ExprKind::kDiv, a, b, a->type);
}

Expr Arena::mod(Expr a, Expr b) {
  CHECK(is_int(a->type.dtype), "mod of a non-integer");
  if (is_const_int(b, 1) && a->type == b->type) return integer(a->type.dtype, 0);
  if (both_const(a, b) && foldable_int(a->type.dtype))
    return integer(a->type.dtype, b->ival == 0 ? 0 : a->ival - floor_div(a->ival, b->ival) * b->ival);
  return binary(ExprKind::kMod, a, b, a->type);
}

Expr Arena::mad(Expr a, Expr b, Expr c) {
  CHECK(a->type == b->type && b->type == c->type, "operands of mad differ");
  ExprNode node;
  node.kind = ExprKind::kMad;
  node.type = a->type;
  node.args = {a, b, c};
  return intern(std::move(node));
}

Expr Arena::min(Expr a, Expr b) {
  if (a == b) return a;
  if (both_const(a, b) && foldable_int(a->type.dtype)) return integer(a->type.dtype, std::min(a->ival, b->ival));
  return binary(ExprKind::kMin, a, b, a->type);
}

Expr Arena::max(Expr a, Expr b) {
  if (a == b) return a;
  if (both_const(a, b) && foldable_int(a->type.dtype)) return integer(a->type.dtype, std::max(a->ival, b->ival));
  return binary(ExprKind::kMax, a, b, a->type);
}

Expr Arena::eq(Expr a, Expr b) {
  if (both_const(a, b)) return boolean(is_float(a->type.dtype) ? a->fval == b->fval : a->ival == b->ival);
  return binary(ExprKind::kEq, a, b, kBoolType.with_lanes(a->type.lanes));
}

Expr Arena::lt(Expr a, Expr b) {
  if (both_const(a, b) && a->type.dtype != DType::kU64)
    return boolean(is_float(a->type.dtype) ? a->fval < b->fval : a->ival < b->ival);
  return binary(ExprKind::kLt, a, b, kBoolType.with_lanes(a->type.lanes));
}

Expr Arena::le(Expr a, Expr b) {
  if (both_const(a, b) && a->type.dtype != DType::kU64)
    return boolean(is_float(a->type.dtype) ? a->fval <= b->fval : a->ival <= b->ival);
  return binary(ExprKind::kLe, a, b, kBoolType.with_lanes(a->type.lanes));
}

Expr Arena::logical_and(Expr a, Expr b) {
  if (a == b || is_true(b) || is_false(a)) return a;
  if (is_true(a) || is_false(b)) return b;
  return binary(ExprKind::kAnd, a, b, a->type);
}

Expr Arena::logical_or(Expr a, Expr b) {
  if (a == b || is_false(b) || is_true(a)) return a;
  if (is_false(a) || is_true(b)) return b;
  return binary(ExprKind::kOr, a, b, a->type);
}

Expr Arena::logical_not(Expr a) {
  if (is_const(a)) return boolean(a->ival == 0);
  if (a->kind == ExprKind::kNot) return a->args[0];
  ExprNode node;
  node.kind = ExprKind::kNot;
  node.type = a->type;
  node.args = {a};
  return intern(std::move(node));
}

Expr Arena::bit(ExprKind kind, Expr a, Expr b) { return binary(kind, a, b, a->type); }

Expr Arena::select(Expr condition, Expr yes, Expr no) {
  CHECK(yes->type == no->type, cat("arms of select differ: ", type_name(yes->type), " and ", type_name(no->type)));
  if (is_true(condition) || yes == no) return yes;
  if (is_false(condition)) return no;
  ExprNode node;
  node.kind = ExprKind::kSelect;
  node.type = yes->type;
  node.args = {condition, yes, no};
  return intern(std::move(node));
}

namespace {
// Does a whole number of type `from` come back from type `through` as it was?
bool keeps(DType from, DType through) {
  const auto has_width = [](DType d) { return is_int(d) && d != DType::kIndex; };
  return has_width(from) && has_width(through) && size_bits(from) <= size_bits(through);
}
}  // namespace

Expr Arena::cast(Type type, Expr a) {
  CHECK(type.lanes == a->type.lanes, "cast changes the number of lanes");
  if (type == a->type) return a;
  if (is_const(a)) {
    if (is_float(type.dtype) && foldable_float(type.dtype))
      return constant(type, is_float(a->type.dtype) ? a->fval : static_cast<double>(a->ival));
    if (!is_float(type.dtype) && !is_float(a->type.dtype)) return integer(type.dtype, a->ival);
  }
  if (a->kind == ExprKind::kCast && a->args[0]->type == type && keeps(type.dtype, a->type.dtype)) return a->args[0];
  ExprNode node;
  node.kind = ExprKind::kCast;
  node.type = type;
  node.args = {a};
  return intern(std::move(node));
}

Expr Arena::bitcast(Type type, Expr a) {
  if (type == a->type) return a;
  ExprNode node;
  node.kind = ExprKind::kBitcast;
  node.type = type;
  node.args = {a};
  return intern(std::move(node));
}

Expr Arena::broadcast(Expr a, int lanes) {
  if (lanes == 1) return a;
  CHECK(a->type.lanes == 1, "broadcast of a vector");
  ExprNode node;
  node.kind = ExprKind::kBroadcast;
  node.type = a->type.with_lanes(lanes);
  node.args = {a};
  return intern(std::move(node));
}

Expr Arena::ramp(Expr base, Expr stride, int lanes) {
  if (lanes == 1) return base;
  if (is_const_int(stride, 0)) return broadcast(base, lanes);
  ExprNode node;
  node.kind = ExprKind::kRamp;
  node.type = base->type.with_lanes(lanes);
  node.args = {base, stride};
  return intern(std::move(node));
}

Expr Arena::extract(Expr vector, int lane) {
  CHECK(lane >= 0 && lane < vector->type.lanes, "extract beyond the vector");
  if (vector->type.lanes == 1) return vector;
  if (vector->kind == ExprKind::kBroadcast) return vector->args[0];
  if (vector->kind == ExprKind::kRamp)
    return add(vector->args[0], mul(vector->args[1], integer(vector->args[1]->type.dtype, lane)));
  if (vector->kind == ExprKind::kShuffle) {
    int from = vector->lanes[lane];
    for (Expr part : vector->args) {
      if (from < part->type.lanes) return extract(part, from);
      from -= part->type.lanes;
    }
  }
  ExprNode node;
  node.kind = ExprKind::kExtract;
  node.type = vector->type.scalar();
  node.parameter = lane;
  node.args = {vector};
  return intern(std::move(node));
}

Expr Arena::extract_dynamic(Expr vector, Expr lane) {
  if (is_const(lane)) return extract(vector, static_cast<int>(lane->ival));
  ExprNode node;
  node.kind = ExprKind::kExtract;
  node.type = vector->type.scalar();
  node.parameter = -1;
  node.args = {vector, lane};
  return intern(std::move(node));
}

Expr Arena::shuffle(std::vector<Expr> vectors, std::vector<int> lanes) {
  CHECK(!vectors.empty() && !lanes.empty(), "empty shuffle");
  ExprNode node;
  node.kind = ExprKind::kShuffle;
  node.type = vectors[0]->type.with_lanes(static_cast<int>(lanes.size()));
  node.args = std::move(vectors);
  node.lanes = std::move(lanes);
  return intern(std::move(node));
}

Expr Arena::concat(std::vector<Expr> scalars) {
  if (scalars.size() == 1) return scalars[0];
  if (std::all_of(scalars.begin(), scalars.end(), [&](Expr e) { return e == scalars[0]; }))
    return broadcast(scalars[0], static_cast<int>(scalars.size()));
  // The lanes of one vector in their order are that vector.
  Expr whole = scalars[0]->kind == ExprKind::kExtract && scalars[0]->lane() >= 0 ? scalars[0]->args[0] : nullptr;
  if (whole && whole->type.lanes == static_cast<int>(scalars.size())) {
    bool in_order = true;
    for (size_t i = 0; i < scalars.size(); i++)
      in_order = in_order && scalars[i]->kind == ExprKind::kExtract && scalars[i]->args[0] == whole &&
                 scalars[i]->lane() == static_cast<int>(i);
    if (in_order) return whole;
  }
  std::vector<int> lanes;
  for (size_t i = 0; i < scalars.size(); i++) lanes.push_back(static_cast<int>(i));
  return shuffle(std::move(scalars), std::move(lanes));
}

Expr Arena::load(Buffer buffer, std::vector<Expr> indices, Expr mask, Expr other, bool any_value, int lanes) {
  if (mask && is_true(mask)) mask = other = nullptr;
  int index_lanes = 1;
  for (Expr i : indices) index_lanes = std::max(index_lanes, i->type.lanes);
  ExprNode node;
  node.kind = ExprKind::kLoad;
  node.type = {buffer->dtype, lanes ? lanes : index_lanes * buffer->lanes};
  node.args = std::move(indices);
  node.buffer = buffer;
  if (mask && is_false(mask)) return other ? other : constant(node.type, 0);
  node.mask = mask;
  node.other = other;
  node.any_value = any_value;
  return intern(std::move(node));
}

Expr Arena::call(Intrinsic intrinsic, std::vector<Expr> args) {
  ExprNode node;
  node.kind = ExprKind::kCall;
  node.intrinsic = intrinsic;
  node.type = args.at(0)->type;
  node.args = std::move(args);
  return intern(std::move(node));
}

Expr Arena::lane_xor(Expr value, int64_t difference) {
  ExprNode node;
  node.kind = ExprKind::kCall;
  node.intrinsic = Intrinsic::kLaneXor;
  node.type = value->type;
  node.parameter = difference;
  node.args = {value};
  return intern(std::move(node));
}

Expr Arena::lane_read(Expr value, Expr lane, int64_t subgroup) {
  ExprNode node;
  node.kind = ExprKind::kCall;
  node.intrinsic = Intrinsic::kLaneRead;
  node.type = value->type;
  node.parameter = subgroup;
  node.args = {value, lane};
  return intern(std::move(node));
}

Expr Arena::dot4(Type type, Expr a, Expr b) {
  ExprNode node;
  node.kind = ExprKind::kCall;
  node.intrinsic = Intrinsic::kDot4;
  node.type = type;
  node.args = {a, b};
  return intern(std::move(node));
}

Expr Arena::with_args(Expr e, std::vector<Expr> a, Expr mask, Expr other) {
  switch (e->kind) {
    case ExprKind::kConst:
    case ExprKind::kVar:
      return e;
    case ExprKind::kCast:
      return cast(e->type.with_lanes(a[0]->type.lanes), a[0]);
    case ExprKind::kBitcast:
      return bitcast(e->type.with_lanes(a[0]->type.lanes), a[0]);
    case ExprKind::kAdd:
      return add(a[0], a[1]);
    case ExprKind::kSub:
      return sub(a[0], a[1]);
    case ExprKind::kMul:
      return mul(a[0], a[1]);
    case ExprKind::kDiv:
      return div(a[0], a[1]);
    case ExprKind::kMod:
      return mod(a[0], a[1]);
    case ExprKind::kMad:
      return mad(a[0], a[1], a[2]);
    case ExprKind::kMin:
      return min(a[0], a[1]);
    case ExprKind::kMax:
      return max(a[0], a[1]);
    case ExprKind::kAnd:
      return logical_and(a[0], a[1]);
    case ExprKind::kOr:
      return logical_or(a[0], a[1]);
    case ExprKind::kNot:
      return logical_not(a[0]);
    case ExprKind::kBitAnd:
    case ExprKind::kBitOr:
    case ExprKind::kBitXor:
    case ExprKind::kShl:
    case ExprKind::kShr:
      return bit(e->kind, a[0], a[1]);
    case ExprKind::kEq:
      return eq(a[0], a[1]);
    case ExprKind::kLt:
      return lt(a[0], a[1]);
    case ExprKind::kLe:
      return le(a[0], a[1]);
    case ExprKind::kSelect:
      return select(a[0], a[1], a[2]);
    case ExprKind::kBroadcast:
      return broadcast(a[0], e->type.lanes);
    case ExprKind::kRamp:
      return ramp(a[0], a[1], e->type.lanes);
    case ExprKind::kExtract:
      return a.size() == 2 ? extract_dynamic(a[0], a[1]) : extract(a[0], e->lane());
    case ExprKind::kShuffle:
      return shuffle(std::move(a), e->lanes);
    case ExprKind::kLoad:
      return load(e->buffer, std::move(a), mask, other, e->any_value);
    case ExprKind::kCall:
      if (e->intrinsic == Intrinsic::kLaneXor) return lane_xor(a[0], e->id_difference());
      if (e->intrinsic == Intrinsic::kLaneRead) return lane_read(a[0], a[1], e->subgroup_size());
      if (e->intrinsic == Intrinsic::kDot4) return dot4(e->type, a[0], a[1]);
      return call(e->intrinsic, std::move(a));
  }
  CHECK(false, "unknown expression kind");
  return nullptr;  // g++ with -fsanitize=thread does not see that CHECK ends here
}

namespace {
StmtNode stmt_node(StmtKind kind) {
  StmtNode node;
  node.kind = kind;
  return node;
}
}  // namespace

Stmt Arena::block(std::vector<Stmt> body) {
  StmtNode node = stmt_node(StmtKind::kBlock);
  for (Stmt s : body) {
    if (!s) continue;
    if (s->kind == StmtKind::kBlock) node.body.insert(node.body.end(), s->body.begin(), s->body.end());
    else node.body.push_back(s);
  }
  return stmts_.add(std::move(node));
}

Stmt Arena::loop(Var var, int64_t extent, Place place, Stmt body) {
  StmtNode node = stmt_node(StmtKind::kFor);
  node.var = var;
  node.extent = extent;
  node.place = place;
  node.body = {body};
  return stmts_.add(std::move(node));
}

Stmt Arena::if_then(Expr condition, Stmt then, Stmt otherwise) {
  if (is_true(condition)) return then;
  if (is_false(condition)) return otherwise ? otherwise : block({});
  StmtNode node = stmt_node(StmtKind::kIf);
  node.value = condition;
  node.body = {then};
  if (otherwise) node.body.push_back(otherwise);
  return stmts_.add(std::move(node));
}

Stmt Arena::let(Var var, Expr value) {
  CHECK(var->type == value->type, cat("let ", var->name, ": types differ"));
  StmtNode node = stmt_node(StmtKind::kLet);
  node.var = var;
  node.value = value;
  return stmts_.add(std::move(node));
}

Stmt Arena::alloc(Buffer buffer) {
  StmtNode node = stmt_node(StmtKind::kAlloc);
  node.buffer = buffer;
  return stmts_.add(std::move(node));
}

Stmt Arena::store(Buffer buffer, std::vector<Expr> indices, Expr value, Expr mask) {
  CHECK(value->type.dtype == buffer->dtype, cat("store to ", buffer->name, ": types differ"));
  StmtNode node = stmt_node(StmtKind::kStore);
  node.buffer = buffer;
  node.indices = std::move(indices);
  node.value = value;
  node.mask = mask && is_true(mask) ? nullptr : mask;
  return stmts_.add(std::move(node));
}

Stmt Arena::barrier() { return stmts_.add(stmt_node(StmtKind::kBarrier)); }

}  // namespace hone::ir
