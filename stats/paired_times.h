// What a comparison of two builds is made of: times in µs, taken in turns on one device.
#pragma once
#include <vector>

#include "base/result.h"

namespace hone::stats {

// A time of each build, one right behind the other.
struct Pair {
  double old_us = 0, new_us = 0;
};

// Four times in a row: old, new, new, old, or, where a coin said so, new, old, old, new. What grows evenly meanwhile is in the two pairs' log-ratios with
// opposite signs. The coin makes the noise of a quad as probable with one sign as with the other, whatever the device does.
struct Quad {
  Pair first, second;
};

// What one fresh tab measured. Within a block anything may be alike (where buffers lie, what the driver chose), so its pairs count as one observation.
struct Block {
  std::vector<Quad> quads;  // one at least
  std::vector<Quad>
      reference;  // of the device's reference kernel, which is the same for both builds: taken beside each of the quads; or empty
};

// log(new / old) of each pair: two of each quad. kInvalidArgument, with the value, where a time is not a positive finite number, and where there is
// no quad.
Result<std::vector<double>> log_ratios(const std::vector<Quad>& quads);

}  // namespace hone::stats
