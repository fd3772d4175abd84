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
#include "cli/console.h"
#include "cli/options.h"
#include "cli/record_views.h"
#include "cli/report/page.h"
#include "tuner/records/garbage.h"
#include "tuner/records/json_lines.h"
#include "tuner/records/sqlite_store.h"

namespace hone::cli {
namespace {

struct RecordsOptions {
  CommonOptions common;
  std::string task, device, job, out;
  std::string html;
  std::vector<std::string> files;
  bool trace = false;
  double older_days = 0;
};

enum class Missing : uint8_t { kIsAnError, kIsMade };

Result<std::unique_ptr<tuner::RecordStore>> open_store(const RecordsOptions& options, Missing missing) {
  if (missing == Missing::kIsAnError && !std::filesystem::exists(options.common.db))
    return Error{ErrorCode::kNotFound, cat("there is no database ", options.common.db,
                                           "; hone tune makes one, or give another with --db FILE")};
  return tuner::open_sqlite_store({.path = options.common.db});
}

// A prefix of a task's id, or a part of its name.
Result<tuner::RecordFilter> filter_of(const RecordsOptions& options, tuner::RecordStore& store) {
  tuner::RecordFilter filter{.device_key = options.device, .job_id = options.job};
  if (options.task.empty()) return filter;
  HONE_ASSIGN(tasks, store.tasks());
  for (const tuner::TaskInfo& task : tasks) {
    if (task.id.hex().rfind(options.task, 0) != 0 && task.name.find(options.task) == std::string::npos) continue;
    if (filter.task_id)
      return Error{ErrorCode::kInvalidArgument,
                   cat("--task ", options.task,
                       " fits several tasks; give more digits of the id, as hone records best --json shows it")};
    filter.task_id = task.id;
  }
  if (!filter.task_id)
    return Error{ErrorCode::kNotFound, cat("no task fits --task ", options.task, "; hone records best lists them")};
  return filter;
}

ExitCode run_list(const RecordsOptions& options) {
  auto store = open_store(options, Missing::kIsAnError);
  if (!store.ok()) return fail(store.error());
  auto filter = filter_of(options, **store);
  if (!filter.ok()) return fail(filter.error());
  auto text = options.common.json ? records_json(**store, *filter) : records_table(**store, *filter);
  if (!text.ok()) return fail(text.error());
  std::fputs(text->c_str(), stdout);
  return ExitCode::kDone;
}

ExitCode run_best(const RecordsOptions& options) {
  auto store = open_store(options, Missing::kIsAnError);
  if (!store.ok()) return fail(store.error());
  auto filter = filter_of(options, **store);
  if (!filter.ok()) return fail(filter.error());
  auto best = best_records(**store, *filter);
  if (!best.ok()) return fail(best.error());
  if (options.trace) {
    if (best->size() != 1)
      return fail(Error{ErrorCode::kInvalidArgument, cat("--trace prints one schedule, but ", best->size(),
                                                         " fit; narrow down with --task and --device")});
    std::printf("%s\n", best->front().best.trace_json.c_str());
    return ExitCode::kDone;
  }
  std::fputs((options.common.json ? best_json(*best) : best_table(*best)).c_str(), stdout);
  return ExitCode::kDone;
}

Error unwritable(const std::string& path) {
  return {ErrorCode::kIoError,
          cat(path, " cannot be written: ", std::strerror(errno), "; give a file in a folder that you may write to")};
}

Error cut_off(const std::string& path) {
  return {ErrorCode::kIoError, cat(path, " could not be written to its end; is the disk full?")};
}

ExitCode run_export(const RecordsOptions& options) {
  auto store = open_store(options, Missing::kIsAnError);
  if (!store.ok()) return fail(store.error());
  auto filter = filter_of(options, **store);
  if (!filter.ok()) return fail(filter.error());
  Status done = ok_status();
  if (options.out.empty()) {
    done = tuner::export_json_lines(**store, *filter, std::cout);
    std::cout.flush();
  } else {
    std::ofstream file(options.out);
    done = file ? tuner::export_json_lines(**store, *filter, file) : unwritable(options.out);
    file.close();
    if (done.ok() && !file) done = cut_off(options.out);
  }
  return done.ok() ? ExitCode::kDone : fail(done.error());
}

ExitCode run_import(const RecordsOptions& options) {
  auto store = open_store(options, Missing::kIsMade);
  if (!store.ok()) return fail(store.error());
  tuner::ImportReport sum;
  for (const std::string& path : options.files) {
    std::ifstream file(path);
    if (!file)
      return fail(Error{ErrorCode::kIoError, cat(path, " cannot be read: ", std::strerror(errno),
                                                 "; give a file that hone records export wrote")});
    auto report = tuner::import_json_lines(file, **store);
    if (!report.ok()) return fail(report.error());
    sum.records += report->records;
    sum.bad_lines += report->bad_lines;
    if (sum.first_error.empty() && !report->first_error.empty()) sum.first_error = cat(path, ": ", report->first_error);
  }
  if (Status flushed = (*store)->flush(); !flushed.ok()) return fail(flushed.error());
  if (options.common.json)
    std::printf(
        "%s\n",
        nlohmann::ordered_json{{"records", sum.records}, {"bad_lines", sum.bad_lines}, {"first_error", sum.first_error}}
            .dump()
            .c_str());
  else std::printf("%d records read into %s\n", sum.records, options.common.db.c_str());
  if (sum.bad_lines == 0) return ExitCode::kDone;
  return fail(
      Error{ErrorCode::kParseError, cat(sum.bad_lines, " damaged lines were left out, the first: ", sum.first_error)});
}

ExitCode run_merge(const RecordsOptions& options) {
  auto into = open_store(options, Missing::kIsMade);
  if (!into.ok()) return fail(into.error());
  int records = 0;
  for (const std::string& path : options.files) {
    RecordsOptions other = options;
    other.common.db = path;
    auto from = open_store(other, Missing::kIsAnError);
    if (!from.ok()) return fail(from.error());
    auto merged = tuner::merge_records(**from, **into);
    if (!merged.ok()) return fail(merged.error());
    records += merged->records;
  }
  if (Status flushed = (*into)->flush(); !flushed.ok()) return fail(flushed.error());
  if (options.common.json) std::printf("%s\n", nlohmann::ordered_json{{"records", records}}.dump().c_str());
  else std::printf("%d records are in %s\n", records, options.common.db.c_str());
  return ExitCode::kDone;
}

ExitCode run_gc(const RecordsOptions& options) {
  auto store = open_store(options, Missing::kIsAnError);
  if (!store.ok()) return fail(store.error());
  const auto age = std::chrono::milliseconds(static_cast<int64_t>(options.older_days * 86'400'000));
  const auto before = std::chrono::system_clock::now().time_since_epoch() - age;
  auto report = tuner::collect_garbage(**store, std::chrono::duration_cast<std::chrono::milliseconds>(before).count());
  if (!report.ok()) return fail(report.error());
  if (options.common.json)
    std::printf("%s\n",
                nlohmann::ordered_json{{"trials_removed", report->trials_removed}, {"trials_kept", report->trials_kept}}
                    .dump()
                    .c_str());
  else std::printf("%d trials removed, %d kept\n", report->trials_removed, report->trials_kept);
  return ExitCode::kDone;
}

Status write_page(const std::string& path, const std::string& page) {
  std::ofstream file(path, std::ios::binary);
  if (!file) return unwritable(path);
  file << page;
  file.close();
  return file ? ok_status() : Status(cut_off(path));
}

ExitCode run_report(const RecordsOptions& options) {
  auto store = open_store(options, Missing::kIsAnError);
  if (!store.ok()) return fail(store.error());
  auto course = report::course_of(**store, options.job);
  if (!course.ok()) return fail(course.error());
  if (!options.html.empty()) {
    Status written = write_page(options.html, report::page(*course));
    if (!written.ok()) return fail(written.error());
    std::fprintf(stderr, "%s is written; open it in a browser\n", options.html.c_str());
    return ExitCode::kDone;
  }
  std::fputs((options.common.json ? job_report_json(*course) : job_report_text(*course)).c_str(), stdout);
  return ExitCode::kDone;
}

struct Sub {
  CLI::App* app;
  std::shared_ptr<RecordsOptions> options;
};

Sub add_sub(CLI::App& verb, Run& run, const char* name, const char* text, ExitCode (*action)(const RecordsOptions&)) {
  auto options = std::make_shared<RecordsOptions>();
  CLI::App* sub = verb.add_subcommand(name, text);
  add_common_options(*sub, options->common);
  sub->callback([options, action, &run] {
    run = [options, action] {
      set_up_logging({.quiet = options->common.quiet});
      return action(*options);
    };
  });
  return {sub, options};
}

void add_filters(const Sub& sub) {
  sub.app->add_option("--task", sub.options->task, "Only this task: the beginning of its id, or a part of its name");
  sub.app->add_option("--device", sub.options->device, "Only this device key");
}

}  // namespace

void add_records(CLI::App& app, Run& run) {
  CLI::App* verb = app.add_subcommand("records", "Shows, imports and exports the stored measurements");
  verb->footer(
      "Examples:\n"
      "  hone records list --task 3f2a\n"
      "  hone records best --json\n"
      "  hone records best --task 3f2a --trace > best.json; hone compile --op matmul:512x512x512 --trace best.json\n"
      "  hone records export > records.jsonl\n"
      "  hone records import --db other.db records.jsonl\n"
      "  hone records merge --db all.db laptop.db phone.db\n"
      "  hone records gc --older-than 90\n"
      "  hone records report\n"
      "  hone records report --html search.html");
  verb->require_subcommand(1);
  Sub list = add_sub(*verb, run, "list", "Every attempt, in order of recording", run_list);
  add_filters(list);
  list.app->add_option("--job", list.options->job, "Only this job");
  Sub best = add_sub(*verb, run, "best", "The fastest schedule of each task on each device", run_best);
  add_filters(best);
  best.app->add_flag("--trace", best.options->trace, "Prints the schedule alone, for hone compile --trace");
  Sub import = add_sub(*verb, run, "import", "Reads JSON lines into the database", run_import);
  import.app->add_option("files", import.options->files, "Files of JSON lines")->required();
  Sub merge = add_sub(*verb, run, "merge", "Copies the records of other databases into this one", run_merge);
  merge.app->add_option("databases", merge.options->files, "Databases of hone")->required();
  Sub gc = add_sub(*verb, run, "gc", "Forgets old trials; keeps each task's yardstick and its best", run_gc);
  gc.app->add_option("--older-than", gc.options->older_days, "Days since a trial was last measured")
      ->required()
      ->check(number_from_0());
  Sub out = add_sub(*verb, run, "export", "Writes the records as JSON lines", run_export);
  add_filters(out);
  out.app->add_option("--job", out.options->job, "Only this job");
  out.app->add_option("--out", out.options->out, "File to write; stdout when absent");
  Sub report = add_sub(*verb, run, "report", "How a search went: the best time after each of its trials", run_report);
  report.app->add_option("job", report.options->job, "The job; the latest when absent");
  report.app->add_option("--html", report.options->html,
                         "Writes a page with curves, predictions, decisions and a roofline to this file");
}

}  // namespace hone::cli
