// Sketch: how a task's program falls into launches, found from axes, index expressions and combiners alone.
//
// Each output, and each reduction, is a group with a launch of its own: the root stage writes, the reduction (if any) accumulates in
// registers under it. Maps behind a reduction that read it element by element are its epilogue: the last is the root, those between are
// inlined. All other Maps are producers: inlined into their readers, or launches of their own.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/te/task.h"

namespace hone::tuner {

// Terms of a reduction that need not be looked at by every element (te/terms.h).
struct Terms {
  bool scan = false;   // running sums; else they are scattered
  bool lanes = false;  // each term has all of the lane axis
  int64_t along = 1;   // elements of the axes along which a term finds its element, or sums run
};

struct Group {
  int root = 0;                  // index into program.computes: the stage that writes
  int reduction = -1;            // the stage that accumulates; equal to root where nothing follows it; -1: a Map
  std::vector<int> between;      // epilogue Maps that are inlined
  std::vector<int> order;        // the root's axes as its output lies in memory, outermost first
  int lane_axis = -1;            // the innermost of extent > 1; -1: the output is one element
  // The root's axes by what they share, each list outermost first. Lanes: the lane axis; of a group of elements that share nothing all axes, of a row
  // those inside of it. Rows: others, which some operand does not depend on; of a group of rows, or patches, the innermost. Blocks: the rest.
  std::vector<int> batch_axes, row_axes, lane_axes;
  bool reuse = false;            // some operand of the reduction lacks some axis of extent > 1
  int k_axis = -1;               // the reduce axis along which operands are contiguous, else the longest; -1: steps share nothing
  std::vector<int> window_axes;  // the other reduce axes
  bool ahead = false;            // it follows from constants, and is no output
  std::optional<Terms> terms;    // of the reduction, where they may be taken in order
  bool row = false;        // the reductions `chain` share a launch with the root, a workgroup or thread for each row:
  std::vector<int> chain;  // in dependency order; the root itself where nothing follows its reduction
  std::vector<int> parts;  // of a patch, which a thread computes together: Maps that it holds in registers, and
  std::vector<int64_t> patch_extents;  // its elements along each of the root's axes; empty: no patch
};

struct Producer {
  Group group;          // of the launch that it may be
  bool choice = false;  // worth a decision between inlining and a launch of its own
};

struct Sketch {
  std::vector<Group> groups;        // in dependency order
  std::vector<Producer> producers;  // in dependency order
  std::string rules;                // those that fired, for people
};

// rows: whether the target has threads that share a row. Else each reduction is a group with a launch of its own.
Sketch make_sketch(const te::Task& task, bool rows = true);

// The root's axes `rows` as a group of rows has them: of the innermost of more than one element several share a workgroup, the others are blocks.
void share_rows(Group& group, const te::Compute& root, const std::vector<int>& rows);

// Of a program: the compute that writes a tensor, -1 if none does; those that read what a compute writes; does it write an output?
int producer_of(const te::Program& program, te::Tensor tensor);
std::vector<int> readers_of(const te::Program& program, int producer);
bool is_output(const te::Program& program, const te::Compute& compute);
// Does `reader`, a Map, read `producer` exactly at its own axes, and nowhere else?
bool reads_elementwise(const te::Compute& reader, const te::Compute& producer);

// The axes of a tensor as it lies in memory, outermost first: of the task's arguments by their layouts, of temporaries as their stage
// writes them (as the largest tensor that it reads).
std::vector<int> physical_order(const te::Task& task, te::Tensor tensor);
// A load's index along the innermost dimension of more than one element, as its tensor lies in memory; null: there is none.
ir::Expr innermost_index(const te::Task& task, ir::Expr load);
// Is it an argument whose layout the schedule may choose?
bool is_free_input(const te::Task& task, te::Tensor tensor);
// On textures: an input that the task does not lay out for textures either.
bool is_open_input(const te::Task& task, te::Tensor tensor);
// Elements of the innermost physical dimension when it runs along a whole axis (its layout has no finer blocks), else 0.
int64_t innermost_extent(const te::Task& task, te::Tensor tensor);

}  // namespace hone::tuner
