// How sinf and cosf reduce their argument: x = n·π/2 + y, |y| ≤ π/4 but for rounding. The C library's own way has a table for the long double of WebAssembly, of 128 bits, which takes
// half of what a package's mathematics takes.
#pragma once

namespace hone::runtime {

// n modulo 4, and y within 2⁻³⁹ of itself. x is finite.
int reduce_angle(float x, double* y);

}  // namespace hone::runtime
