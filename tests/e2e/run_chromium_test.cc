// Whole models by the binary, its embedded service and a real headless Chromium.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/e2e/devtools.h"
#include "tests/e2e/farm.h"
#include "tests/e2e/checked_model.h"
#include "tests/e2e/hone_command.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

constexpr const char* kOnnxData = "/usr/share/libonnx-testdata/data";

HoneProcess::Config command(const TempFolder& folder, std::vector<std::string> arguments) {
  return hone_in(folder, std::move(arguments));
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The project's own models need nothing from the network.
std::string generate(const TempFolder& folder, const std::string& model, int size) {
  const std::string path = folder / (model + ".onnx");
  const std::string line =
      std::string(HONE_SOURCE) + "/scripts/gen_model " + model + " --out " + path + " --size " + std::to_string(size);
  EXPECT_EQ(std::system(line.c_str()), 0);
  return path;
}

TEST(RunChromium, AModelRunsAsTheReferenceSaysAndAgainFromItsOwnOutput) {
  // Given an encoder of 16 tokens, when it is run and checked, then the outputs agree with the reference, are written, and one submit
  // holds its launches in less memory than its tensors need one by one; what it wrote is an input that it accepts, and another shape is not.
  TempFolder folder;
  const std::string model = generate(folder, "encoder", 16);
  HoneProcess first(command(folder, {"run", model, "--check", "--json", "--out", folder / "out"}));
  ASSERT_EQ(first.wait(seconds(120)), 0) << first.err();
  const auto result = nlohmann::json::parse(first.out(), nullptr, false);
  ASSERT_TRUE(result.is_object()) << first.out();
  ASSERT_EQ(result["outputs"].size(), 1u);
  EXPECT_LE(result["check"]["max_error"].get<double>(), 1e-5);
  EXPECT_LT(result["kernels"], result["launches"]);
  EXPECT_LT(result["memory"]["pool_bytes"], result["memory"]["pool_bytes_unshared"]);
  EXPECT_GE(result["memory"]["pool_bytes"], result["memory"]["pool_bytes_min"]);
  const std::string output = folder / "out/" + result["outputs"][0]["name"].get<std::string>() + ".npy";
  EXPECT_NE(read_file(output).find("(1, 16, 128)"), std::string::npos);

  HoneProcess second(command(folder, {"run", model, "--input", "input=" + output, "--check", "--json"}));
  ASSERT_EQ(second.wait(seconds(120)), 0) << second.err();
  EXPECT_LE(nlohmann::json::parse(second.out())["check"]["max_error"].get<double>(), 1e-5);

  const std::string longer = generate(folder, "encoder", 24);
  HoneProcess refused(command(folder, {"run", longer, "--input", "input=" + output}));
  EXPECT_EQ(refused.wait(seconds(60)), 1);
  EXPECT_NE(refused.err().find("1x24x128"), std::string::npos) << refused.err();
}

TEST(RunChromium, AModelWhoseTripsARunCountsRunsAsTheReferenceSays) {
  // Given a layer that runs until nothing changes, when it is run and checked, then the outputs agree with the reference.
  TempFolder folder;
  expect_model_right(folder, "equilibrium", {});
}

TEST(RunChromium, StoredCasesPassAndAWrongOneFails) {
  // Given cases of ONNX's test data, when verified, then they pass; when a case has the stored output of another, then it alone fails and
  // the exit code says so.
  ASSERT_TRUE(std::filesystem::exists(kOnnxData)) << "libonnx-testdata is not installed: run scripts/setup";
  TempFolder folder;
  const std::string data = kOnnxData;
  namespace fs = std::filesystem;
  fs::copy(data + "/pytorch-operator/test_operator_exp", folder / "wrong", fs::copy_options::recursive);
  fs::copy(folder / "wrong/test_data_set_0/input_0.pb", folder / "wrong/test_data_set_0/output_0.pb",
           fs::copy_options::overwrite_existing);
  HoneProcess process(
      command(folder, {"verify", "--json", "--quiet", data + "/pytorch-operator/test_operator_conv",
                       data + "/pytorch-converted/test_MaxPool2d", data + "/pytorch-converted/test_Softmax",
                       data + "/node/test_gather_0", data + "/node/test_argmax_default_axis_example",
                       data + "/node/test_where_example", folder / "wrong"}));
  EXPECT_EQ(process.wait(seconds(120)), 1) << process.err();
  const auto result = nlohmann::json::parse(process.out(), nullptr, false);
  ASSERT_TRUE(result.is_object()) << process.out() << process.err();
  ASSERT_EQ(result["cases"].size(), 7u);
  for (const auto& one : result["cases"])
    EXPECT_EQ(one["status"], one["name"] == "wrong" ? "fail" : "pass") << one.dump();
}

TEST(RunChromium, ABenchHasTimesOfBothClocks) {
  // Given a small image network, when it is timed, then each kind of schedule has as many runs as asked for, the medians of its runs and of its
  // kernels are there, and the host's share lies between none and all; the tasks' shares are those of the whole.
  TempFolder folder;
  HoneProcess process(command(
      folder, {"bench", generate(folder, "squeezenet", 48), "--runs", "5", "--time", "60", "--launches", "--json"}));
  ASSERT_EQ(process.wait(seconds(300)), 0) << process.err();
  const auto result = nlohmann::json::parse(process.out(), nullptr, false);
  ASSERT_TRUE(result.is_object()) << process.out();
  ASSERT_EQ(result["variants"].size(), 3u);
  for (const auto& variant : result["variants"]) {
    EXPECT_EQ(variant["skipped"], nullptr);
    EXPECT_EQ(variant["run_ms"].size(), 5u);
    EXPECT_GT(variant["kernel_ms_median"], 0);
    EXPECT_GE(variant["model_ms_median"], variant["kernel_ms_median"]);
    EXPECT_LE(variant["model_ms_p10"], variant["model_ms_median"]);
    EXPECT_GE(variant["model_ms_p90"], variant["model_ms_median"]);
    EXPECT_GE(variant["host_share"], 0);
    EXPECT_LT(variant["host_share"], 1);
    double shares = 0;
    for (const auto& task : variant["tasks"]) shares += task["share"].get<double>();
    EXPECT_NEAR(shares, 1, 1e-9);
  }
  EXPECT_GT(result["naive_over_best"], 0);
}

TEST(RunChromium, AModelWhoseDeviceIsLostRunsOnTheOneThatCameBack) {
  // Given a model under way, when its device is lost, then it runs on the device that came back, as the reference says; and so does the next one.
  Farm farm;
  farm.start_agent("", DevTools::browser_program(farm.folder.path()));
  const std::string model = generate(farm.folder, "encoder", 16);
  DevTools tools(farm.folder.path());
  tools.evaluate("device",
                 "const make = GPUDevice.prototype.createCommandEncoder;"
                 "GPUDevice.prototype.createCommandEncoder = function (...a) {"
                 "  GPUDevice.prototype.createCommandEncoder = make; this.destroy(); return make.apply(this, a); }; 0");
  for (const char* which : {"lost", "next"}) {
    HoneProcess run(farm.command({"run", model, "--check", "--json", "--quiet", "--tracker", farm.url}));
    EXPECT_EQ(run.wait(seconds(60)), 0) << which << ": " << run.err();
  }
}

}  // namespace
}  // namespace hone::e2e
