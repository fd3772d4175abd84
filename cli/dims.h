// Sizes of a model's open dimensions, as arguments give them.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace hone::cli {

using Dims = std::map<std::string, int64_t>;

inline constexpr size_t kSizesMax = 16;  // of one export: each takes plans of its own

// "batch=1" → {"batch", 1}. Fails: invalid_argument with the text and the form expected.
Result<Dims> parse_dims(const std::vector<std::string>& dims);

// "batch=1,4", "length=128" → {batch 1, length 128}, {batch 4, length 128}: every combination, the first numbers first; {} for no text at all.
// Fails: as parse_dims; limit_exceeded beyond kSizesMax.
Result<std::vector<Dims>> parse_sizes(const std::vector<std::string>& dims);

std::string dims_text(const Dims& dims);  // "batch=4, length=128"

}  // namespace hone::cli
