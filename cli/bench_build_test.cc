#include "cli/bench_build.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/relu_model.h"
#include "cli/temp_folder.h"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

struct BuildFolder {
  BuildFolder() {
    common.db = path("none.db");
    std::ofstream(path("m.onnx"), std::ios::binary) << kReluModel;
    std::ofstream(path("words.txt")) << "no build";
  }
  std::string path(const std::string& name) const { return folder->path() + "/" + name; }
  BenchCase relu() const { return {.name = "relu", .source = {.model = path("m.onnx")}, .target = "wasm"}; }

  Result<TempFolder> folder = TempFolder::make();
  CommonOptions common;
};

TEST(BenchBuild, WhatWasKeptIsABaseline) {
  // Given a build that is kept, when the folder, and the package in it, are named as baselines, then both give the same package; kept a second time, it is refused with what to do; a case that was not kept is not found.
  const BuildFolder w;
  auto kept = keeping_build(own_build(w.common), w.path("builds"));
  const auto made = kept->archive_of(w.relu());
  ASSERT_TRUE(made.ok()) << made.error().message;
  for (const char* name : {"builds", "builds/relu"}) {
    const auto old_build = named_build(w.path(name), w.common);
    ASSERT_TRUE(old_build.ok()) << old_build.error().message;
    const auto archive = (*old_build)->archive_of(w.relu());
    ASSERT_TRUE(archive.ok()) << archive.error().message;
    EXPECT_FALSE(archive->empty());
  }
  const auto again = kept->archive_of(w.relu());
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("give another folder with --keep"), std::string::npos) << again.error().message;
  BenchCase other = w.relu();
  other.name = "other";
  EXPECT_EQ((*named_build(w.path("builds"), w.common))->archive_of(other).error().code, ErrorCode::kNotFound);
}

TEST(BenchBuild, RefusesWhatIsNone) {
  // Given a baseline that is not there, a file that is no program, and a target whose kernels no package holds, when builds are made of them, then each fails with its own code.
  const BuildFolder w;
  EXPECT_EQ(named_build(w.path("absent"), w.common).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(named_build(w.path("words.txt"), w.common).error().code, ErrorCode::kInvalidArgument);
  BenchCase native = w.relu();
  native.target = "native";
  EXPECT_EQ(own_build(w.common)->archive_of(native).error().code, ErrorCode::kUnsupported);
  BenchCase kernel{.name = "k", .kernel = {.file = w.path("words.txt"), .bindings = {"y out f32 4"}}, .target = "wasm"};
  EXPECT_EQ(own_build(w.common)->archive_of(kernel).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace hone::cli
