// What any runner of drivers' kernels does with copies that take turns, for tests.
#pragma once
#include <cmath>
#include <functional>
#include <string>

#include "browser-agent/native/runner_process.h"

namespace hone::native {

// A kernel whose output is 0 where its input is, and NaN before it runs.
struct TurningKernel {
  int64_t input = 0, output = 0;
  std::function<nlohmann::json(int64_t from, int64_t to)> call;  // on any two such buffers
  std::function<float(int64_t buffer)> element;                  // that is looked at
  float expected = 0;                                            // of the output
};

// Each run takes the next pair of input and output, over all runs, and each output follows from its own input. What is not so, in words, else "".
inline std::string wrong_turn(RunnerProcess& runner, const TurningKernel& kernel) {
  using nlohmann::json;
  const auto& [a, c, call, element, expected] = kernel;
  const auto two_copies = [&](int64_t buffer) {
    return runner.ask({{"do", "copies"}, {"buffer", buffer}, {"count", 2}}).header.at("first").get<int64_t>();
  };
  const auto is_right = [&](int64_t buffer) { return std::abs(element(buffer) - expected) < 1e-3f; };
  const int64_t a1 = two_copies(a), c1 = two_copies(c);
  if (element(a1 + 1) != element(a)) return "a copy has another content";
  runner.ask({{"do", "poison"}, {"buffer", a1}, {"word", 0}});
  const json rows = {{call(a, c)}, {call(a1, c1)}, {call(a1 + 1, c1 + 1)}};
  const json program = runner.ask({{"do", "bind"}, {"calls", rows[0]}}).header.at("program");
  const auto turns = [&](const json& of) {
    return runner.ask({{"do", "turns"}, {"program", program}, {"rows", of}, {"same_scratch", true}}).header;
  };
  const json made = turns(rows);
  if (!made.at("ok")) return made.dump();
  const auto run = [&](int times) { runner.ask({{"do", "run"}, {"program", made["program"]}, {"repeats", times}}); };
  run(2);
  if (!is_right(c) || element(c1) != 0) return "the first two runs do not take their own input and output";
  if (!std::isnan(element(c1 + 1))) return "a run takes the output of a later one";
  run(1);
  if (!is_right(c1 + 1)) return "a later run does not take the next pair";
  return turns(json::array())["outcome"] == "invalid_argument" ? "" : "turns without a row are taken";
}

}  // namespace hone::native
