// A comment for a pull request, in GitHub's Markdown: what is slower first, what needs no look folded.
#include <algorithm>

#include "base/cat.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/bench_reports/formats.h"
#include "cli/bench_reports/reports.h"
#include "cli/bench_reports/rows.h"

namespace hone::bench_reports {

namespace {

constexpr std::string_view kMarks = "\\`*_{}[]()<>#+!|~@&:$=\"'";
constexpr const char* kWordJoiner =
    "\u2060";  // takes no place; behind @ and # it ends the name of a person, or the number of an issue
constexpr size_t kReserved = 600;  // [bytes] for the lines behind the rows

// Others' words, as words: no link, no HTML, no mention, no end of a table's cell.
std::string words(const std::string& text) {
  std::string out;
  for (const char c : shortened(printable(text))) {
    if (kMarks.find(c) != std::string_view::npos) out += '\\';
    out += c;
    if (c == '@' || c == '#') out += kWordJoiner;
  }
  return out;
}

// Text that grows by lines, as long as there is room; bytes, of which a text has as many as characters at least.
class Comment {
 public:
  void add(const std::string& text) { text_ += text; }
  void add_row(const std::string& row) {
    if (text_.size() + row.size() + kReserved > kMarkdownCharactersMax) ++left_out_;
    else text_ += row;
  }
  size_t left_out() const { return left_out_; }
  std::string text() const { return text_; }

 private:
  std::string text_;
  size_t left_out_ = 0;
};

std::string verdict_text(const protocol::BenchReport& report, const Row& row) {
  if (row.regression)
    return cat("**", standing_name(row.standing), "**, by more than ", given_text(report.fail_above.value_or(0) * 100),
               " %");
  if (row.result->message.empty()) return standing_name(row.standing);
  return cat(standing_name(row.standing), "\\: ", words(row.result->message));
}

// A label says nothing of the class to who does not know the fleet.
std::string device_text(const protocol::BenchResult& result) {
  if (!result.device || result.device->label.empty()) return device_name(result);
  return cat(result.device->label, " (", result.device->text, ")");
}

std::string row_text(const protocol::BenchReport& report, const Row& row) {
  const auto& comparison = row.result->comparison;
  const std::string change = comparison ? cat(change_text(comparison->ratio), " | ",
                                              interval_text(comparison->ratio_low, comparison->ratio_high))
                                        : "- | -";
  const std::string now = row.result->new_times ? time_text(row.result->new_times->median_ms) : "-";
  return cat("| ", words(row.of->name), " | ", words(device_text(*row.result)), " | ", now, " | ", change, " | ",
             verdict_text(report, row), " |\n");
}

std::string heading(const protocol::BenchReport& report) {
  return cat("| case | device | median | change | ", level_text(report.alpha),
             " interval | verdict |\n|---|---|---:|---:|---|---|\n");
}

bool wants_a_look(const Row& row) {
  return row.regression || row.standing == Standing::kSlower || row.standing == Standing::kFailed;
}

double ratio_of(const Row& row) { return row.result->comparison ? row.result->comparison->ratio : 0; }

// What failed the run first, then by how it stands, the slowest first.
bool comes_before(const Row& a, const Row& b) {
  if (a.regression != b.regression) return a.regression;
  return a.standing != b.standing ? a.standing < b.standing : ratio_of(a) > ratio_of(b);
}

std::string head(const protocol::BenchReport& report, const std::vector<Row>& rows) {
  std::string text =
      cat("### hone: ", headline(report, rows), "\n\n", words(report.suite), ": ", words(build_text(report.new_build)));
  if (report.old_build) text += cat(" against ", words(build_text(*report.old_build)));
  return cat(text, ", ", counted(static_cast<int64_t>(report.cases.size()), "case"), ", took ",
             duration_text(report.took_ms / 1000), ".\n\n");
}

void add_classes(Comment& comment, const protocol::BenchReport& report) {
  bool any = false;
  for (const protocol::BenchCase& one : report.cases)
    for (const protocol::BenchClass& each : one.classes) {
      if (!each.differs) continue;
      if (!any) comment.add("\nOne class of devices differs from the others:\n\n");
      any = true;
      comment.add_row(cat("- ", words(one.name), " on **", words(each.device_class), "** (",
                          counted(each.devices, "device"), "): ", change_text(each.ratio), "\n"));
    }
}

void add_rest(Comment& comment, const protocol::BenchReport& report, std::vector<Row>::const_iterator from,
              std::vector<Row>::const_iterator to) {
  if (from == to) return;
  comment.add(cat("\n<details><summary>", to - from, " results that need no look</summary>\n\n", heading(report)));
  for (; from != to; ++from) comment.add_row(row_text(report, *from));
  comment.add("\n</details>\n");
}

}  // namespace

std::string markdown_report(const protocol::BenchReport& report) {
  std::vector<Row> rows = rows_of(report);
  std::stable_sort(rows.begin(), rows.end(), comes_before);
  const auto rest = std::stable_partition(rows.begin(), rows.end(), wants_a_look);
  Comment comment;
  comment.add(head(report, rows));
  if (rest != rows.begin()) comment.add(heading(report));
  for (auto row = rows.begin(); row != rest; ++row) comment.add_row(row_text(report, *row));
  add_classes(comment, report);
  add_rest(comment, report, rest, rows.end());
  if (comment.left_out() > 0)
    comment.add(cat("\n", comment.left_out(), " more rows are left out here; the HTML report has all.\n"));
  return comment.text();
}

}  // namespace hone::bench_reports
