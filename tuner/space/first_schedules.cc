// Of Space: the experts' schedules, and in which order they are tried.
#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "tuner/space/gpu_time.h"
#include "tuner/space/promise.h"
#include "tuner/space/repair.h"
#include "tuner/space/space.h"

namespace hone::tuner {

namespace {

// Software runs the threads of a workgroup one after another; from here on hardware is busy.
constexpr int64_t kManyThreads = 32;

// Of a promise: a step that gains less is not taken, as the estimate does not tell such times apart.
constexpr double kWorthwhile = 0.01;

bool spreads(const Choices& c) { return holds(c, Staging::kLane); }

// Experts' vectors are as wide as the device's: of what is legal, the nearest width is taken.
Choices with_widest_vectors(Choices c, const target::Target& target) {
  if (c.lanes > 1) c.lanes = target.lanes.back();
  return c;
}

// Where there is no reuse, one target is as good as several.
Choices fragment_choices(const GroupView& v, const Choices& tile) {
  if (v.group.row || v.group.reuse) return tile;
  return {.lanes = 4, .k_lanes = tile.k_lanes};
}

Choices seed_of(const GroupView& v, const Choices& tile, const Choices& line, const Choices& row) {
  if (v.on_textures()) return fragment_choices(v, tile);
  if (v.group.row) return row;
  if (!v.group.parts.empty()) return {.row_threads = 4, .lane_threads = 16, .lane_blocks = 16, .lanes = 4};
  return v.group.reuse ? tile : line;
}

int nearest(const Decision& d, int64_t wanted, int from) {
  for (size_t v = 0; v < d.values.size(); ++v)
    if (std::abs(d.values[v] - wanted) < std::abs(d.values[static_cast<size_t>(from)] - wanted)) from = static_cast<int>(v);
  return from;
}

}  // namespace

Assignment Space::wanted_by(const Seed& tile, const Seed& line, const Seed& row) const {
  Assignment a(decisions_.size(), 0);
  // A copy pays where it is read often; elsewhere the producer is computed where it is read.
  const bool reused = std::any_of(sketch_.groups.begin(), sketch_.groups.end(), [](const Group& g) { return g.reuse; });
  for (size_t i = 0; i < own_; ++i) {
    const Decision& d = decisions_[i];
    const Subject subject = subject_of(d.handle.choice);
    if (subject == Subject::kProgram) continue;
    if (subject == Subject::kProducer) {
      a[i] = nearest(d, reused && !tile.inlines, 0);
      continue;
    }
    const Choices wanted = with_widest_vectors(seed_of(view(d.handle.group), tile.choices, line.choices, row.choices), target_);
    a[i] = nearest(d, wanted.*d.handle.choice, 0);
  }
  return a;
}

bool Space::decides(Choice choice) const {
  return std::any_of(decisions_.begin(), decisions_.begin() + static_cast<std::ptrdiff_t>(own_), [choice](const Decision& d) { return d.handle.choice == choice; });
}

// All operands that these choices spread over lanes can be.
bool Space::offers_lanes(const Choices& c) const {
  const auto lane = static_cast<int64_t>(Staging::kLane);
  return std::all_of(std::begin(kOperands), std::end(kOperands), [&](Choice operand) {
    return c.*operand != lane || std::any_of(decisions_.begin(), decisions_.begin() + static_cast<std::ptrdiff_t>(own_),
                                             [&](const Decision& d) { return d.handle.choice == operand && d.values.back() == lane; });
  });
}

// A window whose rows are unrolled under a tile: of 7×7 with its padding, a driver compiled it for seconds, and it was slow.
bool Space::has_small_window() const {
  constexpr int64_t kElementsMax = 32;
  return std::all_of(sketch_.groups.begin(), sketch_.groups.end(),
                     [this](const Group& group) { return window_elements(*task_, group) <= kElementsMax; });
}

std::vector<Space::Candidate> Space::candidates() const {
  std::vector<Candidate> out;
  const bool rows = std::any_of(sketch_.groups.begin(), sketch_.groups.end(), [](const Group& g) { return g.row; });
  for (const Seed& row : row_seeds(target_.kind)) {
    for (const Seed& tile : tile_seeds(target_)) {
      const Choices& c = tile.choices;
      if (c.slices * c.k_threads > 1 && !decides(&Choices::slices)) continue;
      if (!offers_lanes(c)) continue;
      if (tile.inlines && (!decides(&Choices::unrolled_windows) || !has_small_window())) continue;
      for (const Seed& line : line_seeds(target_.kind)) {
        if (line.choices.k_threads > 1 && !decides(&Choices::k_threads)) continue;
        Assignment a = wanted_by(tile, line, row);
        repair(a);
        if (spreads(c) && !any_group(a, spreads)) continue;
        const bool ahead = target_.subgroup_size >= kSubgroupOfHardware && any_group(a, [](const Choices& g) { return g.buffers > 1; });
        const bool many_threads = decides(&Choices::row_threads) && c.row_threads * c.lane_threads >= kManyThreads;
        out.push_back({promise(a), out.size(), {tile.inlines, c.k_lanes > 1, spreads(c), ahead, many_threads}, std::move(a)});
      }
    }
    if (!rows) break;
  }
  std::sort(out.begin(), out.end(), [](const Candidate& x, const Candidate& y) { return std::tuple(-x.promise, x.place) < std::tuple(-y.promise, y.place); });
  return out;
}

// One decision after the other takes the value that promises most, until none promises more.
Assignment Space::climbed(Assignment a) const {
  double best = promise(a);
  for (bool climbs = true; climbs;) {
    climbs = false;
    for (size_t i = 0; i < own_; ++i)
      for (size_t value = 0; value < decisions_[i].values.size(); ++value) {
        Assignment other = a;
        other[i] = static_cast<int>(value);
        repair(other);
        const double promised = promise(other);
        if (promised <= best * (1 + kWorthwhile) || !trace(other).ok()) continue;
        a = std::move(other), best = promised, climbs = true;
      }
  }
  return a;
}

std::vector<schedule::Trace> Space::seeds() const {
  std::vector<Candidate> all = candidates();
  if (runs_side_by_side(target_) && !all.empty()) all.insert(all.begin(), {0, 0, {}, climbed(all.front().assignment)});
  size_t seeds_max = target_.subgroup_size > 1 ? 6 : 5;  // one more family
  for (const auto has : {&Family::ahead, &Family::many_threads})
    seeds_max += std::any_of(all.begin(), all.end(), [has](const Candidate& one) { return one.family.*has; });
  std::vector<schedule::Trace> out;
  std::set<std::string> seen;
  std::set<Family> families;
  // The best of each family, then the rest.
  for (const bool of_new_families : {true, false})
    for (const Candidate& one : all) {
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
  if (auto made = trace(Assignment(decisions_.size(), 0)); made.ok()) out.push_back(std::move(*made));
  return out;
}

}  // namespace hone::tuner
