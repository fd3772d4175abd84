#include "codegen/te/ops/filter_matrices.h"

#include <optional>

#include "base/check.h"

namespace hone::te {

namespace {

const FilterMatrices kOfTwo{2,
                            {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
                            {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
                            {{1, 1, 1, 0}, {0, 1, -1, -1}}};

const FilterMatrices kOfFour{4,
                             {{4, 0, -5, 0, 1, 0},
                              {0, -4, -4, 1, 1, 0},
                              {0, 4, -4, -1, 1, 0},
                              {0, -2, -1, 2, 1, 0},
                              {0, 2, -1, -2, 1, 0},
                              {0, 4, 0, -5, 0, 1}},
                             {{1. / 4, 0, 0},
                              {-1. / 6, -1. / 6, -1. / 6},
                              {-1. / 6, 1. / 6, -1. / 6},
                              {1. / 24, 1. / 12, 1. / 6},
                              {1. / 24, -1. / 12, 1. / 6},
                              {0, 0, 1}},
                             {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};

// A positive term first: nothing is negated.
Sym sum_of_terms(const std::vector<double>& row, const Part& part) {
  std::vector<size_t> order;
  for (const bool positive : {true, false})
    for (size_t i = 0; i < row.size(); i++)
      if (row[i] != 0 && (row[i] > 0) == positive) order.push_back(i);
  std::optional<Sym> sum;
  for (size_t i : order) {
    const Sym term = part(i);
    const bool subtracted = sum && row[i] == -1;
    const Sym scaled = row[i] == 1 || subtracted ? term : term * row[i];
    sum = !sum ? scaled : subtracted ? *sum - scaled : *sum + scaled;
  }
  return *sum;
}

}  // namespace

Sym row_times(const Matrix& matrix, Sym position, const Part& part) {
  Sym value = sum_of_terms(matrix.back(), part);
  for (size_t row = matrix.size() - 1; row-- > 0;)
    value = select(position == static_cast<double>(row), sum_of_terms(matrix[row], part), value);
  return value;
}

const FilterMatrices& filter_matrices(int64_t outputs) {
  CHECK(outputs == 2 || outputs == 4, "minimal filtering has tiles of 2 or 4 outputs along an axis");
  return outputs == 2 ? kOfTwo : kOfFour;
}

}  // namespace hone::te
