#include "cli/console.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string_view>

#include "base/json_text.h"
#include "base/log.h"
#include "base/printable_text.h"
#include "base/utc_text.h"

namespace hone::cli {

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }
bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

int stdout_columns() {
  winsize size{};
  return stdout_is_terminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool stderr_has_color() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return stderr_is_terminal() && (!no_color || !*no_color) && term && std::string_view(term) != "dumb";
}

namespace {

// The message, in place of %v.
class PrintableMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string text = printable(std::string_view(message.payload.data(), message.payload.size()));
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<PrintableMessage>(); }
};

// "2026-11-28T03:29:07.123Z"
std::string rfc3339(spdlog::log_clock::time_point time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  return utc_text(ms);
}

class JsonLine final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const auto level = spdlog::level::to_string_view(message.level);
    nlohmann::ordered_json line{{"time", rfc3339(message.time)},
                                {"level", std::string(level.data(), level.size())},
                                {"message", std::string(message.payload.data(), message.payload.size())}};
    for (const LogField& field : log_fields()) line[std::string(field.name)] = std::string(field.value);
    const std::string text = printable(json_line(line)) + "\n";
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<formatter> clone() const override { return std::make_unique<JsonLine>(); }
};

std::unique_ptr<spdlog::formatter> formatter_of(LogOptions options) {
  if (options.json) return std::make_unique<JsonLine>();
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableMessage>('*').set_pattern("%H:%M:%S %^%l%$ %*");
  return formatter;
}

bool fails_in_json = false;  // as set_up_logging said

}  // namespace

void set_up_logging(LogOptions options) {
  fails_in_json = options.json;
  auto mode = stderr_has_color() ? spdlog::color_mode::always : spdlog::color_mode::never;
  auto logger = std::make_shared<spdlog::logger>("hone", std::make_shared<spdlog::sinks::stderr_color_sink_mt>(mode));
  logger->set_formatter(formatter_of(options));
  // Ids of leases, devices and sessions, for whoever looks for a fault.
  const char* wanted = std::getenv("HONE_LOG");
  const bool debug = wanted && std::string_view(wanted) == "debug";
  logger->set_level(debug                   ? spdlog::level::debug
                    : options.quiet         ? spdlog::level::err
                    : options.warnings_only ? spdlog::level::warn
                                            : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

ExitCode fail(const Error& error) {
  if (fails_in_json) {
    log_error(shortened(error.message), {{"code", error_name(error.code)}});
    return exit_code_of(error);
  }
  const char* red = stderr_has_color() ? "\033[31m" : "";
  const char* plain = stderr_has_color() ? "\033[0m" : "";
  std::fflush(stdout);
  std::fprintf(stderr, "%shone:%s %s\n", red, plain, printable_lines(shortened(error.message)).c_str());
  return exit_code_of(error);
}

void print_text(const std::string& text) { std::fputs(printable_lines(text).c_str(), stdout); }
void print_json(const nlohmann::json& json) { print_text(json_line(json) + "\n"); }
void print_json(const nlohmann::ordered_json& json) { print_text(json_line(json) + "\n"); }

namespace {

void append_cell(std::string& out, const std::string& cell, size_t width, bool right, bool last) {
  std::string blanks(width - columns_of(cell), ' ');
  if (right) out += blanks;
  out += cell;
  if (!right && !last) out += blanks;
}

constexpr std::string_view kBetween = "  ";

std::vector<size_t> widths_of(const Table& table) {
  std::vector<size_t> widths;
  for (const auto& row : table.rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  return widths;
}

std::string row_text(const std::vector<std::string>& row, const Table& table, const std::vector<size_t>& widths, bool stacked) {
  std::string out;
  for (size_t i = 0; i < row.size(); ++i) {
    if (i) out += kBetween;
    const bool alone = stacked && i == 0;
    append_cell(out, row[i], widths[i], i < table.numeric.size() && table.numeric[i], alone || i + 1 == row.size());
    if (alone) out += "\n";
  }
  return out;
}

}  // namespace

std::string moment_text(int64_t unix_ms) {
  std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm broken{};
  char text[32];
  if (!localtime_r(&seconds, &broken) || std::strftime(text, sizeof text, "%F %T", &broken) == 0) return "-";
  return text;
}

std::string table_text(const Table& given, int columns) {
  Table table = given;
  for (auto& row : table.rows)
    for (std::string& cell : row) cell = printable(cell);
  const std::vector<size_t> widths = widths_of(table);
  const size_t blanks = widths.empty() ? 0 : kBetween.size() * (widths.size() - 1);
  const size_t total = std::accumulate(widths.begin(), widths.end(), blanks);
  const bool stacked = columns > 0 && total > static_cast<size_t>(columns) && widths.size() > 1;
  std::string out;
  for (const auto& row : table.rows) out += row_text(row, table, widths, stacked) + "\n";
  return out;
}

}  // namespace hone::cli
