#include "tuner/search/tune.h"
#include "tuner/records/device_state.h"
#include "tuner/search/measured_record.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/median.h"
#include "base/number_text.h"
#include "tuner/search/limits.h"
#include "tuner/search/search_tasks.h"

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

// Submitted, not answered.
struct OnDevice {
  Round* round = nullptr;
  size_t slot = 0;
  double since_s = 0;
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

constexpr int kLostTrialsMax = 3;  // in a row

class Search {
 public:
  Search(const std::vector<WeightedTask>& tasks, const Planner& planner, Builder& builder, Runner& runner,
         RecordStore& store, const TuneOptions& options, Executor& executor, ProgressSink& progress,
         CancelToken& cancel)
      : builder_(builder),
        runner_(runner),
        store_(store),
        options_(options),
        executor_(executor),
        progress_(progress),
        cancel_(cancel),
        now_s_(options.now_s ? options.now_s : steady_s),
        tasks_(
            tasks, planner, store,
            {.target = options.target, .device_key = runner.device_key(), .feature_version = options.feature_version}) {
  }

  Result<TuneReport> run() {
    start_s_ = now_s_() - options_.time_s_spent;
    const Status searched = guarded([this] { return search(); });
    if (!searched.ok()) failure_ = searched.error();
    if (!rounds_.empty()) drain();
    Status flushed = store_.flush();
    if (failure_) return *failure_;
    HONE_TRY(std::move(flushed));
    if (auto refusal = tasks_.refusal()) return *refusal;
    return report();
  }

 private:
  Status search() {
    HONE_TRY(store_.put_device({runner_.device_key(), options_.target, options_.fingerprint_json}));
    HONE_TRY(tasks_.open({.time_is_limited = options_.time_s_max > 0,
                          .trials = options_.trials_per_task,
                          .samples = options_.samples,
                          .samples_recheck = options_.samples_recheck,
                          .rounds_in_flight = options_.rounds_in_flight,
                          .cache = options_.cache},
                         cancel_));
    heard_s_ = told_s_ = now_s_();
    while (!failure_ && !cancel_.cancelled() && !out_of_time()) {
      if (rounds_.empty()) HONE_TRY(start_rounds());
      if (rounds_.empty() || cancel_.cancelled()) break;
      HONE_TRY(turn());
    }
    return ok_status();
  }

  Status turn() {
    HONE_TRY(handle_events());
    if (!time_was_over_ && time_is_over()) HONE_TRY(move_on());
    tell_waiting();
    return ok_status();
  }

  // What fails in the middle leaves the other events to drain(), which waits for each of them.
  Status handle_events() {
    if (events_.empty()) events_ = mailbox_->take();
    while (!events_.empty()) {
      Event event = std::move(events_.front());
      events_.pop_front();
      HONE_TRY(handle(event));
    }
    return ok_status();
  }

  // The last re-measurements are part of the time that was given. What they leave is not searched with: only the least urgent tasks would
  // still be open.
  bool time_is_over() {
    if (options_.time_s_max <= 0) return false;
    const double finals_s = std::min(tasks_.finals_ms() / 1000, kFinalsShareMax * options_.time_s_max);
    time_was_over_ = time_was_over_ || elapsed_s() + finals_s >= options_.time_s_max;
    return time_was_over_;
  }

  // Nobody waits for what is on the device then.
  bool out_of_time() {
    if (options_.time_s_max <= 0 || elapsed_s() < options_.time_s_max) return false;
    return time_was_over_ = true;
  }

  double elapsed_s() const { return now_s_() - start_s_; }

  double time_left_us() const {
    constexpr double kForever = std::numeric_limits<double>::infinity();
    return options_.time_s_max > 0 ? (options_.time_s_max - elapsed_s()) * 1e6 : kForever;
  }

  Status start_rounds() {
    const bool over = time_is_over();
    while (rounds_.size() < static_cast<size_t>(options_.rounds_in_flight) && !cancel_.cancelled()) {
      HONE_ASSIGN(next, tasks_.next_round({.is_over = over, .us = time_left_us()}));
      if (!next) break;
      start(std::move(*next));
    }
    return ok_status();
  }

