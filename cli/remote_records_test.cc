#include "cli/remote_records.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/net/server.h"
#include "cli/record_views.h"
#include "cli/service_world.h"
#include "schema/message.h"

namespace hone::cli {
namespace {

// A loop that turns while the test asks.
class Turning {
 public:
  explicit Turning(net::EventLoop& loop) : loop_(loop), thread_([&loop] { loop.run(); }) {}
  ~Turning() {
    loop_.stop();
    thread_.join();
  }

 private:
  net::EventLoop& loop_;
  std::thread thread_;
};

std::unique_ptr<tuner::RecordStore> store_at(const std::string& path) {
  return std::move(tuner::open_record_store({.where = path})).value();
}

tuner::Record record(const std::string& agent, uint64_t source, double us, const std::string& job) {
  return {.task_id = {1, 2},
          .device_key = "device-a",
          .source_hash = {3, source},
          .trace_json = "{}",
          .job_id = job,
          .outcome = ErrorCode::kOk,
          .samples_us = {us},
          .latency_us_median = us,
          .agent = agent,
          .recorded_unix_ms = 1'700'000'000'000};
}

void fill(tuner::RecordStore& store) {
  ASSERT_TRUE(store.put_task({{1, 2}, "a task", "text", 100}).ok());
  ASSERT_TRUE(store.put_device({"device-a", "webgpu", "{}"}).ok());
  ASSERT_TRUE(store.put_job({.id = "tune-1", .kind = "tune", .state = "done", .device_key = "device-a"}).ok());
  for (uint64_t source = 1; source <= 8; ++source) store.insert(record("honest", source, 1000, "tune-1"));
  store.insert(record("liar", 9, 1, "tune-2"));
  ASSERT_TRUE(store.flush().ok());
}

TEST(RemoteRecords, SayWhatTheDatabaseOfTheServiceSays) {
  // Given a service with records of two agents, one of which is beyond belief, when its records are read by its URL, then lists, bests and exports
  // are those of its database, also where one job alone is asked for; when they are read no longer, then no file of them is left.
  World w;
  auto local = store_at(w.folder + "/hone.db");
  fill(*local);
  const Turning turning(w.loop);
  auto remote = RecordSource::open({.tracker = w.service->agent_url()});
  ASSERT_TRUE(remote.ok()) << remote.error().message;
  EXPECT_EQ((*remote)->store().jobs()->size(), 1u);
  for (const tuner::RecordFilter& filter :
       {tuner::RecordFilter{.job_id = "tune-2"}, {.tasks = std::set{Hash{1, 2}}}, {}}) {
    ASSERT_TRUE((*remote)->fetch(filter).ok());
    EXPECT_EQ(*records_json((*remote)->store(), filter), *records_json(*local, filter));
    EXPECT_EQ(*records_table((*remote)->store(), filter), *records_table(*local, filter));
  }
  const auto best = best_records((*remote)->store(), {});
  EXPECT_EQ(best->refuted, 1);
  EXPECT_EQ(best_json(best->all), best_json(best_records(*local, {})->all));
  EXPECT_EQ((*remote)->damage().rows, 0);
}

TEST(RemoteRecords, ComeInSeveralPages) {
  // Given a service with more records than a page holds, when they are read, then all are there in their order.
  World w;
  auto local = store_at(w.folder + "/hone.db");
  fill(*local);
  for (uint64_t source = 100; source < 140; ++source) {
    tuner::Record big = record("honest", source, 1000, "tune-1");
    big.message = std::string(100'000, 'x');
    local->insert(big);
  }
  ASSERT_TRUE(local->flush().ok());
  const Turning turning(w.loop);
  auto remote = RecordSource::open({.tracker = w.service->agent_url()});
  ASSERT_TRUE(remote.ok()) << remote.error().message;
  ASSERT_TRUE((*remote)->fetch({}).ok());
  EXPECT_EQ(*records_json((*remote)->store(), {}), *records_json(*local, {}));
}

// A service that answers each request for records as it likes.
class Liar {
 public:
  using Answer = std::function<std::pair<protocol::Records, std::string>(const protocol::FetchRecords&)>;
  explicit Liar(Answer answer) : answer_(std::move(answer)) {
    auto accept = [this](std::shared_ptr<net::Channel> channel) { return std::make_unique<Session>(*this, channel); };
    server_ = std::move(net::Server::start(loop_, {.endpoints = {{.path = "/ws/client", .accept = accept}}})).value();
    turning_ = std::make_unique<Turning>(loop_);
  }
  CommonOptions options() const { return {.tracker = cat("http://127.0.0.1:", server_->port(), "/agent/#token=t")}; }
  int asked() const { return asked_; }

 private:
  struct Session : net::Handler {
    Session(Liar& liar, std::shared_ptr<net::Channel> channel) : liar_(liar), channel_(std::move(channel)) {}
    void on_frame(const net::FrameView& frame, size_t bytes) override {
      auto message = protocol::decode_text<protocol::ClientFromClient>(frame.header, bytes);
      if (const auto* hello = std::get_if<protocol::ClientHello>(&*message))
        channel_->send(protocol::encode(protocol::ClientWelcome{.reply_to = hello->id, .version = hello->version}), "");
      if (const auto* ask = std::get_if<protocol::FetchRecords>(&*message)) {
        ++liar_.asked_;
        auto [frame_out, lines] = liar_.answer_(*ask);
        frame_out.reply_to = ask->id;
        channel_->send(protocol::encode(frame_out), lines);
      }
    }
    void on_closed(const net::Closed&) override {}
    Liar& liar_;
    const std::shared_ptr<net::Channel> channel_;
  };

  const Answer answer_;
  net::EventLoop loop_;
  std::unique_ptr<net::Server> server_;
  std::atomic<int> asked_ = 0;
  std::unique_ptr<Turning> turning_;
};

TEST(RemoteRecords, OfAServiceThatLiesEnd) {
  // Given services whose pages never end, stand still, hold nothing, or hold lines that are no records, when their records are read, then it ends
  // with one sentence after few pages, or the bad lines are counted; a service with nothing has nothing.
  const auto next = [](uint64_t row) { return protocol::Records{.next = protocol::RecordPlace{.row = row}}; };
  Liar still([&](const auto&) { return std::pair(next(7), std::string("{}\n")); });
  EXPECT_EQ(RecordSource::open(still.options()).error().code, ErrorCode::kProtocolError);
  EXPECT_EQ(still.asked(), 2);
  Liar backwards(
      [&](const auto& ask) { return std::pair(next(ask.after ? ask.after->row - 1 : 9), std::string("{}\n")); });
  EXPECT_EQ(RecordSource::open(backwards.options()).error().code, ErrorCode::kProtocolError);
  Liar empty([&](const auto& ask) { return std::pair(next(ask.after ? ask.after->row + 1 : 1), std::string()); });
  EXPECT_EQ(RecordSource::open(empty.options()).error().code, ErrorCode::kProtocolError);
  EXPECT_EQ(empty.asked(), 1);
  Liar babbling([](const auto&) { return std::pair(protocol::Records{.left_out = 5}, std::string("{}\nx\n[[[\n")); });
  auto read = RecordSource::open(babbling.options());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE((*read)->fetch({}).ok());
  EXPECT_EQ(*records_json((*read)->store(), {}), "{\"records\":[]}\n");
  EXPECT_EQ((*read)->damage().rows, 5 + 4 * 3);
  Liar nothing([](const auto&) { return std::pair(protocol::Records{}, std::string()); });
  EXPECT_EQ((*RecordSource::open(nothing.options()))->damage().rows, 0);
}

}  // namespace
}  // namespace hone::cli
