#include "server/compile/expected_outputs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <limits>
#include <thread>

#include "base/cat.h"
#include "codegen/te/builder.h"
#include "server/compile/worker_pool.h"

namespace hone::server {
namespace {

constexpr uint64_t kNoMemory = 667, kEndless = 668;

struct Kitchen {
  explicit Kitchen(std::string folder = "")
      : expected({folder, [this](const te::Task& t, const CancelToken* cancel) { return cook(t, cancel); }}, pool,
                 blobs) {}
  Result<emit::Reference> cook(const te::Task& task, const CancelToken* cancel) {
    ++cooked;
    if (task.id.lo == kNoMemory) throw std::bad_alloc();
    for (; task.id.lo == kEndless; std::this_thread::yield()) HONE_TRY(check_cancel(cancel));
    if (task.id.lo == 666) return Error{ErrorCode::kUnsupported, "no reference for this"};
    const emit::Outputs outputs{{1.0f, -3.0f, 0.0f, std::numeric_limits<float>::infinity(), 2.0f}, std::vector<float>(5, static_cast<float>(task.id.lo))};
    return emit::Reference{3e-5, {{-2, 2, 1}}, {outputs, {std::vector<float>(5, 7), std::vector<float>(5, 8)}}, {5}};
  }
  Result<ExpectedPtr> get(const te::Task& task) {
    std::promise<Result<ExpectedPtr>> promise;
    expected.request(
        task, [this] { return wanted.load(); },
        [&](Result<ExpectedPtr> r) { promise.set_value(std::move(r)); });
    return promise.get_future().get();
  }
  std::atomic<int> cooked{0};
  std::atomic<bool> wanted{true};
  BlobStore blobs;
  WorkerPool pool{{.threads = 2}};
  ExpectedOutputs expected;
};

te::Task task_with(uint64_t id) {
  te::Builder b;
  const std::vector<te::Axis> axes = b.axes({"i"}, {5});
  const te::Sym x = b.at(b.input("x", ir::DType::kF32, {5}), b.syms(axes));
  b.output(b.map("y", axes, x));
  b.output(b.map("z", axes, x + x));
  te::Task task;
  task.program = b.take();
  task.id = {1, id};
  return task;
}

TEST(ExpectedOutputs, ComputesATaskOnceAndServesItsBlobs) {
  // Given a task, when its outputs are asked for twice, then the reference runs once and each output is a blob of f32.
  Kitchen kitchen;
  te::Task task = task_with(7);
  auto first = kitchen.get(task);
  ASSERT_TRUE(first.ok());
  const Expected& expected = **first;
  ASSERT_EQ(expected.sets.at(0).size(), 2u);
  EXPECT_EQ(expected.sets[0][0].blob->bytes.size(), 20u);
  EXPECT_EQ(expected.sets[0][0].largest, 3);  // of 1, 3 and 2: neither the infinity nor the zero is a magnitude
  EXPECT_EQ(expected.sets[0][0].median, 2);
  EXPECT_EQ(kitchen.blobs.find(expected.sets[0][1].blob->sha256), expected.sets[0][1].blob);
  EXPECT_TRUE(kitchen.get(task).ok());
  EXPECT_EQ(kitchen.cooked, 1);
}

TEST(ExpectedOutputs, KeepsThemOnDiskAndRemakesADamagedFile) {
  // Given a folder filled by one server, when another asks, then it reads the file; when the file is damaged, then it computes anew.
  std::string folder = testing::TempDir() + cat("/expected_", getpid());
  te::Task task = task_with(8);
  std::string name;
  {
    Kitchen first(folder);
    name = (*first.get(task))->sets[0][1].blob->sha256;
  }
  Kitchen second(folder);
  const ExpectedPtr read = *second.get(task);
  EXPECT_EQ(read->sets[0][1].blob->sha256, name);
  EXPECT_EQ(read->ranges, std::vector<ValueRange>({{-2, 2, 1}}));
  EXPECT_EQ(read->tolerance, 3e-5);
  ASSERT_EQ(read->sets.size(), 2u);
  EXPECT_EQ(read->sets[1][0].largest, 7);
  EXPECT_EQ(read->more_seeds, std::vector<uint64_t>({5}));
  EXPECT_EQ(second.cooked, 0);
  for (const auto& file : std::filesystem::directory_iterator(folder)) std::ofstream(file.path(), std::ios::app) << "x";
  Kitchen third(folder);
  EXPECT_EQ((*third.get(task))->sets[0][1].blob->sha256, name);
  EXPECT_EQ(third.cooked, 1);
  std::filesystem::remove_all(folder);
}

TEST(ExpectedOutputs, AFileOfOtherInputsIsMadeAnew) {
  // Given a whole file that tells the ranges of fewer inputs than the task has, when its outputs are asked for, then they are computed.
  const std::string folder = testing::TempDir() + cat("/other_", getpid());
  const te::Task task = task_with(9);
  {
    Kitchen first(folder);
    ASSERT_TRUE(first.get(task).ok());
  }
  te::Builder b;
  b.input("x", ir::DType::kF32, {5});
  b.input("y", ir::DType::kF32, {5});
  te::Task wider;
  wider.program = b.take();
  wider.id = task.id;
  Kitchen second(folder);
  EXPECT_TRUE(second.get(wider).ok());
  EXPECT_EQ(second.cooked, 1);
  std::filesystem::remove_all(folder);
}

TEST(ExpectedOutputs, AFailureIsAnAnswerAndIsTriedAgain) {
  // Given a task without a reference, when it is asked for twice, then both get the error and nothing is kept.
  Kitchen kitchen;
  te::Task task = task_with(666);
  EXPECT_EQ(kitchen.get(task).error().code, ErrorCode::kUnsupported);
  EXPECT_FALSE(kitchen.get(task).ok());
  EXPECT_EQ(kitchen.cooked, 2);
}

TEST(ExpectedOutputs, MemoryThatIsNotThereIsAnAnswer) {
  // Given a reference that finds no memory, when it is asked for, then the answer is out_of_memory, and the worker works on.
  Kitchen kitchen;
  te::Task hungry = task_with(kNoMemory), modest = task_with(7);
  EXPECT_EQ(kitchen.get(hungry).error().code, ErrorCode::kOutOfMemory);
  EXPECT_TRUE(kitchen.get(modest).ok());
}

TEST(ExpectedOutputs, WhatNobodyWantsAnyMoreEnds) {
  // Given a reference that takes for ever, when the one who asked for it needs it no more, then it ends, and the worker is free; as long as
  // it is wanted, it goes on.
  Kitchen kitchen;
  te::Task endless = task_with(kEndless), modest = task_with(7);
  std::promise<Result<ExpectedPtr>> promise;
  kitchen.expected.request(
      endless, [&] { return kitchen.wanted.load(); },
      [&](Result<ExpectedPtr> r) { promise.set_value(std::move(r)); });
  kitchen.expected.cancel_unwanted();
  EXPECT_TRUE(kitchen.get(modest).ok());
  kitchen.wanted = false;
  kitchen.expected.cancel_unwanted();
  EXPECT_EQ(promise.get_future().get().error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace hone::server
