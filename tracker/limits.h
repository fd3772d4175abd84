// Limits of the tracker. The times are the defaults; tests shorten them.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace hone::tracker {

struct Limits {
  std::chrono::milliseconds heartbeat{1'000};  // how often an agent sends one
  std::chrono::milliseconds heartbeat_timeout{
      8'000};  // silence after which it is stuck; restarted within 15 s by its launcher
  std::chrono::milliseconds lease_ttl{15'000};     // a lease ends so long after the last heartbeat
  std::chrono::milliseconds priority_age{60'000};  // a waiting request gains one step of priority in this time
};

inline constexpr std::chrono::milliseconds kTick{200};             // how often deadlines are looked at
inline constexpr std::chrono::milliseconds kPauseMin{2'000};       // between two looks: the process itself did not run
inline constexpr size_t kControlFrameBytesMax = 64 << 10;
inline constexpr size_t kControlFramesPerSecondMax = 200;  // of one agent
inline constexpr size_t kWaitingMax = 1'000;               // requests
inline constexpr size_t kSessionTokensMax = 4;             // unused ones of one lease; older ones are dropped
inline constexpr size_t kSelectorTermsMax = 32;

}  // namespace hone::tracker
