// Which subgroups a schedule asks for, of a device whose subgroups differ in size.
#include <algorithm>
#include <optional>

#include "tuner/space/space.h"

namespace hone::tuner {

namespace {

constexpr int64_t kUsualSubgroup = 32;

// The value of the decision that makes lanes exchange; nullopt: none does.
std::optional<int64_t> exchange_value(const std::string& key) {
  if (key.ends_with("row.join")) return 2;
  if (key.ends_with("k.join")) return 1;
  const size_t digit = key.find_last_not_of("0123456789");
  const bool is_operand =
      digit != std::string::npos && digit + 1 < key.size() && key.substr(0, digit + 1).ends_with("operand");
  return is_operand ? std::optional<int64_t>(3) : std::nullopt;
}

}  // namespace

// The first is the seeds': 32 threads or the next larger size, else the largest. It is a guess that no measurement stands behind; the search tries all.
void Space::add_subgroup_sizes() {
  std::vector<int64_t> sizes = device_.subgroup_sizes;
  const auto offers = [](const Decision& d) {
    return exchange_value(d.key) && std::count(d.values.begin(), d.values.end(), *exchange_value(d.key)) > 0;
  };
  if (device_.subgroup_size > 0 || sizes.empty() || std::none_of(decisions_.begin(), decisions_.end(), offers)) return;
  auto usual = std::find_if(sizes.begin(), sizes.end(), [](int64_t size) { return size >= kUsualSubgroup; });
  if (usual == sizes.end()) --usual;
  std::rotate(sizes.begin(), usual, usual + 1);
  add("subgroup.size", std::move(sizes));
}

// Does it have lanes that exchange values?
bool Space::exchanges(const Assignment& a) const {
  for (size_t i = 0; i < own_; ++i) {
    const std::string& key = decisions_[i].key;
    const auto exchange = exchange_value(key);
    if (!exchange || decisions_[i].values[static_cast<size_t>(a[i])] != *exchange) continue;
    // Parts are joined where there are several.
    const size_t join = key.rfind("join");
    if (join == std::string::npos || value(a, key.substr(0, join) + "threads", 1) > 1) return true;
  }
  return false;
}

}  // namespace hone::tuner
