#include "tuner/space/serial_time.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tuner/space/repair.h"

namespace hone::tuner {

namespace {

// Among how many a launch is shared, where no agent tells: an estimate, a laptop's four cores with two threads each.
constexpr double kParallel = 8;
// Of four bytes. Processors of all kinds have lines of 64 bytes and pages of 4 KiB, or more.
constexpr int kLineElements = 16, kLineBytes = 64, kPageElements = 1024;

class SerialTime {
 public:
  SerialTime(const GroupView& view, const Choices& choices, const SerialMachine& machine, const std::vector<bool>& launched)
      : v_(view), c_(choices), m_(machine), launched_(launched), e_(view.extents()) {}

  double us() const { return (c_.in_order ? terms() : v_.group.row ? rows() : v_.has_k() ? tiles() : elements()) / m_.multiply_adds_per_us; }

 private:
  // Instructions that a vector of one thread takes.
  double vector() const { return std::ceil(of(c_.lanes) / m_.lanes_of_vector); }
  // Beside the arithmetic: of four lanes each, but on cores as wide as a vector is.
  double width() const { return v_.on_cores() ? vector() : std::max(0.25, of(c_.lanes) / 4); }

  // What is done lane by lane is put together again.
  double compute(const Operations& operations) const {
    return width() * operations.at_once() + of(c_.lanes) * (m_.whole * operations.by_lane + (c_.lanes > 1 ? m_.pick * operations.joined : 0));
  }

  // All of `count` threads, in workgroups of `in_group`: what a vector of threads does not fill is lost. Too few keep some of the device idle.
  double spread(double count, double in_group, double each) const {
    const double groups = std::ceil(count / in_group), filled = std::ceil(in_group / m_.lanes) * m_.lanes;
    return groups * (filled * (each + m_.thread) + m_.workgroup) * std::max(1.0, kParallel / groups);
  }

  bool is_inlined(const Access& a) const { return a.producer >= 0 && !launched_[static_cast<size_t>(a.producer)]; }

  // A vector of the lanes, or one element for all of them. What is computed where it is read is read element by element.
  double load_of_lanes(const Access& a, bool packed) const {
    if (is_inlined(a)) return of(c_.lanes) * m_.scalar_load + compute(a.operations);
    if (!a.by_lanes) return m_.scalar_load;
    if (c_.lanes == 1) return m_.scalar_load;
    return (a.runs_along_lanes && (a.is_aligned || v_.on_cores())) || packed ? vector() * m_.vector_load : of(c_.lanes) * m_.scalar_load;
  }

  // What is computed where it is read depends on the window and on the row: inside of it k repeats no more than a selection.
  double computed(const Access& a) const {
    if (!is_inlined(a)) return 0;
    return m_.selection + a.operations.of_one_lane() / 4 / (c_.k_first ? 1 : of(e_.k));
  }

  // Of k_lanes steps for one row: at once along k, where a register holds them, or one after the other.
  double load_of_steps(const Access& a, Staging staging) const {
    const double each = m_.scalar_load + computed(a);
    const bool at_once = c_.k_lanes > 1 && a.runs_along_k && (v_.on_cores() || staging != Staging::kDirect) && !is_inlined(a);
    return at_once ? m_.vector_load + of(c_.k_lanes) * m_.pick : of(c_.k_lanes) * each;
  }

  double reads(const Access& a, size_t i) const {
    const bool packed = a.is_free ? c_.packed != 0 : c_.copied != 0 && !a.by_rows;
    const double rows = a.by_rows ? of(c_.rows) : 1;
    if (a.by_lanes) return rows * of(c_.vectors * c_.k_lanes) * load_of_lanes(a, packed);
    return rows * load_of_steps(a, operand(c_, i));
  }

  // Accumulators and the vectors that are multiplied beyond the registers: stored and loaded at each step.
  double spilled() const {
    const double live = of(c_.rows * c_.vectors + c_.vectors + 1) * vector();
    return 2 * std::max(0.0, live - m_.vectors_max);
  }

  double window() const { return of(window_elements(v_.task, v_.group)); }

  // Which save their loops.
  double copies() const { return of(window_copies(v_.task, v_.group, c_.unrolled_windows)); }

