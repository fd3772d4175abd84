// Element types that every device stores and computes with.
#pragma once
#include "codegen/te/program.h"

namespace hone::te {

// The type that stands for `dtype` in tasks: f64, f16 and bf16 → f32; i64 → i32; u64 → u32; bool → u32 of 0 and 1. Others stay as they
// are: 8 and 16 bit integers wrap at their own width, which wider ones would not.
ir::DType narrow_type(ir::DType dtype);

// The program with its tensors, variables and arithmetic in narrow types; logic stays bool between loads and stores. Whole numbers beyond
// 32 bits saturate where they are constants and wrap where they are computed; whoever fills a tensor checks the range.
// Returns the program itself when nothing is to be narrowed.
Program narrow_types(Program program);

}  // namespace hone::te
