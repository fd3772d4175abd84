// Generated from schema/bench_report.json by scripts/gen_schema. Do not edit.
#pragma once
#include "schema/generated/protocol.h"

namespace hone::protocol {

inline constexpr std::string_view kBenchReportFormat = "hone.bench_report";
inline constexpr uint32_t kBenchReportVersion = 1;
inline constexpr size_t kBenchReportBytesMax = 268435456;  // [bytes] one report

// Whether a case was measured on a device.
enum class BenchState : uint8_t {
  kMeasured,  // it has times
  kSkipped,  // nothing was tried: there was no such device, or it lacks what the case needs
  kFailed,  // it was tried and has no times
};
std::string_view to_name(BenchState value);
bool from_name(std::string_view name, BenchState& value);

// What a comparison says of the new build (measurement.md).
enum class Verdict : uint8_t {
  kFaster,  // it takes less time, and no accident says so
  kSlower,  // it takes more time
  kSame,  // it surely differs by less than is looked for
  kInconclusive,  // none of these is known after all the pairs that were permitted
};
std::string_view to_name(Verdict value);
bool from_name(std::string_view name, Verdict& value);

// Whether something is so.
enum class Answer : uint8_t {
  kNo,  // all of the interval says that it is not
  kUnknown,  // the interval permits both
  kYes,  // all of the interval says that it is
};
std::string_view to_name(Answer value);
bool from_name(std::string_view name, Answer& value);

// One of the two sides.
struct BenchBuild {
  static constexpr std::string_view kKind = "bench_build";
  std::string name;  // What the command line called it.
  std::string made_by;  // The version of hone that made its kernels; empty where none did.
  std::optional<std::string> commit;  // The version of the user's own sources, where the environment tells one.
};

// A device that a case was measured on.
struct BenchDevice {
  static constexpr std::string_view kKind = "bench_device";
  std::string device_id;  // Its id in the fleet.
  std::string device_key;  // The key of its class: devices with the same are equal.
  std::string label;  // Its name; empty: none.
  std::string text;  // What it is, for people.
  std::string target;  // The kind of kernels.
  std::string browser;  // Its browser and its version; empty outside of browsers.
  nlohmann::json fingerprint{};  // All that the device said of itself.
};

// The times of one side.
struct BenchTimes {
  static constexpr std::string_view kKind = "bench_times";
  double median_ms = 0;  // [ms] Of one execution.
  double p10_ms = 0;  // [ms] Nine of ten samples are above.
  double p90_ms = 0;  // [ms] Nine of ten samples are below.
  std::vector<double> samples_ms{};  // [ms] Each sample, in the order in which they were taken: the mean of the executions in it.
};

// The new build held against the old one.
struct BenchComparison {
  static constexpr std::string_view kKind = "bench_comparison";
  Verdict verdict{};  // With all cases of the suite and all devices judged together.
  double ratio = 0;  // The new build's time over the old one's; 1.05 is 5 % slower.
  std::optional<double> ratio_low;  // The low end of what it lies between at 1 − alpha; absent where there were too few blocks to say.
  std::optional<double> ratio_high;  // The high end.
  uint32_t pairs = 0;  // Pairs of neighbouring times.
  uint32_t blocks = 0;  // Fresh devices that took them: each is one observation.
  double p_value = 0;  // Of no difference, over all looks, of this case alone.
  std::optional<double> standard_error;  // Of the ratio's logarithm; absent where there were too few blocks to say.
  std::optional<Answer> regression;  // Whether it is slower by more than fail_above; absent where nothing was asked.
};

// One case on one device.
struct BenchResult {
  static constexpr std::string_view kKind = "bench_result";
  BenchState state{};  // Whether there are times.
  std::string message;  // Why there are none, in one sentence; empty where there are.
  std::optional<BenchDevice> device;  // Absent where there was none.
  std::string job;  // The job that measured it; empty: none began.
  uint64_t started_unix_ms = 0;  // [ms] When.
  double took_ms = 0;  // [ms] How long it took in all.
  std::optional<BenchTimes> new_times;  // Absent where there are none.
  std::optional<BenchTimes> old_times;  // Absent where there are none, or nothing was compared.
  std::optional<BenchComparison> comparison;  // Absent where nothing was compared.
};

// The devices of one class, as far as a case differs there from the middle class.
struct BenchClass {
  static constexpr std::string_view kKind = "bench_class";
  std::string device_class;  // What they are, for people.
  uint32_t devices = 0;  // How many.
  double ratio = 0;  // Of the new build's time and the old one's, in the mean of them.
  double p_value = 0;  // Of no difference from the middle class, all classes judged together.
  bool differs = false;  // It does, and by enough.
};

// A case over all devices.
struct BenchMean {
  static constexpr std::string_view kKind = "bench_mean";
  double ratio = 0;  // The random-effects mean of the devices' ratios.
  std::optional<double> ratio_low;  // The low end of its interval; absent where nothing bounds it.
  std::optional<double> ratio_high;  // The high end.
  uint32_t devices = 0;  // How many were compared.
  uint32_t slower = 0;  // Of them, those on which the new build seems slower.
  uint32_t faster = 0;  // Those on which it seems faster.
};

// What was measured, and where.
struct BenchCase {
  static constexpr std::string_view kKind = "bench_case";
  std::string name;  // Unique in the report.
  std::string source;  // The model, operator, package or kernel.
  std::string target;  // The kind of kernels.
  std::vector<BenchResult> results{};  // One for each device; where there was none, one that says why.
  std::optional<BenchMean> mean;  // Absent where less than two devices were compared.
  std::vector<BenchClass> classes{};  // Where more than one class was compared; else empty.
};

// The whole.
struct BenchReport {
  static constexpr std::string_view kKind = "bench_report";
  std::string format;  // hone.bench_report.
  uint32_t version = 0;  // 1.
  std::string suite;  // Its name.
  uint64_t started_unix_ms = 0;  // [ms] When it began.
  double took_ms = 0;  // [ms] How long it took.
  BenchBuild new_build{};  // What was measured.
  std::optional<BenchBuild> old_build;  // What it was compared with; absent: nothing.
  double alpha = 0;  // How probably any of the verdicts of a whole suite is wrong, at most.
  double minimum_effect = 0;  // A share: what differs by less is not called faster or slower.
  double same_within = 0;  // A share: what surely differs by less is called the same.
  std::optional<double> fail_above;  // A share: what is slower by more fails; absent: nothing does.
  std::vector<BenchCase> cases{};  // In the order of the suite.
};

nlohmann::json to_json(const BenchBuild& value);
nlohmann::json to_json(const BenchDevice& value);
nlohmann::json to_json(const BenchTimes& value);
nlohmann::json to_json(const BenchComparison& value);
nlohmann::json to_json(const BenchResult& value);
nlohmann::json to_json(const BenchClass& value);
nlohmann::json to_json(const BenchMean& value);
nlohmann::json to_json(const BenchCase& value);
nlohmann::json to_json(const BenchReport& value);
template <>
Result<BenchBuild> from_json<BenchBuild>(const nlohmann::json& json);
template <>
Result<BenchDevice> from_json<BenchDevice>(const nlohmann::json& json);
template <>
Result<BenchTimes> from_json<BenchTimes>(const nlohmann::json& json);
template <>
Result<BenchComparison> from_json<BenchComparison>(const nlohmann::json& json);
template <>
Result<BenchResult> from_json<BenchResult>(const nlohmann::json& json);
template <>
Result<BenchClass> from_json<BenchClass>(const nlohmann::json& json);
template <>
Result<BenchMean> from_json<BenchMean>(const nlohmann::json& json);
template <>
Result<BenchCase> from_json<BenchCase>(const nlohmann::json& json);
template <>
Result<BenchReport> from_json<BenchReport>(const nlohmann::json& json);

}  // namespace hone::protocol