  // One thread's steps.
  double steps_of_tile() const {
    double each = of(c_.rows * c_.vectors * c_.k_lanes) * width() / (c_.packed_products ? 4 : 1) + spilled() * of(c_.k_lanes);
    for (size_t i = 0; i < v_.work.accesses.size(); ++i) each += reads(v_.work.accesses[i], i);
    const bool k_is_inside = c_.k_first == 0 || window() == 1;
    each += m_.loop / (of(c_.k_unroll) * (k_is_inside ? 1 : copies()));
    const double steps = std::ceil(of(e_.k) / of(c_.k_lanes * c_.slices * c_.k_threads));
    return steps * window() * each + (k_is_inside ? window() * m_.loop : 0) + staging(steps);
  }

  // Tiles in workgroup memory: each thread copies its part of them; all wait for each other.
  double staging(double steps) const {
    if (!holds(c_, Staging::kWorkgroup)) return 0;
    const double tile = of(std::max(c_.k_tile, c_.k_lanes)), tiles = std::ceil(steps * of(c_.k_lanes) / tile) * window();
    double copies = 0;
    for (size_t i = 0; i < v_.work.accesses.size(); ++i)
      if (operand(c_, i) == Staging::kWorkgroup) copies += tile * copied_elements(v_.work.accesses[i]);
    const double threads = of(c_.row_threads * c_.lane_threads);
    return tiles * (copies / threads * m_.scalar_load * 2 + m_.barrier * (c_.buffers > 1 ? 1 : 2));
  }
  double copied_elements(const Access& a) const {
    return (a.by_rows ? of(c_.row_threads * c_.rows) : 1) * (a.by_lanes ? of(c_.lane_threads * c_.vectors * c_.lanes) : 1);
  }

  // Lines that a tile's operands bring from beyond the first cache: those that its neighbour did not use, and all of what does not fit.
  double lines() const {
    if (m_.line == 0) return 0;
    const bool in_panels = c_.packed || c_.copied;
    const double steps = of(e_.k) * window(), columns = of(c_.vectors * c_.lanes), cache = m_.cache_bytes / kLineBytes;
    const double of_rows = of(c_.rows) * std::ceil(steps / kLineElements), of_lanes = in_panels ? std::ceil(steps * columns / kLineElements) : steps * std::ceil(columns / kLineElements);
    const bool lanes_stay = c_.lanes_outer && of_lanes <= (in_panels ? cache : lines_apart_max(columns)), rows_stay = !c_.lanes_outer && of_rows <= cache;
    return (rows_stay ? 0 : m_.line * of_rows) + (lanes_stay ? 0 : m_.line * of_lanes + (in_panels ? 0 : pages(steps)));
  }

  // What the first cache keeps of lines that lie a row of the operand apart: rows of whole pages share its sets.
  double lines_apart_max(double columns) const {
    const auto sets = static_cast<int64_t>(m_.cache_bytes / kLineBytes / m_.cache_ways), apart = std::max<int64_t>(1, e_.lanes / kLineElements);
    return m_.cache_ways * of(sets / std::gcd(sets, apart)) * std::ceil(columns / kLineElements);
  }

  // The pages of so many rows, one after the other.
  double pages(double steps) const {
    const double pages = steps * std::min(1.0, of(e_.lanes) / kPageElements);
    return pages > m_.pages_kept ? m_.page * pages : 0;
  }

  double tiles() const {
    const double row_tile = of(c_.row_threads * c_.row_blocks * c_.rows), lane_tile = of(c_.lane_threads * c_.lane_blocks * c_.vectors) * of(c_.lanes);
    const double rows = of(c_.inner_rows ? e_.inner_rows : e_.rows), outer = of(e_.elements) / (rows * of(e_.lanes));
    const double groups = std::ceil(rows / row_tile) * std::ceil(of(e_.lanes) / lane_tile) * outer * of(c_.slices);
    const double in_group = of(c_.row_threads * c_.row_blocks * c_.lane_threads * c_.lane_blocks * c_.k_threads);
    const double stores = of(c_.rows * c_.vectors) * m_.vector_load * vector();
    double all = spread(groups * in_group, in_group, steps_of_tile() + lines() + stores + joining(c_.k_threads, c_.k_subgroups != 0));
    if (c_.copied) all += copying();
    if (c_.slices > 1) all += of(e_.elements) * of(c_.slices) * m_.vector_load / 4 + v_.target.launch_us * m_.multiply_adds_per_us;
    return all;
  }

  // A launch of its own that copies operands into panels.
  double copying() const {
    double elements = 0;
    for (const Access& a : v_.work.accesses)
      if (!a.is_free && a.by_lanes && !a.by_rows) elements += of(e_.k) * window() * of(e_.lanes);
    return 2 * elements / of(c_.lanes) * m_.vector_load * vector() + v_.target.launch_us * m_.multiply_adds_per_us;
  }

