// The service among enemies and unlucky users: jobs that mean nothing, agents that lie or say nothing.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cli/service_world.h"

namespace hone::cli {
namespace {

using namespace std::string_view_literals;

// The service goes on: an operator is tuned.
void expect_tunes(World& w) {
  w.add_agent({.measure = always_good()});
  w.submit(2);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  EXPECT_TRUE(w.result) << w.failed->message;
}

TEST(HostileService, AnAgentThatLiesIsNotBelievedAndCanBeForgotten) {
  // Given a task that an honest agent has tuned, when another with the same fingerprint says times that nothing reaches, with more samples than were
  // asked for, then its job fails and nothing is stored; when it says times that are possible but a hundred times the honest one's, then they are
  // kept as refuted and the best stays; and all that it said can be forgotten by its id.
  World w;
  const auto tune_with = [&w](std::vector<double> samples_us, uint32_t trials) {
    w.result.reset();
    w.failed.reset();
    w.add_agent({.measure = [samples_us](const protocol::Candidate&) {
      protocol::CandidateResult result = ScriptedAgent::good_result(samples_us.front());
      result.samples_us = samples_us;
      return std::optional(result);
    }});
    w.submit(trials);
    ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
    w.agent.reset();
  };
  tune_with({100, 100, 100}, 16);
  ASSERT_TRUE(w.result) << w.failed->message;
  const size_t honest = w.records().size();
  tune_with(std::vector<double>(4096, 0.001), 32);
  ASSERT_TRUE(w.failed);
  EXPECT_NE(w.failed->message.find("the agent sent 4096 samples where 3 were asked for"), std::string::npos)
      << w.failed->message;
  EXPECT_EQ(w.records().size(), honest);
  tune_with({1, 1, 1}, 32);
  ASSERT_TRUE(w.result) << w.failed->message;
  w.stop();
  auto store = std::move(tuner::open_record_store({.where = w.folder + "/hone.db"})).value();
  std::map<std::string, int> refuted;
  for (const tuner::Record& record : w.records()) refuted[record.agent] += record.standing == tuner::Standing::kRefuted;
  ASSERT_EQ(refuted.size(), 2u) << "each record says whose it is";
  const auto liar = std::max_element(refuted.begin(), refuted.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_GE(liar->second, 16);
  const tuner::Record some = w.records().front();
  EXPECT_DOUBLE_EQ((*store->best_for(some.task_id, some.device_key))->latency_us, 100);
  EXPECT_GE(store->forget({.agent = liar->first})->attempts, liar->second);
  EXPECT_EQ(w.records().size(), honest);
}

TEST(HostileService, AnAgentThatAnswersNothingHoldsAJobNoLongerThanItsTime) {
  // Given an agent that beats, prepares and never answers a candidate, when a job of one second is submitted, then it ends with a report that
  // says why, and the device is free again.
  World w;
  w.add_agent({.measure = [](const protocol::Candidate&) { return std::nullopt; }});
  protocol::JobRequest request{.kind = protocol::JobKind::kTune,
                               .source = {.op = "matmul:32x32x32"},
                               .target = "webgpu",
                               .trials = 4,
                               .time_s = 1};
  w.submit(request);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_NE((*w.result)["stopped_because"].get<std::string>().find("not measured: 1 of 1"), std::string::npos);
  w.client->send(protocol::ListDevices{.id = w.client->next_id()});
  ASSERT_TRUE(w.run_until([&] { return !w.devices.empty(); }));
  EXPECT_FALSE(w.devices[0].lease);
}

TEST(HostileService, HostileOptionsEndTheirJobAlone) {
  // Given jobs whose options have types that no reader expects, and a time to wait that no clock holds, when they are submitted, then each is
  // refused in one sentence, and the next job runs.
  World w;
  w.add_agent({.measure = always_good()});
  const nlohmann::json input = {{"name", "x"}, {"shape", {1}}, {"dtype", 5}};
  const nlohmann::json deep = nlohmann::json::array({nlohmann::json::array()});
  for (const nlohmann::json& options :
       {nlohmann::json{{"inputs", {input}}}, nlohmann::json{{"inputs", {nullptr}}}, nlohmann::json{{"check", "yes"}},
        nlohmann::json(7), nlohmann::json{{"repeats", deep}}}) {
    protocol::JobRequest request{
        .kind = protocol::JobKind::kRun, .source = {.model_name = "m.onnx"}, .target = "webgpu"};
    request.options = options;
    w.submit(request, "no model");
    ASSERT_TRUE(w.run_until([&] { return w.ended(); })) << options.dump();
    ASSERT_TRUE(w.failed) << options.dump();
    EXPECT_EQ(w.failed->code, ErrorCode::kInvalidArgument) << w.failed->message;
  }
  w.submit(1, 1e308);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  EXPECT_NE(w.failed->message.find("device_wait_s"), std::string::npos) << w.failed->message;
  w.client.reset();
  w.ready = false;
  w.submit(2);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  EXPECT_TRUE(w.result) << w.failed->message;
}

TEST(HostileService, AModelLargerThanOtherFramesIsReadWhereThereIsMemoryForIt) {
  // Given a service that may take 2 GiB, and one that may take 64 MiB, when a job comes with a model of a byte more than other frames may have,
  // then the first reads it, and the second closes the connection and says the limit.
  World w;
  const protocol::JobRequest request{.kind = protocol::JobKind::kRun, .source = {.model_name = "m.onnx"}, .target = "webgpu"};
  const std::string model(protocol::kFrameBytesMax + 1, '\0');
  const auto refusal_with = [&](int64_t memory_bytes) {
    w.stop();
    w.memory_bytes = memory_bytes;
    w.start();
    w.client.reset();
    w.ready = false;
    w.submit(request, model);
    EXPECT_TRUE(w.run_until([&] { return w.ended(); }));
    return w.failed.value_or(Error{});
  };
  EXPECT_EQ(refusal_with(int64_t{2} << 30).code, ErrorCode::kBadModel);
  EXPECT_NE(refusal_with(64 << 20).message.find("exceeds the limit of 268435456"), std::string::npos);
}

TEST(HostileService, AModelThatNeedsMoreMemoryThanThereIsEndsItsJobAlone) {
  // Given a service that may take 64 MiB, when a model with an input of 2^31 - 1 elements is to run, then its job ends with out_of_memory before
  // a device is waited for.
  World w;
  w.stop();
  w.memory_bytes = 64 << 20;
  w.start();
  protocol::JobRequest request{.kind = protocol::JobKind::kRun, .source = {.model_name = "m.onnx"}, .target = "webgpu"};
  // ir_version 8; graph g: Relu from x, float[2147483647], to y; opset 13.
  const std::string_view model =
      "\x08\x08\x3a\x31\x0a\x0c\x0a\x01x\x12\x01y\"\x04Relu\x12\x01gZ\x13\x0a\x01x\x12\x0e\x0a\x0c\x08\x01\x12\x08\x0a"
      "\x06\x08"
      "\xff\xff\xff\xff\x07\x62\x09\x0a\x01y\x12\x04\x0a\x02\x08\x01\x42\x04\x0a\0\x10\x0d"sv;
  w.submit(request, model);
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.failed);
  EXPECT_EQ(w.failed->code, ErrorCode::kOutOfMemory) << w.failed->message;
  EXPECT_NE(w.failed->message.find("MiB for the model's values"), std::string::npos) << w.failed->message;
  expect_tunes(w);
}

// The work of a child that goes wrong, in the text of its request (model_messages.h).
constexpr const char *kReadingModels = "\"work\":0", *kReferencesOfTasks = "\"work\":2";

// A service whose children do what the script says where their work is that, and else what they should.
struct ScriptedChildWorld : World {
  explicit ScriptedChildWorld(const std::string& script, const char* work = kReadingModels) {
    const std::string path = folder + "/child";
    std::ofstream(path) << "#!/bin/sh\ngrep -q '" << work << "' /proc/self/fd/3 || exec " HONE_BINARY " \"$@\"\n" << script << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    stop();
    model_program = path;
    start();
  }
  void submit_model(protocol::JobKind kind) {
    protocol::JobRequest request{.kind = kind, .source = {.model_name = "m.onnx"}, .target = "webgpu", .trials = 2};
    request.options = nlohmann::json{{"schedules", {"naive"}}};
    submit(request, "a model");
  }
};

TEST(HostileService, AModelThatCrashesItsReaderEndsItsJobAlone) {
  // Given a service whose children crash, or answer nonsense, when models are to be tuned, run and timed, then each job ends with one sentence, and an operator is tuned.
  for (const char* script : {"kill -SEGV $$", "head -c 1000 /dev/zero >&5"}) {
    ScriptedChildWorld w(script);
    for (const protocol::JobKind kind : {protocol::JobKind::kTune, protocol::JobKind::kRun, protocol::JobKind::kBench, protocol::JobKind::kCompare, protocol::JobKind::kCompareBuilds}) {
      w.submit_model(kind);
      ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
      ASSERT_TRUE(w.failed);
      EXPECT_EQ(w.failed->code, ErrorCode::kInternal) << w.failed->message;
      EXPECT_NE(w.failed->message.find("report it with the model"), std::string::npos) << w.failed->message;
    }
    expect_tunes(w);
  }
}

TEST(HostileService, AModelWhoseReaderHangsHoldsNobodyAndEndsWithItsCancel) {
  // Given a service whose children never end, when a model is to be tuned, then an operator is tuned beside it; when the first job is cancelled, then it ends.
  ScriptedChildWorld w("exec sleep 1000000");
  w.submit_model(protocol::JobKind::kTune);
  ASSERT_TRUE(w.run_until([&] { return w.progresses > 0; }));
  const std::string hanging = w.job;
  expect_tunes(w);
  w.result.reset();
  w.client->send(protocol::CancelJob{.id = w.client->next_id(), .job = hanging});
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.failed);
  EXPECT_EQ(w.failed->code, ErrorCode::kCancelled) << w.failed->message;
}

TEST(HostileService, AModelWhoseReaderHangsEndsWithItsJobsTime) {
  // Given a service whose children never end, when a model is to be tuned for a tenth of a second, then its job ends with what to do.
  ScriptedChildWorld w("exec sleep 1000000");
  w.submit({.kind = protocol::JobKind::kTune, .source = {.model_name = "m.onnx"}, .target = "webgpu", .trials = 2, .time_s = 0.1}, "a model");
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.failed);
  EXPECT_EQ(w.failed->code, ErrorCode::kTimeout) << w.failed->message;
}

TEST(HostileService, ATaskThatCrashesItsReferenceEndsItsJobAlone) {
  // Given a service whose children crash at the references of tasks, or answer nonsense, when an operator is to be tuned, then its job ends with one sentence, and the next is taken.
  for (const char* script : {"kill -SEGV $$", "head -c 1000 /dev/zero >&5"}) {
    ScriptedChildWorld w(script, kReferencesOfTasks);
    w.add_agent({.measure = always_good()});
    for (int job = 0; job < 2; ++job) {
      w.failed.reset();
      w.submit(2);
      ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
      ASSERT_TRUE(w.failed);
      EXPECT_EQ(w.failed->code, ErrorCode::kInternal) << w.failed->message;
      EXPECT_NE(w.failed->message.find("report it with the model"), std::string::npos) << w.failed->message;
    }
  }
}

}  // namespace
}  // namespace hone::cli
