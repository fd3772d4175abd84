#include "base/net/gate.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone::net {
namespace {

constexpr GateLimits kLimits{
    .sockets_max = 8, .strangers_max = 4, .sockets_per_address_max = 6, .strangers_per_address_max = 3};

std::vector<Gate::Id> enter(Gate& gate, const std::string& address, int count) {
  std::vector<Gate::Id> ids;
  for (int i = 0; i < count; ++i) ids.push_back(gate.enter(address));
  return ids;
}

TEST(Gate, ANewStrangerTakesTheOldestOnesPlace) {
  // Given an address with as many strangers as it may have, when one more comes, then it takes the place of that address's oldest; another
  // address has room, until strangers together are too many: then the oldest of all goes.
  Gate gate(kLimits);
  const auto first = enter(gate, "10.0.0.1", 3);
  EXPECT_EQ(gate.place_for("10.0.0.1"), first[0]);
  EXPECT_EQ(gate.place_for("10.0.0.2"), 0u);
  const auto second = enter(gate, "10.0.0.2", 1);
  EXPECT_EQ(gate.place_for("10.0.0.3"), first[0]);
  gate.touch(first[0]);
  EXPECT_EQ(gate.place_for("10.0.0.3"), first[1]) << "what asked for something of late is not the oldest";
  gate.leave(first[1]);
  EXPECT_EQ(gate.place_for("10.0.0.3"), 0u);
}

TEST(Gate, AMovedSocketCountsForItsNewAddress) {
  // Given a proxy's address that is full of strangers, when one of them is said to be another address's, then the proxy's has room, and the other one has one more, until it
  // leaves.
  Gate gate(kLimits);
  const auto behind = enter(gate, "10.0.0.1", 3);
  gate.move(behind[0], "10.0.0.9");
  EXPECT_EQ(gate.place_for("10.0.0.1"), 0u);
  gate.move(behind[1], "10.0.0.9");
  gate.move(behind[2], "10.0.0.9");
  EXPECT_EQ(gate.place_for("10.0.0.9"), behind[0]);
  gate.greet(behind[0]);
  gate.leave(behind[0]);
  EXPECT_EQ(gate.place_for("10.0.0.9"), 0u);
  EXPECT_EQ(gate.sockets(), 2u);
  EXPECT_EQ(gate.strangers(), 2u);
}

TEST(Gate, KnownPeersAreNeverPutOut) {
  // Given known peers up to their address's limit, and then up to the limit of all, when another comes, then it is refused, and nobody known
  // goes; when one of them has left, then it has its place.
  Gate gate(kLimits);
  const auto near = enter(gate, "10.0.0.1", 3);
  for (const Gate::Id id : near) gate.greet(id);
  const auto more = enter(gate, "10.0.0.1", 3);
  for (const Gate::Id id : more) gate.greet(id);
  EXPECT_EQ(gate.strangers(), 0u);
  EXPECT_EQ(gate.place_for("10.0.0.1"), std::nullopt);
  const auto far = enter(gate, "10.0.0.2", 2);
  EXPECT_EQ(gate.place_for("10.0.0.3"), far[0]);
  gate.greet(far[0]);
  gate.greet(far[1]);
  EXPECT_EQ(gate.place_for("10.0.0.3"), std::nullopt);
  gate.leave(near[0]);
  EXPECT_EQ(gate.place_for("10.0.0.3"), 0u);
}

TEST(Gate, LeavesRoomForWhatIsNoSocket) {
  // Given descriptor limits, from a handful to very many, when they are divided, then sockets leave some for files, and strangers take half at
  // most, of one address no more than a few browsers need.
  for (const size_t descriptors : {16u, 256u, 1'024u, 65'536u}) {
    const GateLimits limits = gate_limits(descriptors);
    EXPECT_LT(limits.sockets_max, descriptors);
    EXPECT_LE(limits.strangers_max * 2, limits.sockets_max);
    EXPECT_LE(limits.strangers_per_address_max, limits.strangers_max);
    EXPECT_GT(limits.strangers_per_address_max, 0u);
  }
  EXPECT_EQ(gate_limits(1'024).sockets_max, 896u);
  EXPECT_EQ(gate_limits(1'024).strangers_per_address_max, 128u);
  EXPECT_EQ(gate_limits(65'536).sockets_per_address_max, 32'704u);
}

}  // namespace
}  // namespace hone::net
