#include "cli/record_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "codegen/schedule/trace.h"
#include "tuner/records/sql_store.h"

namespace hone::cli {
namespace {

TEST(RecordNames, WhatOneAloneBeginsWithNamesIt) {
  // Given records of two devices and two tasks, when one is named by the beginning of its id or a part of its name, then it is found; what fits
  // several is refused where one is wanted, and what fits none says which command lists them.
  const std::string db = cat(testing::TempDir(), "/record_names_test", getpid(), ".db");
  std::filesystem::remove(db);
  auto store = tuner::open_record_store({.where = db});
  ASSERT_TRUE(store.ok());
  const Hash first{1, 2}, second{3, 4};
  ASSERT_TRUE((*store)->put_task({first, "matmul 1x2x3", "text", 1}).ok());
  ASSERT_TRUE((*store)->put_task({second, "matmul 4x5x6 + relu", "text", 1}).ok());
  ASSERT_TRUE((*store)->put_device({"abcd", "webgpu", "{}"}).ok());
  ASSERT_TRUE((*store)->put_device({"abce", "webgl", "{}"}).ok());
  EXPECT_EQ(device_named("abcd", **store).value(), "abcd");
  EXPECT_EQ(device_named("abce", **store).value(), "abce");
  EXPECT_EQ(device_named("abc", **store).error().code, ErrorCode::kInvalidArgument);
  const auto none = device_named("x", **store);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "the records have no device x; hone records best shows what is there");
  EXPECT_EQ(task_named("relu", **store).error().code, ErrorCode::kNotFound) << "no attempt was made at it";
  const auto attempt_at = [&](const Hash& task, uint64_t source) {
    tuner::Record r{.task_id = task, .device_key = "abcd", .source_hash = {0, source}};
    r.trace_json = schedule::trace_to_json({});
    r.outcome = ErrorCode::kCompileError;
    (*store)->insert(std::move(r), [](Status stored) { EXPECT_TRUE(stored.ok()) << stored.error().message; });
  };
  attempt_at(second, 1);
  ASSERT_TRUE((*store)->flush().ok());
  EXPECT_EQ(task_named("matmul", **store).value(), second) << "the other one has nothing to forget";
  attempt_at(first, 2);
  ASSERT_TRUE((*store)->flush().ok());
  EXPECT_EQ(task_named(second.hex().substr(0, 16), **store).value(), second);
  EXPECT_EQ(task_named("relu", **store).value(), second);
  EXPECT_EQ(tasks_named("matmul", **store).value(), (std::set{first, second}));
  EXPECT_EQ(task_named("matmul", **store).error().code, ErrorCode::kInvalidArgument);
  store->reset();
  std::filesystem::remove(db);
}

}  // namespace
}  // namespace hone::cli
