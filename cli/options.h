// Options that several verbs share, and what a verb looks like.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/dims.h"
#include "cli/verb.h"
#include "codegen/ir/layout.h"

namespace hone::cli {

struct CommonOptions {
  std::string verb;  // "tune"
  std::string db = "hone.db";
  bool db_given = false;
  std::string tracker;  // URL; empty: none is named
  std::string token_file;   // whose token counts, whatever the URL has
  std::string ca_file;      // --ca
  std::string environment_token;  // HONE_TOKEN, where the URL has none
  uint64_t seed = 1;
  std::vector<std::string> dims;  // "NAME=N"
  std::vector<std::string> without_passes;  // of graph::optional_passes()
  bool json = false;
  bool quiet = false;
  std::string log_format = "text";  // or "json"
};
// Names the variable that holds a token, so that none stands in a command line. main takes it out of the environment: what hone starts has no
// use for it.
inline constexpr const char* kTokenVariable = "HONE_TOKEN";
// Which common options a verb takes, besides --json and --quiet.
enum class Uses : uint8_t { kDatabase, kService, kSeed, kModels };  // kModels: --dim and --without-pass
void add_common_options(Verb verb, CommonOptions& options, const std::set<Uses>& uses);

// A model file or an op SPEC, exactly one of them.
struct SourceOptions {
  std::string model;
  std::string op;
  std::map<std::string, ir::Shape, std::less<>> shapes;  // of inputs that are given: open sizes follow from them
};
void add_source_options(Verb verb, SourceOptions& options);

// --log-format, of the verbs that run for long.
void add_log_format_option(Verb verb, std::string& format);

// --tolerance, of the verbs that make kernels for a device; 0 where it is not given.
void add_tolerance_option(Verb verb, double& tolerance);

// Each adds one verb to the program's.
void add_up(Verb program);
void add_tracker(Verb program);
void add_server(Verb program);
void add_agent(Verb program);
void add_devices(Verb program);
void add_jobs(Verb program);
void add_tune(Verb program);
void add_export(Verb program);
void add_run(Verb program);
void add_verify(Verb program);
void add_bench(Verb program);
void add_report(Verb program);
void add_compile(Verb program);
void add_operators(Verb program);
void add_records(Verb program);
void add_doctor(Verb program);
void add_enroll(Verb program);
void add_tokens(Verb program);
void add_tls(Verb program);

}  // namespace hone::cli
