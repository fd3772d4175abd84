// The runner as a process, over its pipes, on whatever OpenCL this machine has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/cat.h"
#include "browser-agent/native/runner_turns.h"
#include "browser-agent/native/work_folder.h"

namespace hone::agent {
namespace {

using native::RunnerProcess;
using nlohmann::json;

constexpr int kSide = 64;
constexpr int64_t kBytes = kSide * kSide * 4;
constexpr uint32_t kPoison = 0x7fc0dead;

int64_t make(RunnerProcess& runner, int64_t bytes = kBytes) {
  return runner.ask({{"do", "make"}, {"bytes", bytes}, {"word", kPoison}}).header["buffer"];
}

int64_t filled(RunnerProcess& runner, const std::vector<float>& floats) {
  const int64_t buffer = make(runner);
  const std::string content(reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float));
  EXPECT_TRUE(runner.ask({{"do", "write"}, {"buffer", buffer}}, content).header["ok"]);
  return buffer;
}

std::vector<float> read(RunnerProcess& runner, int64_t buffer) {
  const std::string payload = runner.ask({{"do", "read"}, {"buffer", buffer}, {"bytes", kBytes}}).payload;
  std::vector<float> out(payload.size() / sizeof(float));
  std::memcpy(out.data(), payload.data(), payload.size());
  return out;
}

// A square product of which a work-group makes a row; `before` stands at its beginning.
std::string product(const std::string& before = "", const std::string& place = "y * 64 + x") {
  return cat(R"(__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void run_kernel(__global const float* restrict A, __global const float* restrict B, __global float* restrict C) {
  const int x = (int)get_local_id(0), y = (int)get_group_id(0);
  )",
             before, R"(
  float sum = 0.0f;
  for (int k = 0; k < 64; k++) sum += A[y * 64 + k] * B[k * 64 + x];
  C[)",
             place, "] = sum;\n}\n");
}

json bind(RunnerProcess& runner, const std::string& code, const std::vector<int64_t>& buffers,
          std::vector<int64_t> bytes = {kBytes, kBytes, kBytes}, std::vector<int64_t> grid = {kSide, 1, 1}) {
  const json built = runner.ask({{"do", "build"}}, code).header;
  if (!built["ok"]) return built;
  std::vector<bool> writes(bytes.size(), false);
  writes.back() = true;
  const json call{
      {"kernel", built["kernel"]}, {"buffers", buffers}, {"writes", writes}, {"bytes", bytes}, {"grid", grid}};
  return runner.ask({{"do", "bind"}, {"calls", json::array({call})}}).header;
}

int64_t run_ns(RunnerProcess& runner, const json& program, int64_t repeats) {
  return runner.ask({{"do", "run"}, {"program", program["program"]}, {"repeats", repeats}}).header["ns"];
}

std::string finding(RunnerProcess& runner, const json& program) {
  return runner.ask({{"do", "inspect"}, {"program", program["program"]}}).header["finding"];
}

struct Product {
  std::vector<float> a, b;
  Product() : a(kSide * kSide), b(kSide * kSide) {
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = std::sin(static_cast<float>(i)), b[i] = std::cos(static_cast<float>(i));
  }
  float at(size_t i) const {
    float sum = 0;
    for (size_t k = 0; k < kSide; ++k) sum += a[i / kSide * kSide + k] * b[k * kSide + i % kSide];
    return sum;
  }
};

