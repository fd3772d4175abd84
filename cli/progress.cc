#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <vector>

#include "base/cat.h"
#include "base/number_text.h"
#include "base/printable_text.h"

namespace hone::cli {

namespace {

constexpr int kBarColumns = 16;
constexpr int kPlainColumns = 1000;  // of a line in a file: nothing is cut
constexpr double kPlainLineEveryS = 5;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string bar(double share) {
  int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * kBarColumns);
  return cat('[', std::string(static_cast<size_t>(full), '#'),
             std::string(static_cast<size_t>(kBarColumns - full), '-'), ']');
}

// At most n characters; never half of one. `used`: how many they are.
std::string cut(const std::string& text, int n, int& used) {
  for (size_t i = 0; i < text.size(); ++i)
    if ((text[i] & 0xc0) != 0x80 && ++used > n) return text.substr(0, i);
  return text;
}

struct Part {
  std::string text;
  const char* color = "";
};

// The parts that fit, each whole; of the first as much as fits. Colours take no columns.
std::string joined(const std::vector<Part>& parts, int columns, bool color) {
  std::string line;
  int used = 0;
  for (const Part& part : parts) {
    const std::string text = printable(part.text);
    const std::string spaced = line.empty() ? text : "  " + text;
    if (!line.empty() && used + static_cast<int>(columns_of(spaced)) > columns) continue;
    const std::string fits = cut(spaced, columns, used);
    const bool colored = color && *part.color && !fits.empty();
    line += colored ? cat(part.color, fits, "\033[0m") : fits;
  }
  return line;
}

std::string wait_text(const protocol::JobProgress& p) {
  const std::string how_long = p.waited_s ? duration_text(*p.waited_s) + " " : "";
  return cat("waiting ", how_long, "for ", *p.waits_for);
}

std::string errors_text(const std::map<std::string, uint32_t>& errors) {
  std::string text;
  for (const auto& [outcome, count] : errors) text += cat(text.empty() ? "" : ", ", outcome, " ", count);
  return text;
}

// Of the trials, or of the time where that ends first.
double share_done(const protocol::JobProgress& p, double time_s) {
  const double by_trials = p.trials_total ? static_cast<double>(p.trials_done) / p.trials_total : 0;
  return time_s > 0 && p.left_s > 0 ? std::max(by_trials, 1 - p.left_s / time_s) : by_trials;
}

std::vector<Part> parts_of(const protocol::JobProgress& p, double time_s) {
  const std::string left = p.left_s > 0 ? cat(" ", duration_text(p.left_s), " left ") : "";
  std::vector<Part> parts{{cat(bar(share_done(p, time_s)), left, " ", p.trials_done, "/", p.trials_total, " trials")}};
  if (p.tasks_total > 1) parts.push_back({cat(p.tasks_done, "/", p.tasks_total, " tasks")});
  if (p.waits_for) parts.push_back({wait_text(p)});
  if (p.best_us > 0) parts.push_back({cat("best ", time_text(p.best_us / 1000))});
  if (p.errors && !p.errors->empty()) parts.push_back({errors_text(*p.errors), "\033[33m"});
  if (p.best_us > 0 && p.naive_us) parts.push_back({cat("naive/best ", number_text(*p.naive_us / p.best_us), "×")});
  if (p.trials_per_second > 0) parts.push_back({cat(number_text(p.trials_per_second), " trials/s")});
  if (p.measured_us && p.predicted_us)
    parts.push_back(
        {cat("last ", time_text(*p.measured_us / 1000), ", ", time_text(*p.predicted_us / 1000), " predicted")});
  parts.push_back({p.task});
  return parts;
}

}  // namespace

std::string progress_text(const protocol::JobProgress& p, const LineOptions& options) {
  const auto& [columns, color, time_s] = options;
  if (p.phase == protocol::JobPhase::kMeasuring && p.trials_total > 0) return joined(parts_of(p, time_s), columns, color);
  if (p.waits_for) return joined({{wait_text(p)}}, columns, color);
  const std::string phase(protocol::to_name(p.phase));
  return joined({{p.message.empty() ? phase : p.message}}, columns, color);
}

void ProgressLine::show(const protocol::JobProgress& progress, double time_s) {
  if (config_.quiet) return;
  if (config_.terminal) {
    std::fprintf(stderr, "\r\033[K%s", progress_text(progress, {terminal_columns() - 1, config_.color, time_s}).c_str());
    drawn_ = true;
    return;
  }
  const bool entered = std::exchange(last_phase_, progress.phase) != progress.phase;
  const bool news = progress.phase != protocol::JobPhase::kMeasuring && (entered || progress.message != last_message_);
  bool last =
      progress.trials_total > 0 && progress.trials_done == progress.trials_total && !std::exchange(last_shown_, true);
  if (!news && !last && now_s() < next_line_s_) return;
  next_line_s_ = now_s() + kPlainLineEveryS;
  last_message_ = progress.message;
  std::fprintf(stderr, "%s\n", progress_text(progress, {.columns = kPlainColumns, .time_s = time_s}).c_str());
}

void ProgressLine::clear() {
  if (std::exchange(drawn_, false)) std::fprintf(stderr, "\r\033[K");
}

}  // namespace hone::cli
