#include "server/compile/reference_bytes.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/sha256.h"
#include "codegen/te/builder.h"

namespace hone::server {
namespace {

constexpr size_t kDigestDigits = 64;

// y = x of two elements.
te::Program program() {
  te::Builder b;
  const std::vector<te::Axis> axes = b.axes({"i"}, {2});
  b.output(b.map("y", axes, b.at(b.input("x", ir::DType::kF32, {2}), b.syms(axes))));
  return b.take();
}
emit::Reference reference() { return {3e-5, {{-2, 2, 1}}, {{{1, 2}}, {{3, 4}}}, {5}}; }
std::string with_digest(const std::string& body) { return sha256_hex(body) + body; }

TEST(ReferenceBytes, AReferenceComesBack) {
  // Given a reference of two sets, when it goes through bytes, then it is the same.
  const auto back = reference_from_bytes(reference_to_bytes(reference()), program());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->tolerance, 3e-5);
  EXPECT_EQ(back->ranges, reference().ranges);
  EXPECT_EQ(back->sets, reference().sets);
  EXPECT_EQ(back->more_seeds, reference().more_seeds);
}

TEST(ReferenceBytes, WhatFitsNoProgramIsNone) {
  // Given references with a set, a seed or an element too few, and with numbers that are none, when they are read, then there is none.
  const auto refused = [](auto change) {
    emit::Reference changed = reference();
    change(changed);
    return !reference_from_bytes(reference_to_bytes(changed), program());
  };
  EXPECT_TRUE(refused([](emit::Reference& r) { r.sets.pop_back(); }));
  EXPECT_TRUE(refused([](emit::Reference& r) { r.more_seeds.clear(); }));
  EXPECT_TRUE(refused([](emit::Reference& r) { r.sets.clear(), r.more_seeds.clear(); }));
  EXPECT_TRUE(refused([](emit::Reference& r) { r.sets[1][0].pop_back(); }));
  EXPECT_TRUE(refused([](emit::Reference& r) { r.sets[0].emplace_back(); }));
  EXPECT_TRUE(refused([](emit::Reference& r) { r.ranges.clear(); }));
  EXPECT_TRUE(refused([](emit::Reference& r) { r.ranges[0].high = -3; }));
  EXPECT_TRUE(refused([](emit::Reference& r) { r.ranges[0].low = std::nan(""); }));
  EXPECT_TRUE(refused([](emit::Reference& r) { r.tolerance = -1; }));
}

TEST(ReferenceBytes, DamagedBytesAreNoneOrAReferenceOfTheProgram) {
  // Given a reference's bytes, cut or with random bytes changed, and a digest that fits them, when they are read, then what comes back, if anything, has the program's elements.
  const te::Program read_by = program();
  const std::string body = reference_to_bytes(reference()).substr(kDigestDigits);
  Rng rng(1);
  for (int i = 0; i < 10000; ++i) {
    std::string damaged = body.substr(0, i % 2 ? body.size() : rng.below(body.size()));
    for (int n = 0; n < 3 && !damaged.empty(); ++n) damaged[rng.below(damaged.size())] = static_cast<char>(rng.below(256));
    const auto back = reference_from_bytes(with_digest(damaged), read_by);
    if (!back) continue;
    for (const emit::Outputs& set : back->sets) EXPECT_EQ(set.at(0).size(), 2u);
  }
  EXPECT_FALSE(reference_from_bytes(body, read_by));
  EXPECT_FALSE(reference_from_bytes("", read_by));
}

}  // namespace
}  // namespace hone::server
