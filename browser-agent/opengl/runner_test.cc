// The runner as a process, over its pipes, on whatever OpenGL ES this machine has.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/cat.h"
#include "browser-agent/native/runner_turns.h"

namespace hone::agent {
namespace {

using native::RunnerProcess;
using nlohmann::json;

constexpr int kSide = 64;
constexpr int64_t kBytes = kSide * kSide * 4;
constexpr uint32_t kPoison = 0x7fc0dead;

json texture(int width, int height, int layers = 1, const std::string& format = "rgba32f") {
  return {{"width", width}, {"height", height}, {"layers", layers}, {"format", format}};
}

json make(RunnerProcess& runner, const json& shape, int64_t bytes = kBytes) {
  return runner.ask({{"do", "make"}, {"bytes", bytes}, {"word", kPoison}, {"texture", shape}}).header;
}

int64_t filled(RunnerProcess& runner, const std::vector<float>& floats) {
  const int64_t buffer = make(runner, texture(kSide / 4, kSide))["buffer"];
  const std::string content(reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float));
  EXPECT_TRUE(runner.ask({{"do", "write"}, {"buffer", buffer}}, content).header["ok"]);
  return buffer;
}

std::vector<float> read(RunnerProcess& runner, int64_t buffer, int64_t bytes = kBytes) {
  const std::string payload = runner.ask({{"do", "read"}, {"buffer", buffer}, {"bytes", bytes}}).payload;
  std::vector<float> out(payload.size() / sizeof(float));
  std::memcpy(out.data(), payload.data(), payload.size());
  return out;
}

// A square product of which a fragment makes four columns; `before` stands at its beginning.
std::string product(const std::string& before = "", const std::string& value = "sum") {
  return cat(R"(#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
uniform sampler2D b0;
uniform sampler2D b1;
layout(location = 0) out vec4 c;
void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  )",
             before, R"(
  vec4 sum = vec4(0.0);
  for (int k = 0; k < )",
             kSide / 4, R"(; k++) {
    vec4 a = texelFetch(b0, ivec2(k, p.y), 0);
    sum += a.x * texelFetch(b1, ivec2(p.x, 4 * k), 0) + a.y * texelFetch(b1, ivec2(p.x, 4 * k + 1), 0)
         + a.z * texelFetch(b1, ivec2(p.x, 4 * k + 2), 0) + a.w * texelFetch(b1, ivec2(p.x, 4 * k + 3), 0);
  }
  c = )",
             value, ";\n}\n");
}

json bind(RunnerProcess& runner, const std::string& code, const std::vector<int64_t>& buffers,
          std::vector<bool> writes = {false, false, true}, std::vector<int> grid = {kSide / 4, kSide, 1}) {
  const json built = runner.ask({{"do", "build"}}, code).header;
  if (!built["ok"]) return built;
  const json call{{"kernel", built["kernel"]}, {"buffers", buffers}, {"writes", writes}, {"grid", grid}};
  return runner.ask({{"do", "bind"}, {"calls", json::array({call})}}).header;
}

int64_t run_ns(RunnerProcess& runner, const json& program, int64_t repeats) {
  return runner.ask({{"do", "run"}, {"program", program["program"]}, {"repeats", repeats}}).header["ns"];
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

// Given a product, when it is built, run and read, then it is right, and a row of 64 draws takes longer than one: none of them is left out.
TEST(OpenGlRunner, ComputesAProduct) {
  RunnerProcess runner(HONE_OPENGL_RUNNER);
  const json hello = runner.ask({{"do", "hello"}}).header;
  ASSERT_TRUE(hello["ok"]) << hello;
  EXPECT_NE(hello["renderer"], "");
  EXPECT_GE(hello["limits"]["MAX_TEXTURE_SIZE"], 2048);
  EXPECT_GT(hello["clock_step_ns"], 0);
  const Product expected;
  const int64_t c = make(runner, texture(kSide / 4, kSide))["buffer"];
  const json program = bind(runner, product(), {filled(runner, expected.a), filled(runner, expected.b), c});
  ASSERT_TRUE(program["ok"]) << program;
  EXPECT_GT(runner.ask({{"do", "settle"}, {"program", program["program"]}}).header["ns"], 0);
  EXPECT_TRUE(runner.ask({{"do", "poison"}, {"buffer", c}, {"word", kPoison}}).header["ok"]);
  EXPECT_TRUE(std::isnan(read(runner, c)[5]));
  int64_t once_ns = run_ns(runner, program, 1);  // the fastest: other work makes a single one as long as a row
  for (int i = 0; i < 9; ++i) once_ns = std::min(once_ns, run_ns(runner, program, 1));
  const int64_t row_ns = run_ns(runner, program, 64);
  EXPECT_GT(row_ns, 8 * once_ns) << once_ns;
  const std::vector<float> found = read(runner, c);
  ASSERT_EQ(found.size(), size_t{kSide * kSide});
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected.at(i), 1e-3);
  EXPECT_GT(runner.ask({{"do", "reference"}, {"runs", 2}}).header["ns"], 0);
  EXPECT_EQ(runner.end(), 0);
}

