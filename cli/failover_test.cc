// Jobs that run and time models, whose device goes away while an equal one is there.
#include <gtest/gtest.h>

#include <fstream>

#include "cli/bench_build.h"
#include "cli/relu_model.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

// Two equal devices, which differ in their browsers' versions and in how fast they are. The one that is used first goes away when it is asked once more
// than `answers` times.
struct TwoDevices : World {
  explicit TwoDevices(size_t answers, bool by_word = false) : answers(answers), by_word(by_word) {
    for (uint32_t i = 0; i < 2; ++i) {
      protocol::DeviceOffer offer = ScriptedAgent::some_device();
      offer.fingerprint.browser_major = i + 1;
      agents[i] = &add_another_agent({.measure = [this, i](const protocol::Candidate&) { return goes(i) ? std::nullopt : std::optional(ScriptedAgent::good_result(time_of(i))); },
                                      .execute = [this, i](const protocol::Execute& frame) { return run(i, frame); },
                                      .devices = {offer}});
    }
    connect(url.token);
    CHECK(run_until([&] { return ready; }), "the service does not greet");
    while (devices.size() < 2) {
      const int before = pages;
      client->send(protocol::ListDevices{.id = client->next_id()});
      CHECK(run_until([&] { return pages > before; }), "no list of devices");
    }
    CHECK(devices[0].device_key == devices[1].device_key, "they are of one class");
  }
  static double time_of(uint32_t i) { return i == 0 ? 100 : 300; }
  bool goes(uint32_t i) {
    if (!first) first = i;
    if (i != *first || asked++ < answers) return false;
    if (!by_word) loop.post([agent = agents[i]] { agent->vanish(); });
    return true;
  }
  std::optional<protocol::Executed> run(uint32_t i, const protocol::Execute& frame) {
    protocol::Executed done{.create_ms = 5, .first_ms = 3};
    if (goes(i)) {
      done.error = protocol::Failure{.code = ErrorCode::kDeviceLost, .message = "the GPU was reset"};
      return by_word ? std::optional(done) : std::nullopt;
    }
    if (frame.rival) {
      done.quad_ms.emplace(4 * frame.rival->rival_first.size(), time_of(i));
      done.reference_us.emplace(done.quad_ms->size(), 100);
      return done;
    }
    done.run_ms.assign(frame.repeats, time_of(i));
    done.kernel_ms.assign(frame.repeats, time_of(i));
    return done;
  }
  void finish(protocol::JobKind kind, nlohmann::json options, std::string_view payload = kReluModel) {
    protocol::JobRequest request{.kind = kind, .source = {.model_name = "m.onnx", .package = payload == kReluModel ? std::nullopt : std::optional(true)}, .target = "webgpu", .trials = 4, .seed = 1};
    request.options = std::move(options);
    submit(request, payload);
    CHECK(run_until([&] { return ended(); }), "the job does not end");
  }
  // All that is told is of the second one.
  void expect_moved() const {
    ASSERT_TRUE(result) << failed->message;
    ASSERT_TRUE(first);
    EXPECT_EQ((*result)["device_changes"], 1);
    EXPECT_EQ((*result)["device"]["browser_major"], 2 - *first);
  }
  double time_of_second() const { return time_of(1 - *first); }

  const size_t answers;
  const bool by_word;
  std::optional<uint32_t> first;
  size_t asked = 0;
  std::array<ScriptedAgent*, 2> agents{};
};

TEST(Failover, ARunGoesToAnEqualDevice) {
  // Given two equal devices and a model that runs on one, when that one goes away, or says that it was lost, then the model is run on the other, and the result is of that one and says so.
  for (const bool by_word : {false, true}) {
    TwoDevices w(0, by_word);
    w.finish(protocol::JobKind::kRun, {{"repeats", 3}});
    w.expect_moved();
    EXPECT_EQ((*w.result)["run_ms"], nlohmann::json(std::vector<double>(3, w.time_of_second())));
  }
}

TEST(Failover, ATimingHasTimesOfOneDeviceAlone) {
  // Given two equal devices and schedules that are timed in turns on one, when that one goes away in the second turn, or says that it was lost, then all is timed anew on the other: there is no time of the first, and the
  // result says so.
  for (const bool by_word : {false, true}) {
    TwoDevices w(4, by_word);
    w.finish(protocol::JobKind::kBench, {{"repeats", 4}, {"schedules", {"best", "seed", "naive"}}, {"time_s", 60}});
    w.expect_moved();
    const auto& variants = (*w.result)["variants"];
    ASSERT_EQ(variants.size(), 3u);
    EXPECT_EQ(variants[0]["schedule"], "best");
    EXPECT_EQ(variants[2]["schedule"], "naive");
    for (const auto& variant : variants) {
      EXPECT_EQ(variant["skipped"], nullptr);
      EXPECT_EQ(variant["run_ms"], nlohmann::json(std::vector<double>(4, w.time_of_second())));
    }
  }
}

TEST(Failover, AComparisonHasTimesOfOneDeviceAlone) {
  // Given two equal devices and schedules that are compared in rounds on one, when that one goes away in the third round, then all rounds are taken anew on the other, and the result says so.
  TwoDevices w(5);
  w.finish(protocol::JobKind::kCompare, {{"schedules", {"seed", "naive"}}, {"rounds", 4}});
  w.expect_moved();
  const auto& schedules = (*w.result)["schedules"];
  ASSERT_EQ(schedules.size(), 2u);
  for (const auto& schedule : schedules) EXPECT_EQ(schedule["us_rounds"], nlohmann::json(std::vector<double>(4, w.time_of_second()))) << schedule["message"];
  for (const tuner::Record& record : w.records()) EXPECT_DOUBLE_EQ(record.latency_us_median, w.time_of_second());
}

TEST(Failover, AComparisonOfBuildsHasTimesOfOneDeviceAlone) {
  // Given two equal devices and two builds that are compared on one, when that one goes away in the fourth block, then all blocks are taken anew on the other, and the result says so.
  TwoDevices w(3);
  const std::string file = w.folder + "/m.onnx";
  std::ofstream(file, std::ios::binary) << kReluModel;
  CommonOptions common;
  common.db = w.folder + "/none.db";
  const auto package = own_build(common)->archive_of({.name = "m", .source = {.model = file}});
  ASSERT_TRUE(package.ok()) << package.error().message;
  w.finish(protocol::JobKind::kCompareBuilds, {{"model_bytes", package->size()}, {"pairs_max", 24}}, *package + *package);
  w.expect_moved();
  EXPECT_EQ((*w.result)["old_ms"], nlohmann::json(std::vector<double>(24, w.time_of_second())));
  EXPECT_EQ((*w.result)["new_ms"], (*w.result)["old_ms"]);
}

}  // namespace
}  // namespace hone::cli
