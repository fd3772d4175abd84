#include "codegen/emit/llvm/reference.h"

#include <cstring>

#include "base/hash.h"
#include "base/rng.h"
#include "codegen/emit/llvm/reference_jit.h"
#include "codegen/ir/numeric.h"
#include "codegen/lower/reference_loops.h"

namespace hone::emit {
namespace {

using Bytes = std::vector<unsigned char>;

void fill(ir::DType dtype, int64_t count, uint64_t seed, Bytes& bytes) {
  const size_t size = static_cast<size_t>(ir::size_bytes(dtype));
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    if (ir::is_int(dtype)) {
      const int64_t value = whole_at(seed, i, !ir::is_unsigned(dtype));
      std::memcpy(&bytes[i * size], &value, size);  // little-endian hosts
      continue;
    }
    const float value = uniform_at(seed, i);
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

std::vector<float> read(ir::DType dtype, int64_t count, const Bytes& bytes) {
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

uint64_t task_seed(const te::Task& task) { return hash_mix(0x686f6e65, task.id.lo); }

int64_t reference_bytes(const te::Task& task) {
  int64_t bytes = 0;
  for (te::Tensor input : task.program.inputs) bytes += ir::element_count(input->shape) * ir::size_bytes(input->dtype);
  for (const te::Compute& compute : task.program.computes)
    for (te::Tensor made : compute.outputs) bytes += ir::element_count(made->shape) * int64_t{sizeof(double)};
  return bytes;
}

Result<std::vector<std::vector<float>>> reference_outputs(const te::Task& task, uint64_t task_seed,
                                                          const CancelToken* cancel) {
  HONE_ASSIGN(kernel, lower::reference_loops(task));
  HONE_ASSIGN(jit, ReferenceJit::create(kernel));
  std::vector<Bytes> arrays;
  std::vector<void*> pointers;
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    const ir::BufferNode& buffer = *kernel.args[i];
    const int64_t count = ir::element_count(buffer.shape);
    arrays.emplace_back(static_cast<size_t>(count * ir::size_bytes(buffer.dtype)) + 16);
    if (static_cast<int>(i) < kernel.input_count) fill(buffer.dtype, count, hash_mix(task_seed, i), arrays.back());
  }
  for (Bytes& array : arrays) pointers.push_back(array.data());
  HONE_TRY(jit->run(pointers, {.cancel = cancel}));
  std::vector<std::vector<float>> outputs;
  for (size_t i = static_cast<size_t>(kernel.input_count); i < kernel.args.size(); ++i)
    outputs.push_back(read(kernel.args[i]->dtype, ir::element_count(kernel.args[i]->shape), arrays[i]));
  return outputs;
}

}  // namespace hone::emit
