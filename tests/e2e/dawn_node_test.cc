// WebGPU without a browser: the binary, its embedded service, the agent on Node.js with Dawn.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/e2e/farm.h"
#include "tests/e2e/tuned_operator.h"

namespace hone::e2e {
namespace {

using std::chrono::seconds;

HoneProcess::Config tune_in(const TempFolder& folder, const std::string& browser, const std::string& trials) {
  return hone_in(folder, {"tune", "--op", "matmul:64x64x64", "--trials", trials, "--browser", browser, "--json"});
}

TEST(DawnNode, AnOperatorIsTunedAndASecondRunGoesOnFromTheRecords) {
  // Given no service and no browser, when an operator is tuned for WebGPU on Node.js, then its kernels are right, have times by the GPU's own
  // stamps, and the records name Node.js and Dawn; when the command is repeated, then nothing is measured again.
  TempFolder folder;
  HoneProcess first(tune_in(folder, "node", "6"));
  const auto result = expect_tuned(first, folder / "hone.db", 6, "timestamp");
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result["target"], "webgpu");
  EXPECT_EQ(result["device"]["browser"], "node");
  EXPECT_TRUE(result["device"]["backend"].get<std::string>().starts_with("dawn ")) << result["device"];
  HoneProcess second(tune_in(folder, "node", "6"));
  ASSERT_EQ(second.wait(seconds(120)), 0) << second.err();
  const auto again = nlohmann::json::parse(second.out(), nullptr, false);
  EXPECT_LE(again["trials_new"], result["tasks"][0]["errors"].value("unstable", 0));
}

TEST(DawnNode, ItsRecordsAreApartFromThoseOfBrowsers) {
  // Given an operator that was tuned on Node.js, when it is tuned in Firefox and in Chromium with the same database, then each is a device of its
  // own that measures its own trials.
  TempFolder folder;
  std::vector<std::string> keys;
  for (const char* browser : {"node", "firefox", "chromium"}) {
    HoneProcess tune(tune_in(folder, browser, "2"));
    ASSERT_EQ(tune.wait(seconds(120)), 0) << browser << ": " << tune.err();
    const auto result = nlohmann::json::parse(tune.out(), nullptr, false);
    EXPECT_EQ(result["trials_new"], 2) << browser;
    EXPECT_EQ(result["device"]["browser"], browser);
    const std::string key = result["device"]["key"];
    EXPECT_EQ(std::find(keys.begin(), keys.end(), key), keys.end()) << browser;
    keys.push_back(key);
  }
}

TEST(DawnNode, ADeviceThatDiesIsReplacedAndAnAgentToo) {
  // Given a farm whose agent is on Node.js with Dawn, when the process that has the device is killed, as a crash of Dawn ends it, then the agent
  // starts another one; when the agent's own process is killed, then the launcher does; and a job is done in the end.
  Farm farm;
  farm.start_agent_with({"--browser", "node", "--target", "webgpu"});
  EXPECT_EQ(farm.present()[0]["kind"], "node-webgpu");
  for (const char* part : {"node_device_worker.mjs", "node_agent.mjs"}) {
    const std::vector<pid_t> first = descendants(farm.agent->pid(), part);
    ASSERT_EQ(first.size(), 1u) << part << ": " << farm.agent->err();
    ASSERT_EQ(kill(first[0], SIGKILL), 0);
    ASSERT_TRUE(wait_until(seconds(40),
                           [&] {
                             const std::vector<pid_t> now = descendants(farm.agent->pid(), part);
                             return now.size() == 1 && now[0] != first[0] && farm.is_idle();
                           }))
        << part << ": " << farm.agent->err();
  }
  HoneProcess tune(farm.tune(4));
  expect_done(farm, tune, 4);
}

// A model of one node; its inputs and outputs as Python's (name, type, shape), one after the other.
void save_node(const std::string& path, const std::string& node, const std::string& inputs,
               const std::string& outputs) {
  const std::string make =
      "/usr/bin/python3 -c \"from onnx import helper as h, save, TensorProto as T\n"
      "values = lambda all: [h.make_tensor_value_info(*v) for v in all]\n"
      "g = h.make_graph([h.make_node(" +
      node + ")], 'g', values([" + inputs + "]), values([" + outputs +
      "]))\n"
      "save(h.make_model(g, opset_imports=[h.make_opsetid('', 13)]), '" +
      path + "')\"";
  ASSERT_EQ(std::system(make.c_str()), 0);
}

// Tunes the model of one node; some of its trials' traces have the text `step`.
void expect_trials_with(const std::string& step, const std::string& node, const std::string& inputs,
                        const std::string& outputs, int trials) {
  TempFolder folder;
  const std::string model = folder / "node.onnx";
  save_node(model, node, inputs, outputs);
  // Draws, which no measured time can change: the same trials in every run.
  HoneProcess tune(hone_in(folder, {"tune", model, "--trials", std::to_string(trials), "--strategy", "random",
                                    "--browser", "node", "--json"}));
  const auto result = expect_tuned(tune, folder / "hone.db", trials, "timestamp");
  ASSERT_TRUE(result.is_object());
  EXPECT_GT(trials_with(folder, step), 0);
}

TEST(DawnNode, RowsAreJoinedBySubgroups) {
  // Given a device whose subgroups have one size and order, which the agent measures, when a softmax is tuned on it, then kernels whose lanes exchange
  // their parts are among those that are right.
  expect_trials_with("\"lane\"", "'Softmax', ['x'], ['y']", "('x', T.FLOAT, [16, 256])", "('y', T.FLOAT, [16, 256])",
                     16);
}

TEST(DawnNode, LanesHaveOperandsFromEachOther) {
  // Given the same device, when a matrix product is tuned on it, then kernels whose lanes load a part of an operand each, and have the rest from the
  // others, are among those that are right.
  expect_trials_with("\"lane\",\"", "'MatMul', ['a', 'b'], ['y']", "('a', T.FLOAT, [64, 64]), ('b', T.FLOAT, [64, 64])",
                     "('y', T.FLOAT, [64, 64])", 16);
}

TEST(DawnNode, SumsOfByteProductsArePacked) {
  // Given a device whose language has packed products, which the agent tells, when a product of 8-bit matrices is tuned on it, then kernels that take
  // four products at once are among those that are right.
  expect_trials_with("\"i8\"", "'MatMulInteger', ['a', 'b'], ['y']", "('a', T.INT8, [64, 64]), ('b', T.INT8, [64, 64])",
                     "('y', T.INT32, [64, 64])", 24);
}

TEST(DawnNode, AMissingPackageIsOneSentence) {
  // Given the agent's files in a folder from which the package webgpu is not found, when an operator is to be tuned, then the command fails and says
  // what is missing and how to get it.
  TempFolder folder;
  std::filesystem::copy(HONE_AGENT_FILES, folder / "agent");
  HoneProcess::Config config = tune_in(folder, "node", "2");
  config.environment["HONE_AGENT_DIR"] = folder / "agent";
  HoneProcess tune(config);
  EXPECT_EQ(tune.wait(seconds(60)), 3) << tune.err();
  EXPECT_NE(tune.err().find("npm package webgpu"), std::string::npos) << tune.err();
  EXPECT_NE(tune.err().find("scripts/setup"), std::string::npos) << tune.err();
}

}  // namespace
}  // namespace hone::e2e
