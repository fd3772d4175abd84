// What a person sees: errors and logs on stderr, data on stdout, colour only on a terminal without NO_COLOR.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/exit_code.h"

namespace hone::cli {

bool stderr_is_terminal();
bool stdout_is_terminal();
// Colour on stderr: a terminal, NO_COLOR unset or empty, TERM not "dumb".
bool stderr_has_color();

// Logs go to stderr through spdlog; quiet leaves errors only; a verb that shows its progress otherwise wants warnings only.
struct LogOptions {
  bool quiet = false;
  bool warnings_only = false;
  bool json = false;  // a JSON object per line: {"time", "level", "message"} and the line's fields; errors of fail(), too
};
void set_up_logging(LogOptions options);

// Names and messages from outside are shown, never interpreted (base/printable_text.h): in tables, errors and logs, and in all that is
// printed by print_text.
//
// Prints "hone: <message>" on stderr and returns the code the process exits with.
ExitCode fail(const Error& error);
// Text of several lines, on stdout.
void print_text(const std::string& text);
// One line of JSON, on stdout.
void print_json(const nlohmann::json& json);
void print_json(const nlohmann::ordered_json& json);

// Columns of the terminal on stdout; 0 where it is none, and lines have no end.
int stdout_columns();

// "2026-11-28 08:31:05", in local time.
std::string moment_text(int64_t unix_ms);

// A cell is one line. Columns are as wide as their widest cell; `numeric` columns are right-aligned. The first row is the heading. Where the
// rows are wider than `columns` (0: they never are), the first cell of each has a line of its own above the others.
struct Table {
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> numeric;
};
std::string table_text(const Table& table, int columns = stdout_columns());

}  // namespace hone::cli
