// One step of recurrent layers: what a layer does with one element of a sequence. The layer is as many of them as its sequence is long.
#pragma once
#include <functional>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// What all steps have in common. projected: [time, batch, gates · units], the inputs' part of every gate, with the biases; step: one whole number, the place in it;
// recurrent: [gates · units, units]; hidden: [1, batch, units], what the step before gave.
struct Step {
  Tensor projected = nullptr, step = nullptr, recurrent = nullptr, hidden = nullptr;
  Tensor lengths = nullptr;  // null, or whole numbers [batch]: from there on a sequence keeps its state, and its result is 0
  double clip = 0;           // of what an activation is given; 0: none
};
struct Stepped {
  Tensor hidden = nullptr, cell = nullptr;  // [1, batch, units]; cell: of a layer that has one
  Tensor y = nullptr;                       // the result of this place: hidden, or 0 behind the end of its sequence
};

using Activation = std::function<Sym(Sym)>;

// h' = f(x + h · Rᵀ) (Elman 1990, "Finding structure in time"). Fails: bad_model.
Result<Stepped> elman_step(Builder& b, const Step& s, const Activation& f);

// Long short-term memory with gates in the order i o f c (Hochreiter and Schmidhuber 1997; forget gates and peepholes: Gers et al. 2002).
struct LongShort {
  Tensor cell = nullptr;       // [1, batch, units]
  Tensor peepholes = nullptr;  // null, or [3 · units]: of i o f
  Activation f, g, h;
  bool coupled = false;  // the forget gate is 1 − i
};
Result<Stepped> long_short_step(Builder& b, const Step& s, const LongShort& cell);

// A gated unit with gates in the order z r h (Cho et al. 2014, eq. 5–8).
struct Gated {
  Tensor reset_bias = nullptr;  // null, or [units]: what is added to h · Rᵀ before the reset gate counts; null: it counts before that product
  Activation f, g;
};
Result<Stepped> gated_step(Builder& b, const Step& s, const Gated& unit);

// A state that keys write into and queries read (Katharopoulos et al. 2020, "Transformers are RNNs", eq. 16–20; gated and delta rules: Yang et al. 2024, "Gated delta
// networks", table 1): state' = e^decay · state; state' += key · β · (value − stateᵀ · key), or key · value without β; y = scale · stateᵀ · query.
struct Association {
  Tensor query = nullptr, key = nullptr, value = nullptr;  // [batch, time, heads · features]; queries may have a multiple of the heads of keys
  Tensor state = nullptr;                                  // [batch, heads, key features, value features]
  Tensor step = nullptr;                                   // one whole number
  Tensor decay = nullptr;                                  // null, or [batch, time, heads] or [batch, time, heads · key features]
  Tensor beta = nullptr;                                   // null, or [batch, time, heads or 1]
  int64_t query_heads = 1, key_heads = 1;
  double scale = 1;
};
struct Associated {
  Tensor state = nullptr;
  Tensor y = nullptr;  // [batch, 1, query heads · value features]
};
Result<Associated> associative_step(Builder& b, const Association& a);

}  // namespace hone::te
