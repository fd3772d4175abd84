// What a model may ask for. Each limit is beyond what trained models have, and within what every pass does in linear time and bounded depth.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hone::graph {

// Dimensions of a tensor. Definitions, layouts and resampling grow with powers of it; exported models have 6 at most.
inline constexpr size_t kRankMax = 8;
// Inputs, and outputs, of one node: they stand in one expression, or are stages of one task. What joins more inputs is made a tree before
// (split_variadic), so it holds of the inputs of Mean, and of what Split makes.
inline constexpr size_t kArityMax = 256;
// Elements of a constant that is read as a setting: a shape, pads, axes, the parts of a split.
inline constexpr size_t kSettingsMax = 4096;
// Bytes of the name of a model, value, node, operator or attribute; exporters that write whole paths need some hundred.
inline constexpr size_t kNameBytesMax = 4096;
// Nodes of one fused group: they are inlined into one expression, whose depth grows with them.
inline constexpr size_t kGroupNodesMax = 32;
// Nodes of that expression, written out as often as it is read: a chain of powers reads each base five times, so that four of them in one
// kernel are 100 kB of text. An erf-GELU behind a bias has less than a hundred.
inline constexpr double kGroupExpressionMax = 4096;

// Messages of a file within messages, and subgraphs and functions within others: all are read by functions that call themselves.
inline constexpr size_t kNestingMax = 100;
// Messages of a file, which take up to 200 bytes in memory and two in the file. A model of 100,000 nodes has some 500,000.
inline constexpr size_t kMessagesMax = size_t{1} << 21;
// Nodes that stand in a model's functions, loops and branches, written out as often as they run.
inline constexpr size_t kExpandedNodesMax = size_t{1} << 17;
// Loops whose trips a run counts: as many as a frame has (schema/protocol.json), and each is looked at wherever a value is read.
inline constexpr size_t kLoopsMax = 256;
// Comparisons up to which elements are compared with all others, or each element looks at all updates. 2²⁵ take two cores of 2.5 GHz 80 ms (2²⁶ 197 ms); what takes
// n log n a tenth of that, but has ten times the kernels, whose compilation takes 2 s more there: as long as 25 runs. GPUs compare 2²⁵ in the time of some launches.
inline constexpr int64_t kComparisonsMax = int64_t{1} << 25;
// Places of a sequence that stand in the graph, each of them a launch of the plan; a sequence twice as long is a loop over blocks of so many. A trip has some five launches
// of its own (its number, what it reads, what it hands on), which are 4 % of them.
inline constexpr int64_t kPlacesWritten = 128;
// Values in all sequences that a model makes, each counted as often as it stands in one.
inline constexpr size_t kListElementsMax = size_t{1} << 22;
// Elements of all sparse constants together, which are made dense.
inline constexpr int64_t kSparseElementsMax = int64_t{1} << 26;
// Elements of all constants together that stand for operators: random numbers, tables of trees and labels.
inline constexpr int64_t kWrittenElementsMax = int64_t{1} << 26;
// Nodes whose whole numbers may leave 32 bits and that are told apart: of further ones the first of them is named.
inline constexpr size_t kWatchedMax = 1024;
// Pairs of rows that are compared and remembered, in 4 bytes each: 256 MiB.
inline constexpr int64_t kRowPairsMax = int64_t{1} << 26;

// Constants are computed by the evaluator, which is no fast machine: larger results stay in the model.
inline constexpr int64_t kFoldElementsMax = int64_t{1} << 24;
// Elements of all tensors that the computation of one node takes, as doubles: 512 MiB.
inline constexpr int64_t kFoldStorageElementsMax = int64_t{1} << 26;
// Nodes of expressions evaluated for one node (some 3·10⁸ take a second), and for all nodes of a model. What is below kFoldSmallWork is always computed, because
// shapes follow from it.
inline constexpr int64_t kFoldWorkMax = int64_t{1} << 25;
inline constexpr int64_t kFoldModelWorkMax = int64_t{1} << 29;
inline constexpr int64_t kFoldSmallWork = int64_t{1} << 12;

}  // namespace hone::graph
