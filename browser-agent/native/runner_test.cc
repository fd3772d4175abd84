// The runner as a process, over its pipes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "browser-agent/native/runner_process.h"

namespace hone::native {
namespace {

using nlohmann::json;

std::string bytes_of(const std::vector<float>& floats) {
  return {reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float)};
}

std::vector<float> floats_of(const std::string& bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
  return out;
}

int64_t make(RunnerProcess& runner, int64_t bytes, const std::string& content = "") {
  const int64_t buffer = runner.ask({{"do", "make"}, {"bytes", bytes}, {"word", 0}}).header["buffer"];
  if (!content.empty()) { EXPECT_TRUE(runner.ask({{"do", "write"}, {"buffer", buffer}}, content).header["ok"]); }
  return buffer;
}

// A program of one call.
json bind(RunnerProcess& runner, const std::string& text, const std::vector<int64_t>& buffers) {
  const json built = runner.ask({{"do", "build"}}, text).header;
  if (!built["ok"]) return built;
  const json call{{"kernel", built["kernel"]}, {"buffers", buffers}};
  return runner.ask({{"do", "bind"}, {"calls", json::array({call})}}).header;
}

constexpr const char* kProduct = R"(
arg A: f32[64]
arg B: f32x4[16]
out C: f32x4[16]
temp T: f32x4[16]
launch grid(bx: 16) threads(1)
  T[bx] = B[bx]
launch grid(bx: 8) threads(1)
  for j in 0..2
    alloc acc: f32x4[1]
    acc[0] = broadcast(0.0, 4)
    for k in 0..8
      acc[0] = mad(broadcast(A[bx * 8 + k], 4), T[k * 2 + j], acc[0])
    C[bx * 2 + j] = acc[0]
)";

// Given a matrix product of two launches, when it is built, run, timed and read, then the product is right on all threads, and nothing was
// written beside the buffers.
TEST(Runner, ComputesAProduct) {
  RunnerProcess runner(HONE_NATIVE_RUNNER);
  const json hello = runner.ask({{"do", "hello"}}).header;
  EXPECT_GE(hello["vector_lanes"], 4);
  EXPECT_GE(hello["threads"], 1);
  EXPECT_LE(hello["threads"], 2);
  std::vector<float> a(64), b(64);
  for (size_t i = 0; i < 64; ++i) a[i] = std::sin(static_cast<float>(i)), b[i] = std::cos(static_cast<float>(i));
  const int64_t c = make(runner, 256);
  const json program = bind(runner, kProduct, {make(runner, 256, bytes_of(a)), make(runner, 256, bytes_of(b)), c});
  ASSERT_TRUE(program["ok"]) << program;
  for (const char* what : {"run", "settle"})
    EXPECT_GT(runner.ask({{"do", what}, {"program", program["program"]}, {"repeats", 3}}).header["ns"], 0);
  EXPECT_EQ(runner.ask({{"do", "inspect"}, {"program", program["program"]}}).header["finding"], "");
  const std::vector<float> found = floats_of(runner.ask({{"do", "read"}, {"buffer", c}, {"bytes", 256}}).payload);
  ASSERT_EQ(found.size(), 64u);
  for (size_t i = 0; i < 64; ++i) {
    float expected = 0;
    for (size_t k = 0; k < 8; ++k) expected += a[i / 8 * 8 + k] * b[k * 8 + i % 8];
    EXPECT_NEAR(found[i], expected, 1e-5);
  }
  EXPECT_GT(runner.ask({{"do", "reference"}, {"runs", 2}}).header["ns"], 0);
  EXPECT_EQ(runner.end(), 0);
}

