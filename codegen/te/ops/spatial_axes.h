// The names of axes of tensors [n, c, spatial…], the same in every operator that slides a window: traces name them.
#pragma once
#include <string>
#include <vector>

namespace hone::te {

// The last `rank` of the names for a spatial rank of 1 to 3: 1 → {w}, 2 → {h, w}, 3 → {d, h, w}.
inline std::vector<std::string> last_names(std::vector<std::string> names, size_t rank) {
  return {names.end() - static_cast<std::ptrdiff_t>(rank), names.end()};
}
inline std::vector<std::string> output_axis_names(size_t rank) { return last_names({"od", "oh", "ow"}, rank); }
inline std::vector<std::string> window_axis_names(size_t rank) {
  return rank == 1 ? std::vector<std::string>{"s"} : last_names({"q", "r", "s"}, rank);
}
inline std::vector<std::string> input_axis_names(size_t rank) {
  std::vector<std::string> out = {"n", "c"};
  for (const std::string& name : last_names({"d", "h", "w"}, rank)) out.push_back(name);
  return out;
}

}  // namespace hone::te
