// On textures: which outputs one fragment computes, and how the output therefore lies.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/space/trace_builder.h"

namespace hone::tuner {

// Rows of the output × texels along its lanes; each is a render target of its own, in a layer of its own. A texel holds four neighbours along the
// lanes; in squares two in each of two rows, and `rows` counts pairs of rows.
struct FragmentTile {
  int64_t rows = 1, texels = 1;
  bool squares = false;
};

// Axes of the stage by position, in the order in which its output lies, outermost first.
struct FragmentAxes {
  std::vector<int> order;
  int row = -1, lane = -1;  // -1: none of more than one element
};

// The innermost axes of more than one element; the row's is the one that the task has laid out in layers, if it has.
FragmentAxes fragment_axes(const te::Task& task, const te::Compute& compute, const std::vector<int>& order);

// The tile that the task fixes for the stage's output; nullopt: any will do.
std::optional<FragmentTile> fixed_tile(const te::Task& task, te::Tensor output, const FragmentAxes& axes);

// Lays the output of a root stage out in tiles (unless the task has) and binds its loops; the loop under which a fragment's work hangs.
std::string arrange_fragments(TraceBuilder& t, const std::string& stage, const FragmentAxes& axes,
                              const FragmentTile& tile);

// Lays a tensor in texels of 2×2 elements along two of its dimensions.
void lay_in_squares(TraceBuilder& t, te::Tensor tensor, int row, int column);

// Every launch reads textures by their sampler.
void sample_all(TraceBuilder& t);

}  // namespace hone::tuner
