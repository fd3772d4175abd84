#include "cli/options.h"

#include <charconv>

#include "base/cat.h"
#include "cli/console.h"

namespace hone::cli {

void add_common_options(CLI::App& verb, CommonOptions& options, const std::set<Uses>& uses) {
  options.verb = verb.get_name();
  if (uses.count(Uses::kDatabase))
    verb.add_option("--db", options.db, "Database file")
        ->capture_default_str()
        ->check(not_empty())
        ->each([&options](const std::string&) { options.db_given = true; });
  if (uses.count(Uses::kService))
    verb.add_option("--tracker", options.tracker, "URL of a running service, with its token, as hone up prints it")
        ->check(not_empty());
  if (uses.count(Uses::kSeed))
    verb.add_option("--seed", options.seed, "Seed of all random choices")->capture_default_str();
  if (uses.count(Uses::kDims))
    verb.add_option("--dim", options.dims, "Binds a symbolic dimension of the model: NAME=N")->allow_extra_args(false);
  verb.add_flag("--json", options.json, "Prints the result as JSON on stdout");
  verb.add_flag("--quiet", options.quiet, "Prints errors only");
}

void add_source_options(CLI::App& verb, SourceOptions& options) {
  auto* model = verb.add_option("model", options.model, "ONNX model file");
  auto* op = verb.add_option("--op", options.op, "One operator, e.g. matmul:512x512x512 or a one-node .onnx file");
  op->excludes(model);
  model->excludes(op);
}

void add_tolerance_option(CLI::App& verb, double& tolerance) {
  verb.add_option("--tolerance", tolerance,
                  "Largest error of a kernel that is allowed, relative to the range of its result; from 0.001 on, f16 "
                  "storage is tried")
      ->check(number_from_0());
}

Result<std::map<std::string, int64_t>> parse_dims(const std::vector<std::string>& dims) {
  std::map<std::string, int64_t> out;
  for (const std::string& text : dims) {
    size_t equals = text.rfind('=');  // names may hold one
    int64_t value = 0;
    const char* end = text.data() + text.size();
    bool good = equals != std::string::npos && equals > 0;
    if (good) {
      auto [rest, error] = std::from_chars(text.data() + equals + 1, end, value);
      good = error == std::errc() && rest == end && value > 0;
    }
    if (!good)
      return Error{ErrorCode::kInvalidArgument,
                   cat("--dim ", text, " is not NAME=N with N at least 1; write for example --dim batch=1")};
    out[text.substr(0, equals)] = value;
  }
  return out;
}

namespace {

// CLI11's own number checks print the largest double in their messages.
template <class T>
CLI::Validator number_check(std::string expected, bool (*good)(T)) {
  return CLI::Validator(
      [expected, good](std::string& text) {
        T value{};
        bool parsed = CLI::detail::lexical_cast(text, value);
        return parsed && good(value) ? std::string() : cat("found ", text, ", expected ", expected);
      },
      "");
}

}  // namespace

CLI::Validator whole_from_1() {
  return number_check<int64_t>("a whole number from 1", [](int64_t n) { return n >= 1; });
}
CLI::Validator whole_from_0() {
  return number_check<int64_t>("a whole number from 0", [](int64_t n) { return n >= 0; });
}
// The protocol's range, and more than any run takes.
CLI::Validator seconds_from_0() {
  return number_check<double>("seconds from 0 to 31536000, a year", [](double n) { return n >= 0 && n <= 31'536'000; });
}
CLI::Validator number_from_0() {
  return number_check<double>("a number from 0", [](double n) { return n >= 0; });
}
CLI::Validator days() {
  constexpr double kDaysMax = 36'525;
  return number_check<double>("a number of days from 0 to 36525", [](double n) { return n >= 0 && n <= kDaysMax; });
}
CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) {
        return text.empty() ? std::string("found an empty word, expected a value") : std::string();
      },
      "");
}

ExitCode usage_error(const std::string& message) {
  fail(Error{ErrorCode::kInvalidArgument, message});
  return ExitCode::kUsage;
}

}  // namespace hone::cli