// Given a product, when it is built, run and read, then it is right, and a row of 64 launches takes longer than one.
TEST(OpenClRunner, ComputesAProduct) {
  RunnerProcess runner(HONE_OPENCL_RUNNER);
  const json hello = runner.ask({{"do", "hello"}}).header;
  ASSERT_TRUE(hello["ok"]) << hello;
  EXPECT_NE(hello["name"], "");
  EXPECT_GE(hello["limits"]["MAX_WORK_GROUP_SIZE"], 64);
  EXPECT_GE(hello["limits"]["LOCAL_MEM_SIZE"], 16384);
  EXPECT_GT(hello["clock_step_ns"], 0);
  const Product expected;
  const int64_t c = make(runner);
  const json program = bind(runner, product(), {filled(runner, expected.a), filled(runner, expected.b), c});
  ASSERT_TRUE(program["ok"]) << program;
  EXPECT_GT(runner.ask({{"do", "settle"}, {"program", program["program"]}}).header["ns"], 0);
  EXPECT_TRUE(runner.ask({{"do", "poison"}, {"buffer", c}, {"word", kPoison}}).header["ok"]);
  EXPECT_TRUE(std::isnan(read(runner, c)[5]));
  int64_t once_ns = run_ns(runner, program, 1);  // the fastest: other work makes a single one as long as a row
  for (int i = 0; i < 9; ++i) once_ns = std::min(once_ns, run_ns(runner, program, 1));
  const int64_t row_ns = run_ns(runner, program, 64);
  EXPECT_GT(once_ns, 0);
  EXPECT_GT(row_ns, 4 * once_ns) << once_ns;
  const std::vector<float> found = read(runner, c);
  ASSERT_EQ(found.size(), size_t{kSide * kSide});
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected.at(i), 1e-3);
  EXPECT_EQ(finding(runner, program), "");
  EXPECT_GT(runner.ask({{"do", "reference"}, {"runs", 2}}).header["ns"], 0);
  EXPECT_EQ(runner.end(), 0);
}

// Given copies of a product's input and output, and a row of calls for each pair, when it runs in turns, then each run takes the next pair, over all
// runs, and each output follows from its own input.
TEST(OpenClRunner, TakesBuffersInTurns) {
  RunnerProcess runner(HONE_OPENCL_RUNNER);
  const Product expected;
  const int64_t a = filled(runner, expected.a), b = filled(runner, expected.b), c = make(runner);
  const json kernel = runner.ask({{"do", "build"}}, product()).header["kernel"];
  const auto call = [&](int64_t from, int64_t to) {
    return json{{"kernel", kernel},
                {"buffers", {from, b, to}},
                {"writes", {false, false, true}},
                {"bytes", {kBytes, kBytes, kBytes}},
                {"grid", {kSide, 1, 1}}};
  };
  const auto element = [&](int64_t buffer) { return read(runner, buffer)[70]; };
  EXPECT_EQ(native::wrong_turn(runner, {a, c, call, element, expected.at(70)}), "");
  EXPECT_EQ(runner.end(), 0);
}

// Given programs and buffers that are no kernel, when they are built and bound, then each is refused in words, and the runner goes on.
TEST(OpenClRunner, RefusesWhatDoesNotFit) {
  RunnerProcess runner(HONE_OPENCL_RUNNER);
  const auto outcome = [](const json& answer) { return answer["ok"] ? "ok" : answer["outcome"].get<std::string>(); };
  const int64_t a = make(runner), c = make(runner);
  const json broken = bind(runner, "nonsense", {a, a, c});
  EXPECT_EQ(broken["outcome"], "compile_error");
  EXPECT_NE(broken["message"].get<std::string>().find("nonsense"), std::string::npos) << broken;
  EXPECT_EQ(outcome(bind(runner, "__kernel void other(__global float* C) {}\n", {c}, {kBytes})), "validation_error");
  EXPECT_EQ(outcome(bind(runner, product(), {a, c, c})), "validation_error");
  EXPECT_EQ(outcome(bind(runner, product(), {a, c}, {kBytes, kBytes})), "validation_error");
  EXPECT_EQ(outcome(bind(runner, product(), {a, a, c}, {kBytes, kBytes, kBytes + 16})), "validation_error");
  EXPECT_EQ(outcome(bind(runner, product(), {a, a, c}, {kBytes, kBytes, kBytes}, {0, 1, 1})), "validation_error");
  EXPECT_EQ(outcome(bind(runner, product(), {a, a, 999})), "not_found");
  EXPECT_EQ(outcome(runner.ask({{"do", "make"}, {"bytes", int64_t{1} << 50}, {"word", 0}}).header), "out_of_memory");
  EXPECT_EQ(outcome(runner.ask({{"do", "write"}, {"buffer", c}}, std::string(kBytes + 1, 'x')).header),
            "invalid_argument");
  EXPECT_EQ(outcome(runner.ask({{"do", "dance"}}).header), "protocol_error");
  EXPECT_EQ(outcome(bind(runner, product(), {a, a, c})), "ok");
  EXPECT_EQ(runner.end(), 0);
}

