// A model whose constant is kept as f16: tuned, and run by what that found.
#pragma once
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/e2e/hone_command.h"

namespace hone::e2e {

constexpr int kConstantSide = 128;

// A product with a matrix of kConstantSide².
inline std::string save_product(const TempFolder& folder) {
  const std::string path = folder / "product.onnx";
  const std::string side = std::to_string(kConstantSide);
  const std::string make =
      "/usr/bin/python3 -c \"import numpy as np\n"
      "from onnx import helper as h, numpy_helper as n, save, TensorProto as T\n"
      "w = n.from_array(np.random.default_rng(1).uniform(-1, 1, (" +
      side + ", " + side +
      ")).astype('f4'), 'w')\n"
      "port = lambda name: h.make_tensor_value_info(name, T.FLOAT, [64, " +
      side +
      "])\n"
      "g = h.make_graph([h.make_node('MatMul', ['x', 'w'], ['y'])], 'g', [port('x')], [port('y')], [w])\n"
      "save(h.make_model(g, opset_imports=[h.make_opsetid('', 13)]), '" +
      path + "')\"";
  EXPECT_EQ(std::system(make.c_str()), 0);
  return path;
}

// The records whose schedules keep constants as f16, as a file.
inline std::string records_of_halves(const TempFolder& folder) {
  HoneProcess records(hone_in(folder, {"records", "export"}));
  EXPECT_EQ(records.wait(std::chrono::seconds(30)), 0) << records.err();
  const std::string path = folder / "halves.jsonl";
  std::ofstream file(path);
  std::istringstream lines(records.out());
  for (std::string line; std::getline(lines, line);)
    if (line.find("constants.storage=f16") != std::string::npos) file << line << "\n";
  return path;
}

// Given a product with a constant that may err by 0.01, when it is tuned with these options and then run by a schedule that keeps the constant as
// f16, then it has half the bytes, and the outputs are the reference's but for its rounding.
inline void expect_halved_constant(std::vector<std::string> options) {
  TempFolder tuned, run_in;
  const std::string model = save_product(tuned);
  options.insert(options.end(), {"--tolerance", "0.01", "--json"});
  const auto with = [&options](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), options.begin(), options.end());
    return arguments;
  };
  HoneProcess tune(hone_in(tuned, with({"tune", model, "--trials", "24"})));
  ASSERT_EQ(tune.wait(std::chrono::seconds(240)), 0) << tune.err();
  HoneProcess import(hone_in(run_in, {"records", "import", records_of_halves(tuned)}));
  ASSERT_EQ(import.wait(std::chrono::seconds(30)), 0) << import.err();
  HoneProcess run(hone_in(run_in, with({"run", model, "--check"})));
  ASSERT_EQ(run.wait(std::chrono::seconds(120)), 0) << run.err();
  const auto result = nlohmann::json::parse(run.out(), nullptr, false);
  ASSERT_TRUE(result.is_object()) << run.out();
  EXPECT_EQ(result["schedules"].value("tuned", 0), 1) << result["schedules"];
  EXPECT_EQ(result["memory"]["constant_bytes"], kConstantSide * kConstantSide * 2);
  const double error = result["check"]["max_error"];
  EXPECT_GT(error, 1e-6);
  EXPECT_LE(error, 0.01);
}

}  // namespace hone::e2e