  // Rounds of halves, each with a barrier unless lanes exchange values.
  double joining(int64_t threads, bool by_lanes) const {
    if (threads == 1) return 0;
    const double round = m_.scalar_load + (by_lanes && of(threads) <= m_.lanes ? 1 : m_.barrier + m_.scalar_load);
    return std::ceil(std::log2(of(threads))) * round + 2 * m_.barrier;
  }

  // Maps, and reductions of which nothing is used again.
  double elements() const {
    const double steps = v_.group.reduction < 0 ? 1 : std::ceil(window() / of(c_.k_threads)), patch = elements_of_patch();
    double each = compute(v_.work.operations) + (steps > 1 ? m_.loop / copies() : 0);
    for (const Access& a : v_.work.accesses) each += load_of_lanes(a, false);
    each = c_.vectors * (steps * each + m_.vector_load * vector()) * patch + joining(c_.k_threads, c_.k_subgroups != 0);
    const double threads = of(e_.elements) / (of(c_.vectors * c_.lanes) * patch * (v_.on_textures() ? of(c_.rows) : 1)) * of(c_.k_threads);
    return spread(threads, of(c_.row_threads * c_.lane_threads * c_.lane_blocks * c_.k_threads), each * (v_.on_textures() ? of(c_.rows) : 1));
  }

  // Lines of terms, one after the other; those of a scatter are begun before. Then the Maps behind them.
  double terms() const {
    const Terms& terms = *v_.group.terms;
    const double width = terms.lanes ? of(c_.vectors * c_.lanes) : 1, vectors = terms.lanes ? c_.vectors * vector() : 1, steps = of(steps_of(v_.reduction()));
    const double moved = vectors * (terms.lanes && c_.lanes > 1 ? m_.vector_load : m_.scalar_load);
    const double term = (terms.scan ? 2 : 3) * moved + compute(v_.work.operations) + m_.loop, begun = terms.scan ? 0 : of(terms.along) * moved / (terms.lanes ? 1 : of(c_.lanes));
    const double line = spread(of(e_.elements) / of(terms.along) / width, 1, steps * term + begun);
    if (v_.group.root == v_.group.reduction) return line;
    return line + spread(of(e_.elements) / of(c_.lanes), 1, 2 * m_.vector_load * vector()) + v_.target.launch_us * m_.multiply_adds_per_us;
  }

  double elements_of_patch() const {
    double elements = 1;
    for (int64_t extent : v_.group.patch_extents) elements *= of(extent);
    return elements;
  }

  // Each reduction of the row, and the root, takes the row's elements once.
  double rows() const {
    const bool writes_row = !v_.group.lane_axes.empty();
    const double count = of(writes_row ? e_.elements / std::max<int64_t>(e_.lanes, 1) : e_.elements);
    const double passes = of(std::ssize(v_.group.chain)) + (writes_row && !v_.on_textures() ? 1 : 0);
    const int64_t lanes = v_.on_textures() ? c_.k_lanes : c_.lanes;
    const double vectors = std::ceil(of(e_.lanes) / of(c_.lane_threads * lanes)), work = (lanes > 1 ? m_.vector_load : m_.scalar_load) + width();
    // What Maps between compute is computed in each pass, or once, and stored.
    const double computed = compute(v_.work.kept_operations), once = c_.keeps ? vectors * (work + computed + m_.vector_load) : 0;
    const double row = once + passes * (vectors * (work + (c_.keeps ? 0 : computed)) + vectors * m_.loop / of(c_.vectors) + join_row());
    // A fragment reduces its row anew.
    if (v_.on_textures()) return spread(of(e_.elements) / of(4 * c_.rows * c_.vectors), m_.lanes, row * of(c_.rows));
    return spread(count * of(c_.lane_threads), of(c_.row_threads * c_.row_blocks * c_.lane_threads), row);
  }

  double join_row() const {
    if (c_.lane_threads == 1) return 0;
    if (c_.join == static_cast<int64_t>(Join::kFlat)) return of(c_.lane_threads) * m_.scalar_load + 2 * m_.barrier;
    return joining(c_.lane_threads, c_.join == static_cast<int64_t>(Join::kSubgroup));
  }

  const GroupView& v_;
  const Choices& c_;
  const SerialMachine& m_;
  const std::vector<bool>& launched_;
  const Extents e_;
};

}  // namespace

double serial_time_us(const GroupView& view, const Choices& choices, const SerialMachine& machine, const std::vector<bool>& launched) {
  return SerialTime(view, choices, machine, launched).us();
}

}  // namespace hone::tuner
