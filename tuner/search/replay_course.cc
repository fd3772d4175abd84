#include "tuner/search/replay_course.h"

#include "tuner/measure/replay_runner.h"
#include "tuner/search/tune.h"

namespace hone::tuner {

namespace {

class Course final : public ProgressSink {
 public:
  void on_progress(const TuneProgress& progress) override {
    if (progress.origin != Origin::kNaive && progress.trials_new > static_cast<int>(best_us.size())) {
      if (progress.outcome == ErrorCode::kOk && (now_ == 0 || progress.latency_us < now_)) now_ = progress.latency_us;
      best_us.push_back(now_);
    }
  }
  std::vector<double> best_us;

 private:
  double now_ = 0;
};

}  // namespace

Result<Space> recorded_space(const Recording& recording, const te::Task& task) {
  HONE_ASSIGN(whole, Space::derive(task, target::default_target(recording.target)));
  return whole.restricted(recording.space);
}

Result<std::vector<double>> replay_course(const Recording& recording, const te::Task& task, RecordStore& store,
                                          const CourseOptions& how, int trials) {
  auto space = [&](const te::Task& t) { return recorded_space(recording, t); };
  ReplayBuilder builder(recording);
  ReplayRunner runner(recording);
  InlineExecutor in_line;
  Course course;
  CancelToken cancel;
  TuneOptions options{.trials_per_task = trials, .job_id = "replay", .target = target::kind_name(recording.target)};
  options.feature_version = kFeatureVersion;
  options.now_s = [] { return 0.0; };
  HONE_TRY(tune({{&task, 1}}, bare_planner(space, target::default_target(recording.target), how.seed, how.kind),
                builder, runner, store, options, how.executor ? *how.executor : in_line, course, cancel));
  return course.best_us;
}

int trials_until(const std::vector<double>& course, double wanted_us) {
  for (size_t i = 0; i < course.size(); ++i)
    if (course[i] > 0 && course[i] <= wanted_us) return static_cast<int>(i) + 1;
  return static_cast<int>(course.size()) + 1;
}

}  // namespace hone::tuner
