#include "tuner/space/choices.h"

#include <algorithm>
#include <iterator>

#include "base/cat.h"

namespace hone::tuner {
namespace {

struct Named {
  Choice choice;
  Subject subject;
  const char* word;
};

constexpr Named kNames[] = {
    {&Choices::row_threads, Subject::kRows, "rows.threads"},
    {&Choices::row_blocks, Subject::kRows, "block.rows"},
    {&Choices::rows, Subject::kRows, "rows"},
    {&Choices::inner_rows, Subject::kRows, "rows.form"},
    {&Choices::keeps, Subject::kRows, "rows.values"},
    {&Choices::lane_threads, Subject::kLanes, "lanes.threads"},
    {&Choices::lane_blocks, Subject::kLanes, "block.lanes"},
    {&Choices::vectors, Subject::kLanes, "lanes"},
    {&Choices::lanes, Subject::kLanes, "lanes.width"},
    {&Choices::join, Subject::kLanes, "lanes.join"},
    {&Choices::lanes_outer, Subject::kLanes, "tiles.order"},
    {&Choices::squares, Subject::kLanes, "texels"},
    {&Choices::k_lanes, Subject::kK, "k.lanes"},
    {&Choices::k_tile, Subject::kK, "k.tile"},
    {&Choices::buffers, Subject::kK, "k.buffers"},
    {&Choices::padded, Subject::kK, "k.pad"},
    {&Choices::k_unroll, Subject::kK, "k.unroll"},
    {&Choices::slices, Subject::kK, "k.slices"},
    {&Choices::k_threads, Subject::kK, "k.threads"},
    {&Choices::k_subgroups, Subject::kK, "k.join"},
    {&Choices::k_block, Subject::kK, "k.block"},
    {&Choices::in_order, Subject::kK, "terms"},
    {&Choices::half_steps, Subject::kK, "sums"},
    {&Choices::packed_products, Subject::kK, "products"},
    {&Choices::k_first, Subject::kWindow, "reduce.order"},
    {&Choices::unrolled_windows, Subject::kWindow, "window.unroll"},
    {&Choices::operand0, Subject::kOperands, "operand0"},
    {&Choices::operand1, Subject::kOperands, "operand1"},
    {&Choices::operand2, Subject::kOperands, "operand2"},
    {&Choices::packed, Subject::kOperands, "constants"},
    {&Choices::copied, Subject::kOperands, "operands"},
    {&Choices::narrow, Subject::kProgram, "storage"},
    {&Choices::narrow_constants, Subject::kProgram, "constants.storage"},
    {&Choices::texel_reads, Subject::kProgram, "reads"},
    {&Choices::subgroup_size, Subject::kProgram, "subgroup.size"},
    {&Choices::algorithm, Subject::kProgram, kAlgorithm},
    {&Choices::launches, Subject::kProducer, "place"},
};

const Named& name_of(Choice choice) {
  return *std::find_if(std::begin(kNames), std::end(kNames), [choice](const Named& n) { return n.choice == choice; });
}

}  // namespace

Staging operand(const Choices& choices, size_t i) { return i < kOperandsMax ? static_cast<Staging>(choices.*kOperands[i]) : Staging::kRegister; }

bool holds(const Choices& choices, Staging where) {
  return std::any_of(std::begin(kOperands), std::end(kOperands), [&](Choice o) { return choices.*o == static_cast<int64_t>(where); });
}

Subject subject_of(Choice choice) { return name_of(choice).subject; }

std::string word_of(const Handle& handle) {
  const Named& name = name_of(handle.choice);
  if (name.subject == Subject::kProducer) return cat("producer", handle.group, ".", name.word);
  return handle.group == 0 ? name.word : cat(handle.group, ".", name.word);
}

}  // namespace hone::tuner
