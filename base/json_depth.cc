#include "base/json_depth.h"

#include <algorithm>

namespace hone {

size_t json_depth(std::string_view text) {
  size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') ++i;
    else if (c == '"') in_string = !in_string;
    else if (!in_string && (c == '[' || c == '{')) deepest = std::max(deepest, ++depth);
    else if (!in_string && (c == ']' || c == '}') && depth > 0) --depth;
  }
  return deepest;
}

}  // namespace hone
