#include "codegen/emit/llvm/reference_run.h"

#include <cstring>

#include "base/hash.h"
#include "codegen/ir/numeric.h"

namespace hone::emit {
namespace {

using Bytes = std::vector<unsigned char>;

void fill_argument(ir::DType dtype, int64_t count, ValueRange range, uint64_t seed, Bytes& bytes) {
  const size_t size = static_cast<size_t>(ir::size_bytes(dtype));
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    if (ir::is_int(dtype)) {
      const int64_t value = whole_at(range, seed, i);
      std::memcpy(&bytes[i * size], &value, size);  // little-endian hosts
      continue;
    }
    const float value = real_at(range, seed, i);
    if (dtype == ir::DType::kF32) {
      std::memcpy(&bytes[i * size], &value, size);
      continue;
    }
    ir::Cell cell;
    cell.real = value;
    const uint64_t bits = ir::bits_of(dtype, ir::cast_cell(dtype, ir::DType::kF32, cell));
    std::memcpy(&bytes[i * size], &bits, size);
  }
}

std::vector<float> read_floats(ir::DType dtype, int64_t count, const Bytes& bytes) {
  const size_t size = static_cast<size_t>(ir::size_bytes(dtype));
  std::vector<float> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * size], size);
    if (dtype == ir::DType::kI32 || dtype == ir::DType::kU32) {
      std::memcpy(&out[i], &bits, sizeof(float));
      continue;
    }
    out[i] = static_cast<float>(ir::cast_cell(ir::DType::kF32, dtype, ir::cell_of_bits(dtype, bits)).real);
  }
  return out;
}

}  // namespace

ReferenceRun::ReferenceRun(ir::Kernel kernel, std::unique_ptr<ReferenceJit> jit) : kernel_(std::move(kernel)), jit_(std::move(jit)) {}

Result<ReferenceRun> ReferenceRun::create(ir::Kernel kernel) {
  HONE_ASSIGN(jit, ReferenceJit::create(kernel));
  return ReferenceRun(std::move(kernel), std::move(jit));
}

Result<Outputs> ReferenceRun::operator()(const Inputs& inputs, const CancelToken* cancel) const {
  std::vector<Bytes> arrays;
  std::vector<void*> pointers;
  for (size_t i = 0; i < kernel_.args.size(); ++i) {
    const ir::BufferNode& buffer = *kernel_.args[i];
    const int64_t count = ir::element_count(buffer.shape);
    arrays.emplace_back(static_cast<size_t>(count * ir::size_bytes(buffer.dtype)) + 16);
    if (static_cast<int>(i) < kernel_.input_count) fill_argument(buffer.dtype, count, inputs.ranges[i], hash_mix(inputs.seed, i), arrays.back());
  }
  for (Bytes& array : arrays) pointers.push_back(array.data());
  HONE_TRY(jit_->run(pointers, {.cancel = cancel}));
  Outputs outputs;
  for (size_t i = static_cast<size_t>(kernel_.input_count); i < kernel_.args.size(); ++i)
    outputs.push_back(read_floats(kernel_.args[i]->dtype, ir::element_count(kernel_.args[i]->shape), arrays[i]));
  return outputs;
}

}  // namespace hone::emit
