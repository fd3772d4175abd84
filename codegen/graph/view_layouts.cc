#include "codegen/graph/view_layouts.h"

#include <algorithm>
#include <limits>
#include <set>

#include "codegen/graph/op_table.h"
#include "codegen/target/texture_form.h"

namespace hone::graph {

namespace {

// ---- Reshape. Runs of axes that have as many elements on both sides are looked at by themselves; axes of one element are in none.
struct Run {
  std::vector<int> from, to;  // outermost first
};

std::vector<int> counted_axes(const ir::Shape& shape) {
  std::vector<int> out;
  for (size_t a = 0; a < shape.size(); a++)
    if (shape[a] != 1) out.push_back(static_cast<int>(a));
  return out;
}

// The shortest runs.
std::vector<Run> runs_of(const ir::Shape& from, const ir::Shape& to) {
  const std::vector<int> mine = counted_axes(from), theirs = counted_axes(to);
  std::vector<Run> out;
  for (size_t i = 0, j = 0; i < mine.size() && j < theirs.size();) {
    Run run{{mine[i]}, {theirs[j]}};
    int64_t a = from[static_cast<size_t>(mine[i++])], b = to[static_cast<size_t>(theirs[j++])];
    while (a != b) {
      if (a < b && i < mine.size()) {
        a *= from[static_cast<size_t>(mine[i])];
        run.from.push_back(mine[i++]);
      } else if (b < a && j < theirs.size()) {
        b *= to[static_cast<size_t>(theirs[j])];
        run.to.push_back(theirs[j++]);
      } else {
        break;
      }
    }
    out.push_back(std::move(run));
  }
  return out;
}

// Elements of the run for one step along the axis.
int64_t stride_in(const std::vector<int>& run, int axis, const ir::Shape& shape) {
  int64_t stride = 1;
  for (size_t i = run.size(); i-- > 0 && run[i] != axis;) stride *= shape[static_cast<size_t>(run[i])];
  return stride;
}

class Reshaping {
 public:
  Reshaping(const ir::Shape& from, const ir::Layout& layout, const ir::Shape& to)
      : from_(from), layout_(layout), to_(to), runs_(runs_of(from, to)), out_(layout) {}

  std::optional<ir::Layout> run() {
    out_.dims.clear();
    out_.layers = 0;
    for (size_t d = 0; d < layout_.dims.size(); d++) {
      const size_t before = out_.dims.size();
      if (layout_.dims[d].size > 1 && !show(layout_.dims[d])) return std::nullopt;
      if (static_cast<int>(d) < layout_.layers) out_.layers += static_cast<int>(out_.dims.size() - before);
    }
    join_parts();
    name_single_axes();
    return std::move(out_);
  }

 private:
  const Run* run_of(int axis) const {
    for (const Run& run : runs_)
      if (std::find(run.from.begin(), run.from.end(), axis) != run.from.end()) return &run;
    return nullptr;
  }

  bool show(const ir::PhysicalDim& dim) {
    const Run* run = run_of(dim.axis);
    if (!run) return false;
    if (run->from.size() == 1 && run->to.size() == 1) {
      out_.dims.push_back({run->to[0], dim.div, dim.size});
      return true;
    }
    // Whole parts alone: an index of the run is cut into digits.
    if (from_[static_cast<size_t>(dim.axis)] % (dim.div * dim.size) != 0) return false;
    const int64_t low = dim.div * stride_in(run->from, dim.axis, from_);
    return cut(*run, low, low * dim.size);
  }

  // The digits of a run's index from `low` on and below `high`, as parts of the result's axes.
  bool cut(const Run& run, int64_t low, int64_t high) {
    for (int axis : run.to) {
      const int64_t stride = stride_in(run.to, axis, to_);
      const int64_t first = std::max(low, stride), end = std::min(high, stride * to_[static_cast<size_t>(axis)]);
      if (first >= end) continue;
      if (first % low != 0 || high % first != 0 || first % stride != 0 || end % first != 0 || high % end != 0)
        return false;
      out_.dims.push_back({axis, first / stride, end / first});
    }
    return true;
  }

  // Neighbours that continue one another are one part.
  void join_parts() {
    std::vector<ir::PhysicalDim> joined;
    int layers = 0;
    for (size_t d = 0; d < out_.dims.size(); d++) {
      const ir::PhysicalDim& dim = out_.dims[d];
      const bool in_layers = static_cast<int>(d) < out_.layers, first_behind = static_cast<int>(d) == out_.layers;
      if (!joined.empty() && !first_behind && joined.back().axis == dim.axis &&
          joined.back().div == dim.div * dim.size) {
        joined.back() = {dim.axis, dim.div, joined.back().size * dim.size};
        continue;
      }
      joined.push_back(dim);
      layers += in_layers;
    }
    out_.dims = std::move(joined);
    out_.layers = layers;
  }

  void name_single_axes() {
    for (size_t a = to_.size(); a-- > 0;)
      if (to_[a] == 1) out_.dims.insert(out_.dims.begin() + out_.layers, {static_cast<int>(a), 1, 1});
  }

