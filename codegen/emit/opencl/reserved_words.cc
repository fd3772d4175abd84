#include "codegen/emit/opencl/reserved_words.h"

#include <algorithm>
#include <array>

namespace hone::emit {

namespace {

constexpr std::array kOpenClWords = std::to_array<std::string_view>({
    "CHAR_BIT",
    "HUGE_VAL",
    "HUGE_VALF",
    "INFINITY",
    "MAXFLOAT",
    "NAN",
    "NULL",
    "abs",
    "aligned",
    "asm",
    "auto",
    "barrier",
    "bool",
    "break",
    "case",
    "catch",
    "ceil",
    "char",
    "clamp",
    "class",
    "clk_event_t",
    "complex",
    "const",
    "constant",
    "continue",
    "cos",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "endian",
    "enum",
    "erf",
    "event_t",
    "exp",
    "explicit",
    "export",
    "extern",
    "fabs",
    "false",
    "float",
    "floor",
    "fmax",

    "for",
    "friend",
    "generic",
    "global",
    "goto",
    "half",
    "if",
    "image1d_array_t",
    "image1d_buffer_t",
    "image1d_t",
    "image2d_array_t",
    "image2d_t",
    "image3d_t",
    "imaginary",
    "inline",
    "int",
    "intptr_t",
    "isequal",
    "isinf",
    "isnan",
    "kernel",
    "linux",
    "local",
    "log",
    "long",
    "main",
    "max",
    "min",
    "mutable",
    "namespace",
    "ndrange_t",
    "new",
    "operator",
    "packed",
    "pipe",
    "pow",
    "printf",
    "private",
    "protected",
    "ptrdiff_t",
    "public",
    "quad",
    "queue_t",
    "read_only",
    "read_write",
    "register",
    "reserve_id_t",
    "restrict",
    "return",
    "rint",
    "rsqrt",
    "run_kernel",
    "sampler_t",
    "select",
    "short",
    "signed",
    "sin",
    "size_t",
    "sizeof",
    "sqrt",
    "static",
    "struct",
    "switch",
    "tanh",
    "template",
    "this",
    "thread",
    "throw",
    "true",
    "trunc",
    "try",
    "typedef",
    "typeof",
    "uchar",
    "uint",
    "uintptr_t",
    "ulong",
    "uniform",
    "union",
    "unix",
    "unsigned",
    "ushort",
    "using",
    "vec_step",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "write_only",
});
static_assert(std::is_sorted(kOpenClWords.begin(), kOpenClWords.end()));

// Vectors (float4), conversions, what a program asks about its place, limits of types, and the helpers of hone's own printer.
constexpr std::array kOpenClPrefixes = std::to_array<std::string_view>(
    {"CL_", "CLK_", "FLT_", "INT_", "M_", "UINT_", "as_", "cl_", "convert_", "get_", "lane_of_", "mul_add_"});

bool is_vector_type(std::string_view name) {
  for (std::string_view scalar :
       {"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half"})
    if (name.substr(0, scalar.size()) == scalar && name.size() > scalar.size() &&
        name.find_first_not_of("0123456789", scalar.size()) == std::string_view::npos)
      return true;
  return false;
}

}  // namespace

bool is_reserved_in_opencl(std::string_view name) {
  const auto begins = [name](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; };
  return std::any_of(kOpenClPrefixes.begin(), kOpenClPrefixes.end(), begins) || is_vector_type(name) ||
         name.find("__") != std::string_view::npos ||
         std::binary_search(kOpenClWords.begin(), kOpenClWords.end(), name);
}

}  // namespace hone::emit
