#include "codegen/graph/plan_memory.h"

#include <algorithm>
#include <numeric>

namespace hone::graph {
namespace {

bool overlap(const Tenant& a, const Tenant& b) { return a.kind != b.kind || (a.first <= b.last && b.first <= a.last); }

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
  std::vector<std::vector<size_t>> tenants_of;
  for (size_t t : order) {
    const auto is_free = [&](size_t slot) {
      return std::none_of(tenants_of[slot].begin(), tenants_of[slot].end(),
                          [&](size_t other) { return overlap(tenants[t], tenants[other]); });
    };
    // Slots stand in falling order of size, so the last free one fits best.
    size_t slot = tenants_of.size();
    while (slot > 0 && !is_free(slot - 1)) slot--;
    if (slot == 0) {
      slot = tenants_of.size() + 1;
      tenants_of.emplace_back();
      plan.slot_bytes.push_back(tenants[t].bytes);
      plan.bytes += tenants[t].bytes;
    }
    tenants_of[slot - 1].push_back(t);
    plan.slot_of[t] = static_cast<int>(slot) - 1;
  }
  return plan;
}

}  // namespace hone::graph