// Given copies of a program's input and output, and a row of calls for each pair, when it runs in turns, then each run takes the next pair, over all
// runs, and each output follows from its own input; scratch memory is a row's own where that is wanted.
TEST(Runner, TakesBuffersInTurns) {
  RunnerProcess runner(HONE_NATIVE_RUNNER);
  const char* copy =
      "arg A: f32[4]\nout C: f32[4]\ntemp T: f32[4]\nlaunch grid(bx: 4) threads(1)\n  T[bx] = A[bx]\nlaunch grid(bx: "
      "4) threads(1)\n  C[bx] = T[bx]\n";
  const int64_t a = make(runner, 16, bytes_of({1, 2, 3, 4})), c = make(runner, 16);
  const json kernel = runner.ask({{"do", "build"}}, copy).header["kernel"];
  const auto call = [&](int64_t from, int64_t to) {
    return json::array({{{"kernel", kernel}, {"buffers", {from, to}}}});
  };
  const json program = runner.ask({{"do", "bind"}, {"calls", call(a, c)}}).header["program"];
  const int64_t a1 = runner.ask({{"do", "copies"}, {"buffer", a}, {"count", 2}}).header["first"];
  const int64_t c1 = runner.ask({{"do", "copies"}, {"buffer", c}, {"count", 2}}).header["first"];
  const auto read = [&](int64_t buffer) {
    return floats_of(runner.ask({{"do", "read"}, {"buffer", buffer}, {"bytes", 16}}).payload);
  };
  EXPECT_EQ(read(a1 + 1), floats_of(bytes_of({1, 2, 3, 4})));
  EXPECT_TRUE(runner.ask({{"do", "write"}, {"buffer", a1}}, bytes_of({5, 6, 7, 8})).header["ok"]);
  for (const bool same_scratch : {true, false}) {
    const json rows = json::array({call(a, c), call(a1, c1), call(a1 + 1, c1 + 1)});
    const json turns =
        runner.ask({{"do", "turns"}, {"program", program}, {"rows", rows}, {"same_scratch", same_scratch}}).header;
    ASSERT_TRUE(turns["ok"]) << turns;
    for (const int64_t buffer : {c, c1, c1 + 1}) runner.ask({{"do", "poison"}, {"buffer", buffer}, {"word", 0}});
    const auto run = [&](int repeats) {
      EXPECT_GT(runner.ask({{"do", "run"}, {"program", turns["program"]}, {"repeats", repeats}}).header["ns"], 0);
    };
    run(2);
    EXPECT_EQ(read(c), std::vector<float>({1, 2, 3, 4}));
    EXPECT_EQ(read(c1), std::vector<float>({5, 6, 7, 8}));
    EXPECT_EQ(read(c1 + 1), std::vector<float>(4, 0));
    run(1);
    EXPECT_EQ(read(c1 + 1), std::vector<float>({1, 2, 3, 4}));
    EXPECT_TRUE(runner.ask({{"do", "unbind"}, {"program", turns["program"]}}).header["ok"]);
  }
  const json none =
      runner.ask({{"do", "turns"}, {"program", program}, {"rows", json::array()}, {"same_scratch", true}}).header;
  EXPECT_EQ(none["outcome"], "invalid_argument");
  EXPECT_EQ(runner.end(), 0);
}

// Given more copies than there is address space for, when they are refused, then none of them stays, and there is room for fewer.
TEST(Runner, KeepsNoneOfCopiesThatDoNotFit) {
  RunnerProcess runner(HONE_NATIVE_RUNNER);
  const int64_t a = make(runner, 16);
  const auto copies = [&](int count) { return runner.ask({{"do", "copies"}, {"buffer", a}, {"count", count}}).header; };
  json refused = copies(1024);
  while (refused["ok"]) refused = copies(1024);
  EXPECT_EQ(refused["outcome"], "out_of_memory");
  const json fewer = copies(1);
  EXPECT_TRUE(fewer["ok"]) << fewer;
  EXPECT_EQ(runner.end(), 0);
}

// Given what is no kernel of this stage, when it is to be built, then it is refused as invalid, and the runner goes on.
TEST(Runner, RefusesWhatItCannotVerify) {
  RunnerProcess runner(HONE_NATIVE_RUNNER);
  const std::pair<const char*, const char*> cases[] = {
      {"nonsense", "validation_error"},
      {"out C: f32[8]\nlaunch grid(bx: 9) threads(1)\n  C[bx] = 0.0\n", "validation_error"},  // beyond the buffer
      {"arg A: f32[8]\nlaunch grid(bx: 8) threads(1)\n  A[bx] = 0.0\n", "validation_error"},  // an input is written
      {"out C: f32[8]\nlaunch grid(bx: 8) threads(1)\n  for i in 0..4 unroll\n    C[i] = 0.0\n", "validation_error"},
      {"out C: f32[8]\nlaunch grid(1) threads(tx: 8)\n  C[tx] = 0.0\n", "unsupported"}};
  for (const auto& [text, outcome] : cases) {
    const json built = runner.ask({{"do", "build"}}, text).header;
    EXPECT_FALSE(built["ok"]) << text;
    EXPECT_EQ(built["outcome"], outcome) << text << built;
  }
  const int64_t small = make(runner, 16);
  const char* fine = "out C: f32[8]\nlaunch grid(bx: 8) threads(1)\n  C[bx] = 0.0\n";
  EXPECT_EQ(bind(runner, fine, {small})["outcome"], "validation_error");
  EXPECT_EQ(bind(runner, fine, {small, small})["outcome"], "validation_error");
  EXPECT_EQ(bind(runner, fine, {999})["outcome"], "not_found");
  EXPECT_TRUE(bind(runner, fine, {make(runner, 32)})["ok"]);
  EXPECT_EQ(runner.ask({{"do", "dance"}}).header["outcome"], "protocol_error");
  EXPECT_EQ(runner.ask({{"do", "make"}}).header["outcome"], "protocol_error");
  EXPECT_EQ(runner.end(), 0);
}

