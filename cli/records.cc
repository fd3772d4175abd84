// hone records: the record store, for people and for programs.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/log.h"
#include "base/number_text.h"
#include "cli/console.h"
#include "cli/forget_records.h"
#include "cli/options.h"
#include "cli/record_names.h"
#include "cli/record_source.h"
#include "cli/record_views.h"
#include "cli/report/page.h"
#include "codegen/schedule/trace.h"
#include "server/record_classes.h"
#include "tuner/records/garbage.h"
#include "tuner/records/json_lines.h"

namespace hone::cli {
namespace {

struct RecordsOptions {
  CommonOptions common;
  std::string task, device, job, out, agent, before, lease;
  std::string html;
  std::vector<std::string> files;
  bool trace = false, dry_run = false, yes = false;
  double older_days = 0;
};

constexpr size_t kSourceNameBytesMax = 200;

// For the verbs that change records; they have no --tracker.
Result<std::unique_ptr<tuner::RecordStore>> open_store(const std::string& db) {
  return server::open_records({.where = db});
}

Result<tuner::RecordFilter> filter_of(const RecordsOptions& options, tuner::RecordStore& store) {
  tuner::RecordFilter filter;
  if (!options.task.empty()) {
    HONE_ASSIGN(tasks, tasks_named(options.task, store));
    filter.tasks = std::move(tasks);
  }
  if (!options.device.empty()) {
    HONE_ASSIGN(device, device_named(options.device, store));
    filter.device_key = std::move(device);
  }
  if (!options.job.empty()) {
    HONE_ASSIGN(job, job_named(options.job, store));
    filter.job_id = std::move(job);
  }
  return filter;
}

// Records that fit the options, wherever they are.
struct Found {
  std::unique_ptr<RecordSource> source;
  tuner::RecordFilter filter;
  tuner::RecordStore& store() const { return source->store(); }
};
Result<Found> find_records(const RecordsOptions& options) {
  HONE_ASSIGN(source, RecordSource::open(options.common));
  HONE_ASSIGN(filter, filter_of(options, source->store()));
  HONE_TRY(source->fetch(filter));
  return Found{std::move(source), std::move(filter)};
}

ExitCode run_list(const RecordsOptions& options) {
  auto found = find_records(options);
  if (!found.ok()) return fail(found.error());
  auto text =
      options.common.json ? records_json(found->store(), found->filter) : records_table(found->store(), found->filter);
  if (!text.ok()) return fail(text.error());
  print_text(*text);
  tell_of_damage(*found->source);
  return ExitCode::kDone;
}

ExitCode run_best(const RecordsOptions& options) {
  auto found = find_records(options);
  if (!found.ok()) return fail(found.error());
  auto best = best_records(found->store(), found->filter);
  if (!best.ok()) return fail(best.error());
  tell_of_damage(*found->source);
  if (best->refuted > 0)
    log_warn(cat("left out as refuted: ", counted(best->refuted, "trial"),
                 ", faster than what other agents of the same class measured, until another agent confirms them. "
                 "hone records list shows them, hone records forget --agent removes them"));
  if (options.trace) {
    if (best->all.size() != 1)
      return fail(Error{ErrorCode::kInvalidArgument, cat("--trace prints one schedule, but ", best->all.size(),
                                                         " fit; narrow down with --task and --device")});
    // As a schedule is written, whichever way its record came.
    const std::string& text = best->all.front().best.trace_json;
    const auto trace = schedule::trace_from_json(text);
    print_text((trace.ok() ? schedule::trace_to_json(*trace) : text) + "\n");
    return ExitCode::kDone;
  }
  print_text(options.common.json ? best_json(best->all) : best_table(best->all));
  return ExitCode::kDone;
}

Error unwritable(const std::string& path) {
  return {ErrorCode::kIoError,
          cat(path, " cannot be written: ", std::strerror(errno), "; give a file in a folder that you may write to")};
}

Error cut_off(const std::string& path) {
  return {ErrorCode::kIoError, cat(path, " could not be written completely; is the disk full?")};
}

ExitCode run_export(const RecordsOptions& options) {
  auto found = find_records(options);
  if (!found.ok()) return fail(found.error());
  Status done = ok_status();
  if (options.out.empty()) {
    done = tuner::export_json_lines(found->store(), found->filter, std::cout);
    std::cout.flush();
  } else {
    std::ofstream file(options.out);
    done = file ? tuner::export_json_lines(found->store(), found->filter, file) : unwritable(options.out);
    file.close();
    if (done.ok() && !file) done = cut_off(options.out);
  }
  tell_of_damage(*found->source);
  return done.ok() ? ExitCode::kDone : fail(done.error());
}

// The file's name, as long as an agent's id may be.
std::string source_name(const std::string& path) {
  return std::filesystem::path(path).filename().string().substr(0, kSourceNameBytesMax);
}

std::string added_text(const tuner::ImportReport& report, const std::string& db) {
  return cat(counted(report.added, "new record"), " in ", db, ", ", report.records - report.added, " known already\n");
}

ExitCode run_import(const RecordsOptions& options) {
  auto store = open_store(options.common.db);
  if (!store.ok()) return fail(store.error());
  tuner::ImportReport sum;
  for (const std::string& path : options.files) {
    std::ifstream file(path);
    if (std::filesystem::is_directory(path)) file.setstate(std::ios::failbit), errno = EISDIR;
    if (!file)
      return fail(Error{ErrorCode::kIoError, cat(path, " cannot be read: ", std::strerror(errno),
                                                 "; give a file that hone records export wrote")});
    auto report = tuner::import_json_lines(file, source_name(path), **store, server::class_of);
    if (!report.ok()) return fail(Error{report.error().code, cat(path, ": ", report.error().message)});
    sum.records += report->records;
    sum.added += report->added;
    sum.bad_lines += report->bad_lines;
    if (sum.first_error.empty() && !report->first_error.empty()) sum.first_error = cat(path, ": ", report->first_error);
  }
  if (Status flushed = (*store)->flush(); !flushed.ok()) return fail(flushed.error());
  if (options.common.json)
    print_json(nlohmann::ordered_json{{"records", sum.records},
                                      {"new", sum.added},
                                      {"known", sum.records - sum.added},
                                      {"bad_lines", sum.bad_lines},
                                      {"first_error", sum.first_error}});
  else print_text(added_text(sum, options.common.db));
  if (sum.bad_lines == 0) return ExitCode::kDone;
  return fail(Error{ErrorCode::kParseError,
                    cat("left out: ", counted(sum.bad_lines, "damaged line"), "; the first: ", sum.first_error)});
}

Error nothing_to_merge(const std::string& path) {
  return {ErrorCode::kNotFound,
          cat("there is no file ", path, "; give the path of a database that hone tune or hone up made")};
}

ExitCode run_merge(const RecordsOptions& options) {
  auto into = open_store(options.common.db);
  if (!into.ok()) return fail(into.error());
  tuner::ImportReport sum;
  for (const std::string& path : options.files) {
    if (!std::filesystem::exists(path)) return fail(nothing_to_merge(path));
    auto from = RecordSource::open({.db = path});
    if (!from.ok()) return fail(from.error());
    auto merged = tuner::merge_records((*from)->store(), **into);
    if (!merged.ok()) return fail(merged.error());
    sum.records += merged->records;
    sum.added += merged->added;
    tell_of_damage(**from);
  }
  if (Status flushed = (*into)->flush(); !flushed.ok()) return fail(flushed.error());
  if (options.common.json)
    print_json(
        nlohmann::ordered_json{{"records", sum.records}, {"new", sum.added}, {"known", sum.records - sum.added}});
  else print_text(added_text(sum, options.common.db));
  return ExitCode::kDone;
}

ExitCode run_gc(const RecordsOptions& options) {
  auto source = RecordSource::open(options.common);
  if (!source.ok()) return fail(source.error());
  tuner::RecordStore& store = (*source)->store();
  const auto age = std::chrono::milliseconds(static_cast<int64_t>(options.older_days * 86'400'000));
  const auto before = std::chrono::system_clock::now().time_since_epoch() - age;
  auto report = tuner::collect_garbage(store, std::chrono::duration_cast<std::chrono::milliseconds>(before).count());
  if (!report.ok()) return fail(report.error());
  if (options.common.json)
    print_json(
        nlohmann::ordered_json{{"trials_removed", report->trials_removed}, {"trials_kept", report->trials_kept}});
  else print_text(cat(counted(report->trials_removed, "trial"), " removed, ", report->trials_kept, " kept\n"));
  return ExitCode::kDone;
}

std::string forgotten_text(const tuner::ForgetReport& report) {
  const std::string attempts = counted(report.attempts, "attempt");
  return report.trials == 0 ? attempts : cat(attempts, ", all that is known of ", counted(report.trials, "trial"));
}

ExitCode run_forget(const RecordsOptions& options) {
  auto source = RecordSource::open(options.common);
  if (!source.ok()) return fail(source.error());
  tuner::RecordStore& store = (*source)->store();
  auto request = forget_request({options.device, options.agent, options.task, options.before, options.lease}, store);
  if (!request.ok())
    return request.error().code == ErrorCode::kInvalidArgument ? usage_error(request.error().message)
                                                               : fail(request.error());
  request->only_count = options.dry_run || !options.yes;
  auto report = store.forget(*request);
  if (!report.ok()) return fail(report.error());
  if (request->only_count && !options.dry_run)
    return usage_error(cat("this would remove ", forgotten_text(*report),
                           ", and nothing brings them back; give --yes to do so, or --dry-run to count only"));
  if (options.common.json)
    print_json(nlohmann::ordered_json{
        {"attempts", report->attempts}, {"trials", report->trials}, {"dry_run", options.dry_run}});
  else print_text(cat(options.dry_run ? "would remove " : "removed ", forgotten_text(*report), "\n"));
  return ExitCode::kDone;
}

constexpr const char* kStdout = "-";  // where a path is expected

Status write_page(const std::string& path, const std::string& page) {
  std::ofstream file(path, std::ios::binary);
  if (!file) return unwritable(path);
  file << page;
  file.close();
  return file ? ok_status() : Status(cut_off(path));
}

Result<report::JobCourse> course_of(const RecordsOptions& options, RecordSource& source) {
  std::string id = options.job;
  if (!id.empty()) {
    HONE_ASSIGN(whole, job_named(id, source.store()));
    id = whole;
  }
  if (id.empty()) {
    HONE_ASSIGN(jobs, report::tuning_jobs(source.store()));
    for (const std::string& one : jobs) {
      HONE_TRY(source.fetch({.job_id = one}));
      HONE_ASSIGN(course, report::course_of(source.store(), one));
      if (!course.tasks.empty()) return course;
    }
  }
  HONE_ASSIGN(job, report::job_of(source.store(), id));
  HONE_TRY(source.fetch({.job_id = job.id}));
  return report::course_of(source.store(), job.id);
}

ExitCode run_report(const RecordsOptions& options) {
  auto source = RecordSource::open(options.common);
  if (!source.ok()) return fail(source.error());
  auto course = course_of(options, **source);
  if (!course.ok()) return fail(course.error());
  tell_of_damage(**source);
  if (options.html == kStdout) {
    std::cout << report::page(*course) << std::flush;
    return ExitCode::kDone;
  }
  if (!options.html.empty()) {
    Status written = write_page(options.html, report::page(*course));
    if (!written.ok()) return fail(written.error());
    std::fprintf(stderr, "%s is written; open it in a browser\n", options.html.c_str());
    return ExitCode::kDone;
  }
  print_text(options.common.json ? job_report_json(*course) : job_report_text(*course));
  return ExitCode::kDone;
}

struct Sub {
  Verb verb;
  std::shared_ptr<RecordsOptions> options;
};

// Verbs that only read may read a service's records.
enum class Access : uint8_t { kReads, kChanges };

Sub add_sub(Verb verb, const char* name, const char* text, Access access, ExitCode (*action)(const RecordsOptions&)) {
  auto options = std::make_shared<RecordsOptions>();
  Verb sub = verb.sub(name, text);
  std::set<Uses> uses{Uses::kDatabase};
  if (access == Access::kReads) uses.insert(Uses::kService);
  add_common_options(sub, options->common, uses);
  sub.runs([options, action] {
    set_up_logging({.quiet = options->common.quiet});
    if (Status place = check_place(options->common); !place.ok()) return usage_error(place.error().message);
    return action(*options);
  });
  return {sub, options};
}

void add_filters(Sub sub) {
  sub.verb.option("--task", sub.options->task, "Only this task: the beginning of its id, or part of its name")
      .check(not_empty());
  sub.verb.option("--device", sub.options->device, "Only this device key, or the beginning of it").check(not_empty());
}

}  // namespace

void add_records(Verb program) {
  Verb verb = program.sub("records", "Shows, imports and exports the stored measurements");
  verb.footer(
      "Examples:\n"
      "  hone records list --task matmul\n"
      "  hone records best --json\n"
      "  hone records best --task 'matmul 512x512x512' --trace > best.json; hone compile --op matmul:512x512x512 "
      "--trace best.json\n"
      "  hone records export > records.jsonl\n"
      "  hone records import --db other.db records.jsonl\n"
      "  hone records merge --db all.db laptop.db phone.db\n"
      "  hone records gc --older-than 90\n"
      "  hone records forget --agent import:laptop.jsonl --dry-run\n"
      "  hone records report\n"
      "  hone records best --tracker 'http://192.168.1.7:9190/agent/#token=…'    those of a service on another "
      "machine\n"
      "  hone records report --html search.html");
  verb.requires_sub();
  Sub list = add_sub(verb, "list", "Every attempt, in the order of recording", Access::kReads, run_list);
  add_filters(list);
  list.verb.option("--job", list.options->job, "Only this job").check(not_empty());
  Sub best = add_sub(verb, "best", "The fastest schedule of each task on each device", Access::kReads, run_best);
  add_filters(best);
  best.verb.flag("--trace", best.options->trace, "Prints the schedule alone, for hone compile --trace");
  Sub import = add_sub(verb, "import", "Reads JSON lines into the database", Access::kChanges, run_import);
  import.verb.option("files", import.options->files, "Files of JSON lines").required();
  Sub merge =
      add_sub(verb, "merge", "Copies the records of other databases into this one", Access::kChanges, run_merge);
  merge.verb.option("databases", merge.options->files, "Databases of hone").required();
  Sub gc =
      add_sub(verb, "gc", "Forgets old trials; keeps each task's yardstick and its best", Access::kChanges, run_gc);
  gc.verb.option("--older-than", gc.options->older_days, "Days since a trial was last measured")
      .required()
      .check(days());
  Sub forget = add_sub(verb, "forget", "Removes attempts for good: all that meet every condition given",
                       Access::kChanges, run_forget);
  add_filters(forget);
  forget.verb
      .option("--agent", forget.options->agent,
              "Only this agent's attempts: its id or the beginning of it; import:FILE for the lines of a file")
      .check(not_empty());
  forget.verb.option("--lease", forget.options->lease, "Only what was measured under this lease").check(not_empty());
  forget.verb
      .option("--before", forget.options->before,
              "Only what was recorded before: 2026-11-24, \"2026-11-24 13:45\", or ms since 1970")
      .check(not_empty());
  forget.verb.flag("--dry-run", forget.options->dry_run, "Only counts what would be removed");
  forget.verb.flag("--yes", forget.options->yes, "Removes them; without it nothing is removed");
  Sub out = add_sub(verb, "export", "Writes the records as JSON lines", Access::kReads, run_export);
  add_filters(out);
  out.verb.option("--job", out.options->job, "Only this job").check(not_empty());
  out.verb.option("--out", out.options->out, "File to write; by default stdout").check(not_empty());
  Sub report = add_sub(verb, "report", "How a search went: the best time after each trial", Access::kReads, run_report);
  report.verb.option("job", report.options->job, "The job; by default the latest tuning job that measured something");
  report.verb
      .option("--html", report.options->html,
              "Writes a page with curves, predictions, decisions and a roofline to this file; - is stdout")
      .check(not_empty());
}

}  // namespace hone::cli
