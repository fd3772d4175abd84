// Small models, run on a device and compared with the reference.
#pragma once
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/hone_command.h"

namespace hone::e2e {

// A model of scripts/gen_model by `hone run --check` with these options agrees with the reference. The report; null when there is none.
inline nlohmann::json expect_model_right(const TempFolder& folder, const std::string& name, const std::vector<std::string>& options) {
  const std::string model = folder / (name + ".onnx");
  EXPECT_EQ(std::system((std::string(HONE_SOURCE) + "/scripts/gen_model " + name + " --size 16 --out " + model).c_str()), 0);
  std::vector<std::string> arguments{"run", model, "--check", "--json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  HoneProcess run(hone_in(folder, std::move(arguments)));
  EXPECT_EQ(run.wait(std::chrono::seconds(120)), 0) << run.err();
  const auto result = nlohmann::json::parse(run.out(), nullptr, false);
  EXPECT_TRUE(result.is_object()) << run.out();
  if (!result.is_object()) return nullptr;
  EXPECT_LE(result["check"]["max_error"].get<double>(), 1e-5) << name;
  return result;
}

// A model whose trips a run counts, and an encoder of 16 tokens, whose report is returned.
inline nlohmann::json expect_model_right(const TempFolder& folder, const std::vector<std::string>& options) {
  expect_model_right(folder, "equilibrium", options);
  return expect_model_right(folder, "encoder", options);
}

}  // namespace hone::e2e
