// A model that hone exported as C, with inputs and what they must lead to.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codegen/graph/graph.h"
#include "tests/e2e/hone_process.h"

namespace hone::e2e {

struct Ran {
  int code = 0;
  std::string out, err;
};

class ExportedModel {
 public:
  // Imports the model that lies in the folder as model.onnx, exports it to the folder `tiny` with the options, and draws its inputs: small whole
  // numbers, others within −1 … 1. Call ready() first.
  explicit ExportedModel(const TempFolder& folder, std::vector<std::string> options = {"--targets", "native"});
  bool ready() const { return !expected_.empty(); }

  // Compiles tests/native_export/app.c with the model to a program of this name. compiler: with its options; objects: of native/.
  void compile(const std::string& program, const std::string& compiler,
               const std::string& objects = "kernels-x86_64_*.o") const;
  // before: words before the program's name.
  Ran run(const std::string& program, int threads, const std::string& level = "-",
          const std::string& before = "") const;
  // Runs it, and compares the outputs with the reference: errors of at most error_max of the range. False: this processor lacks the level.
  bool expect_right(const std::string& program, int threads, const std::string& level = "-",
                    const std::string& before = "", double error_max = 1e-4) const;

  Ran shell(const std::string& line) const;  // in the folder
  void set_input(size_t input, const graph::ConstantTensor& tensor) const;
  std::string weights_file() const;  // its path

 private:
  void import();
  void write_ports() const;

  const TempFolder& folder_;
  graph::Graph graph_;
  std::vector<graph::ValueId> inputs_;
  std::vector<std::string> input_names_, output_names_;  // in C
  std::vector<graph::ConstantTensor> expected_;
};

}  // namespace hone::e2e
