// TaskSearch: the search of one task: what is known of its candidates, which round comes next, what it reports. No device, no threads.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/emit/kernel_source.h"
#include "tuner/measure/runner.h"
#include "tuner/records/device_state.h"
#include "tuner/records/store.h"
#include "tuner/search/report.h"
#include "tuner/search/strategy.h"
#include "tuner/search/task_scheduler.h"

namespace hone::tuner {

// kKnown: the same source was measured before, or is on its way in front of this one. kDropped: the search ended before it was submitted, or
// before it was answered.
enum class Fate : uint8_t { kPending, kNotBuilt, kKnown, kMeasured, kDropped };

// One candidate on its way.
struct Slot {
  schedule::Trace trace;
  Origin origin = Origin::kSearch;
  int samples = 3;
  double expected_us = 0;                           // by the strategy's model; 0 = unknown
  std::optional<Result<emit::KernelSource>> build;  // empty until it is built
  std::vector<float> features;                      // with it; empty = unknown
  Hash source;
  Fate fate = Fate::kPending;
  int attempt = 0;        // of the next measurement
  int tries = 0;          // of this run
  bool recorded = false;  // another search has measured it
  ErrorCode outcome = ErrorCode::kInternal;
  double latency_us = 0;
  double create_ms = 0;
  std::string message;
};

struct TaskSearchOptions {
  // Then the first round is one seed, so that every task is seen early; the yardstick comes where it is cheap.
  bool time_is_limited = false;
  int trials = 64;
  int samples = 3;
  int samples_recheck = 9;
  int rounds_in_flight = 2;
  CacheState cache = CacheState::kHot;  // times of other states are none here
};

// What is left of the search's time.
struct TimeLeft {
  bool is_over = false;  // only what a report needs is still done
  double us = std::numeric_limits<double>::infinity();
};

// What a task's yardstick should take.
struct NaiveExpectation {
  double us = 0;  // 0 = nothing is known
  // By yardsticks of the same kind: good enough for a report; else a bound, good enough to leave it out.
  bool of_its_kind = false;
};

class TaskSearch {
 public:
  // `known`: what the store holds of this task on this device. What it timed in other states of the caches alone is measured again where it was
  // among the fastest, and else as if it were new.
  // `states`: how fast its devices were then.
  TaskSearch(const te::Task& task, int weight, const std::vector<KnownTrial>& known, const DeviceStates& states,
             TaskSearchOptions options);
  // Before the first round; the strategy learns first what is known.
  void enter(Plan plan);
  bool entered() const { return phase_ != Phase::kOutside; }
  // It will not be entered: the compiler has no schedule for it on this device.
  void refuse(Error why);
  const std::optional<Error>& refusal() const { return refusal_; }

  // The candidates of the next round; empty when nothing can be started now. May be called while a search round is under way. Entered tasks only.
  std::vector<Slot> next_round(bool time_is_over);
  // Where time is limited: the yardstick in a round of its own, once the task has a time, if it is cheap against what is left. One that was given
  // up before, in this run or in the records, is not begun again. Else empty.
  std::vector<Slot> yardstick_round(const NaiveExpectation& expected, const TimeLeft& left);
  bool done() const { return phase_ == Phase::kDone; }
  bool cut_short() const { return cut_short_ || phase_ < Phase::kRecheck; }  // by the time, once that is over
  // What the measurements that end its search should take on the device, in ms.
  double finals_ms() const;
  int rounds_in_flight() const { return in_flight_; }
  // What the scheduler of all tasks wants to know.
  TaskState state() const;
  // What a slot's kernel is expected to take, for the watchdog: its own time where it is known, else the yardstick's, measured or expected.
  // 0 = unknown.
  double predicted_us(const Slot& slot) const;

  // Decides on a slot once it is built, in order of proposal: true = measure it, with slot.attempt set; false = its fate is known.
  bool admit(Slot& slot);
  // A measurement has come. True: the slot is measured again, as attempt slot.attempt.
  bool take_result(Slot& slot, const MeasureResult& result);
  // All slots of a round have their fate, in order of proposal.
  void finish_round(const std::vector<Slot>& slots);

