// What random cases are drawn from: small shapes, mostly odd, with a role that says what is special about the case.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "codegen/ir/layout.h"
#include "codegen/ir/type.h"

namespace hone::conformance {

// kUnit: a shape has an axis of extent 1. kEmpty: of extent 0. kDeep: reductions have 2048 steps and more, other tensors a long axis.
enum class Role : uint8_t { kPlain, kUnit, kEmpty, kDeep };

class Draw {
 public:
  Draw(uint64_t seed, Role role) : rng_(seed), role_(role) {}
  Role role() const { return role_; }

  int64_t below(int64_t bound) { return static_cast<int64_t>(rng_.below(static_cast<uint64_t>(bound))); }
  int64_t between(int64_t first, int64_t last) { return first + below(last - first + 1); }
  bool coin() { return below(2) == 1; }
  template <class T>
  T any_of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<int64_t>(values.size()))];
  }
  double real(double low, double high) { return low + (high - low) * rng_.uniform(); }

  int64_t extent(int64_t extent_max = 33);  // of {1, 2, 3, 5, 7, 8, 13, 16, 17, 33}
  int64_t depth();                          // of a sum: an extent, or what the role says of it
  // Of at most 2048 elements, or 4096 by kDeep; one of its axes as the role says. Rank 0 has none.
  ir::Shape shape(int rank_min, int rank_max);
  // Two shapes that broadcast to the first: the second lacks leading dimensions or has 1 in their places.
  ir::Shape broadcast_to(const ir::Shape& shape);
  int64_t axis(const ir::Shape& shape);     // a position, sometimes counted from the end. Needs: rank ≥ 1
  std::vector<int64_t> axes(int64_t rank);  // some, in order, each ≥ 0; at least one
  std::vector<int64_t> permutation(int64_t n);
  ir::DType number();  // f32 half of the time, else whole numbers
  ir::DType any_type() { return below(5) == 0 ? ir::DType::kBool : number(); }

 private:
  void set_role_axis(ir::Shape& shape);
  Rng rng_;
  Role role_;
};

}  // namespace hone::conformance
