#include "cli/draining.h"

#include <gtest/gtest.h>

#include "base/net/http_client.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

int ready_status(World& w) {
  int status = 0;
  net::http_ask(w.loop, {.host = "127.0.0.1", .port = w.service->port(), .path = "/readyz"},
                [&](const net::HttpAnswer& got) { status = got.status; });
  CHECK(w.run_until([&] { return status != 0; }), "no answer to /readyz");
  return status;
}

TEST(Draining, RunningJobsEndAndNewOnesAreRefused) {
  // Given a job under way, when the service drains, then it is not ready, another job is refused as busy with a sentence that says when to come back,
  // the first job ends with all its trials, and then the draining ends.
  World w;
  w.add_agent({.measure = always_good(), .each = std::chrono::milliseconds(20)});
  w.submit(24);
  ASSERT_TRUE(w.run_until([&] { return w.agent->measured > 0; }));
  EXPECT_EQ(ready_status(w), 200);
  bool drained = false;
  Draining draining(w.loop, *w.service);
  draining.begin(std::chrono::minutes(1), [&] {
    EXPECT_TRUE(w.service->idle());
    drained = true;
  });
  EXPECT_EQ(ready_status(w), 503);
  EXPECT_FALSE(drained);
  std::optional<Error> refused;
  ServiceClient* late = nullptr;
  ServiceClient other(
      w.loop, w.url,
      {.on_ready =
           [&] {
             late->send(protocol::SubmitJob{
                 .id = late->next_id(),
                 .job = {.kind = protocol::JobKind::kTune, .source = {.op = "matmul:32x32x32"}, .target = "webgpu"}});
           },
       .on_message =
           [&](const protocol::ClientFromService& message, std::string_view) {
             if (auto* error = std::get_if<protocol::ErrorReply>(&message))
               refused = Error{error->code, error->message};
           },
       .on_failed = [&](Error error) { refused = std::move(error); }});
  late = &other;
  ASSERT_TRUE(w.run_until([&] { return refused.has_value(); }));
  EXPECT_EQ(refused->code, ErrorCode::kBusy);
  EXPECT_NE(refused->message.find("when it is back"), std::string::npos) << refused->message;
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["tasks"][0]["trials"], 24);
  EXPECT_TRUE(w.run_until([&] { return drained; }));
}

TEST(Draining, EndsWhenItsTimeIsOver) {
  // Given a job whose agent answers nothing, when the service drains for a moment, then the draining ends once though the job runs; the stop
  // that follows cancels it, and its client hears so.
  World w;
  w.add_agent({.measure = [](const protocol::Candidate&) { return std::nullopt; }});
  w.submit(4);
  ASSERT_TRUE(w.run_until([&] { return w.agent->measured > 0; }));
  int ends = 0;
  Draining draining(w.loop, *w.service);
  draining.begin(std::chrono::milliseconds(50), [&] { ++ends; });
  ASSERT_TRUE(w.run_until([&] { return ends > 0; }));
  EXPECT_FALSE(w.service->idle());
  EXPECT_FALSE(w.ended());
  w.stop();
  EXPECT_TRUE(w.ended());
  EXPECT_EQ(ends, 1);
}

}  // namespace
}  // namespace hone::cli
