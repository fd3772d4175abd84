#include "cli/help_text.h"

#include <vector>

#include "base/printable_text.h"

namespace hone::cli {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool breaks_after(const std::string& text, size_t blank, bool is_command) { return !is_command || text[blank + 1] == '-'; }

// The last blank at which the text may end, with `room` columns for it; npos where there is none.
size_t last_break(const std::string& text, size_t room, bool is_command) {
  if (const size_t end = text.find("; "); is_command && end != std::string::npos && columns_of(text.substr(0, end + 1)) <= room) return end + 1;
  size_t found = std::string::npos;
  for (size_t at = text.find(' '); at != std::string::npos && at + 1 < text.size(); at = text.find(' ', at + 1))
    if (at > 0 && breaks_after(text, at, is_command) && columns_of(text.substr(0, at)) <= room) found = at;
  return found;
}

// `rest` in lines that begin with `first`, later ones with `next`.
std::string broken(std::string rest, std::string first, const std::string& next, bool is_command) {
  std::string out;
  const size_t tail = is_command ? 2 : 0;  // " \"
  while (columns_of(first + rest) > kHelpColumns) {
    const size_t at = last_break(rest, kHelpColumns - first.size() - tail, is_command);
    if (at == std::string::npos) break;
    const bool ends = rest[at - 1] == ';';
    out += first + rest.substr(0, at) + (is_command && !ends ? " \\\n" : "\n");
    rest = rest.substr(at + 1);
    first = next;
  }
  return out + first + rest;
}

std::string fit_line(const std::string& line) {
  if (columns_of(line) <= kHelpColumns) return line;
  if (line.rfind("  ", 0) != 0) return broken(line, "", "", false);
  const size_t gap = line.find("  ", 2);
  const std::string command = line.substr(2, gap == std::string::npos ? gap : gap - 2);
  const std::string out = broken(command, "  ", "      ", true);
  if (gap == std::string::npos) return out;
  return out + "\n" + broken(line.substr(line.find_first_not_of(' ', gap)), "      ", "      ", false);
}

}  // namespace

std::string fit_help(const std::string& text) {
  std::string out;
  for (const std::string& line : lines_of(text)) out += (out.empty() ? "" : "\n") + fit_line(line);
  return out;
}

}  // namespace hone::cli