// Given a kernel whose index no interval decides, when it writes far beyond its buffer, then the runner ends with a fault instead of an
// answer.
TEST(Runner, DiesOfAWriteBeyondABuffer) {
  RunnerProcess runner(HONE_NATIVE_RUNNER);
  const json program =
      bind(runner, "out C: f32[64]\nlaunch grid(bx: 64) threads(1)\n  C[bx * bx] = 0.0\n", {make(runner, 256)});
  ASSERT_TRUE(program["ok"]) << program;
  runner.post({{"do", "run"}, {"program", program["program"]}, {"repeats", 1}});
  EXPECT_FALSE(runner.answer().has_value());
  EXPECT_EQ(runner.end(), -SIGSEGV);
}

// Given a kernel whose write lies gigabytes away, when it runs beside other buffers, then the runner ends all the same.
TEST(Runner, DiesOfAWriteFarBeyondABuffer) {
  RunnerProcess runner(HONE_NATIVE_RUNNER);
  for (int i = 0; i < 50; ++i) make(runner, 1 << 20);
  const json program = bind(runner, "out C: f32[64]\nlaunch grid(bx: 2) threads(1)\n  C[bx * bx * 1500000000] = 0.0\n",
                            {make(runner, 256)});
  ASSERT_TRUE(program["ok"]) << program;
  runner.post({{"do", "run"}, {"program", program["program"]}, {"repeats", 1}});
  EXPECT_FALSE(runner.answer().has_value());
  EXPECT_EQ(runner.end(), -SIGSEGV);
}

// Given a kernel that writes just behind its buffer, when inspected, then the finding names the buffer.
TEST(Runner, FindsAWriteBesideABuffer) {
  RunnerProcess runner(HONE_NATIVE_RUNNER);
  const json program =
      bind(runner, "out C: f32[4]\nlaunch grid(bx: 3) threads(1)\n  C[bx * bx * 2] = 0.0\n", {make(runner, 16)});
  ASSERT_TRUE(program["ok"]) << program;
  runner.ask({{"do", "run"}, {"program", program["program"]}, {"repeats", 1}});
  EXPECT_EQ(runner.ask({{"do", "inspect"}, {"program", program["program"]}}).header["finding"],
            "wrote beside buffer 0 of call 0");
}

// Given a kernel that runs for years, when the runner's input ends, then it ends all the same.
TEST(Runner, EndsWithItsInputWhateverItComputes) {
  RunnerProcess runner(HONE_NATIVE_RUNNER);
  const json program =
      bind(runner, "out C: f32[4]\nlaunch grid(bx: 4) threads(1)\n  for i in 0..2000000000\n    C[bx] = C[bx] + 1.0\n",
           {make(runner, 16)});
  ASSERT_TRUE(program["ok"]) << program;
  runner.post({{"do", "run"}, {"program", program["program"]}, {"repeats", 1000000}});
  EXPECT_EQ(runner.end(), 0);
}

// Given bytes that are no frame, when they come, then the runner ends with 2; so it does within a frame.
TEST(Runner, EndsWithMalformedFrames) {
  const std::string cases[] = {std::string("\x02\0\0\0\0\0\0\0[]", 10), std::string("\xff\xff\xff\xff\0\0\0\0", 8),
                               std::string("\x05\0\0\0\0\0\0\0{", 9)};
  for (const std::string& bytes : cases) {
    RunnerProcess runner(HONE_NATIVE_RUNNER);
    runner.post_bytes(bytes);
    EXPECT_EQ(runner.end(), 2);
  }
}

}  // namespace
}  // namespace hone::native
