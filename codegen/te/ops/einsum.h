// Sums of products by an equation in Einstein's convention.
#pragma once
#include <string_view>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// "bij,bjk->bik": letters name the operands' dimensions; a letter that the result lacks is summed over, one that an operand has twice is its diagonal. "..."
// stands for leading dimensions that broadcast. Without "->" the result has "..." and then, in their order, the letters that occur once. Dimensions of one letter
// are equal, or 1. Of three terms and more the first two become a "product" first, and so on. The reduction "Y", or the Map "Y" where nothing is summed.
// Operands: one or more, of one float type. Fails: bad_model.
Result<Tensor> einsum(Builder& b, std::string_view equation, std::vector<Tensor> operands);

}  // namespace hone::te
