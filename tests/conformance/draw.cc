#include "tests/conformance/draw.h"

#include <algorithm>
#include <numeric>

namespace hone::conformance {
namespace {

constexpr int64_t kElementsMax = 2048;

}  // namespace

int64_t Draw::extent(int64_t extent_max) {
  for (;;)
    if (const int64_t e = any_of<int64_t>({1, 2, 3, 5, 7, 8, 13, 16, 17, 33}); e <= extent_max) return e;
}

int64_t Draw::depth() {
  switch (role_) {
    case Role::kPlain:
      break;
    case Role::kUnit:
      return coin() ? 1 : extent();
    case Role::kEmpty:
      return coin() ? 0 : extent();
    case Role::kDeep:
      return between(2048, 2200);
  }
  return extent();
}

void Draw::set_role_axis(ir::Shape& shape) {
  if (shape.empty() || role_ == Role::kPlain) return;
  int64_t& one = shape[static_cast<size_t>(below(static_cast<int64_t>(shape.size())))];
  if (role_ == Role::kUnit) one = 1;
  if (role_ == Role::kEmpty) one = 0;
  if (role_ != Role::kDeep) return;
  one = 1;
  const int64_t rest = ir::element_count(shape);
  one = between(1024, 4096) / rest + 1;
}

ir::Shape Draw::shape(int rank_min, int rank_max) {
  const int64_t elements_max = role_ == Role::kDeep ? 16 : kElementsMax;
  ir::Shape out;
  const int64_t rank = between(rank_min, rank_max);
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t made = ir::element_count(out);
    out.push_back(extent(std::max<int64_t>(1, elements_max / made)));
  }
  for (size_t d = out.size(); d > 1; --d)
    std::swap(out[d - 1], out[static_cast<size_t>(below(static_cast<int64_t>(d)))]);
  set_role_axis(out);
  return out;
}

ir::Shape Draw::broadcast_to(const ir::Shape& shape) {
  ir::Shape out = shape;
  for (int64_t& e : out)
    if (below(3) == 0) e = 1;
  const int64_t dropped = below(3) == 0 ? below(static_cast<int64_t>(out.size()) + 1) : 0;
  out.erase(out.begin(), out.begin() + dropped);
  return out;
}

int64_t Draw::axis(const ir::Shape& shape) {
  const auto rank = static_cast<int64_t>(shape.size());
  return between(-rank, rank - 1);
}

std::vector<int64_t> Draw::axes(int64_t rank) {
  const int64_t kept = below(rank);
  std::vector<int64_t> out;
  for (int64_t d = 0; d < rank; ++d)
    if (d == kept || coin()) out.push_back(d);
  return out;
}

std::vector<int64_t> Draw::permutation(int64_t n) {
  std::vector<int64_t> out(static_cast<size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  for (int64_t i = n; i > 1; --i) std::swap(out[static_cast<size_t>(i - 1)], out[static_cast<size_t>(below(i))]);
  return out;
}

ir::DType Draw::number() {
  using enum ir::DType;
  return any_of({kF32, kF32, kF32, kI32, kI64, kU32});
}

}  // namespace hone::conformance
