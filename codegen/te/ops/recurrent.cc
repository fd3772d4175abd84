#include "codegen/te/ops/recurrent.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/reshape.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

using Index = std::vector<Sym>;

// A step of `gates` gates.
class Layer {
 public:
  Layer(Builder& b, const Step& s, int64_t gates) : b_(b), s_(s), gates_(gates) {}

  Status check() const {
    const Shape& h = s_.hidden->shape;
    const bool ranks = h.size() == 3 && s_.projected->shape.size() == 3 && s_.recurrent->shape.size() == 2;
    const bool fits = ranks && h[0] == 1 && s_.projected->shape[0] >= 1 && s_.projected->shape[1] == h[1] && s_.projected->shape[2] == gates_ * h[2] &&
                      s_.recurrent->shape == Shape{gates_ * h[2], h[2]} && ir::is_float(s_.hidden->dtype) && s_.projected->dtype == s_.hidden->dtype &&
                      s_.recurrent->dtype == s_.hidden->dtype;
    if (!fits)
      return bad_model(cat("projected inputs, recurrent weights and a state of shapes ", shape_text(s_.projected->shape), ", ", shape_text(s_.recurrent->shape), " and ",
                           shape_text(h), " do not fit ", gates_, " gates"));
    if (s_.lengths && (s_.lengths->shape != Shape{h[1]} || !ir::is_int(s_.lengths->dtype)))
      return bad_model(cat("lengths of shape ", shape_text(s_.lengths->shape), " do not fit; expected ", h[1], " whole numbers"));
    if (ir::element_count(s_.step->shape) != 1 || !ir::is_int(s_.step->dtype)) return bad_model("the place in a sequence is no whole number");
    return ok_status();
  }

  Status check_state(Tensor state) const {
    if (state->shape == s_.hidden->shape && state->dtype == s_.hidden->dtype) return ok_status();
    return bad_model(cat("a state of shape ", shape_text(state->shape), " does not fit; expected ", shape_text(s_.hidden->shape)));
  }

  int64_t units() const { return s_.hidden->shape[2]; }
  std::vector<Axis> axes(int64_t width) { return b_.axes({"s", "b", "n"}, {1, s_.hidden->shape[1], width}); }
  Sym clipped(Sym x) const { return s_.clip > 0 ? max(min(x, s_.clip), -s_.clip) : x; }

  // The inputs' part for gate-unit n of this place.
  Sym projected(const Index& at, Sym n) {
    const Sym place = b_.at(s_.step, Index(s_.step->shape.size(), b_.index(0)));
    const Sym time = max(min(cast(DType::kIndex, place), double(s_.projected->shape[0] - 1)), 0.0);
    return b_.at(s_.projected, {time, at[1], n});
  }

  // `finish` of the sum over the units before of value(batch, k) · recurrent[first + n, k], for n < width: [1, batch, width].
  Tensor product(std::string_view name, int64_t first, int64_t width, const std::function<Sym(const Index& at)>& value, const std::function<Sym(Sym, const Index& at)>& finish) {
    const std::vector<Axis> all = axes(width), k = b_.axes({"k"}, {units()});
    const Index at = b_.syms(all);
    const Sym own = value({at[0], at[1], b_.sym(k[0])}), weight = b_.at(s_.recurrent, {at[2] + double(first), b_.sym(k[0])});
    return b_.reduce(name, all, k, Fold::kSum, own * weight, [&](Sym acc) { return finish(acc, at); });
  }
  Tensor gates(std::string_view name, int64_t width) {
    return product(name, 0, width, [&](const Index& at) { return b_.at(s_.hidden, at); }, [&](Sym acc, const Index& at) { return acc + projected(at, at[2]); });
  }

  Sym gate(Tensor gates, const Index& at, int64_t which) { return b_.at(gates, {at[0], at[1], at[2] + double(which * units())}); }

  Tensor map(std::string_view name, const std::function<Sym(const Index& at)>& value) {
    const std::vector<Axis> all = axes(units());
    return b_.map(name, all, value(b_.syms(all)));
  }

  // `yes` while the sequence lasts, else `no`.
  Sym while_it_lasts(const Index& at, Sym yes, Sym no) {
    if (!s_.lengths) return yes;
    const Sym place = b_.at(s_.step, Index(s_.step->shape.size(), b_.index(0))), length = b_.at(s_.lengths, {at[1]});
    return select(cast(DType::kI64, place) < cast(DType::kI64, length), yes, no);
  }
  Tensor kept(std::string_view name, Tensor before, const std::function<Sym(const Index& at)>& value) {
    return map(name, [&](const Index& at) {
      const Sym old = b_.at(before, at), now = value(at);
      return while_it_lasts(at, now, old);
    });
  }
  Tensor result(Tensor hidden) {
    if (!s_.lengths) return hidden;
    return map("Y", [&](const Index& at) {
      const Sym value = b_.at(hidden, at);
      return while_it_lasts(at, value, value.number(0));
    });
  }

