#include "tuner/cost_model/booster.h"

#include "base/cat.h"

namespace hone::tuner {

namespace {

Error failed(const char* what) {
  return {ErrorCode::kInternal, cat("XGBoost failed to ", what, ": ", XGBGetLastError())};
}

// One thread: OpenMP's spinning barriers cost seconds on a busy machine. A few hundred rows need shallow trees. Four pairs of each row a tree
// instead of one: a gradient of few pairs of noisy times is itself noise.
constexpr const char* kParameters[][2] = {{"objective", "rank:pairwise"},
                                          {"num_pairsample", "4"},
                                          {"tree_method", "exact"},
                                          {"nthread", "1"},
                                          {"max_depth", "5"},
                                          {"eta", "0.2"},
                                          {"min_child_weight", "1"},
                                          {"lambda", "1"},
                                          {"disable_default_eval_metric", "1"},
                                          {"verbosity", "0"}};
constexpr const char* kSampling[][2] = {{"subsample", "0.85"}, {"colsample_bytree", "0.7"}};

}  // namespace

Result<Matrix> Matrix::make(const std::vector<const CostRow*>& rows, const std::vector<unsigned>& group_sizes,
                            const std::vector<float>& margins) {
  std::vector<float> flat, labels;
  flat.reserve(rows.size() * kFeatureCount);
  for (const CostRow* row : rows) {
    flat.insert(flat.end(), row->features.begin(), row->features.end());
    labels.push_back(row->speed);
  }
  DMatrixHandle handle = nullptr;
  if (XGDMatrixCreateFromMat(flat.data(), rows.size(), kFeatureCount, -1e30f, &handle) != 0) return failed("take rows");
  Matrix matrix(handle);
  bool ok = XGDMatrixSetFloatInfo(handle, "label", labels.data(), labels.size()) == 0 &&
            XGDMatrixSetUIntInfo(handle, "group", group_sizes.data(), group_sizes.size()) == 0;
  if (!margins.empty()) ok = ok && XGDMatrixSetFloatInfo(handle, "base_margin", margins.data(), margins.size()) == 0;
  if (!ok) return failed("label rows");
  return matrix;
}

Matrix::~Matrix() {
  if (handle_) XGDMatrixFree(handle_);
}

Result<Booster> Booster::make(const Matrix& matrix, int seed) {
  DMatrixHandle cache[] = {matrix.get()};
  BoosterHandle handle = nullptr;
  if (XGBoosterCreate(cache, 1, &handle) != 0) return failed("begin a model");
  Booster booster(handle);
  bool ok = XGBoosterSetParam(handle, "seed", std::to_string(seed).c_str()) == 0;
  for (const auto& [name, value] : kParameters) ok = ok && XGBoosterSetParam(handle, name, value) == 0;
  if (seed > 0)
    for (const auto& [name, value] : kSampling) ok = ok && XGBoosterSetParam(handle, name, value) == 0;
  if (!ok) return failed("set a parameter");
  return booster;
}

Booster::~Booster() {
  if (handle_) XGBoosterFree(handle_);
}

Status Booster::grow(const Matrix& matrix, int trees) {
  for (int i = 0; i < trees; ++i)
    if (XGBoosterUpdateOneIter(handle_, rounds_++, matrix.get()) != 0) return failed("grow a tree");
  return ok_status();
}

Result<std::vector<float>> Booster::score(const std::vector<float>& flat) const {
  const size_t rows = flat.size() / kFeatureCount;
  std::string values = cat(R"({"data":[)", reinterpret_cast<uintptr_t>(flat.data()), R"(,true],"shape":[)", rows, ",",
                           kFeatureCount, R"(],"typestr":"<f4","version":3})");
  constexpr const char* kConfig =
      R"({"type":1,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false,"missing":-1e30,"cache_id":0})";
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* result = nullptr;
  if (XGBoosterPredictFromDense(handle_, values.c_str(), kConfig, nullptr, &shape, &dimensions, &result) != 0)
    return failed("score rows");
  return std::vector<float>(result, result + rows);
}

}  // namespace hone::tuner
