// Resizing: each output element is made of the inputs around its place.
#pragma once
#include <optional>
#include <vector>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// Where output i of one dimension lies in the input: (i · step + offset) / divisor, in exact arithmetic.
struct SamplePlace {
  int64_t step = 1, offset = 0, divisor = 1;
};
// The input chosen for a place between two: kFloor and kCeil by name; kDown and kUp the nearest, a half down or up.
enum class Nearest : uint8_t { kFloor, kCeil, kDown, kUp };
enum class Blend : uint8_t { kNearest, kLinear, kCubic };

struct ResampleParams {
  Shape shape;                      // of the output
  std::vector<SamplePlace> places;  // one per dimension
  Blend blend = Blend::kNearest;
  Nearest nearest = Nearest::kDown;
  double cubic = -0.75;  // a of the cubic convolution (Keys 1981, eq. 4)
  bool exclude_outside =
      false;  // cubic: inputs beyond the edge have weight 0, the others are scaled up; else the edge repeats
  std::optional<double> outside;  // the value of places before the first input or behind the last one; none: the edge repeats
  bool antialias = false;  // where a dimension becomes shorter, the filter is as much wider
};

// The Map "resample", behind a reduction for each dimension whose filter is wider. Dimensions whose place is i are not blended. Fails: bad_model (an empty input), unsupported (a place beyond 32 bits).
Result<Tensor> resample(Builder& b, Tensor x, const ResampleParams& params);

}  // namespace hone::te
