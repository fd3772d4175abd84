#include "tuner/search/tune.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "base/cat.h"
#include "base/guarded.h"
#include "tuner/search/limits.h"
#include "tuner/search/recall.h"
#include "tuner/search/task_search.h"

namespace hone::tuner {

namespace {

struct Round {
  TaskSearch* search = nullptr;
  std::vector<Slot> slots;
  size_t admitted = 0;  // slots[0, admitted) have been judged
  size_t unfinished = 0;
  double best_us = 0;  // when it was proposed: racing against a later best would make results depend on timing
};

// Slots that are submitted in one go: finalists, which are measured in turns, or one candidate.
struct Together {
  Round* round = nullptr;
  std::vector<size_t> slots;
};

bool in_turns(const Round& round) { return round.slots.front().origin == Origin::kRecheck; }

bool all_built(const Round& round) {
  return std::all_of(round.slots.begin(), round.slots.end(), [](const Slot& slot) { return slot.build.has_value(); });
}

struct Event {
  enum class Kind : uint8_t { kBuilt, kMeasured, kStoreFailed } kind;
  Round* round = nullptr;
  size_t slot = 0;
  std::optional<Result<emit::KernelSource>> build;
  std::vector<float> features;
  MeasureResult result;
  Error error;
};

// What worker threads, the runner and the store tell the search. Shared with their callbacks.
class Mailbox {
 public:
  void put(Event event) {
    {
      std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    wake_.notify_one();
  }
  // Waits a while for something to come.
  std::deque<Event> take() {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, std::chrono::milliseconds(kWakeMs), [this] { return !events_.empty(); });
    return std::exchange(events_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Event> events_;
};

double steady_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Outcomes belong to a candidate; any other code means that the device cannot be used further.
bool is_outcome(ErrorCode code) { return static_cast<int>(code) <= static_cast<int>(ErrorCode::kUnstable); }

constexpr int kLostTrialsMax = 3;  // in a row

class Search {
 public:
  Search(const std::vector<WeightedTask>& tasks, Builder& builder, Runner& runner, RecordStore& store,
         const TuneOptions& options, Executor& executor, ProgressSink& progress, CancelToken& cancel)
      : tasks_(tasks),
        builder_(builder),
        runner_(runner),
        store_(store),
        options_(options),
        executor_(executor),
        progress_(progress),
        cancel_(cancel),
        now_s_(options.now_s ? options.now_s : steady_s) {}

  Result<TuneReport> run(const Planner& planner) {
    start_s_ = now_s_();
    const Status searched = guarded([&] { return search(planner); });
    if (!searched.ok()) failure_ = searched.error();
    if (!rounds_.empty()) drain();
    Status flushed = store_.flush();
    if (failure_) return *failure_;
    HONE_TRY(std::move(flushed));
    return report();
  }

 private:
  Status search(const Planner& planner) {
    HONE_TRY(prepare(planner));
    heard_s_ = now_s_();
    while (!failure_ && !cancel_.cancelled() && !is_overdue()) {
      if (rounds_.empty()) start_rounds();
      if (rounds_.empty()) break;
      for (Event& event : mailbox_->take()) handle(event);
    }
    return ok_status();
  }

  Status prepare(const Planner& planner) {
    HONE_TRY(store_.put_device({runner_.device_key(), options_.target, options_.fingerprint_json}));
    RecallOptions recall{
        .target = options_.target, .device_key = runner_.device_key(), .feature_version = options_.feature_version};
    for (const WeightedTask& one : tasks_) recall.tasks.insert(one.task->id);
    Recalled recalled;
    for (const WeightedTask& one : tasks_) {
      if (cancel_.cancelled()) break;
      const te::Task& task = *one.task;
      HONE_TRY(store_.put_task({task.id, task.name, te::canonical_text(task), task.flops}));
      HONE_ASSIGN(plan, planner(task));
      if (plan.experience) HONE_TRY(recall_neighbours(task, plan, store_, recall, recalled));
      HONE_ASSIGN(known, store_.known_trials(task.id, runner_.device_key()));
      TaskSearchOptions limits{.trials = options_.trials_per_task,
                               .samples = options_.samples,
                               .samples_recheck = options_.samples_recheck,
                               .rounds_in_flight = options_.rounds_in_flight};
      searches_.push_back(std::make_unique<TaskSearch>(task, one.weight, std::move(plan), std::move(known), limits));
    }
    return ok_status();
  }

  std::vector<TaskSearch*> by_urgency() const {
    std::vector<TaskState> states;
    for (const auto& search : searches_) states.push_back(search->state());
    std::vector<TaskSearch*> open;
    for (size_t i : by_gain(states)) open.push_back(searches_[i].get());
    return open;
  }

  // The last re-measurements are part of the time that was given; at most half of it is kept for them. What they leave is not searched with:
  // only the least urgent tasks would still be open.
  bool time_is_over() {
    if (options_.time_s_max <= 0) return false;
    if (time_was_over_) return true;
    double elapsed_s = now_s_() - start_s_;
    auto open = std::count_if(searches_.begin(), searches_.end(), [](const auto& search) { return !search->done(); });
    double recheck_s = measured_ > 0 ? kRecheckCost * elapsed_s / measured_ : 0;
    double kept_s = std::min(static_cast<double>(open * (kRecheckLeaders + 1)) * recheck_s, options_.time_s_max / 2);
    time_was_over_ = elapsed_s + kept_s >= options_.time_s_max;
    return time_was_over_;
  }

  // A device that answers nothing holds the job no longer than its time.
  bool is_overdue() {
    if (options_.time_s_max <= 0) return false;
    const double now_s = now_s_();
    overdue_ = now_s - start_s_ > options_.time_s_max && now_s - heard_s_ > kOverdueS;
    return overdue_;
  }

  void start_rounds() {
    bool over = time_is_over();
    while (rounds_.size() < static_cast<size_t>(options_.rounds_in_flight) && start_one(over)) {}
  }

  bool start_one(bool time_is_over) {
    for (TaskSearch* search : by_urgency()) {
      std::vector<Slot> slots = search->next_round(time_is_over);
      if (slots.empty()) continue;
      auto round = std::make_unique<Round>();
      round->search = search;
      round->best_us = search->best_us();
      round->unfinished = slots.size();
      round->slots = std::move(slots);
      for (size_t i = 0; i < round->slots.size(); ++i) post_build(*round, i);
      rounds_.push_back(std::move(round));
      return true;
    }
    return false;
  }

  void post_build(Round& round, size_t slot) {
    ++builds_outstanding_;
    executor_.post([this_builder = &builder_, mailbox = mailbox_, round = &round, slot, search = round.search,
                    trace = round.slots[slot].trace] {
      Event event{.kind = Event::Kind::kBuilt, .round = round, .slot = slot};
      event.build = guarded([&] {
        auto source = this_builder->build(search->task(), trace);
        if (source.ok()) event.features = search->describe(trace);
        return source;
      });
      mailbox->put(std::move(event));
    });
  }

  void handle(Event& event) {
    if (event.kind == Event::Kind::kStoreFailed) {
      if (!failure_) failure_ = event.error;
      return;
    }
    Slot& slot = event.round->slots[event.slot];
    if (event.kind == Event::Kind::kBuilt) {
      --builds_outstanding_;
      slot.build = std::move(event.build);
      slot.features = std::move(event.features);
      admit_in_order();
    } else {
      --measures_outstanding_;
      heard_s_ = now_s_();
      take_result(*event.round, event.slot, event.result);
    }
    submit_ready();
    finish_rounds();
  }

  // Judging strictly in the order of proposal makes the removal of duplicates independent of which build ends first.
  void admit_in_order() {
    for (auto& round : rounds_) {
      if (in_turns(*round) && !all_built(*round)) return;
      for (; round->admitted < round->slots.size(); ++round->admitted) {
        Slot& slot = round->slots[round->admitted];
        if (!slot.build) return;
        if (round->search->admit(slot)) {
          make_ready(*round, round->admitted);
          continue;
        }
        --round->unfinished;
        if (slot.fate == Fate::kNotBuilt) ++errors_[std::string(error_name(slot.outcome))];
      }
    }
  }

  void make_ready(Round& round, size_t slot) {
    bool joins = in_turns(round) && !ready_.empty() && ready_.back().round == &round;
    if (joins) ready_.back().slots.push_back(slot);
    else ready_.push_back({&round, {slot}});
  }

  bool has_room_for(const Together& together) const {
    int after = measures_outstanding_ + static_cast<int>(together.slots.size());
    return measures_outstanding_ == 0 || after <= runner_.capacity();
  }

  void submit_ready() {
    while (!stopping_ && !ready_.empty() && has_room_for(ready_.front())) {
      Together together = std::move(ready_.front());
      ready_.pop_front();
      for (size_t index : together.slots) submit(*together.round, index);
    }
  }

  void submit(Round& round, size_t index) {
    const Slot& slot = round.slots[index];
    MeasureInput input;
    input.trial_id = hash_mix(round.search->task().id.lo, slot.source.lo) >> 11;  // 53 bits: exact in a JSON number
    input.attempt = slot.attempt;
    input.task = &round.search->task();
    input.source = **slot.build;
    bool races = slot.origin == Origin::kSearch && round.search->races();
    input.best_so_far_us = races ? round.best_us : 0;
    input.predicted_us = round.search->predicted_us(slot);
    input.samples_wanted = slot.samples;
    input.yardstick = slot.origin == Origin::kNaive;
    input.in_turns = slot.origin == Origin::kRecheck;
    ++measures_outstanding_;
    runner_.submit(std::move(input), [mailbox = mailbox_, round = &round, index](MeasureResult result) {
      mailbox->put({.kind = Event::Kind::kMeasured, .round = round, .slot = index, .result = std::move(result)});
    });
  }

  void take_result(Round& round, size_t index, const MeasureResult& result) {
    Slot& slot = round.slots[index];
    if (result.ends_search || !is_outcome(result.outcome)) {
      if (result.outcome != ErrorCode::kCancelled && !failure_) failure_ = Error{result.outcome, result.message};
      --round.unfinished;
      return;
    }
    if (!result.recorded) record(round, slot, result);
    device_ms_ += result.device_ms;
    if (round.search->take_result(slot, result)) {
      ready_.push_front({&round, {index}});
      return;
    }
    --round.unfinished;
    // What is only measured again is not tried again: several of these are lost at once with an agent that may come back.
    if (result.outcome != ErrorCode::kAgentGone) lost_in_a_row_ = 0;
    else if (slot.origin != Origin::kRecheck) ++lost_in_a_row_;
    if (lost_in_a_row_ >= kLostTrialsMax && !failure_)
      failure_ = Error{ErrorCode::kNoDevice,
                       "the device's agent left and did not come back; start it again, then repeat the command: it "
                       "goes on from the records"};
    tell(round, slot);
  }

  void record(const Round& round, const Slot& slot, const MeasureResult& result) {
    Record r;
    r.task_id = round.search->task().id;
    r.device_key = runner_.device_key();
    r.source_hash = slot.source;
    r.attempt = result.attempt;
    r.trace_json = schedule::trace_to_json(slot.trace);
    r.job_id = options_.job_id;
    r.origin = slot.origin;
    r.outcome = result.outcome;
    r.message = result.message;
    r.samples_us = result.samples_us;
    r.latency_us_median = result.latency_us_median;
    r.method = result.method;
    r.clock_resolution_ns = result.clock_resolution_ns;
    r.repeats = result.repeats;
    r.create_ms = result.create_ms;
    r.device_ms = result.device_ms;
    r.max_error = result.max_error;
    r.reference_us = result.reference_us;
    r.fingerprint_json = result.fingerprint_json.empty() ? options_.fingerprint_json : result.fingerprint_json;
    r.compiler_version = options_.compiler_version;
    r.predicted_us = slot.expected_us;
    r.features = slot.features;
    r.feature_version = options_.feature_version;
    r.fence = result.fence;
    r.agent = result.agent;
    store_.insert(std::move(r), [mailbox = mailbox_](Status status) {
      if (!status.ok()) mailbox->put({.kind = Event::Kind::kStoreFailed, .error = status.error()});
    });
  }

  // Each round that ends starts the next before another may end: what a proposal knows does not depend on which result comes first.
  void finish_rounds() {
    while (!rounds_.empty() && rounds_.front()->unfinished == 0 && !stopping_) {
      rounds_.front()->search->finish_round(rounds_.front()->slots);
      rounds_.pop_front();
      if (!failure_ && !cancel_.cancelled()) start_rounds();
    }
  }

  void tell(const Round& round, const Slot& slot) {
    TuneProgress p;
    p.tasks = static_cast<int>(searches_.size());
    for (const auto& search : searches_) {
      p.tasks_done += search->done();
      p.trials += search->trials();
      p.trials_planned += search->trials_planned();
    }
    measured_ += !slot.recorded && (slot.origin == Origin::kSeed || slot.origin == Origin::kSearch);
    if (slot.outcome != ErrorCode::kOk) ++errors_[std::string(error_name(slot.outcome))];
    p.trials_new = measured_;
    p.errors = errors_;
    p.elapsed_s = now_s_() - start_s_;
    p.task = &round.search->task();
    p.origin = slot.origin;
    p.outcome = slot.outcome;
    p.latency_us = slot.latency_us;
    p.predicted_us = slot.expected_us;
    p.best_us = round.search->best_us();
    p.naive_us = round.search->naive_us();
    p.message = slot.message;
    progress_.on_progress(p);
  }

  // What is outstanding refers to tasks, builder and rounds: nothing may be left when run returns.
  void drain() {
    stopping_ = true;
    runner_.cancel();
    while (builds_outstanding_ > 0 || measures_outstanding_ > 0)
      for (Event& event : mailbox_->take()) handle(event);
    // What did come counts in the report.
    for (auto& round : rounds_) {
      std::erase_if(round->slots, [](const Slot& slot) {
        return slot.fate == Fate::kPending || (slot.fate == Fate::kMeasured && slot.tries == 0);
      });
      round->search->finish_round(round->slots);
    }
    rounds_.clear();
  }

  TuneReport report() const {
    TuneReport report;
    report.job = options_.job_id;
    report.target = options_.target;
    report.device = nlohmann::ordered_json::parse(options_.fingerprint_json, nullptr, false);
    if (!report.device.is_object()) report.device = nlohmann::ordered_json::object();
    report.device["key"] = runner_.device_key();
    for (const auto& search : searches_) {
      report.tasks.push_back(search->report());
      report.trials += report.tasks.back().trials;
      report.trials_new += report.tasks.back().trials_new;
    }
    report.wall_s = now_s_() - start_s_;
    report.device_s = device_ms_ / 1000;
    report.trials_per_second = report.wall_s > 0 ? report.trials_new / report.wall_s : 0;
    report.cancelled = cancel_.cancelled();
    bool time_over =
        std::any_of(searches_.begin(), searches_.end(), [](const auto& search) { return search->cut_short(); });
    if (report.cancelled)
      report.stopped_because = "the job was cancelled; the records are kept, repeat the command to go on";
    else if (overdue_)
      report.stopped_because =
          cat("the time of ", std::lround(options_.time_s_max), " s was over, and the device had answered nothing for ",
              std::lround(kOverdueS), " s");
    else if (time_over) report.stopped_because = cat("the time of ", std::lround(options_.time_s_max), " s was over");
    return report;
  }

  const std::vector<WeightedTask>& tasks_;
  Builder& builder_;
  Runner& runner_;
  RecordStore& store_;
  const TuneOptions& options_;
  Executor& executor_;
  ProgressSink& progress_;
  CancelToken& cancel_;
  const std::function<double()> now_s_;
  double start_s_ = 0;
  double heard_s_ = 0;  // when the latest result came
  bool time_was_over_ = false, overdue_ = false;

  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::vector<std::unique_ptr<TaskSearch>> searches_;
  std::deque<std::unique_ptr<Round>> rounds_;  // in the order of proposal
  std::deque<Together> ready_;                 // built and admitted, not yet submitted
  int builds_outstanding_ = 0, measures_outstanding_ = 0;
  int lost_in_a_row_ = 0, measured_ = 0;
  std::map<std::string, int> errors_;  // of this run
  double device_ms_ = 0;
  bool stopping_ = false;
  std::optional<Error> failure_;
};

}  // namespace

Result<TuneReport> tune(const std::vector<WeightedTask>& tasks, const Planner& planner, Builder& builder,
                        Runner& runner, RecordStore& store, const TuneOptions& options, Executor& executor,
                        ProgressSink& progress, CancelToken& cancel) {
  return Search(tasks, builder, runner, store, options, executor, progress, cancel).run(planner);
}

}  // namespace hone::tuner
