// Text of others, made fit for a terminal and a log: what would move the cursor, change colours or titles, or turn the order of reading
// becomes visible instead of obeyed.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

// One line. Control characters (C0, DEL, C1, line and paragraph separators) and marks that turn the direction of writing stand as \u001b, \u202e;
// bytes that are no UTF-8 as \xff. Everything else stays, a backslash too. So JSON remains the same JSON.
std::string printable(std::string_view text);

// The same for a text of several lines: line feeds and tabs stay.
std::string printable_lines(std::string_view text);

// Characters, not bytes: × and · take one column.
size_t columns_of(std::string_view text);

// A message that may quote names of any length: its beginning, whole characters of it, with an ellipsis where something is left out.
std::string shortened(std::string_view message);

}  // namespace hone
