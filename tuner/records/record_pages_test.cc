#include "tuner/records/record_pages.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "tuner/records/store_folder.h"

namespace hone::tuner {
namespace {

constexpr size_t kOneLine = 1;  // bytes of a page that is full with its first line

// What a store says of its attempts, in its own words: one line each.
std::string said_by(RecordStore& store, const RecordFilter& filter = {}) {
  std::string text;
  const auto tasks = store.tasks();
  EXPECT_TRUE(store
                  .list(filter,
                        [&](const Record& record) {
                          text += record_to_json(record, tasks->at(0), "webgpu") + "\n";
                          return ok_status();
                        })
                  .ok());
  return text;
}

Record by(const std::string& agent, uint64_t source, double us, const std::string& job = "job-1") {
  Record record = StoreFolder::record(source, us);
  record.agent = agent;
  record.job_id = job;
  record.recorded_unix_ms = 1'700'000'000'000;
  return record;
}

class RecordPages : public testing::Test {
 protected:
  RecordPages() {
    for (uint64_t source = 1; source <= 10; ++source) from_->insert(by("honest", source, 1000));
    for (uint64_t source = 11; source <= 20; ++source) from_->insert(by("other", source, 1000, "job-2"));
    from_->insert(by("liar", 21, 1, "job-3"));
    EXPECT_TRUE(from_->put_job({.id = "job-1", .kind = "tune", .state = "done", .message = "\xff"}).ok());
    EXPECT_TRUE(from_->flush().ok());
  }

  // Asks for page after page, with what happens between them; the number of pages.
  int copy(RecordPart part, RecordFilter filter = {}, const std::function<void(int)>& between = nullptr) {
    for (int pages = 1;; ++pages) {
      auto page = read_page(*from_, part, filter, kOneLine);
      EXPECT_TRUE(page.ok());
      auto report = copy_page(page->lines, part, *into_);
      EXPECT_TRUE(report.ok());
      EXPECT_EQ(report->bad_lines, 0) << report->first_error;
      if (!page->next) return pages;
      filter.after = page->next;
      if (between) between(pages);
    }
  }
  void copy_names() {
    for (RecordPart part : {RecordPart::kTasks, RecordPart::kDevices, RecordPart::kJobs}) copy(part);
  }

  StoreFolder folder_, copy_folder_;
  std::unique_ptr<RecordStore> from_ = folder_.open();
  std::unique_ptr<RecordStore> into_ =
      std::move(open_record_store({.where = copy_folder_.path(), .durable = false})).value();
};

TEST_F(RecordPages, ACopySaysWhatTheStoreSays) {
  // Given records of three agents, one of which is beyond belief, when a store is copied page by page, then the copy says the same of tasks,
  // devices, jobs and attempts: whose they are, and which of them is refuted.
  copy_names();
  EXPECT_EQ(copy(RecordPart::kAttempts), 21);
  EXPECT_EQ(said_by(*into_), said_by(*from_));
  EXPECT_NE(said_by(*into_).find(R"("agent":"liar","standing":"refuted")"), std::string::npos);
  EXPECT_EQ(into_->tasks()->at(0).canonical_text, from_->tasks()->at(0).canonical_text);
  EXPECT_EQ(into_->devices()->at(0).fingerprint_json, from_->devices()->at(0).fingerprint_json);
  EXPECT_EQ(into_->jobs()->at(0).state, "done");
}

TEST_F(RecordPages, ATimeIsJudgedAsThereWhateverWasAskedFor) {
  // Given a time that is refuted beside those of other jobs, when the records of its job alone are asked for, then those others come, too, and it
  // is refuted in the copy; nothing comes of a job that is not there.
  copy_names();
  copy(RecordPart::kAttempts, {.job_id = "job-3", .with_rivals = true});
  EXPECT_EQ(said_by(*into_, {.job_id = "job-3"}), said_by(*from_, {.job_id = "job-3"}));
  EXPECT_NE(said_by(*into_, {.job_id = "job-3"}).find("refuted"), std::string::npos);
  EXPECT_EQ(read_page(*from_, RecordPart::kAttempts, {.job_id = "none", .with_rivals = true}, 1 << 20)->lines, "");
}

TEST_F(RecordPages, WhatIsRecordedMeanwhileComesBehindThePlace) {
  // Given a copy under way, when a trial is recorded and another is measured again between two pages, then no record comes twice or is left out, but
  // for the new attempt of a trial whose page has been.
  copy_names();
  const int pages = copy(RecordPart::kAttempts, {}, [this](int page) {
    if (page != 5) return;
    from_->insert(by("honest", 22, 900));
    Record again = by("honest", 1, 950);
    again.attempt = 1;
    from_->insert(again);
    EXPECT_TRUE(from_->flush().ok());
  });
  EXPECT_EQ(pages, 22);
  EXPECT_EQ(into_->added(), 22);
  EXPECT_EQ(into_->known_trials(kTask, kDevice)->size(), 22u);
}

TEST_F(RecordPages, ALineThatIsNoneCostsOnlyItself) {
  // Given pages whose lines are torn, of another type or out of range, when they are copied, then each bad line is counted and the sound one beside
  // it is there; a place beyond the end has no lines.
  for (const auto& [part, bad] : std::vector<std::pair<RecordPart, std::string>>{
           {RecordPart::kTasks, R"({"task":"xyz","task_name":"a","task_text":"","flops":1})"},
           {RecordPart::kTasks,
            R"({"task":"00000000000000010000000000000002","task_name":"a","task_text":"","flops":-1})"},
           {RecordPart::kDevices, R"({"device_key":"","target":"webgpu","fingerprint":{}})"},
           {RecordPart::kDevices, R"({"device_key":"k","target":"toaster","fingerprint":{}})"},
           {RecordPart::kDevices, R"({"device_key":"k","target":"webgpu","fingerprint":[]})"},
           {RecordPart::kJobs, R"({"job":"j","kind":"tune","state":"done","device_key":"","request":{},"message":"",)"
                               R"("started_unix_ms":-1,"ended_unix_ms":0})"},
           {RecordPart::kJobs, cat(R"({"job":")", std::string(5000, 'x'), R"("})")},
           {RecordPart::kAttempts, "{}"},
           {RecordPart::kAttempts, "[1]"}}) {
    const auto sound = read_page(*from_, part, {}, kOneLine);
    const auto report = copy_page(cat(bad, "\n", sound->lines), part, *into_);
    ASSERT_TRUE(report.ok()) << bad;
    EXPECT_EQ(report->bad_lines, 1) << bad;
    EXPECT_EQ(report->records, 1) << bad;
    EXPECT_EQ(report->first_error.rfind("line 1: ", 0), 0u) << report->first_error;
  }
  for (RecordPart part : {RecordPart::kTasks, RecordPart::kAttempts})
    EXPECT_EQ(read_page(*from_, part, {.after = RecordPlace{1'000'000, 7}}, 1 << 20)->lines, "");
}

}  // namespace
}  // namespace hone::tuner
