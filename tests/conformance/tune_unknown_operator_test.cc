// The operator that hone does not ship, tuned on every target: the whole service in this process, real agents, their devices.
#include <gtest/gtest.h>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/cat.h"
#include "base/log.h"
#include "cli/job_session.h"
#include "cli/service.h"
#include "server/agent_files.h"
#include "tests/conformance/unknown_operator.h"

namespace hone::conformance {
namespace {

constexpr int kTrials = 32;
constexpr int kRepeatsMax = 3;  // of a job on a machine so busy that the yardstick's time was unstable
constexpr std::chrono::seconds kJobWait{600};

struct Place {
  const char* target;
  const char* browser;
  friend void PrintTo(const Place& place, std::ostream* out) { *out << place.target; }
};
constexpr Place kPlaces[] = {{"webgpu", "chromium"}, {"webgl", "chromium"}, {"wasm", "chromium"},
                             {"native", "native"},   {"opengl", "native"},  {"opencl", "native"}};

constexpr struct { int64_t m, n, k; } kShapes[] = {{256, 256, 256}, {128, 384, 512}, {320, 192, 256}};

// What stands where hone reads a SPEC or a model: the service is not told more than this.
Result<std::shared_ptr<const server::JobTasks>> distance_tasks(const server::ModelRequest& request, const CancelToken*) {
  long m = 0, n = 0, k = 0;
  if (std::sscanf(request.job.source.op.value_or("").c_str(), "distance:%ldx%ldx%ld", &m, &n, &k) != 3)
    return Error{ErrorCode::kInvalidArgument, "no distance:MxNxK"};
  server::JobTasks tasks;
  tasks.tasks.push_back(distance_task(m, n, k));
  tasks.tasks.back().name = *request.job.source.op;
  tasks.weights.push_back(1);
  return std::make_shared<const server::JobTasks>(std::move(tasks));
}

// A service that knows the operator, and one agent.
class Tuning {
 public:
  explicit Tuning(const Place& place) : place_(place) {
    std::filesystem::create_directories(folder_);
    auto started = cli::Service::start(
        loop_, {.db = folder_ + "/hone.db", .agent_files = server::find_agent_files(), .tasks = distance_tasks});
    EXPECT_TRUE(started.ok()) << started.error().message;
    if (!started.ok()) return;
    service_ = std::move(*started);
    const std::string url = service_->agent_url();
    session_.emplace(loop_,
                     cli::JobSession::Config{
                         .url = url, .browser = place.browser, .target = place.target, .progress = {.quiet = true}},
                     *cli::parse_service_url(url));
  }
  ~Tuning() {
    session_.reset();
    if (service_) {
      service_->stop();
      EXPECT_TRUE(loop_.run_until([this] { return service_->idle(); }, std::chrono::seconds(20)));
    }
    service_.reset();
    std::filesystem::remove_all(folder_);
  }

  Result<nlohmann::json> tune(const std::string& op) {
    protocol::JobRequest job{.kind = protocol::JobKind::kTune, .target = place_.target};
    job.source.op = op;
    job.trials = kTrials;
    std::optional<Result<cli::JobResult>> ended;
    session_->submit(std::move(job), "", [&ended](Result<cli::JobResult> result) { ended = std::move(result); });
    if (!loop_.run_until([&ended] { return ended.has_value(); }, kJobWait))
      return Error{ErrorCode::kTimeout, "the job did not end"};
    if (!ended->ok()) return ended->error();
    return (**ended).result["tasks"][0];
  }

  // Until the yardstick has a time.
  Result<nlohmann::json> tune_until_compared(const std::string& op) {
    Result<nlohmann::json> task = tune(op);
    for (int i = 1; i < kRepeatsMax && task.ok() && (*task)["naive_ms"] == 0; ++i) task = tune(op);
    return task;
  }
  bool ready() const { return session_.has_value(); }

 private:
  const Place place_;
  const std::string folder_ = testing::TempDir() + cat("/unknown_operator_", getpid());
  net::EventLoop loop_;
  std::unique_ptr<cli::Service> service_;
  std::optional<cli::JobSession> session_;
};

class UnknownOperatorTuned : public testing::TestWithParam<Place> {};

// Given the definition alone and a device of the target, when the operator is tuned with 32 trials at three shapes, then every kernel is right,
// and the best takes at most half of the yardstick's time.
TEST_P(UnknownOperatorTuned, TwiceAsFastAsTheYardstick) {
  log_from(LogLevel::kWarn);
  Tuning tuning(GetParam());
  ASSERT_TRUE(tuning.ready());
  for (const auto& [m, n, k] : kShapes) {
    const std::string op = cat("distance:", m, "x", n, "x", k);
    const auto task = tuning.tune_until_compared(op);
    ASSERT_TRUE(task.ok()) << op << ": " << task.error().message;
    EXPECT_GE((*task)["trials"], kTrials) << op;
    for (const auto& [name, count] : (*task)["errors"].items())
      EXPECT_TRUE(name == "unstable" || name.starts_with("pruned_")) << op << ": " << name << ": " << count;
    const double naive_ms = (*task)["naive_ms"], best_ms = (*task)["best_ms"];
    ASSERT_GT(best_ms, 0) << op;
    EXPECT_GE(naive_ms, 2 * best_ms) << op;
    std::printf("%s %s: naive %.3f ms, seed %.3f ms, best %.3f ms, %.1f times as fast\n", GetParam().target, op.c_str(),
                naive_ms, (*task)["seed_ms"].get<double>(), best_ms, naive_ms / best_ms);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, UnknownOperatorTuned, testing::ValuesIn(kPlaces),
                         [](const auto& info) { return std::string(info.param.target); });

}  // namespace
}  // namespace hone::conformance
