// Functions of one element, or of several elements at the same place: the bodies of elementwise operators.
// x is of a float type where a function needs exp, log and their like; the rest takes any number.
#pragma once
#include "codegen/te/ops/narrowing.h"
#include "codegen/te/sym.h"

namespace hone::te {

Sym absolute(Sym x);
Sym arc_cosine(Sym x);
Sym arc_hyperbolic_cosine(Sym x);
Sym arc_hyperbolic_sine(Sym x);
Sym arc_hyperbolic_tangent(Sym x);
Sym arc_sine(Sym x);
Sym arc_tangent(Sym x);          // to f32's precision
Sym ceiling(Sym x);
Sym cosine(Sym x);
Sym error_function(Sym x);
Sym exponential(Sym x);
Sym floor_of(Sym x);
Sym gelu(Sym x);                 // by erf
Sym gelu_by_tanh(Sym x);
Sym hyperbolic_cosine(Sym x);
Sym hyperbolic_sine(Sym x);
Sym hard_swish(Sym x);
Sym logarithm(Sym x);
Sym logical_negation(Sym x);
Sym mish(Sym x);                 // x · tanh(softplus(x))
Sym negation(Sym x);
Sym reciprocal(Sym x);
Sym relu(Sym x);
Sym rounded(Sym x);              // half to even
Sym sigmoid(Sym x);
Sym sign(Sym x);
Sym sine(Sym x);
Sym softplus(Sym x);
Sym softsign(Sym x);
Sym square_root(Sym x);
Sym tangent(Sym x);
Sym tangent_hyperbolic(Sym x);

Sym elu(Sym x, double alpha);
Sym hard_sigmoid(Sym x, double alpha, double beta);
Sym leaky_relu(Sym x, double alpha);
Sym selu(Sym x, double alpha, double gamma);
Sym celu(Sym x, double alpha);
Sym thresholded_relu(Sym x, double alpha);
Sym shrink(Sym x, double lambda, double bias);
Sym swish(Sym x, double alpha);  // x · sigmoid(αx)

Sym sum(Sym a, Sym b);
Sym difference(Sym a, Sym b);
Sym product(Sym a, Sym b);
Sym quotient(Sym a, Sym b);      // integers: towards zero
Sym remainder_of_divisor(Sym a, Sym b);   // with the divisor's sign
Sym remainder_of_dividend(Sym a, Sym b);  // with the dividend's sign
Sym power(Sym a, Sym b);         // negative bases where the exponent is whole; a constant exponent of 0.5, 1, 2, 3 needs no pow
Sym smaller(Sym a, Sym b);
Sym larger(Sym a, Sym b);
Sym equals(Sym a, Sym b);
Sym less(Sym a, Sym b);
Sym less_or_equal(Sym a, Sym b);
Sym greater(Sym a, Sym b);
Sym greater_or_equal(Sym a, Sym b);
Sym logical_and(Sym a, Sym b);
Sym logical_or(Sym a, Sym b);
Sym exclusive_or(Sym a, Sym b);
Sym parametric_relu(Sym x, Sym slope);

// Of a float type, by its bits as f32: compilers of shaders may take comparisons for granted.
Sym is_not_a_number(Sym x);
Sym is_infinite(Sym x, bool positive, bool negative);

// Of whole numbers.
Sym bitwise_and(Sym a, Sym b);
Sym bitwise_or(Sym a, Sym b);
Sym bitwise_exclusive_or(Sym a, Sym b);
Sym bitwise_complement(Sym x);
// By a count of x's type, which has 32 bits at most. By less than 0 or by all its bits and more: 0, or −1 where a negative number is shifted to the right.
Sym shifted_left(Sym x, Sym count);
Sym shifted_right(Sym x, Sym count);

// Whole numbers of 8 and 16 bits as i32, others as they are: in what products of them are added up.
Sym summable(Sym x);

// The value in another type as ONNX's Cast: to bool "is not zero", float to integer towards zero; to types that are models' alone as narrowing.h says.
Sym converted(ir::DType dtype, Sym x, const Narrowing& narrowing = {});

}  // namespace hone::te
