#include "server/record_classes.h"

#include <gtest/gtest.h>

#include "base/json_text.h"
#include "schema/device_key.h"
#include "tuner/records/store_folder.h"

namespace hone::server {
namespace {

protocol::Fingerprint a_device(int browser_major) {
  return {.target = "webgpu",
          .vendor = "intel",
          .browser = "chromium",
          .browser_major = static_cast<uint32_t>(browser_major),
          .os = "linux"};
}

std::string text_of(const protocol::Fingerprint& fingerprint) { return json_line(protocol::to_json(fingerprint)); }

tuner::Record a_record(const std::string& key, const std::string& fingerprint, uint64_t source, double us) {
  tuner::Record r;
  r.task_id = hash_bytes("task");
  r.device_key = key;
  r.source_hash = hash_bytes(std::to_string(source));
  r.trace_json = "{}";
  r.origin = tuner::Origin::kSearch;
  r.outcome = ErrorCode::kOk;
  r.samples_us = {us, us, us};
  r.latency_us_median = us;
  r.fingerprint_json = fingerprint;
  return r;
}

class RecordClasses : public ::testing::Test, protected tuner::StoreFolder {
 protected:
  // What a hone wrote whose keys held the browser's version: sources 1 and 2 in one version, 2 and 3 in the next.
  void write_former_records() {
    const auto store = std::move(tuner::open_record_store({.where = path()})).value();
    ASSERT_TRUE(store->put_task({hash_bytes("task"), "matmul", "text", 1000}).ok());
    for (int version : {155, 156}) {
      const std::string key = protocol::former_device_key(a_device(version)), text = text_of(a_device(version));
      ASSERT_TRUE(store->put_device({key, "webgpu", text}).ok());
      ASSERT_TRUE(store->put_job({"job-" + std::to_string(version), "tune", "done", key, "{}", "", 1, 2}).ok());
      for (uint64_t source : {version - 154, version - 153})
        store->insert(a_record(key, text, source, 10.0 * version - static_cast<double>(source)));
    }
    ASSERT_TRUE(store->flush().ok());
  }
};

// Given records of two versions of a browser under a key each, when their database is opened, then they are of one class, no attempt is lost, each
// says in which browser it was timed, and opening it again changes nothing.
TEST_F(RecordClasses, RecordsOfTwoVersionsOfABrowserAreOfOneClass) {
  write_former_records();
  const std::string key = protocol::device_key(a_device(156));
  for (int opened = 0; opened < 2; ++opened) {
    const auto store = std::move(open_records({.where = path()})).value();
    const auto devices = store->devices().value();
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_EQ(devices[0].key, key);
    EXPECT_EQ(devices[1].key, key);
    const auto jobs = store->jobs().value();
    ASSERT_EQ(jobs.size(), 2u);
    EXPECT_EQ(jobs[0].device_key, key);
    EXPECT_EQ(jobs[1].device_key, key);
    const auto trials = store->known_trials(hash_bytes("task"), key).value();
    ASSERT_EQ(trials.size(), 3u);
    EXPECT_EQ(trials[0].browser_major, 155);
    EXPECT_EQ(trials[1].attempts, 2);
    EXPECT_EQ(trials[1].browser_major, 156);  // the later of two that are founded alike
    EXPECT_EQ(trials[1].latency_us, 1558);
    EXPECT_EQ(store->damage().rows, 0);
  }
}

// Given a class whose key is none of a former hone, when its database is opened, then it keeps its key.
TEST_F(RecordClasses, OtherKeysStay) {
  const auto store = std::move(tuner::open_record_store({.where = path()})).value();
  ASSERT_TRUE(store->put_device({"a key of its own", "webgpu", text_of(a_device(155))}).ok());
  ASSERT_TRUE(store->put_device({"another", "webgpu", "{\"no\": \"fingerprint\"}"}).ok());
  ASSERT_TRUE(open_records({.where = path()}).ok());
  EXPECT_EQ(store->devices().value()[0].key, "a key of its own");
  EXPECT_EQ(store->devices().value()[1].key, "another");
}

}  // namespace
}  // namespace hone::server
