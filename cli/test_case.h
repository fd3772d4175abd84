// ONNX's backend test folders: model.onnx with test_data_set_*/{input,output}_*.pb.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/model_job.h"

namespace hone::cli {

struct DataSet {
  std::string name;  // of its folder
  std::vector<NamedTensor> inputs, outputs;
};

struct TestCase {
  std::string name;
  std::string model;  // bytes
  std::map<std::string, int64_t> dims;  // of those that were given, what this model leaves open
  std::vector<DataSet> sets;
};

// The folders that hold a model.onnx: `path` itself or, in order of their names, those in it; the folder of a model file.
// Fails: not_found when there is none.
Result<std::vector<std::string>> case_folders(const std::string& path);
// Whole-number inputs and settings among an operator's inputs become constants, because shapes and index maps follow from them and models
// hold them as such; unless all inputs are whole numbers. Fails: what the importer says; unsupported for data that is missing, or of
// another shape than the model's; not_found without a data set.
Result<TestCase> read_case(const std::string& folder, const std::map<std::string, int64_t>& dims);

}  // namespace hone::cli
