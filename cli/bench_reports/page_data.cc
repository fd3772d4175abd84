// A report as the page wants it: small enough that 500 cases on 20 devices are there at once. browser-report/src/data.ts reads it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/cat.h"
#include "base/json_text.h"
#include "base/median.h"
#include "cli/bench_reports/formats.h"
#include "cli/bench_reports/reports.h"
#include "cli/bench_reports/rows.h"

namespace hone::bench_reports {

namespace {

using Json = nlohmann::ordered_json;
using Keys = std::map<std::string, size_t>;

constexpr double kSteps = 65535;  // of 16 bits

// Six digits are more than any time has.
double rounded(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}
Json rounded(const std::optional<double>& value) { return value ? Json(rounded(*value)) : Json(); }

Json build_json(const protocol::BenchBuild& build) { return {{"name", build_text(build)}, {"made_by", build.made_by}}; }

Json device_json(const protocol::BenchDevice& device) {
  return {{"name", device_name(device)},
          {"text", device.text},
          {"class", device.device_key},
          {"target", device.target},
          {"browser", device.browser}};
}

Json case_json(const protocol::BenchCase& one) {
  Json classes = Json::array(), mean;
  for (const protocol::BenchClass& each : one.classes)
    classes.push_back({each.device_class, each.devices, rounded(each.ratio), each.differs});
  if (one.mean)
    mean = {rounded(one.mean->ratio),
            rounded(one.mean->ratio_low),
            rounded(one.mean->ratio_high),
            one.mean->devices,
            one.mean->slower,
            one.mean->faster};
  return {{"name", one.name},
          {"source", one.source},
          {"target", one.target},
          {"mean", std::move(mean)},
          {"classes", std::move(classes)}};
}

// The device's place in the list, to which it is added.
Json place_of(const protocol::BenchResult& result, Keys& places, Json& devices) {
  if (!result.device) return {};
  const auto [place, fresh] = places.emplace(
      cat(result.device->device_id, "\n", result.device->target, "\n", result.device->browser), devices.size());
  if (fresh) devices.push_back(device_json(*result.device));
  return place->second;
}

Json row_json(const Row& row, size_t number_of_case, Json device) {
  const protocol::BenchResult& result = *row.result;
  Json json = {number_of_case, std::move(device), static_cast<int>(row.standing), row.regression ? 1 : 0};
  const auto median_ms = [](const std::optional<protocol::BenchTimes>& times) {
    return times ? Json(rounded(times->median_ms)) : Json();
  };
  json.push_back(median_ms(result.new_times));
  json.push_back(median_ms(result.old_times));
  if (!result.comparison) {
    if (!result.message.empty()) json.push_back(result.message);
    return json;
  }
  json.push_back(result.message);
  json.push_back(rounded(result.comparison->ratio));
  json.push_back(rounded(result.comparison->ratio_low));
  json.push_back(rounded(result.comparison->ratio_high));
  json.push_back(result.comparison->pairs);
  return json;
}

// As many as the page shows of them, evenly spaced by rank.
std::vector<double> thinned(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  if (samples.size() <= kSamplesShownMax) return samples;
  std::vector<double> out;
  for (size_t i = 0; i < kSamplesShownMax; ++i)
    out.push_back(samples[i * (samples.size() - 1) / (kSamplesShownMax - 1)]);
  return out;
}

// Each as 16 bits, low byte first, of its place between the two ends.
std::string packed(const std::vector<double>& samples, double low, double high) {
  std::string bytes;
  for (const double ms : samples) {
    const auto step = static_cast<uint16_t>(high > low ? std::lround((ms - low) / (high - low) * kSteps) : 0);
    bytes += static_cast<char>(step & 0xff);
    bytes += static_cast<char>(step >> 8);
  }
  return base64(bytes);
}

// "low high count count new old": the ends in ms, how many each side has in all, and the samples; "" where there are none.
std::string samples_line(const protocol::BenchResult& result) {
  const auto of = [](const std::optional<protocol::BenchTimes>& times) {
    return times ? times->samples_ms : std::vector<double>{};
  };
  const std::vector<double> now = of(result.new_times), before = of(result.old_times);
  std::vector<double> all = now;
  all.insert(all.end(), before.begin(), before.end());
  if (all.empty()) return "";
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  char ends[64];
  std::snprintf(ends, sizeof ends, "%.9g %.9g", *low, *high);
  return cat(ends, " ", now.size(), " ", before.size(), " ", packed(thinned(now), *low, *high), " ",
             packed(thinned(before), *low, *high));
}

// What one report has of a case on a class of devices.
struct ClassTimes {
  std::string name;
  std::vector<double> medians_ms;
  std::set<std::string> browsers;
};

std::map<std::string, ClassTimes> class_times(const protocol::BenchCase& one) {
  std::map<std::string, ClassTimes> classes;
  for (const protocol::BenchResult& result : one.results) {
    if (!result.device || !result.new_times) continue;
    ClassTimes& times = classes[cat(result.device->device_key, "\n", result.device->target)];
    if (times.name.empty())
      times.name = result.device->text.empty() ? device_name(*result.device) : result.device->text;
    times.medians_ms.push_back(result.new_times->median_ms);
    times.browsers.insert(result.device->browser);
  }
  return classes;
}

// {CASE: [[class, [[report, median in ms, [browser, …]], …]], …]}, of what at least two reports have.
Json series_json(const std::vector<const protocol::BenchReport*>& reports) {
  std::map<std::string, std::map<std::string, std::pair<std::string, Json>>> cases;
  for (size_t i = 0; i < reports.size(); ++i)
    for (const protocol::BenchCase& one : reports[i]->cases)
      for (auto& [key, times] : class_times(one)) {
        auto& [name, points] = cases[one.name][key];
        name = times.name;
        points.push_back({i, rounded(median(times.medians_ms)), times.browsers});
      }
  Json out = Json::object();
  for (auto& [name, classes] : cases)
    for (auto& [key, series] : classes)
      if (series.second.size() > 1) out[name].push_back({series.first, std::move(series.second)});
  return out;
}

Json history_json(const std::vector<const protocol::BenchReport*>& reports) {
  if (reports.size() < 2) return {};
  Json heads = Json::array();
  for (const protocol::BenchReport* report : reports)
    heads.push_back({report->started_unix_ms, build_text(report->new_build)});
  return {{"reports", std::move(heads)}, {"cases", series_json(reports)}};
}

Json head_json(const protocol::BenchReport& report) {
  return {{"suite", report.suite},
          {"started_unix_ms", report.started_unix_ms},
          {"took_ms", rounded(report.took_ms)},
          {"new_build", build_json(report.new_build)},
          {"old_build", report.old_build ? build_json(*report.old_build) : Json()},
          {"alpha", report.alpha},
          {"minimum_effect", report.minimum_effect},
          {"fail_above", report.fail_above ? Json(*report.fail_above) : Json()}};
}

// A "<" stands in JSON within strings alone.
std::string for_script(std::string json) {
  std::string out;
  for (const char c : json) out += c == '<' ? "\\u003c" : std::string(1, c);
  return out;
}

}  // namespace

PageData page_data(std::span<const protocol::BenchReport> reports) {
  std::vector<const protocol::BenchReport*> by_time;
  for (const protocol::BenchReport& report : reports) by_time.push_back(&report);
  std::stable_sort(by_time.begin(), by_time.end(),
                   [](const auto* a, const auto* b) { return a->started_unix_ms < b->started_unix_ms; });
  const protocol::BenchReport& shown = *by_time.back();
  Json json = head_json(shown), cases = Json::array(), devices = Json::array(), rows = Json::array();
  std::string samples;
  Keys places;
  for (const protocol::BenchCase& one : shown.cases) cases.push_back(case_json(one));
  for (const Row& row : rows_of(shown)) {
    rows.push_back(
        row_json(row, static_cast<size_t>(row.of - shown.cases.data()), place_of(*row.result, places, devices)));
    samples += samples_line(*row.result) + "\n";
  }
  json["cases"] = std::move(cases);
  json["devices"] = std::move(devices);
  json["rows"] = std::move(rows);
  json["history"] = history_json(by_time);
  return {for_script(json_line(json)), std::move(samples)};
}

}  // namespace hone::bench_reports
