#include "browser-agent/launch/node_program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/cat.h"

namespace hone::launch {
namespace {

// A program named node that prints `version`, in a folder whose name a shell would take apart.
std::string node_that_says(const std::string& version) {
  std::string pattern = testing::TempDir() + "/it's node-XXXXXX";
  const std::string path = cat(mkdtemp(pattern.data()), "/node");
  std::ofstream(path) << "#!/bin/sh\necho " << version << "\n";
  chmod(path.c_str(), 0755);
  return path;
}

// Given names of browsers, when they are asked for, then node and paths of it are Node.js, and no others.
TEST(NodeProgram, IsToldByItsName) {
  EXPECT_TRUE(is_node("node"));
  EXPECT_TRUE(is_node("./bin/node"));
  EXPECT_FALSE(is_node("chromium"));
  EXPECT_FALSE(is_node("./bin/node-chromium"));
}

// Given a browser, a target, or neither, when the place is completed, then one follows from the other, and WebGPU in Chromium from nothing.
TEST(NodeProgram, PlacesAreCompleted) {
  const auto completed = [](const char* browser, const char* target) {
    const auto place = complete_place({browser, target});
    return place.ok() ? place->browser + " " + place->target : place.error().message;
  };
  EXPECT_EQ(completed("", ""), "chromium webgpu");
  EXPECT_EQ(completed("", "wasm"), "chromium wasm");
  EXPECT_EQ(completed("", "native"), "native native");
  EXPECT_EQ(completed("", "opengl"), "native opengl");
  EXPECT_EQ(completed("", "opencl"), "native opencl");
  EXPECT_EQ(completed("native", "opengl"), "native opengl");
  EXPECT_EQ(completed("node", "opengl"), "node opengl");
  EXPECT_EQ(completed("native", ""), "native native");
  EXPECT_EQ(completed("node", "native"), "node native");
  EXPECT_EQ(completed("node", ""), "node webgpu");
  EXPECT_EQ(completed("firefox", "wasm"), "firefox wasm");
  EXPECT_EQ(completed("/usr/bin/node", "wasm"), "/usr/bin/node wasm");
}

// Given kernels that a browser cannot run, when the place is completed, then it is refused with what to give instead.
TEST(NodeProgram, KernelsThatCannotRunAreRefused) {
  const std::pair<AgentPlace, const char*> cases[] = {
      {{"native", "wasm"}, "--target native"},     {{"native", "webgpu"}, "--target native"},
      {{"node", "webgl"}, "--target opengl"},      {{"chromium", "native"}, "--browser native"},
      {{"firefox", "opengl"}, "--browser native"}, {{"chromium", "opencl"}, "--browser native"}};
  for (const auto& [place, remedy] : cases) {
    const auto refused = complete_place(place);
    ASSERT_FALSE(refused.ok()) << place.browser << " " << place.target;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(refused.error().message.find(remedy), std::string::npos) << refused.error().message;
  }
}

// Given what programs print for --version, when read, then it is the major version, or none.
TEST(NodeProgram, VersionIsRead) {
  EXPECT_EQ(parse_node_major("v20.20.2\n"), 20);
  EXPECT_EQ(parse_node_major("v8.1.0"), 8);
  EXPECT_EQ(parse_node_major("Chromium 140"), 0);
  EXPECT_EQ(parse_node_major(""), 0);
}

// Given programs that are new, too old, and no Node.js at all, when asked, then the new one is taken and the others are refused.
TEST(NodeProgram, OldAndForeignOnesAreRefused) {
  const Result<int> current = find_node_major(node_that_says("v18.0.0"));
  ASSERT_TRUE(current.ok()) << current.error().message;
  EXPECT_EQ(*current, 18);
  EXPECT_EQ(find_node_major(node_that_says("v16.20.0")).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(find_node_major(node_that_says("hello")).error().code, ErrorCode::kNotFound);
}

// Given Node.js before and since 21, when started, then relaxed SIMD is asked for where it is not there by itself.
TEST(NodeProgram, FlagsGoByTheVersion) {
  EXPECT_EQ(node_flags(20), std::vector<std::string>{"--experimental-wasm-relaxed-simd"});
  EXPECT_TRUE(node_flags(21).empty());
}

}  // namespace
}  // namespace hone::launch
