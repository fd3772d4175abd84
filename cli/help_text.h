// Help below the options, for terminals of 80 columns.
#pragma once
#include <string>
#include <vector>

namespace hone::cli {

inline constexpr size_t kHelpColumns = 80;

std::vector<std::string> lines_of(const std::string& text);

// The same words in lines of at most so many columns, where no word is longer.
std::string wrapped(const std::string& text, size_t columns);

// Lines of at most kHelpColumns. A line that begins with two blanks is an example, "  COMMAND  what it does": one that is too long has its
// command broken before an option or after a ";", with a backslash as a shell has it, and what it does below. Other lines end between words.
std::string fit_help(const std::string& text);

}  // namespace hone::cli
