#include "codegen/ir/thread_values.h"

#include <algorithm>

#include "codegen/ir/numeric.h"

namespace hone::ir {
namespace {

bool is_whole(DType dtype) { return dtype == DType::kIndex || dtype == DType::kI32 || dtype == DType::kBool; }

int32_t wrapped(int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value)); }

int64_t shift_of(int32_t b) { return b & 31; }

}  // namespace

ThreadValues::ThreadValues(const Launch& launch, const Dims& block) 
    : threads_(launch.threads[0] * launch.threads[1] * launch.threads[2]), lets_(lets_of(launch.body)) {
  int64_t apart = 1;
  for (size_t i = 0; i < 3; ++i) {
    place(launch.thread_vars[i], apart, launch.threads[i]);
    apart *= launch.threads[i];
    if (Var var = launch.block_vars[i])
      entries_[var] = {0, 1, true, std::vector<int32_t>(static_cast<size_t>(threads_), wrapped(block[i]))};
  }
  place(launch.thread_linear, 1, threads_);
}

// The id along a dimension: threads of the linear order are `apart` from the next of it.
void ThreadValues::place(Var var, int64_t apart, int64_t extent) {
  if (!var) return;
  Entry& entry = entries_[var] = {0, 1, true, {}};
  for (int64_t t = 0; t < threads_; ++t) entry.numbers.push_back(wrapped(t / apart % extent));
}

void ThreadValues::enter(Var loop_var) {
  stamps_.push_back(++stamps_given_);
  entries_[loop_var] = {static_cast<int>(stamps_.size()) - 1, stamps_given_, true, std::vector<int32_t>(static_cast<size_t>(threads_))};
}

void ThreadValues::advance(Var loop_var, int64_t iteration) {
  stamps_.back() = ++stamps_given_;
  Entry& entry = entries_[loop_var];
  entry.stamp = stamps_given_;
  std::fill(entry.numbers.begin(), entry.numbers.end(), wrapped(iteration));
}

void ThreadValues::leave() { stamps_.pop_back(); }

const int32_t* ThreadValues::of(Expr e) {
  const Entry& found = entry(e);
  return found.is_known ? found.numbers.data() : nullptr;
}

ThreadValues::Entry& ThreadValues::entry(Expr e) {
  Entry& found = entries_[e];
  const size_t depth = static_cast<size_t>(found.depth);
  if (found.stamp != 0 && depth < stamps_.size() && found.stamp == stamps_[depth]) return found;
  found.depth = 0;
  auto depends_on = [&](Expr operand) { found.depth = std::max(found.depth, entry(operand).depth); };
  if (const auto let = lets_.find(e); let != lets_.end()) depends_on(let->second);
  else if (is_whole(e->type.dtype) && e->kind != ExprKind::kLoad) std::for_each(e->args.begin(), e->args.end(), depends_on);
  found.is_known = compute(e, found.numbers);
  computed_ += static_cast<int64_t>(found.numbers.size()) + 1;
  found.stamp = stamps_[static_cast<size_t>(found.depth)];
  return found;
}

// function(a, b, c): one number of each operand; an operand of one lane serves all lanes.
template <class Function>
bool ThreadValues::each(Expr e, std::vector<int32_t>& out, const Function& function) {
  const int32_t* in[3]{};
  int64_t lane_apart[3]{};
  for (size_t i = 0; i < e->args.size() && i < 3; ++i) {
    if (!(in[i] = of(e->args[i]))) return false;
    lane_apart[i] = e->args[i]->type.lanes == 1 ? 0 : threads_;
  }
  for (size_t i = e->args.size(); i < 3; ++i) in[i] = in[0];
  out.resize(count(e));
  int32_t* to = out.data();
  for (int64_t lane = 0; lane < e->type.lanes; ++lane, to += threads_) {
    const int32_t *a = in[0] + lane * lane_apart[0], *b = in[1] + lane * lane_apart[1], *c = in[2] + lane * lane_apart[2];
    for (int64_t t = 0; t < threads_; ++t) to[t] = wrapped(function(lane, int64_t{a[t]}, int64_t{b[t]}, int64_t{c[t]}));
  }
  return true;
}

