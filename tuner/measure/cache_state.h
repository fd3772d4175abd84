// CacheState: what timed executions find of their buffers in the device's caches (docs/measurement.md). Times of different states are not compared.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hone::tuner {

// kHot: all that fits. kCold: nothing. kModel: what a run of the model leaves there.
enum class CacheState : uint8_t { kHot, kCold, kModel };
inline constexpr size_t kCacheStates = 3;
inline constexpr std::array<std::string_view, kCacheStates> kCacheNames = {"hot", "cold", "model"};

inline std::string_view cache_name(CacheState state) { return kCacheNames[static_cast<size_t>(state)]; }

inline std::optional<CacheState> parse_cache(std::string_view name) {
  for (size_t i = 0; i < kCacheStates; ++i)
    if (kCacheNames[i] == name) return static_cast<CacheState>(i);
  return std::nullopt;
}

// The state of an attempt's second median.
inline CacheState other_state(CacheState state) {
  return state == CacheState::kHot ? CacheState::kCold : CacheState::kHot;
}

}  // namespace hone::tuner
