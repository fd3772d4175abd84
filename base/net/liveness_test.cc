#include "base/net/liveness.h"

#include <gtest/gtest.h>

namespace hone::net {
namespace {

using namespace std::chrono_literals;
using Due = Liveness::Due;
const Liveness::Time kStart{};

TEST(Liveness, PingsAQuietPeerOnceThenGivesItUp) {
  // Given a peer that says nothing, when it was quiet for 10 s, then it is pinged, once; 15 s later it is given up.
  Liveness peer({.ping = 10s, .hangup = 25s}, kStart);
  EXPECT_EQ(peer.due(kStart + 9s), Due::kNothing);
  EXPECT_EQ(peer.due(kStart + 10s), Due::kPing);
  EXPECT_EQ(peer.due(kStart + 11s), Due::kNothing);
  EXPECT_EQ(peer.due(kStart + 24s), Due::kNothing);
  EXPECT_EQ(peer.due(kStart + 25s), Due::kHangUp);
}

TEST(Liveness, WhateverComesIsALife) {
  // Given a peer that was pinged, when it answers, then it has its time anew.
  Liveness peer({.ping = 10s, .hangup = 25s}, kStart);
  EXPECT_EQ(peer.due(kStart + 10s), Due::kPing);
  peer.heard(kStart + 20s);
  EXPECT_EQ(peer.due(kStart + 29s), Due::kNothing);
  EXPECT_EQ(peer.due(kStart + 30s), Due::kPing);
}

TEST(Liveness, APauseOfThisProcessIsNobodysSilence) {
  // Given a process that did not run for a minute, when it looks again, then the peer is pinged first, and has its time to answer.
  Liveness peer({.ping = 10s, .hangup = 25s}, kStart);
  EXPECT_EQ(peer.due(kStart + 60s), Due::kPing);
  EXPECT_EQ(peer.due(kStart + 74s), Due::kNothing);
  EXPECT_EQ(peer.due(kStart + 75s), Due::kHangUp);
}

}  // namespace
}  // namespace hone::net
