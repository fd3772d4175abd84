#include "codegen/graph/plan_memory.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace hone::graph {
namespace {

// Free slots are looked for among the newest of a kind, which are the smallest: a model in which more tensors live at once than these (real
// ones have tens) shares less than it could, but is planned in linear time.
constexpr size_t kSlotsTriedMax = 256;

// A slot's tenants, which follow each other in time: the last step of each by its first.
using Occupied = std::map<int, int>;

bool is_free(const Occupied& slot, const Tenant& t) {
  const auto after = slot.upper_bound(t.last);  // the first that begins behind t; the one before it must end before t begins
  return after == slot.begin() || std::prev(after)->second < t.first;
}

int64_t most_live_bytes(const std::vector<Tenant>& tenants) {
  int steps = 0;
  for (const Tenant& t : tenants) steps = std::max(steps, t.last + 1);
  std::vector<int64_t> change(static_cast<size_t>(steps) + 1, 0);
  for (const Tenant& t : tenants) {
    change[static_cast<size_t>(t.first)] += t.bytes;
    change[static_cast<size_t>(t.last) + 1] -= t.bytes;
  }
  int64_t live = 0, most = 0;
  for (int64_t by : change) most = std::max(most, live += by);
  return most;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Tenant>& tenants) {
  MemoryPlan plan;
  plan.slot_of.assign(tenants.size(), -1);
  plan.bytes_min = most_live_bytes(tenants);
  std::vector<size_t> order(tenants.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return tenants[a].bytes > tenants[b].bytes; });
  std::vector<Occupied> slots;
  std::map<int, std::vector<size_t>> slots_of_kind;
  for (size_t t : order) {
    const Tenant& tenant = tenants[t];
    std::vector<size_t>& candidates = slots_of_kind[tenant.kind];
    const size_t tried = std::min(candidates.size(), kSlotsTriedMax);
    // Slots stand in falling order of size, so the last free one fits best.
    const auto found = std::find_if(candidates.rbegin(), candidates.rbegin() + static_cast<std::ptrdiff_t>(tried),
                                    [&](size_t slot) { return is_free(slots[slot], tenant); });
    size_t slot = slots.size();
    if (found != candidates.rbegin() + static_cast<std::ptrdiff_t>(tried)) {
      slot = *found;
    } else {
      candidates.push_back(slot);
      slots.emplace_back();
      plan.slot_bytes.push_back(tenant.bytes);
      plan.bytes += tenant.bytes;
    }
    slots[slot][tenant.first] = tenant.last;
    plan.slot_of[t] = static_cast<int>(slot);
  }
  return plan;
}

}  // namespace hone::graph
