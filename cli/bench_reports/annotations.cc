// GitHub's workflow commands (docs.github.com, "Workflow commands for GitHub Actions"): a line "::error title=TITLE::MESSAGE", with %, CR and LF written as %25, %0D and
// %0A, and in a title also : and , as %3A and %2C.
#include "base/cat.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/bench_reports/formats.h"
#include "cli/bench_reports/reports.h"
#include "cli/bench_reports/rows.h"

namespace hone::bench_reports {

namespace {

std::string command_data(const std::string& text) {
  std::string out;
  for (const char c : printable(text))
    out += c == '%' ? "%25" : c == '\r' ? "%0D" : c == '\n' ? "%0A" : std::string(1, c);
  return out;
}

std::string command_property(const std::string& text) {
  std::string out;
  for (const char c : command_data(text)) out += c == ':' ? "%3A" : c == ',' ? "%2C" : std::string(1, c);
  return out;
}

std::string annotation(const char* kind, const std::string& title, const std::string& message) {
  return cat("::", kind, " title=", command_property(shortened(title)), "::", command_data(shortened(message)), "\n");
}

// Those of one kind, as many as GitHub shows; the last place is for how many there are besides.
class Annotations {
 public:
  explicit Annotations(const char* kind) : kind_(kind) {}

  void add(const std::string& title, const std::string& message) {
    if (++count_ <= kAnnotationsMax) lines_.push_back(annotation(kind_, title, message));
  }

  std::string text() const {
    std::string text;
    const bool all = count_ <= kAnnotationsMax;
    for (size_t i = 0; i < (all ? lines_.size() : kAnnotationsMax - 1); ++i) text += lines_[i];
    if (all) return text;
    return text + annotation(kind_, "hone", cat(count_ - kAnnotationsMax + 1, " more of these are in the report"));
  }

 private:
  const char* kind_;
  size_t count_ = 0;
  std::vector<std::string> lines_;
};

bool is_warning(const Row& row) {
  const auto& comparison = row.result->comparison;
  return row.standing == Standing::kFailed || row.standing == Standing::kSlower ||
         (comparison && comparison->regression == protocol::Answer::kUnknown);
}

void add_classes(Annotations& warnings, const protocol::BenchCase& one) {
  for (const protocol::BenchClass& each : one.classes)
    if (each.differs)
      warnings.add(one.name, cat("on ", each.device_class, " (", counted(each.devices, "device"), ") the change is ",
                                 change_text(each.ratio), ", which other devices do not show"));
}

}  // namespace

std::string github_report(const protocol::BenchReport& report) {
  const std::vector<Row> rows = rows_of(report);
  Annotations errors("error"), warnings("warning");
  for (const Row& row : rows) {
    const std::string title = cat(row.of->name, " on ", device_name(*row.result));
    if (row.regression) errors.add(title, sentence(report, row));
    else if (is_warning(row)) warnings.add(title, sentence(report, row));
  }
  for (const protocol::BenchCase& one : report.cases) add_classes(warnings, one);
  return cat(errors.text(), warnings.text(), annotation("notice", cat("hone: ", report.suite), headline(report, rows)));
}

}  // namespace hone::bench_reports
