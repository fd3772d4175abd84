#include "cli/help_text.h"

#include <algorithm>
#include <string_view>

#include "base/printable_text.h"

namespace hone::cli {

namespace {

constexpr std::string_view kIndent = "      ";  // of what goes on, and of what an example does

// Where a command may be broken: behind its first ";", else at the last blank before an option for which there is room; npos where there is none.
size_t command_break(const std::string& text, size_t room) {
  if (const size_t end = text.find("; "); end != std::string::npos && columns_of(text.substr(0, end + 1)) <= room) return end + 1;
  size_t found = std::string::npos;
  for (size_t at = text.find(" -"); at != std::string::npos && columns_of(text.substr(0, at)) <= room; at = text.find(" -", at + 1)) found = at;
  return found;
}

// The command as a shell reads it, in lines that are indented.
std::string broken(std::string rest) {
  constexpr std::string_view kGoesOn = " \\";
  std::string out, indent = "  ";
  while (columns_of(indent + rest) > kHelpColumns) {
    const size_t at = command_break(rest, kHelpColumns - indent.size() - kGoesOn.size());
    if (at == std::string::npos || at == 0) break;
    out += indent + rest.substr(0, at);
    if (rest[at - 1] != ';') out += kGoesOn;
    out += "\n";
    rest = rest.substr(at + 1);
    indent = kIndent;
  }
  return out + indent + rest;
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : lines_of(text)) out += "\n" + std::string(kIndent) + line;
  return out;
}

std::string fit_line(const std::string& line) {
  if (columns_of(line) <= kHelpColumns) return line;
  if (line.rfind("  ", 0) != 0) return wrapped(line, kHelpColumns);
  const size_t gap = line.find("  ", 2);
  if (gap == std::string::npos) return broken(line.substr(2));
  const std::string what = line.substr(line.find_first_not_of(' ', gap));
  return broken(line.substr(2, gap - 2)) + indented(wrapped(what, kHelpColumns - kIndent.size()));
}

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string wrapped(const std::string& text, size_t columns) {
  std::string out;
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const bool fits = width == 0 || width + 1 + columns_of(word) <= columns;
    if (width > 0) out += fits ? ' ' : '\n';
    out += word;
    width = (fits && width > 0 ? width + 1 : 0) + columns_of(word);
    at = end + 1;
  }
  return out;
}

std::string fit_help(const std::string& text) {
  std::string out;
  for (const std::string& line : lines_of(text)) out += (out.empty() ? "" : "\n") + fit_line(line);
  return out;
}

}  // namespace hone::cli
