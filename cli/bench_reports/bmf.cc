// Bencher Metric Format (bencher.dev, "Bencher Metric Format"): an object of benchmarks by their names, of at most 1024 characters, each an object of measures. Bencher's
// built-in measure "latency" is in ns.
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/printable_text.h"
#include "cli/bench_reports/formats.h"
#include "cli/bench_reports/rows.h"

namespace hone::bench_reports {

namespace {

constexpr double kNsPerMs = 1e6;
constexpr size_t kNameCharactersMax = 1024;

// Whole characters of the text, as many of its first as are permitted.
std::string beginning(const std::string& text, size_t characters) {
  size_t end = 0;
  for (size_t seen = 0; end < text.size(); ++end)
    if ((static_cast<uint8_t>(text[end]) & 0xc0) != 0x80 && ++seen > characters) break;
  return text.substr(0, end);
}

// Two devices may be equal for people; then the id tells them apart.
std::string benchmark_name(const nlohmann::json& taken, const Row& row) {
  const std::string name =
      beginning(printable(cat(row.of->name, " on ", device_name(*row.result))), kNameCharactersMax);
  if (!taken.contains(name)) return name;
  const std::string id = printable(cat(" [", row.result->device ? row.result->device->device_id : "", "]"));
  return beginning(name, kNameCharactersMax - columns_of(id)) + id;
}

double ns(double ms) { return std::round(ms * kNsPerMs * 1000) / 1000; }  // to the picosecond

nlohmann::json latency(const protocol::BenchTimes& times) {
  return {{"value", ns(times.median_ms)}, {"lower_value", ns(times.p10_ms)}, {"upper_value", ns(times.p90_ms)}};
}

}  // namespace

std::string bmf_report(const protocol::BenchReport& report) {
  nlohmann::json benchmarks = nlohmann::json::object();
  for (const Row& row : rows_of(report))
    if (row.result->new_times) benchmarks[benchmark_name(benchmarks, row)]["latency"] = latency(*row.result->new_times);
  return json_line(benchmarks) + "\n";
}

}  // namespace hone::bench_reports