  void start(SearchTasks::Next next) {
    auto round = std::make_unique<Round>();
    round->search = next.search;
    round->best_us = next.search->best_us();
    round->unfinished = next.slots.size();
    round->slots = std::move(next.slots);
    for (size_t i = 0; i < round->slots.size(); ++i) post_build(*round, i);
    rounds_.push_back(std::move(round));
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

  Status handle(Event& event) {
    if (event.kind == Event::Kind::kStoreFailed) {
      if (!failure_) failure_ = event.error;
      return ok_status();
    }
    Slot& slot = event.round->slots[event.slot];
    if (event.kind == Event::Kind::kBuilt) {
      --builds_outstanding_;
      slot.build = std::move(event.build);
      slot.features = std::move(event.features);
      admit_in_order();
    } else {
      std::erase_if(on_device_,
                    [&](const OnDevice& one) { return one.round == event.round && one.slot == event.slot; });
      heard_s_ = now_s_();
      take_result(*event.round, event.slot, event.result);
    }
    return move_on();
  }

  Status move_on() {
    submit_ready();
    return finish_rounds();
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
    const size_t after = on_device_.size() + together.slots.size();
    return on_device_.empty() || after <= static_cast<size_t>(std::max(0, runner_.capacity()));
  }

  void submit_ready() {
    while (!stopping_ && !ready_.empty()) {
      const bool too_late = time_was_over_ && !in_turns(*ready_.front().round);
      if (!too_late && !has_room_for(ready_.front())) return;
      Together together = std::move(ready_.front());
      ready_.pop_front();
      for (size_t index : together.slots) too_late ? drop(*together.round, index) : submit(*together.round, index);
    }
  }

  void drop(Round& round, size_t index) {
    Slot& slot = round.slots[index];
    if (slot.tries == 0) slot.fate = Fate::kDropped;
    --round.unfinished;
  }

  void submit(Round& round, size_t index) {
    const Slot& slot = round.slots[index];
    MeasureInput input;
    input.trial_id = trial_id_of(round.search->task().id, slot.source);
    input.attempt = slot.attempt;
    input.task = &round.search->task();
    input.source = **slot.build;
    bool races = slot.origin == Origin::kSearch && round.search->races();
    input.best_so_far_us = races ? round.best_us : 0;
    input.predicted_us = round.search->predicted_us(slot);
    input.samples_wanted = slot.samples;
    input.yardstick = slot.origin == Origin::kNaive;
    input.in_turns = slot.origin == Origin::kRecheck;
    input.cache = options_.cache;
    input.both_caches = slot.origin == Origin::kRecheck && slot.samples >= options_.samples_recheck;
    input.model_bytes = options_.model_bytes;
    on_device_.push_back({&round, index, now_s_()});
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
    if (result.reference_us > 0 && !result.recorded) references_us_[result.device].push_back(result.reference_us);
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
    r.trace_json = schedule::trace_to_json(slot.trace);
    r.job_id = options_.job_id;
    r.origin = slot.origin;
    r.fingerprint_json = options_.fingerprint_json;
    r.compiler_version = options_.compiler_version;
    r.predicted_us = slot.expected_us;
    r.features = slot.features;
    r.feature_version = options_.feature_version;
    take_measurement(r, result);
    store_.insert(std::move(r), [mailbox = mailbox_](Status status) {
      if (!status.ok()) mailbox->put({.kind = Event::Kind::kStoreFailed, .error = status.error()});
    });
  }

  // Each round that ends starts the next before another may end: what a proposal knows does not depend on which result comes first.
  Status finish_rounds() {
    while (!rounds_.empty() && rounds_.front()->unfinished == 0 && !stopping_) {
      rounds_.front()->search->finish_round(rounds_.front()->slots);
      rounds_.pop_front();
      if (!failure_ && !cancel_.cancelled()) HONE_TRY(start_rounds());
    }
    return ok_status();
  }

  TuneProgress progress_of(const TaskSearch& search) {
    TuneProgress p;
    tasks_.count(p);
    p.trials_new = measured_;
    p.errors = errors_;
    p.elapsed_s = elapsed_s();
    p.task = &search.task();
    p.best_us = search.best_us();
    p.naive_us = search.naive_us();
    told_s_ = now_s_();
    return p;
  }

  void tell(const Round& round, const Slot& slot) {
    measured_ += !slot.recorded && (slot.origin == Origin::kSeed || slot.origin == Origin::kSearch);
    if (slot.outcome != ErrorCode::kOk) ++errors_[std::string(error_name(slot.outcome))];
    TuneProgress p = progress_of(*round.search);
    p.origin = slot.origin;
    p.outcome = slot.outcome;
    p.latency_us = slot.latency_us;
    p.predicted_us = slot.expected_us;
    p.message = slot.message;
    progress_.on_progress(p);
  }

  // What has kept the search silent for a while.
  void tell_waiting() {
    if (rounds_.empty() || now_s_() - told_s_ < kTellWaitingS) return;
    const Round& round = on_device_.empty() ? *rounds_.front() : *on_device_.front().round;
    TuneProgress p = progress_of(*round.search);
    const RunnerWait wait = runner_.waits_for();
    p.waits_for = wait.what.empty() ? what_it_measures(round) : wait.what;
    p.device_is_away = wait.device_is_away;
    p.waited_s = now_s_() - heard_s_;
    progress_.on_progress(p);
  }

  std::string what_it_measures(const Round& round) const {
    if (on_device_.empty()) return "the compiler";
    switch (round.slots[on_device_.front().slot].origin) {
      case Origin::kNaive:
        return "the naive kernel";
      case Origin::kRecheck:
        return "the fastest kernels, which are measured again";
      default:
        return "a kernel";
    }
  }

  // A yardstick that the time has cut off is remembered, so that the next run does not begin it again.
  void note_given_up() {
    if (!time_was_over_ || on_device_.empty() || !runner_.waits_for().what.empty()) return;
    const auto& [round, index, since_s] = on_device_.front();
    const Slot& slot = round->slots[index];
    const double device_s = now_s_() - std::max(heard_s_, since_s);
    if (slot.origin != Origin::kNaive || device_s * 1e6 < kYardstickUsMax) return;
    MeasureResult given_up{.attempt = slot.attempt, .outcome = ErrorCode::kTimeout};
    given_up.message = "the time limit was reached while it ran";
    given_up.device_ms = device_s * 1000;
    record(*round, slot, given_up);
  }

  // What is outstanding refers to tasks, builder and rounds: nothing may be left when run returns.
  void drain() {
    stopping_ = true;
    note_given_up();
    runner_.cancel();
    while (builds_outstanding_ > 0 || !on_device_.empty()) (void)handle_events();
    // What did come counts in the report.
    for (auto& round : rounds_) {
      for (Slot& slot : round->slots)
        if (slot.fate == Fate::kPending || (slot.fate == Fate::kMeasured && slot.tries == 0))
          slot.fate = Fate::kDropped;
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
    report.tasks = tasks_.reports();
    for (const TaskReport& task : report.tasks) {
      report.trials += task.trials;
      report.trials_new += task.trials_new;
    }
    report.wall_s = elapsed_s() - options_.time_s_spent;
    report.device_s = device_ms_ / 1000;
    report.slowdown = slowdown();
    report.trials_per_second = report.wall_s > 0 ? report.trials_new / report.wall_s : 0;
    report.cancelled = cancel_.cancelled();
    report.stopped_because = why_stopped(report);
    return report;
  }

  // Of the device that measured most.
  double slowdown() const {
    const std::vector<double>* most = nullptr;
    const std::string* device = nullptr;
    for (const auto& [name, us] : references_us_)
      if (!most || us.size() > most->size()) most = &us, device = &name;
    const auto states = DeviceStates::read(store_, runner_.device_key());
    if (!most || !states.ok()) return 1;
    return states->slowdown(*device, options_.compiler_version, median(*most));
  }

  std::string why_stopped(const TuneReport& report) const {
    if (report.cancelled) return "stopped before its end; the records are kept, repeat the command to go on";
    if (!time_was_over_ || !tasks_.cut_short()) return "";
    const auto unmeasured =
        std::count_if(report.tasks.begin(), report.tasks.end(), [](const TaskReport& t) { return t.trials == 0; });
    std::string why = cat("the time limit of ", given_text(options_.time_s_max), " s was reached");
    if (unmeasured > 0)
      why += cat("; tasks that were not measured: ", unmeasured, " of ", report.tasks.size(),
                 "; a longer --time reaches more of them");
    return why;
  }

  Builder& builder_;
  Runner& runner_;
  RecordStore& store_;
  const TuneOptions& options_;
  Executor& executor_;
  ProgressSink& progress_;
  CancelToken& cancel_;
  const std::function<double()> now_s_;
  SearchTasks tasks_;
  double start_s_ = 0;
  double heard_s_ = 0;  // when the latest result came, …
  double told_s_ = 0;   // … and when the progress was told last
  bool time_was_over_ = false;

  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::deque<Event> events_;                   // taken from it, not yet handled
  std::deque<std::unique_ptr<Round>> rounds_;  // in the order of proposal
  std::deque<Together> ready_;                 // built and admitted, not yet submitted
  int builds_outstanding_ = 0;
  std::deque<OnDevice> on_device_;  // the oldest first
  int lost_in_a_row_ = 0, measured_ = 0;
  std::map<std::string, int> errors_;  // of this run
  double device_ms_ = 0;
  std::map<std::string, std::vector<double>> references_us_;  // of this run, by device
  bool stopping_ = false;
  std::optional<Error> failure_;
};

}  // namespace

Result<TuneReport> tune(const std::vector<WeightedTask>& tasks, const Planner& planner, Builder& builder,
                        Runner& runner, RecordStore& store, const TuneOptions& options, Executor& executor,
                        ProgressSink& progress, CancelToken& cancel) {
  return Search(tasks, planner, builder, runner, store, options, executor, progress, cancel).run();
}

}  // namespace hone::tuner
