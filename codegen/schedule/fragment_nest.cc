#include "codegen/schedule/fragment_nest.h"

#include <algorithm>
#include <map>

#include "codegen/target/texture_form.h"

namespace hone::schedule {

namespace {

class NestBuilder {
 public:
  NestBuilder(const Schedule& schedule, const Stage& stage, const ir::Layout& layout)
      : stage_(stage), layout_(layout), limits_(schedule.target().limits) {}

  Result<FragmentNest> build() {
    HONE_ASSIGN(form, target::texture_form(stage_.compute.outputs[0]->shape, layout_, limits_));
    find_lanes();
    for (size_t a = 0; a < stage_.compute.axes.size(); a++) split_axis(a);
    order();
    join_lanes();
    if (!nest_.lane.empty()) nest_.steps.push_back(vectorize(stage_.name, nest_.lane));
    bind_fragments(form);
    if (nest_.layer = one_loop(layers_, "layer"); !nest_.layer.empty())
      nest_.steps.push_back(schedule::bind(stage_.name, nest_.layer, "target"));
    return std::move(nest_);
  }

 private:
  // The physical dimensions that hold the texel's numbers: the last two of squares, else the innermost of more than one element.
  void find_lanes() {
    squares_ = target::in_squares(layout_);
    for (size_t d = layout_.dims.size(); d-- > static_cast<size_t>(layout_.layers);)
      if (layout_.dims[d].size > 1) {
        lane_dim_ = static_cast<int>(d);
        return;
      }
  }

  // The stage's axis along which the output's dimension lies; -1: none, its index is constant.
  int axis_of(int output_dim) const {
    const Expr index = stage_.store_index[0][static_cast<size_t>(output_dim)];
    for (size_t a = 0; a < stage_.compute.axes.size(); a++)
      if (stage_.compute.axes[a].var == index) return static_cast<int>(a);
    return -1;
  }

  struct Part {
    int dim = 0;  // of the layout
    int64_t size = 1;
    bool lane = false;
  };

  // The parts of an axis, outermost first.
  std::vector<Part> parts_of(size_t axis) const {
    std::vector<Part> parts;
    for (size_t d = 0; d < layout_.dims.size(); d++)
      if (axis_of(layout_.dims[d].axis) == static_cast<int>(axis))
        parts.push_back({static_cast<int>(d), layout_.dims[d].size});
    std::stable_sort(parts.begin(), parts.end(), [&](const Part& x, const Part& y) {
      return layout_.dims[static_cast<size_t>(x.dim)].div > layout_.dims[static_cast<size_t>(y.dim)].div;
    });
    if (squares_ && !parts.empty() && parts.back().dim + 2 >= static_cast<int>(layout_.dims.size())) {
      parts.back().lane = true;
      return parts;
    }
    for (size_t i = 0; i < parts.size(); i++)
      if (!squares_ && parts[i].dim == lane_dim_) {
        if (parts[i].size == 4 && parts.size() > 1) {
          parts[i].lane = true;
          break;
        }
        parts[i].size /= 4;
        parts.insert(parts.begin() + static_cast<long>(i) + 1, {lane_dim_, 4, true});
        break;
      }
    return parts;
  }

  void split_axis(size_t axis) {
    const std::string& name = stage_.compute.axes[axis].name;
    const std::vector<Part> parts = parts_of(axis);
    if (parts.size() > 1) {
      std::vector<int64_t> inner;
      for (size_t i = 1; i < parts.size(); i++) inner.push_back(parts[i].size);
      nest_.steps.push_back(split(stage_.name, name, inner));
    }
    for (size_t i = 0; i < parts.size(); i++) {
      const std::string loop = parts.size() > 1 ? name + "." + std::to_string(i) : name;
      if (!parts[i].lane) {
        loops_[parts[i].dim] = loop;
        continue;
      }
      lanes_.emplace_back(parts[i].dim, loop);
      nest_.lane_axis = stage_.compute.axes[axis].var;
    }
    if (parts.empty()) rest_.push_back(name);
  }

  void order() {
    std::vector<std::string> all = rest_;
    for (int d = layout_.layers; d < static_cast<int>(layout_.dims.size()); d++) add(d, texels_, all);
    for (int d = 0; d < layout_.layers; d++) add(d, layers_, all);
    std::sort(lanes_.begin(), lanes_.end());
    for (const auto& lane : lanes_) all.push_back(lane.second);
    if (all.size() > 1) nest_.steps.push_back(reorder(stage_.name, all));
  }

  void join_lanes() { nest_.lane = one_loop(lanes_, "square"); }

  void add(int dim, std::vector<std::pair<int, std::string>>& group, std::vector<std::string>& all) {
    auto it = loops_.find(dim);
    if (it == loops_.end()) return;
    group.push_back(*it);
    all.push_back(it->second);
  }

  // The loops as one; its name, or empty.
  std::string one_loop(const std::vector<std::pair<int, std::string>>& loops, const std::string& name) {
    if (loops.empty()) return "";
    if (loops.size() == 1) return loops[0].second;
    std::vector<std::string> names;
    for (const auto& [dim, loop] : loops) names.push_back(loop);
    nest_.steps.push_back(fuse(stage_.name, names, name));
    return name;
  }

  void bind_fragments(const target::TextureForm& form) {
    std::vector<std::pair<int, std::string>> rows, columns;
    for (const auto& texel : texels_) (texel.first - layout_.layers < form.rows ? rows : columns).push_back(texel);
    if (form.rows >= 0) {
      bind_to(one_loop(rows, "row"), "texel.y");
      bind_to(one_loop(columns, "column"), "texel.x");
    } else if (const std::string all = one_loop(texels_, "texel"); !all.empty()) {
      nest_.steps.push_back(split(stage_.name, all, {form.texture.width}));
      bind_to(all + ".0", "texel.y");
      bind_to(all + ".1", "texel.x");
    }
    if (nest_.at.empty() && !rest_.empty()) nest_.at = rest_.back();
  }

  void bind_to(const std::string& loop, const std::string& place) {
    if (loop.empty()) return;
    nest_.steps.push_back(schedule::bind(stage_.name, loop, place));
    nest_.at = loop;
  }

  const Stage& stage_;
  const ir::Layout& layout_;
  const target::Limits& limits_;
  int lane_dim_ = -1;
  bool squares_ = false;
  std::map<int, std::string> loops_;                                  // by dimension of the layout
  std::vector<std::pair<int, std::string>> texels_, layers_, lanes_;  // dimension and loop, in the layout's order
  std::vector<std::string> rest_;  // axes of one element that the layout does not name
  FragmentNest nest_;
};

}  // namespace

Result<FragmentNest> fragment_nest(const Schedule& schedule, const std::string& stage, const ir::Layout& layout) {
  return NestBuilder(schedule, schedule.stages()[static_cast<size_t>(schedule.find(stage))], layout).build();
}

}  // namespace hone::schedule
