#include "codegen/te/overflow.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/ir/mutator.h"
#include "codegen/te/beside.h"
#include "codegen/te/shadow.h"

namespace hone::te {

using ir::ExprKind;

namespace {

constexpr ir::Type kShadowType{DType::kF32, 1}, kFlagType{DType::kI32, 1};

class Watch {
 public:
  Watch(Builder& b, Intervals& intervals) : b_(b), arena_(*b.program().arena), intervals_(intervals), shadows_(arena_, intervals) {}

  // The flags of a Compute that `intervals` has followed: [1]; null: none can be set.
  Tensor flags_of(const Compute& compute) {
    shadows_.forget();
    const Beside beside = compute.reduce ? of_reduction(compute) : of_map(compute);
    return beside.failed ? append_beside(b_, compute, beside) : nullptr;
  }

 private:
  Beside of_map(const Compute& compute);
  Beside of_reduction(const Compute& compute);
  void add_shadow(Beside& beside, size_t component, const Shadow& shadow, double count);
  void add_failed(Beside& beside, Expr of_value, Expr of_joining);
  Expr finished(const Compute& compute);

  Builder& b_;
  ir::Arena& arena_;
  Intervals& intervals_;
  Shadows shadows_;
};

Beside Watch::of_map(const Compute& compute) {
  Beside out;
  for (Expr e : compute.value) out.failed = shadows_.either(out.failed, shadows_.failure(e));
  return out;
}

// Of a component whose sum or product may leave the range its shadow is joined as it is; any other has values that do not.
Beside Watch::of_reduction(const Compute& compute) {
  const Combiner& combiner = compute.reduce->combiner;
  Beside out{.reduce = compute.reduce, .value = compute.value};
  std::vector<std::optional<Shadow>> followed(combiner.acc.size());
  Expr of_value = nullptr, of_joining = nullptr;
  for (size_t i = 0; i < combiner.acc.size(); i++) {
    const Expr value = compute.value[i], acc = combiner.acc[i];
    const bool is_sum = is_wide(acc->type.dtype) && joins_by(combiner, i) != ExprKind::kConst;
    const bool fits = intervals_.of(acc).within(device_range(acc->type.dtype));
    of_value = shadows_.either(of_value, is_sum ? shadows_.of(value).failed : shadows_.failure(value));
    if (is_sum && (!fits || shadows_.of(value).value)) followed[i] = shadows_.followed(value);
    if (is_sum) continue;
    of_joining = shadows_.either(of_joining, shadows_.failure(combiner.combine[i]));
    if (is_wide(acc->type.dtype) && !fits) of_joining = arena_.boolean(true);
  }
  shadows_.forget();
  for (size_t i = 0; i < followed.size(); i++)
    if (followed[i]) add_shadow(out, i, *followed[i], places_of(compute.reduce->axes));
  if (of_value || of_joining) add_failed(out, of_value, of_joining);
  const Expr of_finish = finished(compute);
  if (of_value || of_joining) {
    const Expr any = arena_.lt(arena_.integer(DType::kI32, 0), out.reduce->combiner.acc.back());
    out.failed = shadows_.either(of_finish, any);
  } else {
    out.failed = of_finish;
  }
  if (of_finish || of_joining || !of_value) return out;
  return {.failed = of_value};
}

// A component more, a number's f32, and one for its error, where that may matter.
void Watch::add_shadow(Beside& beside, size_t component, const Shadow& shadow, double count) {
  Combiner& c = beside.reduce->combiner;
  const ExprKind kind = joins_by(c, component);
  const auto var = [&](const char* name) { return arena_.var(cat(name, component), kShadowType); };
  Shadow all = Shadows::accumulated(kind, shadow, count);
  const bool has_error = Shadows::needs_error(all);
  const Shadow acc{var("sum"), var("off"), nullptr, all.size / 2, all.off / 2, all.relative}, val{var("term"), var("term_off"), nullptr, all.size / 2, all.off / 2, all.relative};
  const Shadow joined = shadows_.joined(kind, acc, val);
  const auto add = [&](Expr value, Var a, Var v, double identity, Expr combine) {
    beside.value.push_back(value);
    c.acc.push_back(a);
    c.val.push_back(v);
    c.identity.push_back(shadows_.f32(identity));
    c.combine.push_back(combine);
  };
  add(shadow.value, acc.value, val.value, kind == ExprKind::kMul ? 1 : 0, joined.value);
  if (has_error) add(shadow.error ? shadow.error : shadows_.f32(0), acc.error, val.error, 0, joined.error);
  all.value = acc.value;
  all.error = has_error ? acc.error : shadows_.f32(all.off);
  shadows_.set(c.acc[component], all);
}

// A component more, the last: whether any value, or joining two, has failed.
void Watch::add_failed(Beside& beside, Expr of_value, Expr of_joining) {
  Combiner& c = beside.reduce->combiner;
  const Var acc = arena_.var("failed", kFlagType), val = arena_.var("fails", kFlagType);
  Expr any = arena_.max(acc, val);
  if (of_joining) any = arena_.max(any, flag(arena_, of_joining));
  beside.value.push_back(of_value ? flag(arena_, of_value) : arena_.integer(DType::kI32, 0));
  c.acc.push_back(acc);
  c.val.push_back(val);
  c.identity.push_back(arena_.integer(DType::kI32, 0));
  c.combine.push_back(any);
}

Expr Watch::finished(const Compute& compute) {
  Expr failed = nullptr;
  for (Expr e : compute.finish.empty() ? std::vector<Expr>(compute.reduce->combiner.acc.begin(), compute.reduce->combiner.acc.end()) : compute.finish)
    failed = shadows_.either(failed, shadows_.failure(e));
  return failed;
}

bool has_wide_numbers(const std::vector<Compute>& computes) {
  bool found = false;
  ir::NodeSet seen;
  for (const Compute& compute : computes)
    for (const auto* parts : {&compute.value, &compute.finish})
      for (Expr e : *parts) ir::for_each_node(e, seen, [&](Expr node) { found = found || is_wide(node->type.dtype); });
  return found;
}

}  // namespace

Tensor overflow(Builder& b, size_t first, const std::unordered_map<Tensor, Interval>& inputs, int64_t number) {
  Intervals intervals;
  for (const auto& [tensor, interval] : inputs) intervals.learn(tensor, interval);
  Watch watch(b, intervals);
  const std::vector<Compute> computes(b.program().computes.begin() + static_cast<std::ptrdiff_t>(first), b.program().computes.end());
  if (!has_wide_numbers(computes)) return nullptr;
  std::vector<Tensor> flags;
  for (const Compute& compute : computes) {
    intervals.follow(compute);
    if (const Tensor set = watch.flags_of(compute)) flags.push_back(set);
  }
  if (flags.empty()) return nullptr;
  const std::vector<Axis> one = b.axes({"any"}, {1});
  Sym any = b.at(flags[0], b.syms(one));
  for (size_t i = 1; i < flags.size(); i++) any = max(any, b.at(flags[i], b.syms(one)));
  const Tensor out = b.map("leaves", one, select(0.0 < any, any.number(double(number)), any.number(0)));
  b.keep_what_makes(out, first);
  return out;
}

}  // namespace hone::te