 private:
  Builder& b_;
  const Step& s_;
  int64_t gates_;
};

}  // namespace

Result<Stepped> elman_step(Builder& b, const Step& s, const Activation& f) {
  Layer layer(b, s, 1);
  HONE_TRY(layer.check());
  const Tensor gates = layer.gates("gates", layer.units());
  const Tensor hidden = layer.kept("hidden", s.hidden, [&](const Index& at) { return f(layer.clipped(layer.gate(gates, at, 0))); });
  return Stepped{hidden, nullptr, layer.result(hidden)};
}

Result<Stepped> long_short_step(Builder& b, const Step& s, const LongShort& c) {
  Layer layer(b, s, 4);
  HONE_TRY(layer.check());
  HONE_TRY(layer.check_state(c.cell));
  if (c.peepholes && (c.peepholes->shape != Shape{3 * layer.units()} || c.peepholes->dtype != s.hidden->dtype))
    return bad_model(cat("peepholes of shape ", shape_text(c.peepholes->shape), " do not fit ", layer.units(), " units"));
  const Tensor gates = layer.gates("gates", 4 * layer.units());
  // Gate `which` sees the cell `state` through its peephole.
  const auto seeing = [&](const Index& at, int64_t which, Sym state) {
    const Sym gate = layer.gate(gates, at, which);
    if (!c.peepholes) return c.f(layer.clipped(gate));
    return c.f(layer.clipped(gate + b.at(c.peepholes, {at[2] + double(which * layer.units())}) * state));
  };
  const Tensor cell = layer.kept("cell", c.cell, [&](const Index& at) {
    const Sym old = b.at(c.cell, at), input = seeing(at, 0, old), forget = c.coupled ? 1.0 - input : seeing(at, 2, old);
    return forget * old + input * c.g(layer.clipped(layer.gate(gates, at, 3)));
  });
  const Tensor hidden = layer.kept("hidden", s.hidden, [&](const Index& at) {
    const Sym state = b.at(cell, at);
    return seeing(at, 1, state) * c.h(state);
  });
  return Stepped{hidden, cell, layer.result(hidden)};
}

Result<Stepped> gated_step(Builder& b, const Step& s, const Gated& u) {
  Layer layer(b, s, 3);
  HONE_TRY(layer.check());
  const int64_t units = layer.units();
  if (u.reset_bias && (u.reset_bias->shape != Shape{units} || u.reset_bias->dtype != s.hidden->dtype))
    return bad_model(cat("a bias of shape ", shape_text(u.reset_bias->shape), " does not fit ", units, " units"));
  const Tensor gates = layer.gates("gates", 2 * units);
  const auto reset = [&](const Index& at) { return u.f(layer.clipped(layer.gate(gates, at, 1))); };
  // What the state before gives to the candidate; the reset gate counts before the product or behind it.
  const auto own = [&](const Index& at) {
    const Sym state = b.at(s.hidden, at);
    return u.reset_bias ? state : state * reset(at);
  };
  const Tensor candidate = layer.product("candidate", 2 * units, units, own, [&](Sym acc, const Index& at) {
    const Sym inputs = layer.projected(at, at[2] + double(2 * units));
    if (!u.reset_bias) return u.g(layer.clipped(inputs + acc));
    const Sym bias = b.at(u.reset_bias, {at[2]});
    return u.g(layer.clipped(inputs + reset(at) * (acc + bias)));
  });
  const Tensor hidden = layer.kept("hidden", s.hidden, [&](const Index& at) {
    const Sym update = u.f(layer.clipped(layer.gate(gates, at, 0))), old = b.at(s.hidden, at), now = b.at(candidate, at);
    return (1.0 - update) * now + update * old;
  });
  return Stepped{hidden, nullptr, layer.result(hidden)};
}

namespace {

// The parts of an association's operands at one place.
class Memory {
 public:
  Memory(Builder& b, const Association& a) : b_(b), a_(a) {}

