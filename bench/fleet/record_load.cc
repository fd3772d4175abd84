// The store of records under load: results come at a rate, and each is acknowledged after its commit. Prints one JSON line:
//   {"acked_per_s": …, "failed": …, "ack_ms": {"p50", "p99", "max"}: from insert to acknowledgement, "forgotten": attempts, "compactions": …}
// With --fill N it only writes N records, and ends. With --compact, old records are forgotten meanwhile, and their space is given back, as hone records gc does, on a connection of its own.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <thread>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/hash.h"
#include "tuner/records/sql_store.h"

using namespace hone;
using Time = std::chrono::steady_clock::time_point;

namespace {

constexpr int kTasks = 100, kTurnsPerS = 1'000;
constexpr const char* kDevice = "0123456789abcdef0123456789abcdef";

struct Options {
  std::string db;
  int64_t fill = 0;
  double per_s = 10'000, seconds = 10;
  int64_t in_flight_max = 2'000;  // of which an agent's session has one at a time
  bool compact = false;
};

Hash task_of(int64_t number) { return hash_bytes(cat("task ", number % kTasks)); }

// As long as a search's are: a trace of some steps and 180 features.
tuner::Record record_of(const std::string& run, int64_t number) {
  tuner::Record record;
  record.task_id = task_of(number);
  record.device_key = kDevice;
  record.source_hash = hash_bytes(cat(run, number));
  record.trace_json = cat("[[\"split\",0,", number, ",8],[\"bind\",1,\"workgroup\"],[\"cache\",\"A\",2],[\"vectorize\",3,4],[\"unroll\",4]]");
  record.job_id = run;
  record.outcome = ErrorCode::kOk;
  record.samples_us = {100.5, 101.25, 99.75};
  record.latency_us_median = 100.5;
  record.method = "timestamp";
  record.features.assign(180, static_cast<float>(number % 97));
  record.feature_version = 1;
  record.agent = "agent-bench";
  record.device = "device-bench";
  return record;
}

std::unique_ptr<tuner::RecordStore> open(const Options& options) {
  auto store = tuner::open_record_store({.where = options.db});
  if (!store.ok()) std::fprintf(stderr, "%s\n", store.error().message.c_str()), std::exit(1);
  for (int i = 0; i < kTasks; ++i) (void)(*store)->put_task({.id = task_of(i), .name = cat("task ", i), .canonical_text = "te 1", .flops = 1e6});
  (void)(*store)->put_device({.key = kDevice, .target = "webgpu"});
  return std::move(*store);
}

class Load {
 public:
  Load(tuner::RecordStore& store, const Options& options, std::string run) : store_(store), options_(options), run_(std::move(run)) {}

  // `count` records as fast as they are taken, or at the rate until the time is over.
  void fill(int64_t count) {
    for (int64_t i = 0; i < count; ++i) insert();
    (void)store_.flush();
  }
  void keep_rate() {
    const Time began = std::chrono::steady_clock::now();
    const auto turns = static_cast<int64_t>(options_.seconds * kTurnsPerS);
    for (int64_t turn = 0; turn < turns; ++turn) {
      const auto due = static_cast<int64_t>(options_.per_s * static_cast<double>(turn + 1) / kTurnsPerS);
      while (inserted_ < due) insert();
      std::this_thread::sleep_until(began + std::chrono::microseconds(1'000'000 / kTurnsPerS * (turn + 1)));
    }
    (void)store_.flush();
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }

  nlohmann::json said() {
    std::sort(ack_ms_.begin(), ack_ms_.end());
    const auto at = [&](double share) { return ack_ms_.empty() ? 0 : ack_ms_[static_cast<size_t>(share * static_cast<double>(ack_ms_.size() - 1))]; };
    return {{"acked_per_s", static_cast<double>(ack_ms_.size()) / seconds_}, {"failed", failed_}, {"ack_ms", {{"p50", at(0.5)}, {"p99", at(0.99)}, {"max", at(1)}}}};
  }

 private:
  void insert() {
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [this] { return in_flight_ < options_.in_flight_max; });
      ++in_flight_;
    }
    const Time asked = std::chrono::steady_clock::now();
    store_.insert(record_of(run_, inserted_++), [this, asked](const Status& status) { acknowledged(asked, status); });
  }
  void acknowledged(Time asked, const Status& status) {
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - asked).count();
    const std::lock_guard lock(mutex_);
    --in_flight_;
    if (status.ok()) ack_ms_.push_back(ms);
    else ++failed_;
    room_.notify_one();
  }

  tuner::RecordStore& store_;
  const Options& options_;
  const std::string run_;
  int64_t inserted_ = 0;
  double seconds_ = 1;
  std::mutex mutex_;
  std::condition_variable room_;
  int64_t in_flight_ = 0, failed_ = 0;
  std::vector<double> ack_ms_;
};

// Another process's, as far as SQLite knows.
class Gardener {
 public:
  explicit Gardener(const Options& options) : store_(open(options)), thread_([this] { work(); }) {}
  ~Gardener() {
    stopping_ = true;
    thread_.join();
  }
  int64_t forgotten() const { return forgotten_; }
  int compactions() const { return compactions_; }
  const std::string& failure() const { return failure_; }

 private:
  void work() {
    for (int64_t task = 0; !stopping_ && task < kTasks && failure_.empty(); ++task) {
      const auto report = store_->forget(tuner::ForgetRequest{.task_id = task_of(task)});
      if (report.ok()) forgotten_ += report->attempts;
      else failure_ = report.error().message;
      if (const Status compacted = store_->compact(); compacted.ok()) ++compactions_;
      else failure_ = compacted.error().message;
    }
  }
  std::unique_ptr<tuner::RecordStore> store_;
  std::atomic<bool> stopping_{false};
  std::atomic<int64_t> forgotten_{0};
  std::atomic<int> compactions_{0};
  std::string failure_;
  std::thread thread_;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("the store of records under load");
  app.add_option("--db", options.db)->required();
  app.add_option("--fill", options.fill);
  app.add_option("--per-s", options.per_s);
  app.add_option("--seconds", options.seconds);
  app.add_option("--in-flight", options.in_flight_max);
  app.add_flag("--compact", options.compact);
  CLI11_PARSE(app, argc, argv);
  const auto store = open(options);
  Load load(*store, options, options.fill > 0 ? "fill" : cat("run ", std::chrono::system_clock::now().time_since_epoch().count()));
  if (options.fill > 0) return load.fill(options.fill), 0;
  std::unique_ptr<Gardener> gardener = options.compact ? std::make_unique<Gardener>(options) : nullptr;
  load.keep_rate();
  nlohmann::json said = load.said();
  if (gardener) said.update({{"forgotten", gardener->forgotten()}, {"compactions", gardener->compactions()}, {"failure", gardener->failure()}});
  std::printf("%s\n", said.dump().c_str());
  return 0;
}
