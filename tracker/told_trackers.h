// ToldTrackers: what one peer was told of where the farm's trackers are, so that it is told again when they are others.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hone::tracker {

using ListTrackers = std::function<const std::vector<std::string>&()>;  // origins of the farm's trackers; none: there is one alone

class ToldTrackers {
 public:
  explicit ToldTrackers(const ListTrackers& list) : list_(list) {}
  // Nothing where it knows.
  std::optional<std::vector<std::string>> news() {
    if (!list_ || list_() == told_) return std::nullopt;
    told_ = list_();
    return told_;
  }

 private:
  const ListTrackers& list_;  // outlives it
  std::vector<std::string> told_;
};

}  // namespace hone::tracker
