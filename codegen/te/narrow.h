// Element types that every device stores and computes with.
#pragma once
#include <unordered_map>

#include "codegen/te/program.h"

namespace hone::te {

// The type that stands for `dtype` in tasks' tensors: f64, f16, bf16 and smaller floats → f32; i2, i4, i8, i16 and i64 → i32; u2, u4, u8, u16
// and u64 → u32; bool → u32 of 0 and 1.
ir::DType narrow_type(ir::DType dtype);

// The program with its tensors, variables and arithmetic in narrow types. Between loads and stores logic stays bool, and whole numbers of 8
// and 16 bits keep their width, at which they wrap: of what a tensor holds for them a load takes the low bits; those of 4 and 2 have 8. Whole numbers beyond
// 32 bits saturate where they are constants and wrap where they are computed, of which overflow.h tells; whoever fills a tensor checks the range.
// Returns the program itself when nothing is to be narrowed.
Program narrow_types(Program program);

// Narrow tensors by those that they stand for. Programs narrowed with the same map share their tensors afterwards as they did before.
using NarrowTensors = std::unordered_map<Tensor, Tensor>;
Program narrow_types(Program program, NarrowTensors& tensors);

}  // namespace hone::te