bool ThreadValues::compute(Expr e, std::vector<int32_t>& out) {
  if (!is_whole(e->type.dtype)) return false;
  switch (e->kind) {
    case ExprKind::kConst:
      out.assign(count(e), wrapped(e->ival));
      return true;
    case ExprKind::kVar: {
      const auto let = lets_.find(e);
      const int32_t* value = let == lets_.end() ? nullptr : of(let->second);
      if (value) out.assign(value, value + count(e));
      return value;
    }
    case ExprKind::kCast:
      if (e->type.dtype == DType::kBool) return each(e, out, [](int64_t, int64_t a, int64_t, int64_t) { return a != 0; });
      [[fallthrough]];
    case ExprKind::kBroadcast:
      return each(e, out, [](int64_t, int64_t a, int64_t, int64_t) { return a; });
    case ExprKind::kNot:
      return each(e, out, [](int64_t, int64_t a, int64_t, int64_t) { return !a; });
    case ExprKind::kRamp:
      return each(e, out, [](int64_t lane, int64_t a, int64_t b, int64_t) { return a + lane * b; });
    case ExprKind::kMad:
      return each(e, out, [](int64_t, int64_t a, int64_t b, int64_t c) { return a * b + c; });
    case ExprKind::kSelect:
      return each(e, out, [](int64_t, int64_t a, int64_t b, int64_t c) { return a ? b : c; });
    case ExprKind::kExtract:
    case ExprKind::kShuffle:
      return compute_lanes(e, out);
    default:
      return combine(e, out);
  }
}

bool ThreadValues::combine(Expr e, std::vector<int32_t>& out) {
  switch (e->kind) {
#define HONE_EACH(kind, result) \
  case ExprKind::kind:          \
    return each(e, out, [](int64_t, int64_t a, int64_t b, int64_t) -> int64_t { return result; });
    HONE_EACH(kAdd, a + b)
    HONE_EACH(kSub, a - b)
    HONE_EACH(kMul, a * b)
    HONE_EACH(kDiv, floor_div(a, b))
    HONE_EACH(kMod, floor_mod(a, b))
    HONE_EACH(kMin, std::min(a, b))
    HONE_EACH(kMax, std::max(a, b))
    HONE_EACH(kAnd, a & b)
    HONE_EACH(kOr, a | b)
    HONE_EACH(kBitAnd, a & b)
    HONE_EACH(kBitOr, a | b)
    HONE_EACH(kBitXor, a ^ b)
    HONE_EACH(kShl, a << shift_of(static_cast<int32_t>(b)))
    HONE_EACH(kShr, a >> shift_of(static_cast<int32_t>(b)))
    HONE_EACH(kEq, a == b)
    HONE_EACH(kLt, a < b)
    HONE_EACH(kLe, a <= b)
#undef HONE_EACH
    default:
      return false;  // loads and calls
  }
}

bool ThreadValues::compute_lanes(Expr e, std::vector<int32_t>& out) {
  std::vector<int64_t> lanes(e->lanes.begin(), e->lanes.end());
  if (e->kind == ExprKind::kExtract && e->args.size() > 1) return false;  // a lane that is computed
  if (e->kind == ExprKind::kExtract) lanes.assign(1, e->lane());
  out.clear();
  for (int64_t lane : lanes)
    for (Expr part : e->args) {
      if (lane >= part->type.lanes) {
        lane -= part->type.lanes;
        continue;
      }
      const int32_t* numbers = of(part);
      if (!numbers) return false;
      out.insert(out.end(), numbers + lane * threads_, numbers + (lane + 1) * threads_);
      break;
    }
  return out.size() == count(e);
}

}  // namespace hone::ir
