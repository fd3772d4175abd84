// Booster and Matrix: XGBoost's C API as two objects. One thread.
#pragma once
#include <xgboost/c_api.h>

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "tuner/cost_model/cost_model.h"

namespace hone::tuner {

// Rows with labels, in groups; `margins` (one per row, or none) are where scores begin.
class Matrix {
 public:
  static Result<Matrix> make(const std::vector<const CostRow*>& rows, const std::vector<unsigned>& group_sizes,
                             const std::vector<float>& margins);
  ~Matrix();
  Matrix(Matrix&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Matrix& operator=(Matrix&&) = delete;
  DMatrixHandle get() const { return handle_; }

 private:
  explicit Matrix(DMatrixHandle handle) : handle_(handle) {}
  DMatrixHandle handle_;
};

class Booster {
 public:
  // `seed` draws the rows and features that each tree sees; 0: all of them.
  static Result<Booster> make(const Matrix& matrix, int seed);
  ~Booster();
  Booster(Booster&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), rounds_(other.rounds_) {}
  Booster& operator=(Booster&& other) noexcept {
    std::swap(handle_, other.handle_);
    rounds_ = other.rounds_;
    return *this;
  }

  Status grow(const Matrix& matrix, int trees);
  // Scores of rows that lie one after the other, kFeatureCount numbers each; margins are not part of them.
  Result<std::vector<float>> score(const std::vector<float>& flat) const;

 private:
  explicit Booster(BoosterHandle handle) : handle_(handle) {}
  BoosterHandle handle_;
  int rounds_ = 0;
};

}  // namespace hone::tuner
