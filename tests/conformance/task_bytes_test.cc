#include "codegen/te/task_bytes.h"

#include <gtest/gtest.h>

#include "tests/conformance/subject.h"

namespace hone::conformance {
namespace {

std::vector<te::Task> tasks_of_every_operator() {
  std::vector<te::Task> tasks;
  Omissions omissions;
  for (const Operator& op : all_operators())
    for (Subject& subject : subjects_of(op, 0, omissions)) tasks.push_back(std::move(subject.task));
  return tasks;
}

// Given a task of each operator, when it goes through bytes, then it is the same task: its text, its id, its names and its arithmetic.
TEST(TaskBytes, EveryOperatorsTaskComesBack) {
  for (const te::Task& task : tasks_of_every_operator()) {
    const auto back = te::task_from_bytes(te::task_to_bytes(task));
    ASSERT_TRUE(back.ok()) << task.name << ": " << back.error().message;
    EXPECT_EQ(te::canonical_text(*back), te::canonical_text(task)) << task.name;
    EXPECT_EQ(back->id, task.id) << task.name;
    EXPECT_EQ(te::print_te(back->program), te::print_te(task.program));
    EXPECT_EQ(back->name, task.name);
    EXPECT_EQ(back->flops, task.flops) << task.name;
    EXPECT_EQ(back->accuracy.tolerance(), task.accuracy.tolerance()) << task.name;
  }
}

// Given a task's bytes, when they end too early, wherever, then that is said.
TEST(TaskBytes, BytesThatEndTooEarlyAreRefused) {
  const std::string bytes = te::task_to_bytes(tasks_of_every_operator().front());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto back = te::task_from_bytes(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(back.ok()) << size;
    EXPECT_EQ(back.error().code, ErrorCode::kParseError) << back.error().message;
  }
}

// Given a task that owes less than others, when it goes through bytes, then it owes as much.
TEST(TaskBytes, WhatATaskOwesComesBack) {
  te::Task task = std::move(tasks_of_every_operator().front());
  te::loosen(task, 0.25);
  const auto back = te::task_from_bytes(te::task_to_bytes(task));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->id, task.id);
  EXPECT_EQ(back->accuracy.base, 0.25);
}

}  // namespace
}  // namespace hone::conformance
