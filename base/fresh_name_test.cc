#include "base/fresh_name.h"

#include <gtest/gtest.h>

#include <set>

namespace hone {
namespace {

// Given names that are taken, when a fresh one is asked for, then it is the wanted one if that is free, else that with the first free number.
TEST(FreshName, HasTheFirstFreeNumber) {
  const std::set<std::string> taken = {"a", "a_2", "b"};
  const auto is_taken = [&](const std::string& name) { return taken.count(name) > 0; };
  EXPECT_EQ(fresh_name("c", "_", 2, is_taken), "c");
  EXPECT_EQ(fresh_name("a", "_", 2, is_taken), "a_3");
  EXPECT_EQ(fresh_name("b", "$", 1, is_taken), "b$1");
  EXPECT_EQ(fresh_name("b", "", 7, is_taken), "b7");
}

}  // namespace
}  // namespace hone
