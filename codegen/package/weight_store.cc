#include "codegen/package/weight_store.h"

#include <algorithm>

#include "base/cat.h"
#include "base/sha256.h"
#include "codegen/package/pack_tensor.h"
#include "codegen/te/narrow.h"

namespace hone::package {

namespace {

constexpr size_t kAlignment = 16;  // bytes: what any view of numbers may begin at

std::vector<uint64_t> extents_of(const ir::Shape& shape) { return {shape.begin(), shape.end()}; }

std::string content_key(const graph::ConstantTensor& tensor) {
  std::string key = cat(ir::dtype_name(tensor.dtype), " ");
  for (int64_t extent : tensor.shape) key += cat(extent, "x");
  return key + sha256_hex(*tensor.bytes);
}

}  // namespace

Result<uint32_t> WeightStore::add(graph::ValueId id) {
  if (const auto known = by_value_.find(id); known != by_value_.end()) return known->second;
  const graph::Value& v = graph_.value(id);
  const graph::ConstantTensor given{v.dtype, v.shape, v.bytes};
  ir::DType stored = te::narrow_type(v.dtype);
  if (Status fits = check_range(given, stored); !fits.ok())
    return Error{fits.error().code, cat("the constant '", v.name, "': ", fits.error().message)};
  if (halves_ && stored == ir::DType::kF32) stored = ir::DType::kF16;
  const graph::ConstantTensor kept = converted(given, stored);
  const auto [it, is_new] = by_content_.try_emplace(content_key(kept), static_cast<uint32_t>(weights_.size()));
  if (is_new) {
    bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
    weights_.push_back({.dtype = std::string(ir::dtype_name(stored)),
                        .shape = extents_of(v.shape),
                        .offset = bytes_.size(),
                        .bytes = kept.bytes->size()});
    bytes_ += *kept.bytes;
  }
  return by_value_[id] = it->second;
}

size_t WeightStore::end_of_chunk(size_t begin, size_t bytes_max) const {
  const size_t end = std::min(begin + bytes_max, bytes_.size());
  if (end == bytes_.size()) return end;
  const auto behind = std::partition_point(weights_.begin(), weights_.end(),
                                           [end](const protocol::Weight& weight) { return weight.offset < end; });
  const size_t last = behind == weights_.begin() ? 0 : std::prev(behind)->offset;
  const bool goes_on = last + std::prev(behind)->bytes > end;
  return goes_on && last >= begin + bytes_max / 2 ? last : end;
}

}  // namespace hone::package
