// Liveness: whether a peer is still there. A machine that is gone says nothing, not even that it closes: so who was quiet for `ping` is pinged, and
// given up when nothing came for `hangup`. libwebsockets has the same, in a sorted list that each message of each socket walks from its head: at ten
// thousand sockets that took a processor. Pure.
#pragma once
#include <chrono>
#include <optional>

namespace hone::net {

class Liveness {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Due { kNothing, kPing, kHangUp };
  struct Limits {
    std::chrono::seconds ping{10}, hangup{25};  // hangup > ping
  };
  Liveness(Limits limits, Time now) : limits_(limits), heard_(now) {}

  void heard(Time now) {
    heard_ = now;
    pinged_.reset();
  }
  // To be asked now and then. A ping is due once; the next one after something came. Nobody is given up who had less than the whole time to answer it:
  // this process may not have run for a while.
  Due due(Time now) {
    if (!pinged_ && now - heard_ >= limits_.ping) {
      pinged_ = now;
      return Due::kPing;
    }
    return pinged_ && now - *pinged_ >= limits_.hangup - limits_.ping ? Due::kHangUp : Due::kNothing;
  }

 private:
  Limits limits_;
  Time heard_;
  std::optional<Time> pinged_;  // since then nothing came
};

inline constexpr std::chrono::seconds kLookEvery{1};  // at all sockets

}  // namespace hone::net
