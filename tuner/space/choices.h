// Choices: what is chosen for one group of a sketch, and for the program: the numbers of which the rules make a schedule. Decision: one of them that a
// space leaves open, with its domain.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hone::tuner {

// The decision that chooses the program.
inline constexpr const char* kAlgorithm = "algorithm";

inline constexpr int kOperandsMax = 3;  // of a reduction that have a choice of their own
enum class Staging : int64_t { kDirect = 0, kRegister = 1, kWorkgroup = 2, kLane = 3 };
enum class Join : int64_t { kFlat = 0, kTree = 1, kSubgroup = 2 };

// A group's axes are rows, lanes (innermost in memory), and those of its reduction: k and the window. Each is cut into levels: blocks of a grid or of a
// core's iteration, threads, items that a thread has in registers, a vector. 1: the level is not there.
struct Choices {
  int64_t row_threads = 1, row_blocks = 1, rows = 1;
  int64_t lane_threads = 1, lane_blocks = 1, vectors = 1, lanes = 1;  // a thread's vectors of `lanes` elements lie a workgroup's width apart
  int64_t join = static_cast<int64_t>(Join::kTree);  // of a row's threads, each of which reduces a part of it
  int64_t keeps = 0;        // what a Map between computes for a row is kept for all of its readers
  int64_t inner_rows = 0;   // rows of the innermost row axis only; the others are blocks
  int64_t lanes_outer = 0;  // on cores: the tiles of a column one after the other, not those of a row
  int64_t squares = 0;      // on textures: texels of 2×2 elements, those of what is read as well where that is free: `rows` are pairs
  int64_t k_lanes = 1;      // steps of k at once
  int64_t k_tile = 1;       // steps of k that a staged tile holds
  int64_t buffers = 1;      // copies of a tile in workgroup memory: of two one is loaded while the other is read
  int64_t padded = 0;       // staged rows are a vector longer where threads would meet the same bank
  int64_t k_unroll = 1;     // straight-line copies of the innermost loop over k, each of k_lanes steps
  int64_t slices = 1;       // of k, each in workgroups of its own; a second launch joins them
  int64_t k_threads = 1;    // threads of one workgroup that share an output element's k
  int64_t k_subgroups = 0;  // which join their parts as lanes of subgroups
  int64_t k_block = 0;      // on cores: steps of k that all tiles of an iteration take before the next ones; 0: all of them
  int64_t in_order = 0;     // each term goes to its element, or sums run along; else each element looks at all terms
  int64_t half_steps = 0;   // steps of k that a thread adds up in f16, one such sum after the other; as a decision: 1 for as many as the error permits
  int64_t packed_products = 0;   // four steps of k at once, as one product of packed 8-bit numbers
  int64_t k_first = 0;           // the k axis outside of the window axes
  int64_t unrolled_windows = 0;  // window axes that are unrolled, the innermost first
  int64_t operand0 = 1, operand1 = 1, operand2 = 1;  // Staging, in the order in which the reduction reads them
  int64_t packed = 0;       // on cores: constants that run along the lanes lie in panels, one tile's columns wide
  int64_t copied = 0;       // so do other operands, in a copy that a launch of its own makes
  // Of the program:
  int64_t narrow = 0;            // what is kept of a value between stages is f16
  int64_t narrow_constants = 0;  // so are large constants
  int64_t texel_reads = 0;       // on textures: by texelFetch, not by the sampler
  int64_t subgroup_size = 0;     // that kernels ask for; 0: none
  int64_t algorithm = 0;         // 0: the program as it is, else one of its variants
  // Of a producer:
  int64_t launches = 0;  // 0: it is computed where it is read

  bool operator==(const Choices&) const = default;
};

using Choice = int64_t Choices::*;
inline constexpr Choice kOperands[kOperandsMax] = {&Choices::operand0, &Choices::operand1, &Choices::operand2};

Staging operand(const Choices& choices, size_t i);  // kRegister where it has no choice of its own
bool holds(const Choices& choices, Staging where);  // does some operand lie there?

// What a choice is about: crossing takes all of one subject from one parent.
enum class Subject : uint8_t { kProgram, kProducer, kRows, kLanes, kK, kWindow, kOperands };
Subject subject_of(Choice choice);

// Of which group, or producer, a choice is; both 0 where it is the program's.
struct Handle {
  Choice choice = nullptr;
  size_t group = 0;
  bool operator==(const Handle&) const = default;
};
// "rows.threads", of the second group "1.rows.threads", of a producer "producer0.place": the same for every shape.
std::string word_of(const Handle& handle);

struct Decision {
  Handle handle;
  std::string key;                  // its word, after the name of the program where that is a variant
  std::vector<int64_t> values;      // ascending where they are sizes: neighbours are similar choices
  std::vector<std::string> labels;  // where values are names; else empty
  bool first_is_usual = false;      // a sample has the first value three times in four
  bool is_size() const { return labels.empty(); }
  // The value at a position as text.
  std::string word(size_t at) const { return is_size() ? std::to_string(values[at]) : labels[static_cast<size_t>(values[at])]; }
};

// A value for each decision of a space, as positions in their lists.
using Assignment = std::vector<int>;

}  // namespace hone::tuner