  const te::Task& task() const { return task_; }
  bool races() const { return plan_.races; }
  // Thread-safe.
  std::vector<float> describe(const schedule::Trace& trace) const {
    return plan_.describe ? plan_.describe(trace) : std::vector<float>();
  }
  double best_us() const;
  double naive_us() const { return naive_us_; }  // 0 where it was not measured
  double seed_us() const;                        // of the first seed that got a time; 0 = none
  int trials() const { return trials_; }
  int trials_planned() const { return done() ? trials_ : std::max(trials_, options_.trials); }
  TaskReport report() const;

 private:
  enum class Phase : uint8_t { kOutside, kSeeds, kSearch, kRecheck, kDone };
  // All that is known of one source.
  struct Candidate {
    schedule::Trace trace;
    ErrorCode outcome = ErrorCode::kInternal;
    double first_us = 0;    // its first time
    double latency_us = 0;  // its best-founded time
    int sample_count = 0;   // behind latency_us
    double device_ms = 0;   // what its latest measurement took in all; 0 = unknown
    int attempts = 0;
    std::map<ErrorCode, int> seen;  // attempts by outcome
    bool yardstick_known = false;   // measured as the yardstick, and that is final
    bool admitted = false;          // on its way or measured as a candidate, not to be measured again but by a recheck
    bool counted = false;           // among the trials
    bool rechecked = false;         // in this run
    bool timed_elsewhere = false;   // known with times in other states of the caches alone
    bool of_before = false;         // its time is of an earlier run, and of whatever agent that had
    double slowdown = 1;            // of its device then; of now: 1
  };

  std::vector<Slot> first_round();
  bool wants_yardstick() const;
  void add_seeds(std::vector<Slot>& slots, size_t count);
  std::vector<Slot> search_round();
  std::vector<Slot> recheck_round();
  std::vector<Slot> halving_round();
  std::vector<Hash> contenders() const;
  bool halving_ends() const;
  bool is_decided() const;
  std::vector<Hash> finalists() const;
  double again_ms(const Hash& source, int samples) const;
  bool ends_unchallenged() const;
  bool well_founded(
      const Hash& source) const;  // measured with the many samples and not doubtful, or tried to in this run
  bool doubtful(const Candidate& candidate) const;
  void learn(const KnownTrial& known);
  void learn_source(const KnownTrial& known);
  void count_trial(const Hash& source, Candidate& candidate);
  void settle(const Slot& slot);
  void note_time_of_now(const Slot& slot, const MeasureResult& result);
  void note_prediction(const Slot& slot, double time_us);
  void learn_time(Candidate& candidate, double latency_us, int samples);
  std::vector<Hash> leaders() const;  // candidates with a time, fastest first

  const te::Task& task_;
  const int weight_;
  const double work_;
  Plan plan_;  // once it is entered
  const TaskSearchOptions options_;
  Phase phase_ = Phase::kOutside;
  std::optional<Error> refusal_;
  size_t seeds_given_ = 0;
  int in_flight_ = 0;           // rounds
  int proposed_in_flight_ = 0;  // candidates of the search that have no fate yet
  std::map<Hash, Candidate> candidates_;
  std::vector<Hash> retry_;  // known, not final
  std::vector<Hash> order_;  // counted trials in order
  std::map<std::string, int> errors_;
  int trials_ = 0, trials_new_ = 0;
  int timed_now_ = 0;       // candidates that this run's device has timed, rechecks left out …
  double best_now_us_ = 0;  // … and the fastest of them
  bool cut_short_ = false;
  bool exhausted_ = false;                                 // the strategy has nothing new
  std::vector<float> speeds_predicted_, speeds_measured_;  // of the trials that a model spoke of; 1/µs
  int barren_rounds_ = 0, recheck_rounds_ = 0;
  std::optional<std::vector<Hash>> contest_;  // of the finals, once they have begun; fewer in each of their rounds
  int contest_samples_ = 0;                   // of each of them in the last round
  std::vector<double> best_us_by_round_;
  double naive_us_ = 0;
  double naive_us_estimated_ = 0;    // where measuring it would take too long
  double naive_us_expected_ = 0;     // when it was begun
  bool yardstick_given_ = false;     // in this run
  bool yardstick_given_up_ = false;  // it did not end in time, in this run or an earlier one
  Hash seed_source_;                 // the first seed, in their order, that got a time
};

}  // namespace hone::tuner