  Status check() const {
    const Shape& s = a_.state->shape;
    const Shape &q = a_.query->shape, &k = a_.key->shape, &v = a_.value->shape;
    bool fits = s.size() == 4 && q.size() == 3 && k.size() == 3 && v.size() == 3 && a_.key_heads >= 1 && a_.query_heads >= 1 && a_.query_heads % a_.key_heads == 0 && ir::is_float(a_.state->dtype);
    for (Tensor t : {a_.query, a_.key, a_.value}) fits = fits && t->shape[0] == s[0] && t->shape[1] == q[1] && t->shape[1] >= 1 && t->dtype == a_.state->dtype;
    fits = fits && s[1] == a_.key_heads && q[2] == a_.query_heads * s[2] && k[2] == a_.key_heads * s[2] && v[2] == a_.key_heads * s[3];
    if (!fits)
      return bad_model(cat("queries, keys, values and a state of shapes ", shape_text(q), ", ", shape_text(k), ", ", shape_text(v), " and ", shape_text(s), " do not fit ",
                           a_.query_heads, " and ", a_.key_heads, " heads"));
    for (Tensor t : {a_.decay, a_.beta})
      if (t && (t->shape.size() != 3 || t->shape[0] != s[0] || t->shape[1] != q[1] || t->dtype != a_.state->dtype)) return bad_model(cat("a decay or rate of shape ", shape_text(t->shape), " does not fit"));
    if (a_.decay && a_.decay->shape[2] != s[1] && a_.decay->shape[2] != s[1] * s[2]) return bad_model(cat("a decay of ", a_.decay->shape[2], " numbers does not fit"));
    if (a_.beta && a_.beta->shape[2] != s[1] && a_.beta->shape[2] != 1) return bad_model(cat("a rate of ", a_.beta->shape[2], " numbers does not fit"));
    if (ir::element_count(a_.step->shape) != 1 || !ir::is_int(a_.step->dtype)) return bad_model("the place in a sequence is no whole number");
    return ok_status();
  }

  int64_t extent(size_t d) const { return a_.state->shape[d]; }
  Sym at(Tensor t, Sym batch, Sym feature) {
    const Sym place = b_.at(a_.step, Index(a_.step->shape.size(), b_.index(0)));
    return b_.at(t, {batch, max(min(cast(DType::kIndex, place), double(t->shape[1] - 1)), 0.0), feature});
  }
  Sym key(const Index& i, Sym d) { return at(a_.key, i[0], i[1] * double(extent(2)) + d); }

  // The state before, decayed: i is batch, head; d and m its features.
  Sym decayed(const Index& i, Sym d, Sym m) {
    const Sym state = b_.at(a_.state, {i[0], i[1], d, m});
    if (!a_.decay) return state;
    const bool each = a_.decay->shape[2] != extent(1);
    return state * exponential(at(a_.decay, i[0], each ? i[1] * double(extent(2)) + d : i[1]));
  }

  // What the key is told: the value, or what it differs from what the state has for the key.
  Tensor written() {
    const std::vector<Axis> axes = b_.axes({"b", "h", "n"}, {extent(0), extent(1), extent(3)}), k = b_.axes({"k"}, {extent(2)});
    const Index i = b_.syms(axes);
    const Sym d = b_.sym(k[0]), held = decayed(i, d, i[2]), factor = key(i, d);
    return b_.reduce("written", axes, k, Fold::kSum, held * factor, [&](Sym acc) {
      const Sym value = at(a_.value, i[0], i[1] * double(extent(3)) + i[2]);
      const Sym rate = at(a_.beta, i[0], a_.beta->shape[2] == 1 ? b_.index(0) : i[1]);
      return rate * (value - acc);
    });
  }

  Tensor updated(Tensor written) {
    const std::vector<Axis> axes = b_.axes({"b", "h", "m", "n"}, a_.state->shape);
    const Index i = b_.syms(axes);
    const Sym held = decayed(i, i[2], i[3]), factor = key(i, i[2]);
    const Sym value = written ? b_.at(written, {i[0], i[1], i[3]}) : at(a_.value, i[0], i[1] * double(extent(3)) + i[3]);
    return b_.map("state", axes, held + factor * value);
  }

  Tensor read(Tensor state) {
    const std::vector<Axis> axes = b_.axes({"b", "s", "h", "n"}, {extent(0), 1, a_.query_heads, extent(3)}), k = b_.axes({"k"}, {extent(2)});
    const Index i = b_.syms(axes);
    const Sym d = b_.sym(k[0]), head = i[2] / double(a_.query_heads / a_.key_heads);
    const Sym held = b_.at(state, {i[0], head, d, i[3]}), query = at(a_.query, i[0], i[2] * double(extent(2)) + d);
    return b_.reduce("Y", axes, k, Fold::kSum, held * query, [&](Sym acc) { return acc * a_.scale; });
  }

 private:
  Builder& b_;
  const Association& a_;
};

}  // namespace

Result<Associated> associative_step(Builder& b, const Association& a) {
  Memory memory(b, a);
  HONE_TRY(memory.check());
  const Tensor state = memory.updated(a.beta ? memory.written() : nullptr);
  HONE_ASSIGN(y, reshape(b, memory.read(state), {a.state->shape[0], 1, a.query_heads * a.state->shape[3]}));
  return Associated{state, y};
}

}  // namespace hone::te
