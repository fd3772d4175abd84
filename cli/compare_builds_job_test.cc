// Jobs that compare two builds of a model, by the whole service in this process, with agents that follow a script.
#include <gtest/gtest.h>

#include <fstream>

#include "base/rng.h"
#include "cli/bench_build.h"
#include "cli/relu_model.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

std::string package_of(const World& w, const SourceOptions& source) {
  CommonOptions common;
  common.db = w.folder + "/none.db";
  auto archive = own_build(common)->archive_of({.name = "m", .source = source, .target = "webgpu"});
  CHECK(archive.ok(), archive.ok() ? "" : archive.error().message);
  return *archive;
}

std::string relu_package(const World& w) {
  const std::string file = w.folder + "/m.onnx";
  std::ofstream(file, std::ios::binary) << kReluModel;
  return package_of(w, {.model = file});
}

// Runs of the old build take 2 ms, those of the new one `factor` times as long, each scattered by half a hundredth to either side.
struct BuildsWorld : World {
  explicit BuildsWorld(double factor) : factor(factor) {
    add_agent({.measure = always_good(), .execute = [this](const protocol::Execute& frame) { return answer(frame); }});
  }
  std::optional<protocol::Executed> answer(const protocol::Execute& frame) {
    frames.push_back(frame);
    protocol::Executed done{.create_ms = 5, .first_ms = 3};
    done.quad_ms.emplace(), done.reference_us.emplace();
    for (size_t i = 0; i < 4 * frame.rival->rival_first.size(); ++i) {
      done.quad_ms->push_back(2 * (1 - scatter / 2 + scatter * static_cast<double>(coin.below(1000)) / 1000) * (i % 2 == 0 ? 1 : factor));
      done.reference_us->push_back(100);
    }
    if (spoils) spoils(done);
    return done;
  }
  void compare(const std::string& old_package, const std::string& new_package, nlohmann::json options = nlohmann::json::object()) {
    protocol::JobRequest request{.kind = protocol::JobKind::kCompareBuilds, .source = {.model_name = "m", .package = true}, .target = "webgpu", .seed = 1};
    options["model_bytes"] = old_package.size();
    request.options = std::move(options);
    submit(request, old_package + new_package);
    CHECK(run_until([&] { return ended(); }), "the job does not end");
  }

  const double factor;
  double scatter = 0.01;
  Rng coin{7};
  std::vector<protocol::Execute> frames;
  std::function<void(protocol::Executed&)> spoils;
};

TEST(CompareBuildsJob, EndsWhenItIsKnown) {
  // Given a new build that is half as slow again, a tenth faster, and the same, when it is compared with the old one, then the verdict says so, its interval holds the truth, and it is known before the last look; each
  // block is on a fresh device, has two quads, and its own coins.
  for (const auto& [factor, verdict] : {std::pair(1.5, "slower"), {0.9, "faster"}, {1.0, "same"}}) {
    BuildsWorld w(factor);
    const std::string package = relu_package(w);
    w.compare(package, package);
    ASSERT_TRUE(w.result) << w.failed->message;
    const nlohmann::json& comparison = (*w.result)["comparison"];
    EXPECT_EQ(comparison["verdict"], verdict) << *w.result;
    EXPECT_LE(comparison["ratio_low"], factor);
    EXPECT_GE(comparison["ratio_high"], factor);
    EXPECT_LT(comparison["pairs"], 120);
    EXPECT_EQ(comparison["blocks"], w.frames.size());
    EXPECT_EQ((*w.result)["old_ms"].size(), 4 * w.frames.size());
    std::set<std::vector<bool>> coins;
    for (const protocol::Execute& frame : w.frames) {
      EXPECT_TRUE(frame.fresh.value_or(false));
      EXPECT_EQ(frame.rival->rival_first.size(), 2u);
      coins.insert(frame.rival->rival_first);
    }
    EXPECT_GT(coins.size(), 1u);
  }
}

TEST(CompareBuildsJob, SamplesComeInTheOrderInWhichTheyWereTaken) {
  // Given times that say when each was taken, when builds are compared, then each build's samples are told in that order.
  BuildsWorld w(1);
  w.spoils = [&w](protocol::Executed& done) {
    const std::vector<bool>& first = w.frames.back().rival->rival_first;
    for (size_t quad = 0; quad < first.size(); ++quad) {
      const std::array<size_t, 4> order = first[quad] ? std::array<size_t, 4>{1, 0, 2, 3} : std::array<size_t, 4>{0, 1, 3, 2};
      for (size_t i = 0; i < 4; ++i) (*done.quad_ms)[4 * quad + order[i]] = static_cast<double>(8 * (w.frames.size() - 1) + 4 * quad + i + 1);
    }
  };
  const std::string package = relu_package(w);
  w.compare(package, package, {{"pairs_max", 12}});
  ASSERT_TRUE(w.result) << w.failed->message;
  for (const char* side : {"old_ms", "new_ms"}) {
    const auto told = (*w.result)[side].get<std::vector<double>>();
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end())) << side << *w.result;
  }
  EXPECT_EQ((*w.result)["comparison"]["pairs"], 12);
}