  const ir::Shape& from_;
  const ir::Layout& layout_;
  const ir::Shape& to_;
  const std::vector<Run> runs_;
  ir::Layout out_;
};

}  // namespace

ir::Layout transposed_layout(const ir::Layout& layout, const std::vector<int>& order) {
  ir::Layout out = layout;
  for (ir::PhysicalDim& dim : out.dims)
    dim.axis = static_cast<int>(std::find(order.begin(), order.end(), dim.axis) - order.begin());
  return out;
}

std::optional<ir::Layout> reshaped_layout(const ir::Shape& from, const ir::Layout& layout, const ir::Shape& to) {
  if (layout.row_major()) return layout;
  return Reshaping(from, layout, to).run();
}

namespace {

// ---- Which nodes are views.

// The order of a Transpose, which reverses the axes where it names none; empty where it is none of this many axes: its definition says so.
std::vector<int> order_of(const Node& node, size_t rank) {
  const auto found = node.attributes.find("perm");
  const auto* named = found == node.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&found->second);
  if (named && named->size() != rank) return {};
  std::vector<int> order;
  std::set<int64_t> seen;
  for (size_t i = 0; i < rank; i++) {
    const int64_t axis = named ? (*named)[i] : static_cast<int64_t>(rank - 1 - i);
    if (axis < 0 || axis >= static_cast<int64_t>(rank) || !seen.insert(axis).second) return {};
    order.push_back(static_cast<int>(axis));
  }
  return order;
}

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> out(order.size());
  for (size_t i = 0; i < order.size(); i++) out[static_cast<size_t>(order[i])] = static_cast<int>(i);
  return out;
}

bool is_reshape(const Node& node) {
  const OpEntry* entry = find_op(node.op);
  return entry && entry->kind == OpKind::kView;
}

bool is_state(const Node& node) {
  const OpEntry* entry = find_op(node.op);
  return entry && entry->kind == OpKind::kState;
}

// Nodes that only move, one behind the other; each but the last is read by the next alone. A chain's views show one memory: that of what it
// reads, or what it reads is computed as the chain's result lies.
class Views {
 public:
  Views(const Graph& graph, Layouts& layouts)
      : graph_(graph),
        consumers_(consumers_of(graph)),
        producers_(producers_of(graph)),
        is_input_(marks_of(graph, graph.inputs)),
        is_output_(marks_of(graph, graph.outputs)),
        layouts_(layouts) {}

  void run() {
    std::set<int> chained;
    for (int i = 0; i < static_cast<int>(graph_.nodes.size()); i++) {
      if (chained.count(i) || !moves(i)) continue;
      const std::vector<int> chain = chain_from(i);
      chained.insert(chain.begin(), chain.end());
      settle(chain);
    }
  }

 private:
  using Shown = std::vector<ir::Layout>;  // of what each node of a chain makes

  const Node& node(int i) const { return graph_.nodes[static_cast<size_t>(i)]; }
  const ir::Shape& shape(ValueId id) const { return graph_.value(id).shape; }

  bool keeps_order(ValueId id) const {
    return !layouts_.channels_last[static_cast<size_t>(id)] || channels_last(shape(id)).row_major();
  }

  bool moves(int i) const {
    const Node& n = node(i);
    if (n.at_boundary || (!is_reshape(n) && n.op != "Transpose") || graph_.value(n.inputs[0]).constant) return false;
    if (!keeps_order(n.inputs[0]) || !keeps_order(n.outputs[0])) return false;
    // Of none, and of more than can be counted, no part can be told from another.
    const int64_t elements = ir::element_count(shape(n.inputs[0]));
    if (elements == 0 || elements == std::numeric_limits<int64_t>::max() ||
        elements != ir::element_count(shape(n.outputs[0])))
      return false;
    return is_reshape(n) || !order_of(n, shape(n.inputs[0]).size()).empty();
  }

  std::vector<int> chain_from(int first) const {
    std::vector<int> chain{first};
    while (true) {
      const ValueId made = node(chain.back()).outputs[0];
      const auto& readers = consumers_[static_cast<size_t>(made)];
      if (readers.size() != 1 || is_output_[static_cast<size_t>(made)] || !moves(readers[0])) return chain;
      chain.push_back(readers[0]);
    }
  }

  void settle(const std::vector<int>& chain) {
    const Shown onward = shown_onward(chain);
    if (onward.size() < chain.size() && computed_for(node(chain[0]).inputs[0]) && settle_backward(chain)) return;
    for (size_t i = 0; i < onward.size(); i++) show(node(chain[i]).outputs[0], onward[i]);
  }

  // As far as the views go.
  Shown shown_onward(const std::vector<int>& chain) const {
    Shown shown;
    ir::Layout at = layout_of(graph_, node(chain[0]).inputs[0], layouts_);
    for (int i : chain) {
      const std::optional<ir::Layout> next = through(node(i), at, false);
      if (!next || !is_usable(node(i).outputs[0], *next) || !same_memory(node(i), at, *next)) break;
      shown.push_back(at = normal(node(i).outputs[0], *next));
    }
    return shown;
  }

