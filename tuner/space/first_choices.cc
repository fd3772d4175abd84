// Of Space: which of its choices come first. A score that orders them before anything is measured, and the experts' seeds.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/cat.h"
#include "tuner/space/extents.h"
#include "tuner/space/rules.h"
#include "tuner/space/seeds.h"
#include "tuner/space/space.h"

namespace hone::tuner {

namespace {
// Software's subgroups are the lanes of a vector register, 4 or 8.
constexpr int64_t kSubgroupOfHardware = 16;
// Software runs the threads of a workgroup one after another; from here on hardware is busy.
constexpr int64_t kManyThreads = 32;

// One register full of threads is enough for software: from 4 threads to 16 a product took the same time on SwiftShader, whose registers have 4 lanes.
double block_threads_wanted_by(const target::Target& target) {
  if (target::on_cores(target.kind)) return 1;
  const bool of_software = target.subgroup_size > 1 && target.subgroup_size < kSubgroupOfHardware;
  return of_software ? static_cast<double>(target.subgroup_size) : 8;
}
}  // namespace

double Space::promise(const Assignment& a) const {
  // What a variant promises is done on fewer operations.
  if (const Algorithm* chosen = other(a))
    return chosen->space->promise(part(a, *chosen)) * task_->flops / std::max(chosen->task->flops, 1.0);
  const bool cores = target::on_cores(target_.kind);
  const double live_vectors_usual = static_cast<double>(target_.limits.live_vectors_max - 1);
  const double threads_wanted = cores ? 8 : 128, block_threads_wanted = block_threads_wanted_by(target_);
  double score = 1;
  for (size_t i = 0; i < sketch_.groups.size(); ++i) {
    Extents e = extents_of(*task_, sketch_.groups[i]);
    std::string p = prefix(i);
    double lanes = static_cast<double>(value(a, p + "lanes.width", 1));
    if (target::on_textures(target_.kind)) {
      score *= promise_of_fragments(a, i);
      continue;
    }
    if (sketch_.groups[i].row) {
      score *= promise_of_row(a, i);
      continue;
    }
    if (!sketch_.groups[i].parts.empty()) {
      const double block = static_cast<double>(value(a, p + "rows.threads", 1) * value(a, p + "lanes.threads", 1));
      score *= std::min(1.0, block / block_threads_wanted) * (lanes > 1 ? 1 : 0.7);
      continue;
    }
    if (!sketch_.groups[i].reuse) {
      double threads = static_cast<double>(e.elements) / (lanes * static_cast<double>(value(a, p + "line.items", 1)));
      const int64_t k_threads = value(a, p + "k.threads", 1);
      double block = static_cast<double>(value(a, p + "line.threads", 1) * k_threads);
      threads *= static_cast<double>(k_threads);
      if (k_threads > 1) score *= 0.7;
      score *= std::sqrt(lanes) * std::min(1.0, threads / threads_wanted) * std::min(1.0, block / block_threads_wanted);
      continue;
    }
    double rows = static_cast<double>(value(a, p + "rows", 1)), vectors = static_cast<double>(value(a, p + "lanes", 1));
    double k = static_cast<double>(value(a, p + "k.lanes", 1));
    // Multiply-adds for each element loaded; a core loads a whole vector, or one element into all of its lanes, by one instruction.
    // Several steps of k at a time load no fewer, and hold more in registers.
    // What comes near the number of a core's registers spills.
    const bool spills = cores && rows * vectors + vectors + 1 > live_vectors_usual;
    const double loads = rows + vectors * (cores ? 1 : lanes);
    double reuse = rows * vectors * lanes / loads * (k > 1 ? 0.75 : 1) * (spills ? 0.7 : 1);
    const int64_t block_rows = value(a, p + "block.rows", 1), block_lanes = value(a, p + "block.lanes", 1);
    int64_t row_tile = value(a, p + "rows.threads", 1) * block_rows * value(a, p + "rows", 1);
    int64_t lane_tile =
        value(a, p + "lanes.threads", 1) * block_lanes * value(a, p + "lanes", 1) * value(a, p + "lanes.width", 1);
    double wasted = waste(e.rows, row_tile) * waste(e.lanes, lane_tile);
    const int64_t slices = value(a, p + "k.slices", 1), k_threads = value(a, p + "k.threads", 1);
    double threads = static_cast<double>(e.elements * slices * k_threads) / (rows * vectors * lanes) /
                     static_cast<double>(block_rows * block_lanes);
    double block = static_cast<double>(value(a, p + "rows.threads", 1) * value(a, p + "lanes.threads", 1) * k_threads);
    if (slices > 1) score *= 0.85;
    if (k_threads > 1) score *= 0.7;
    score *= reuse / (wasted * wasted) * std::min(1.0, threads / threads_wanted) *
             std::min(1.0, block / block_threads_wanted);
    for (int o = 0; o < kOperandsMax;
         ++o)  // barriers and zeroed memory cost more than they save on most browsers' devices
      if (value(a, cat(p, "operand", o), 1) == static_cast<int64_t>(Staging::kWorkgroup)) score *= 0.7;
  }
  return score;
}

// Reads for each multiply-add; what is only computed element by element gains little from several targets. Where each fragment reduces whole rows,
// reads for each element.
double Space::promise_of_fragments(const Assignment& a, size_t index) const {
  constexpr double kFragmentsWanted = 256;
  const Group& group = sketch_.groups[index];
  const Extents e = extents_of(*task_, group);
  const std::string p = prefix(index);
  const double rows = static_cast<double>(value(a, p + "rows", 1)),
               texels = static_cast<double>(value(a, p + "lanes", 1));
  const double slices = static_cast<double>(value(a, p + "k.slices", 1));
  const double fragments = static_cast<double>(e.elements) * slices / (rows * texels * 4);
  const double occupied = std::min(1.0, fragments / kFragmentsWanted) * (slices > 1 ? 0.85 : 1);
  if (group.row) return occupied / (1 + static_cast<double>(std::ssize(group.chain) * e.line) / (texels * 4));
  if (group.reduction < 0) return occupied / (rows * texels > 1 ? 1.1 : 1);
  const double steps = value(a, p + "k.lanes", 1) > 1 ? 4 : 1;
  // A texel along k serves four steps, one along the lanes one.
  return occupied * rows * texels / (rows / steps + texels);
}

// Vectors, enough threads for the device, few barriers.
double Space::promise_of_row(const Assignment& a, size_t index) const {
  const bool cores = target::on_cores(target_.kind);
  const double threads_wanted = cores ? 8 : 32, block_threads_wanted = cores ? 1 : 4;
  Extents e = extents_of(*task_, sketch_.groups[index]);
  std::string p = prefix(index);
  double threads = static_cast<double>(value(a, p + "row.threads", 1));
  double block = threads * static_cast<double>(value(a, p + "row.rows", 1));
  double rows = sketch_.groups[index].line_axes.empty()
                    ? static_cast<double>(e.elements)
                    : static_cast<double>(e.elements / std::max<int64_t>(e.line, 1));
  // Measured on software WebGPU, where every thread of a workgroup with barriers costs.
  const int64_t join = value(a, p + "row.join", 1);
  const double tree = 1.8 + 0.3 * threads, flat = 1.6 + 0.25 * threads;
  // Without barriers while a row lies in one subgroup.
  const double subgroups = threads > static_cast<double>(target_.subgroup_size) ? tree / 1.7 : 1.1 + 0.02 * threads;
  double joining = threads == 1 ? 1 : join == 2 ? subgroups : join == 1 ? tree : flat;
  return std::sqrt(static_cast<double>(value(a, p + "lanes.width", 1))) / joining *
         std::min(1.0, rows * threads / threads_wanted) * std::min(1.0, block / block_threads_wanted);
}

std::map<std::string, int64_t> Space::wanted_of(const TileSeed& seed, const LineChoice& line,
                                                const RowChoice& row) const {
  const TileChoice& tile = seed.choice;
  std::map<std::string, int64_t> wanted;
  // Experts' vectors are as wide as the device's: of what is legal, the nearest width is taken.
  const auto widest = [this](int64_t lanes) { return lanes == 1 ? 1 : int64_t{target_.lanes.back()}; };
  // A copy pays where it is read often; elsewhere the producer is computed where it is read.
  bool reused = std::any_of(sketch_.groups.begin(), sketch_.groups.end(), [](const Group& g) { return g.reuse; });
  for (size_t i = 0; i < sketch_.producers.size(); ++i) wanted[cat("producer", i, ".place")] = reused && !seed.inlines;
  for (size_t i = 0; i < sketch_.groups.size(); ++i) {
    std::string p = prefix(i);
    if (sketch_.groups[i].row) {
      wanted.insert({{p + "rows", tile.rows},
                     {p + "lanes", tile.vectors},
                     {p + "k.lanes", tile.k_lanes},
                     {p + "row.threads", row.threads},
                     {p + "row.rows", row.rows},
                     {p + "lanes.width", widest(row.lanes)},
                     {p + "row.join", row.subgroups ? 2 : row.tree},
                     {p + "row.items", row.items},
                     {p + "row.values", row.keeps}});
    } else if (!sketch_.groups[i].parts.empty()) {
      const PatchChoice patch;
      wanted.insert({{p + "rows.threads", patch.row_threads},
                     {p + "lanes.threads", patch.lane_threads},
                     {p + "lanes.width", widest(patch.lanes)}});
    } else if (!sketch_.groups[i].reuse) {
      wanted.insert({{p + "line.threads", line.threads},
                     {p + "line.steps", line.threads},
                     {p + "line.items", line.items},
                     {p + "lanes.width", widest(line.lanes)},
                     {p + "k.lanes", tile.k_lanes},
                     {p + "k.threads", line.k_threads}});
    } else {
      wanted.insert({{p + "rows.threads", tile.row_threads},
                     {p + "rows", tile.rows},
                     {p + "lanes.threads", tile.lane_threads},
                     {p + "lanes", tile.vectors},
                     {p + "lanes.width", widest(tile.lanes)},
                     {p + "k.lanes", tile.k_lanes},
                     {p + "k.tile", tile.k_tile},
                     {p + "k.buffers", tile.buffers},
                     {p + "k.pad", tile.padded},
                     {p + "k.unroll", tile.k_unroll},
                     {p + "k.slices", tile.slices},
                     {p + "k.threads", tile.k_threads},
                     {p + "rows.form", tile.inner_rows},
                     {p + "reduce.order", tile.k_first},
                     {p + "window.unroll", tile.unrolled_windows},
                     {p + "block.rows", tile.block_rows},
                     {p + "block.lanes", tile.block_lanes},
                     {p + "k.block", tile.k_block},
                     {p + "tiles.order", tile.lanes_outer},
                     {p + "constants", tile.packed},
                     {p + "operands", tile.copied}});
      for (size_t o = 0; o < tile.operands.size(); ++o)
        wanted[cat(p, "operand", o)] = static_cast<int64_t>(tile.operands[o]);
    }
  }
  return wanted;
}

// A window whose rows are unrolled under a tile: of 7×7 with its padding, a driver compiled it for seconds, and it was slow.
bool Space::has_small_window() const {
  constexpr int64_t kElementsMax = 32;
  return std::all_of(sketch_.groups.begin(), sketch_.groups.end(),
                     [this](const Group& group) { return window_elements(*task_, group) <= kElementsMax; });
}

std::vector<schedule::Trace> Space::seeds() const {
  size_t seeds_max = target_.subgroup_size > 1 ? 6 : 5;  // one more family
  struct Family {
    bool inlines, several_steps, spreads, ahead, many_threads;
    auto operator<=>(const Family&) const = default;
  };
  struct Scored {
    double score;
    size_t place;
    Family family;
    Assignment assignment;
  };
  std::vector<Scored> scored;
  const auto own_end = decisions_.begin() + static_cast<std::ptrdiff_t>(own_);
  const auto decides = [&](const std::string& key) {
    return std::any_of(decisions_.begin(), own_end, [&key](const Decision& d) {
      return d.key.size() >= key.size() && d.key.compare(d.key.size() - key.size(), key.size(), key) == 0;
    });
  };
  const auto offers_lanes = [&](size_t operand) {
    return std::any_of(decisions_.begin(), own_end, [key = cat("operand", operand)](const Decision& d) {
      return d.key.ends_with(key) && d.values.back() == static_cast<int64_t>(Staging::kLane);
    });
  };
  const bool rows = std::any_of(sketch_.groups.begin(), sketch_.groups.end(), [](const Group& g) { return g.row; });
  for (const RowSeed& row : row_seeds(target_.kind)) {
    for (const TileSeed& tile : tile_seeds(target_)) {
      if (tile.choice.slices * tile.choice.k_threads > 1 && !decides("k.slices")) continue;
      const auto spread = std::find(tile.choice.operands.begin(), tile.choice.operands.end(), Staging::kLane);
      const bool spreads = spread != tile.choice.operands.end();
      if (spreads && !offers_lanes(static_cast<size_t>(spread - tile.choice.operands.begin()))) continue;
      if (tile.inlines && (!decides("window.unroll") || !has_small_window())) continue;
      for (const LineSeed& line : line_seeds(target_.kind)) {
        if (line.choice.k_threads > 1 && !decides("k.threads")) continue;
        Assignment a = assignment(wanted_of(tile, line.choice, row.choice));
        repair(a);
        if (spreads && text(a).find("=lane") == std::string::npos) continue;
        const bool ahead =
            target_.subgroup_size >= kSubgroupOfHardware && text(a).find("k.buffers=2") != std::string::npos;
        const bool many_threads =
            decides("rows.threads") && tile.choice.row_threads * tile.choice.lane_threads >= kManyThreads;
        const Family family{tile.inlines, tile.choice.k_lanes > 1, spreads, ahead, many_threads};
        scored.push_back({promise(a), scored.size(), family, a});
      }
    }
    if (!rows) break;
  }
  std::sort(scored.begin(), scored.end(), [](const Scored& x, const Scored& y) {
    return x.score != y.score ? x.score > y.score : x.place < y.place;
  });
  for (const auto has : {&Family::ahead, &Family::many_threads})
    seeds_max += std::any_of(scored.begin(), scored.end(), [has](const Scored& one) { return one.family.*has; });
  std::vector<schedule::Trace> out;
  std::set<std::string> seen;
  std::set<Family> families;
  // Devices differ in which family is fastest, and the score knows only one device: the best of each, then the rest.
  for (const bool of_new_families : {true, false})
    for (const Scored& one : scored) {
      if (out.size() >= seeds_max) break;
      if (of_new_families && families.count(one.family)) continue;
      auto made = trace(one.assignment);
      if (!made.ok() || !seen.insert(made->sketch).second) continue;
      families.insert(one.family);
      out.push_back(std::move(*made));
    }
  add_seeds_of_others(out);
  if (!out.empty()) return out;
  // Nothing of the experts' is legal here: the smallest schedule of the space.
  Assignment smallest(decisions_.size(), 0);
  if (auto made = trace(smallest); made.ok()) out.push_back(std::move(*made));
  return out;
}

}  // namespace hone::tuner
