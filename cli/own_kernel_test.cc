#include "cli/own_kernel.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/temp_folder.h"
#include "codegen/package/read_package.h"

namespace hone::cli {
namespace {

struct KernelFile {
  explicit KernelFile(const std::string& code = "enable f16;\n@compute fn main() {}") { std::ofstream(path()) << code; }
  std::string path() const { return folder->path() + "/k.wgsl"; }
  Result<TempFolder> folder = TempFolder::make();
};

TEST(OwnKernel, IsAPackageOfOneLaunch) {
  // Given a kernel with a binding of each access, when it is made a package, then that can be opened: what is in is an input, what is out an output, inout both in one buffer; sizes are rounded up, and the features that its
  // text names are needed.
  const KernelFile file;
  auto made = own_kernel_package({file.path(), {"x in f32 3x5", "state inout u32 4", "y out f16 7"}, "64x2"}, "k");
  ASSERT_TRUE(made.ok()) << made.error().message;
  auto package = package::open_package(made->files);
  ASSERT_TRUE(package.ok()) << package.error().message;
  ASSERT_EQ(package->manifest.inputs.size(), 2u);
  ASSERT_EQ(package->manifest.outputs.size(), 2u);
  EXPECT_EQ(package->manifest.inputs[0].name, "x");
  EXPECT_EQ(package->manifest.outputs[0].name, "state_out");
  EXPECT_EQ(package->manifest.plans[0].features, std::vector<std::string>{"shader-f16"});
  const auto plan = package::read_plan(*package, 0);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->buffers, (std::vector<int64_t>{64, 16, 16}));
  ASSERT_EQ(plan->launches.size(), 1u);
  EXPECT_EQ(plan->launches[0].grid, (ir::Dims{64, 2, 1}));
  EXPECT_EQ(plan->kernels[0].writes, (std::vector<bool>{false, true, true}));
}

TEST(OwnKernel, RefusesWhatIsNoBinding) {
  // Given bindings and grids with something wrong, when a package is to be made of them, then each is refused with what was found and expected.
  const KernelFile file;
  const std::pair<std::vector<std::string>, const char*> bad[] = {
      {{}, "out or inout"},
      {{"x in f32 4"}, "out or inout"},
      {{"x out f32"}, "NAME ACCESS TYPE SHAPE"},
      {{"x out f32 4 5"}, "NAME ACCESS TYPE SHAPE"},
      {{"x write f32 4"}, "NAME ACCESS TYPE SHAPE"},
      {{"x out f64 4"}, "a type: f32"},
      {{"x out f32 0"}, "numbers from 1"},
      {{"x out f32 4x"}, "numbers from 1"},
      {{"x out f32 -4"}, "numbers from 1"},
      {{"x out f32 99999999999999999999"}, "numbers from 1"},
      {{"x out f32 65536x65536"}, "elements"},
      {{"x in f32 4", "x out f32 4"}, "a name of its own"},
      {{""}, "NAME ACCESS TYPE SHAPE"},
  };
  for (const auto& [bindings, said] : bad) {
    const auto made = own_kernel_package({file.path(), bindings, "1"}, "k");
    ASSERT_FALSE(made.ok()) << said;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(made.error().message.find(said), std::string::npos) << made.error().message;
  }
  for (const char* grid : {"", "0", "1x1x1x1", "70000", "a"}) EXPECT_FALSE(own_kernel_package({file.path(), {"x out f32 4"}, grid}, "k").ok()) << grid;
  EXPECT_EQ(own_kernel_package({file.path() + "x", {"x out f32 4"}, "1"}, "k").error().code, ErrorCode::kIoError);
}

}  // namespace
}  // namespace hone::cli