TEST(CompareBuildsJob, GoesOnWhereManyAreJudgedTogether) {
  // Given a build that is a fiftieth slower, when it is compared alone and as one of a million, then the second takes more pairs.
  std::vector<int> pairs;
  for (const int family : {1, 1000000}) {
    BuildsWorld w(1.02);
    const std::string package = relu_package(w);
    w.compare(package, package, {{"family", family}});
    ASSERT_TRUE(w.result) << w.failed->message;
    EXPECT_EQ((*w.result)["comparison"]["verdict"], "slower");
    pairs.push_back((*w.result)["comparison"]["pairs"]);
  }
  EXPECT_LT(pairs[0], pairs[1]);
}

TEST(CompareBuildsJob, WhatIsTheSameIsSaidByWhoAsks) {
  // Given equal builds whose times scatter by a twelfth, when they are compared, then it is not known within 1 % after 120 pairs whether they are; within 5 % it is, and sooner.
  std::vector<nlohmann::json> found;
  for (const double within : {0.01, 0.05}) {
    BuildsWorld w(1);
    w.scatter = 1.0 / 12;
    const std::string package = relu_package(w);
    w.compare(package, package, {{"same_within", within}});
    ASSERT_TRUE(w.result) << w.failed->message;
    found.push_back((*w.result)["comparison"]);
  }
  EXPECT_EQ(found[0]["verdict"], "inconclusive") << found[0];
  EXPECT_EQ(found[1]["verdict"], "same") << found[1];
  EXPECT_LT(found[1]["pairs"], found[0]["pairs"]);
}

TEST(CompareBuildsJob, RefusesWhatCannotBeCompared) {
  // Given packages of two models, one that is none, a length beyond the payload, and a model that is no package, when compared, then each is refused in one sentence, and nothing runs.
  BuildsWorld w(1);
  const std::string relu = relu_package(w), product = package_of(w, {.op = "matmul:32x32x32"});
  w.compare(relu, product);
  ASSERT_TRUE(w.failed);
  EXPECT_EQ(w.failed->code, ErrorCode::kInvalidArgument);
  EXPECT_NE(w.failed->message.find("not of one model"), std::string::npos) << w.failed->message;
  w.compare(relu, "nonsense");
  ASSERT_TRUE(w.failed);
  EXPECT_EQ(w.failed->code, ErrorCode::kParseError) << w.failed->message;
  for (nlohmann::json options : {nlohmann::json{{"model_bytes", 1 << 30}}, nlohmann::json::object()}) {
    protocol::JobRequest request{.kind = protocol::JobKind::kCompareBuilds, .source = {.model_name = "m", .package = options.empty() ? std::nullopt : std::optional(true)}, .target = "webgpu", .seed = 1};
    request.options = options;
    w.submit(request, options.empty() ? std::string_view(kReluModel) : std::string_view(relu));
    ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
    ASSERT_TRUE(w.failed) << options;
    EXPECT_EQ(w.failed->code, ErrorCode::kInvalidArgument) << w.failed->message;
  }
  EXPECT_TRUE(w.frames.empty());
}

TEST(CompareBuildsJob, TimesThatAreNoneAreRefused) {
  // Given an agent that answers with too few times, none at all, or times that are not positive, when builds are compared, then the job fails with protocol_error.
  const std::vector<std::function<void(protocol::Executed&)>> answers{[](auto& done) { done.quad_ms->pop_back(); }, [](auto& done) { done.quad_ms.reset(); }, [](auto& done) { done.quad_ms->front() = 0; },
                                                                     [](auto& done) { done.reference_us->back() = -1; }, [](auto& done) { done.reference_us.reset(); }};
  for (const auto& spoils : answers) {
    BuildsWorld w(1);
    w.spoils = spoils;
    const std::string package = relu_package(w);
    w.compare(package, package);
    ASSERT_TRUE(w.failed);
    EXPECT_EQ(w.failed->code, ErrorCode::kProtocolError) << w.failed->message;
  }
}

}  // namespace
}  // namespace hone::cli