  // What the chain reads is computed as its result lies by itself.
  bool settle_backward(const std::vector<int>& chain) {
    Shown shown{layout_of(graph_, node(chain.back()).outputs[0], layouts_)};  // the last first
    for (size_t i = chain.size(); i-- > 0;) {
      const ValueId from = node(chain[i]).inputs[0];
      const std::optional<ir::Layout> before = through(node(chain[i]), shown.back(), true);
      if (!before || !is_usable(from, *before) || !same_memory(node(chain[i]), *before, shown.back())) return false;
      shown.push_back(normal(from, *before));
    }
    set(node(chain[0]).inputs[0], shown.back());
    for (size_t i = 0; i < chain.size(); i++) show(node(chain[i]).outputs[0], shown[chain.size() - 1 - i]);
    return true;
  }

  void show(ValueId id, const ir::Layout& layout) {
    layouts_.views.insert(id);
    set(id, layout);
  }

  void set(ValueId id, const ir::Layout& layout) {
    if (layout != layout_of(graph_, id, layouts_)) layouts_.turned[id] = layout;
  }

  // The layout of what a node makes, or (backward) of what it reads.
  std::optional<ir::Layout> through(const Node& n, const ir::Layout& layout, bool backward) const {
    const ir::Shape &before = shape(n.inputs[0]), &after = shape(n.outputs[0]);
    if (is_reshape(n))
      return backward ? reshaped_layout(after, layout, before) : reshaped_layout(before, layout, after);
    const std::vector<int> order = backward ? inverse(order_of(n, before.size())) : order_of(n, before.size());
    return transposed_layout(named(backward ? after : before, layout), order);
  }

  // Row-major by its axes.
  static ir::Layout named(const ir::Shape& shape, ir::Layout layout) {
    if (layout.row_major())
      for (size_t a = 0; a < shape.size(); a++)
        layout.dims.push_back({static_cast<int>(a), 1, std::max<int64_t>(shape[a], 1)});
    return layout;
  }

  // Row-major without them, where it lies in a buffer.
  ir::Layout normal(ValueId id, const ir::Layout& layout) const {
    if (graph_.medium != ir::Medium::kBuffer) return layout;
    std::vector<int> order;
    for (const ir::PhysicalDim& dim : layout.dims) order.push_back(dim.axis);
    return layout_of_order(shape(id), order);
  }

  // Vectors run along the innermost axis, so it must be innermost still; and no axis lies in pieces but for blocks that a fragment writes.
  bool is_usable(ValueId id, const ir::Layout& shown) const {
    const ir::Layout layout = named(shape(id), shown);
    const std::vector<int> axes = counted_axes(shape(id));
    if (axes.empty()) return true;
    std::vector<int64_t> pieces(shape(id).size(), 0), blocks(shape(id).size(), 0);
    const ir::PhysicalDim* innermost = nullptr;
    for (size_t d = 0; d < layout.dims.size(); d++) {
      const ir::PhysicalDim& dim = layout.dims[d];
      if (dim.size == 1) continue;
      (static_cast<int>(d) < layout.layers ? blocks : pieces)[static_cast<size_t>(dim.axis)] += 1;
      innermost = &dim;
    }
    const int lane = axes.back();
    for (int axis : axes)
      if (pieces[static_cast<size_t>(axis)] > 1 + (axis == lane ? blocks[static_cast<size_t>(axis)] : 0)) return false;
    return innermost && innermost->axis == lane && innermost->div == 1;
  }

  // On textures: is it one texture, on every device? A cut into rows and columns that fits the least that any has is the best on all.
  bool same_memory(const Node& n, const ir::Layout& before, const ir::Layout& after) const {
    if (graph_.medium == ir::Medium::kBuffer) return true;
    const auto form = [&](ValueId id, const ir::Layout& layout) -> std::optional<ir::Texture> {
      if (target::whole_texels(shape(id), layout) != layout) return std::nullopt;
      const auto found = target::texture_form(shape(id), layout, target::Limits{});
      return found.ok() && found->rows >= 0 ? std::optional(found->texture) : std::nullopt;
    };
    const auto one = form(n.inputs[0], before);
    return one && one == form(n.outputs[0], after);
  }

  // By a task, and for one reader.
  bool computed_for(ValueId id) const {
    const int producer = producers_[static_cast<size_t>(id)];
    return producer >= 0 && !is_reshape(node(producer)) && node(producer).op != "Transpose" && !is_state(node(producer)) &&
           !node(producer).at_boundary && !is_input_[static_cast<size_t>(id)] && !is_output_[static_cast<size_t>(id)] &&
           consumers_[static_cast<size_t>(id)].size() == 1;
  }

  const Graph& graph_;
  const std::vector<std::vector<int>> consumers_;
  const std::vector<int> producers_;
  const std::vector<bool> is_input_, is_output_;
  Layouts& layouts_;
};

}  // namespace

void find_views(const Graph& graph, Layouts& layouts) { Views(graph, layouts).run(); }

}  // namespace hone::graph