// Given a kernel that leaves an element out, and one that writes behind its buffer, when they run, then the element still holds the poison, and
// the second is told by what lies there; the next kernel is not blamed for it.
TEST(OpenClRunner, TellsWhatIsNotWrittenAndWhatIsWrittenBeside) {
  RunnerProcess runner(HONE_OPENCL_RUNNER);
  const Product expected;
  const int64_t a = filled(runner, expected.a), b = filled(runner, expected.b), c = make(runner);
  const json sparse = bind(runner, product("if (y == 0 && x == 13) return;"), {a, b, c});
  run_ns(runner, sparse, 1);
  const std::vector<float> found = read(runner, c);
  uint32_t bits = 0;
  std::memcpy(&bits, &found[13], 4);
  EXPECT_EQ(bits, kPoison);
  EXPECT_NEAR(found[16], expected.at(16), 1e-3);
  const json straying = bind(runner, product("", "y * 64 + x + 1"), {a, b, c});
  run_ns(runner, straying, 1);
  EXPECT_EQ(finding(runner, straying), "wrote beside buffer 2 of call 0");
  EXPECT_EQ(finding(runner, sparse), "");
}

// Given a kernel that does not end, when the runner's input ends, then it ends all the same, even within the driver's compiler, and what that left
// behind is removed by the next one's start.
TEST(OpenClRunner, EndsWithItsInputWhateverItComputes) {
  RunnerProcess runner(HONE_OPENCL_RUNNER);
  const std::string own = cat("hone-opencl-", runner.pid(), "-");
  const int64_t a = make(runner), c = make(runner);
  const json program = bind(runner, product("for (volatile int i = 0; i >= 0;) {}"), {a, a, c});
  ASSERT_TRUE(program["ok"]) << program;
  runner.post({{"do", "run"}, {"program", program["program"]}, {"repeats", 1}});
  EXPECT_EQ(runner.end(), 0);
  EXPECT_FALSE(runner.answer()
                   .has_value());  // its output is closed once the driver's linker, a process of its own, has ended too
  ASSERT_TRUE(native::WorkFolder::make("hone-opencl").ok());
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with(own)) << entry.path();
}

// Given a loader that finds no driver, when asked for a device, then the runner says so and ends with 1; with the machine's own it names one.
TEST(OpenClRunner, SaysWhyThereIsNoDevice) {
  const auto probed = [](const char* environment) {
    FILE* const out = popen(cat(environment, " ", HONE_OPENCL_RUNNER, " --probe 2>&1").c_str(), "r");
    char line[512] = "";
    if (!std::fgets(line, sizeof line, out)) line[0] = '\0';
    return std::pair(std::string(line), WEXITSTATUS(pclose(out)));
  };
  EXPECT_EQ(probed("OCL_ICD_VENDORS=/nowhere"),
            std::pair(std::string("no OpenCL driver is installed (the loader finds no platform)\n"), 1));
  const auto [device, code] = probed("");
  EXPECT_EQ(code, 0) << device;
  EXPECT_NE(device.find(" ("), std::string::npos) << device;
}

// Given a runner that has begun, when looked at from outside, then a filter holds for it that it cannot shed.
TEST(OpenClRunner, RunsInASandbox) {
  RunnerProcess runner(HONE_OPENCL_RUNNER);
  ASSERT_TRUE(runner.ask({{"do", "hello"}}).header["ok"]);
  std::ifstream status(cat("/proc/", runner.pid(), "/status"));
  std::string line, found;
  while (std::getline(status, line))
    if (line.starts_with("Seccomp:") || line.starts_with("NoNewPrivs:")) found += line + "\n";
  EXPECT_EQ(found, "NoNewPrivs:\t1\nSeccomp:\t2\n");
}

}  // namespace
}  // namespace hone::agent
