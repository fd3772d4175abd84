#include "codegen/emit/glsl/reserved_words.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace hone::emit {

namespace {

constexpr std::array kWords = std::to_array<std::string_view>({
    "abs", "active", "all", "any", "asm", "atomic_uint", "attribute", "bitcast", "bool", "both", "break", "bvec2", "bvec3",
    "bvec4", "case", "cast", "ceil", "centroid", "clamp", "class", "coherent", "common", "const", "continue", "cos", "default",
    "discard", "do", "double", "either", "else", "enum", "equal", "exp", "extern", "external", "false", "filter", "fixed",
    "flat", "float", "floatBitsToInt", "floatBitsToUint", "floor", "for", "fvec2", "fvec3", "fvec4", "goto", "half", "highp",
    "hvec2", "hvec3", "hvec4", "if", "in", "inline", "inout", "input", "int", "intBitsToFloat", "interface", "invariant",
    "inversesqrt", "isinf", "isnan", "ivec2", "ivec3", "ivec4", "layout", "lessThan", "lessThanEqual", "log", "long", "lowp",
    "main", "mat2", "mat3", "mat4", "max", "mediump", "min", "mix", "namespace", "noinline", "not", "notEqual", "out", "output",
    "packed", "partition", "patch", "pick", "pow", "precision", "public", "readonly", "resource", "restrict", "return", "round",
    "roundEven", "sample", "sampler2D", "sampler3D", "short", "sin", "sizeof", "smooth", "sqrt", "static", "struct",
    "subroutine", "superp", "switch", "tanh", "template", "texelFetch", "texture", "this", "true", "trunc", "typedef", "uint",
    "uintBitsToFloat", "uniform", "union", "unsigned", "using", "uvec2", "uvec3", "uvec4", "varying", "vec2", "vec3", "vec4",
    "void", "volatile", "while", "whole", "wholeu", "writeonly",
});
static_assert(std::is_sorted(kWords.begin(), kWords.end()));

bool numbered(std::string_view name) {
  return name.size() > 1 && name[0] == 'b' &&
         std::all_of(name.begin() + 1, name.end(), [](unsigned char c) { return std::isdigit(c); });
}

}  // namespace

bool is_reserved_in_glsl(std::string_view name) {
  return numbered(name) || name.substr(0, 3) == "gl_" || name.find("__") != std::string_view::npos ||
         std::binary_search(kWords.begin(), kWords.end(), name);
}

}  // namespace hone::emit
