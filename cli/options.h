// Options that several verbs share, and what a verb looks like.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/exit_code.h"

namespace hone::cli {

struct CommonOptions {
  std::string verb;  // "tune"
  std::string db = "hone.db";
  bool db_given = false;
  std::string tracker;  // URL with #token=…; empty: none is named
  uint64_t seed = 1;
  std::vector<std::string> dims;  // "NAME=N"
  bool json = false;
  bool quiet = false;
};
// Which common options a verb takes, besides --json and --quiet.
enum class Uses : uint8_t { kDatabase, kService, kSeed, kDims };
void add_common_options(CLI::App& verb, CommonOptions& options, const std::set<Uses>& uses);

// A model file or an op SPEC, exactly one of them.
struct SourceOptions {
  std::string model;
  std::string op;
};
void add_source_options(CLI::App& verb, SourceOptions& options);

// --tolerance, of the verbs that make kernels for a device; 0 where it is not given.
void add_tolerance_option(CLI::App& verb, double& tolerance);

// "batch=1" → {"batch", 1}. Fails: invalid_argument with the text and the form expected.
Result<std::map<std::string, int64_t>> parse_dims(const std::vector<std::string>& dims);

// A verb registers its subcommand and leaves in `run` what to do once the arguments are parsed.
using Run = std::function<ExitCode()>;
void add_up(CLI::App& app, Run& run);
void add_agent(CLI::App& app, Run& run);
void add_devices(CLI::App& app, Run& run);
void add_tune(CLI::App& app, Run& run);
void add_export(CLI::App& app, Run& run);
void add_run(CLI::App& app, Run& run);
void add_verify(CLI::App& app, Run& run);
void add_bench(CLI::App& app, Run& run);
void add_compile(CLI::App& app, Run& run);
void add_records(CLI::App& app, Run& run);
void add_doctor(CLI::App& app, Run& run);

// Checks of numbers, with a sentence that says what was expected.
CLI::Validator whole_from_1();
CLI::Validator whole_from_0();
CLI::Validator seconds_from_0();
CLI::Validator number_from_0();
CLI::Validator days();       // from 0 to a hundred years
CLI::Validator not_empty();  // an empty word is mostly a variable of the shell that is not set

// Prints a wrong-usage message and returns kUsage.
ExitCode usage_error(const std::string& message);

}  // namespace hone::cli