// Given content that is shorter than its texture, when written, then the rest holds a pattern that is not the poison, bit by bit: what a kernel hands on
// of it into its output's padding was written.
TEST(OpenGlRunner, MarksWhatLiesBehindAContent) {
  RunnerProcess runner(HONE_OPENGL_RUNNER);
  for (const char* format : {"rgba32f", "rgba32i", "rgba32ui"}) {
    const int64_t buffer = make(runner, texture(2, 2, 3, format), 100)["buffer"];
    runner.ask({{"do", "write"}, {"buffer", buffer}}, std::string(100, 'x'));
    const std::string found = runner.ask({{"do", "read"}, {"buffer", buffer}, {"bytes", 192}}).payload;
    ASSERT_EQ(found.size(), 192u) << format;
    EXPECT_EQ(found.substr(0, 100), std::string(100, 'x')) << format;
    const uint32_t behind = kPoison ^ 1;
    for (size_t at = 100; at < 192; at += 4) EXPECT_EQ(std::memcmp(found.data() + at, &behind, 4), 0) << format;
  }
}

// Given a texture of halves, when written, then numbers go up in two bytes each and come down as f32, and what lies behind them is no number.
TEST(OpenGlRunner, TakesHalvesInHalfTheBytes) {
  RunnerProcess runner(HONE_OPENGL_RUNNER);
  EXPECT_EQ(make(runner, texture(2, 2, 1, "rgba16f"), 64)["outcome"], "validation_error");
  const int64_t buffer = make(runner, texture(2, 2, 1, "rgba16f"), 32)["buffer"];
  const uint16_t halves[] = {0x3c00, 0xc000, 0x3555, 0x0001, 0x7bff};
  const std::string content(reinterpret_cast<const char*>(halves), sizeof halves);
  EXPECT_TRUE(runner.ask({{"do", "write"}, {"buffer", buffer}}, content).header["ok"]);
  const std::vector<float> found = read(runner, buffer, 64);
  ASSERT_EQ(found.size(), 16u);
  const float expected[] = {1, -2, 0x1.554p-2f, 0x1p-24f, 65504};
  for (size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(found[i], expected[i]) << i;
  for (size_t i = std::size(expected); i < found.size(); ++i) EXPECT_TRUE(std::isnan(found[i])) << i;
}

// Given textures of each format, flat and in layers, when copied, then the copies hold the same bits.
TEST(OpenGlRunner, CopiesTextures) {
  RunnerProcess runner(HONE_OPENGL_RUNNER);
  for (const char* format : {"rgba32f", "rgba16f", "rgba32i", "rgba32ui"})
    for (int layers : {1, 3}) {
      const int64_t buffer = make(runner, texture(4, 2, layers, format), 16)["buffer"];
      const std::string content("\x00\x3c\x01\x40\x55\x35\xff\x7b", 8);
      runner.ask({{"do", "write"}, {"buffer", buffer}}, content);
      const json copied = runner.ask({{"do", "copies"}, {"buffer", buffer}, {"count", 3}}).header;
      ASSERT_TRUE(copied["ok"]) << format << copied;
      const auto bits = [&](int64_t id) {
        return runner.ask({{"do", "read"}, {"buffer", id}, {"bytes", 128 * layers}}).payload;
      };
      for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(bits(copied["first"].get<int64_t>() + i), bits(buffer)) << format;
    }
}

// Given room for three copies, when ten are asked for, then there is none, and their memory is there for others. The copies are large, so that what is left
// when one does not fit is enough for all else that the driver asks for.
TEST(OpenGlRunner, LeavesNoCopiesWhereMemoryEndsAmidThem) {
  RunnerProcess runner(HONE_OPENGL_RUNNER);
  const int64_t buffer = make(runner, texture(4096, 2048), 16)["buffer"];  // 128 MiB
  const auto copied = [&](int count) {
    return runner.ask({{"do", "copies"}, {"buffer", buffer}, {"count", count}}).header;
  };
  ASSERT_EQ(copied(1)["first"], buffer + 1);  // the driver has what copying needs
  std::ifstream statm(cat("/proc/", runner.pid(), "/statm"));
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (480 << 20);
  const rlimit limit{bytes, RLIM_INFINITY};
  ASSERT_EQ(prlimit(runner.pid(), RLIMIT_AS, &limit, nullptr), 0);
  EXPECT_EQ(copied(10)["outcome"], "out_of_memory");
  const json fewer = copied(2);
  EXPECT_EQ(fewer["first"], buffer + 2) << fewer;
}

// Given copies of a product's input and output, and a row of calls for each pair, when it runs in turns, then each run takes the next pair, over all
// runs, and each output follows from its own input.
TEST(OpenGlRunner, TakesTexturesInTurns) {
  RunnerProcess runner(HONE_OPENGL_RUNNER);
  const Product expected;
  const int64_t a = filled(runner, expected.a), b = filled(runner, expected.b),
                c = make(runner, texture(kSide / 4, kSide))["buffer"];
  const json kernel = runner.ask({{"do", "build"}}, product()).header["kernel"];
  const auto call = [&](int64_t from, int64_t to) {
    return json{{"kernel", kernel},
                {"buffers", {from, b, to}},
                {"writes", {false, false, true}},
                {"grid", {kSide / 4, kSide, 1}}};
  };
  const auto element = [&](int64_t buffer) { return read(runner, buffer)[70]; };
  EXPECT_EQ(native::wrong_turn(runner, {a, c, call, element, expected.at(70)}), "");
  EXPECT_EQ(runner.end(), 0);
}

// Given shaders and textures that are no kernel, when they are built and bound, then each is refused in words, and the runner goes on.
TEST(OpenGlRunner, RefusesWhatDoesNotFit) {
  RunnerProcess runner(HONE_OPENGL_RUNNER);
  const auto outcome = [](const json& answer) { return answer["ok"] ? "ok" : answer["outcome"].get<std::string>(); };
  const int64_t a = make(runner, texture(kSide / 4, kSide))["buffer"],
                c = make(runner, texture(kSide / 4, kSide))["buffer"];
  const json broken = bind(runner, "nonsense", {a, a, c});
  EXPECT_EQ(broken["outcome"], "compile_error");
  EXPECT_NE(broken["message"].get<std::string>().find("syntax error"), std::string::npos) << broken;
  EXPECT_EQ(outcome(bind(runner, product(), {a, c, c})), "validation_error");
  EXPECT_EQ(outcome(bind(runner, product(), {a, a, c}, {false, false, false})), "validation_error");
  EXPECT_EQ(outcome(bind(runner, product(), {a, a, c}, {false, false, true}, {1, 1, 1})), "validation_error");
  EXPECT_EQ(outcome(bind(runner, product(), {a, a, 999})), "not_found");
  const int64_t whole = make(runner, texture(kSide / 4, kSide, 1, "rgba32i"))["buffer"];
  EXPECT_EQ(outcome(bind(runner, product(), {a, whole, c})), "validation_error");
  EXPECT_EQ(outcome(make(runner, texture(1 << 20, 1))), "validation_error");
  EXPECT_EQ(outcome(make(runner, texture(4, 4))), "validation_error");
  EXPECT_EQ(outcome(make(runner, texture(kSide, kSide, 1, "rgb8"))), "validation_error");
  EXPECT_EQ(outcome(make(runner, texture(8192, 8192, 256))), "out_of_memory");  // 256 GiB
  EXPECT_EQ(outcome(runner.ask({{"do", "dance"}}).header), "protocol_error");
  EXPECT_EQ(outcome(bind(runner, product(), {a, a, c})), "ok");
  EXPECT_EQ(runner.end(), 0);
}

// Given a fragment that is left out, when the kernel runs, then its texel still holds the poison.
TEST(OpenGlRunner, LeavesPoisonWhereNothingIsWritten) {
  RunnerProcess runner(HONE_OPENGL_RUNNER);
  const Product expected;
  const int64_t c = make(runner, texture(kSide / 4, kSide))["buffer"];
  const json program = bind(runner, product("if (p == ivec2(3, 0)) discard;"),
                            {filled(runner, expected.a), filled(runner, expected.b), c});
  ASSERT_TRUE(program["ok"]) << program;
  run_ns(runner, program, 1);
  const std::vector<float> found = read(runner, c);
  uint32_t bits = 0;
  std::memcpy(&bits, &found[13], 4);
  EXPECT_EQ(bits, kPoison);
  EXPECT_NEAR(found[16], expected.at(16), 1e-3);
}

// Given a kernel that runs for minutes, when the runner's input ends, then it ends all the same.
TEST(OpenGlRunner, EndsWithItsInputWhateverItDraws) {
  RunnerProcess runner(HONE_OPENGL_RUNNER);
  const int64_t a = make(runner, texture(kSide / 4, kSide))["buffer"],
                c = make(runner, texture(kSide / 4, kSide))["buffer"];
  const json program = bind(
      runner,
      product("for (int i = 0; i < 60000; i++) if (texelFetch(b0, ivec2(i % 16, i / 16 % 64), 0).x == 7.0) discard;"),
      {a, a, c});
  ASSERT_TRUE(program["ok"]) << program;
  runner.post({{"do", "run"}, {"program", program["program"]}, {"repeats", 1000000}});
  EXPECT_EQ(runner.end(), 0);
}

// Given a runner that has begun, when looked at from outside, then a filter holds for it that it cannot shed.
TEST(OpenGlRunner, RunsInASandbox) {
  RunnerProcess runner(HONE_OPENGL_RUNNER);
  ASSERT_TRUE(runner.ask({{"do", "hello"}}).header["ok"]);
  std::ifstream status(cat("/proc/", runner.pid(), "/status"));
  std::string line, found;
  while (std::getline(status, line))
    if (line.starts_with("Seccomp:") || line.starts_with("NoNewPrivs:")) found += line + "\n";
  EXPECT_EQ(found, "NoNewPrivs:\t1\nSeccomp:\t2\n");
}

}  // namespace
}  // namespace hone::agent
