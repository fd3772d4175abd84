// Where each node of a model runs, and why: nothing falls back in silence.
#pragma once
#include <vector>

#include "codegen/graph/model_steps.h"

namespace hone::graph {

enum class Place : uint8_t {
  kKernel,    // in kernels on the device
  kView,      // nowhere: its elements lie as its input's do
  kLoop,      // on the host: it repeats kernels of its body
  kUpload,    // on the host, when an input is sent: zeros for hone's own use
  kConstant,  // nowhere: its results are known when compiling
  kMerged,    // it became a part of other nodes, or only handed its input on
  kUnread,    // nowhere: nobody reads its results
};
std::string_view place_name(Place place);     // "kernel"
std::string_view place_reason(Place place);   // a clause for people

struct Placement {
  Place place = Place::kUnread;
  std::vector<size_t> steps;  // of ModelSteps, where it is a part of kernels; ascending
};

// By node of the model. graph: prepared; steps: its own. Linear.
std::vector<Placement> place_nodes(const Graph& graph, const ModelSteps& steps);

}  // namespace hone::graph
