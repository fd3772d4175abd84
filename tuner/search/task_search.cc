#include "tuner/search/task_search.h"

#include <utility>

#include "base/cat.h"
#include "tuner/cost_model/cost_model.h"
#include "tuner/records/limits.h"
#include "tuner/records/trial_judge.h"
#include "tuner/search/limits.h"

namespace hone::tuner {

namespace {

std::vector<Hash> fastest(const std::vector<KnownTrial>& known, size_t count) {
  std::vector<std::pair<double, Hash>> timed;
  for (const KnownTrial& trial : known)
    if (has_time(trial)) timed.push_back({trial.latency_us, trial.source_hash});
  std::sort(timed.begin(), timed.end());
  std::vector<Hash> sources;
  for (size_t i = 0; i < std::min(count, timed.size()); ++i) sources.push_back(timed[i].second);
  return sources;
}

}  // namespace

TaskSearch::TaskSearch(const te::Task& task, int weight, const std::vector<KnownTrial>& known,
                       const DeviceStates& states, TaskSearchOptions options)
    : task_(task), weight_(weight), work_(work_of(task)), options_(options) {
  for (const KnownTrial& trial : in_state(known, options.cache)) {
    is_timed_elsewhere(trial) ? learn_source(trial) : learn(trial);
    if (auto found = candidates_.find(trial.source_hash); found != candidates_.end())
      found->second.slowdown = states.slowdown(trial);
  }
  for (const Hash& source : fastest(known, kRecheckLeaders)) {
    const auto found = candidates_.find(source);
    if (found != candidates_.end() && found->second.timed_elsewhere) retry_.push_back(source);
  }
}

void TaskSearch::enter(Plan plan) {
  CHECK(!entered(), "a task is entered once");
  plan_ = std::move(plan);
  phase_ = Phase::kSeeds;
  for (const Hash& source : order_) {
    const Candidate& c = candidates_.at(source);
    plan_.strategy->observe({c.trace, c.outcome, c.latency_us});
  }
}

void TaskSearch::refuse(Error why) {
  phase_ = Phase::kDone;
  ++errors_[std::string(error_name(why.code))];
  refusal_ = std::move(why);
}

void TaskSearch::learn_source(const KnownTrial& known) {
  auto trace = schedule::trace_from_json(known.trace_json);
  if (!trace.ok()) return;
  Candidate& c = candidates_[known.source_hash];
  c.trace = *trace;
  c.attempts = known.attempts;
  c.timed_elsewhere = true;
}

void TaskSearch::learn(const KnownTrial& known) {
  auto trace = schedule::trace_from_json(known.trace_json);
  if (!trace.ok()) return;  // of a newer hone: it cannot be replayed here
  Candidate& c = candidates_[known.source_hash];
  c.trace = *trace;
  c.outcome = known.outcome;
  c.attempts = known.attempts;
  c.first_us = c.latency_us = known.latency_us;
  c.sample_count = known.sample_count;
  c.of_before = true;
  c.seen[known.outcome] = 1;
  bool settled = known.final || known.attempts >= kAttemptsMax;
  c.yardstick_known = known.yardstick && settled;
  if (c.yardstick_known && c.outcome == ErrorCode::kOk) naive_us_ = c.latency_us;
  yardstick_given_up_ |= known.yardstick && c.outcome == ErrorCode::kTimeout;
  c.admitted = known.candidate && settled;
  if (c.admitted) count_trial(known.source_hash, c);
  else if (known.candidate) retry_.push_back(known.source_hash);
}

void TaskSearch::count_trial(const Hash& source, Candidate& candidate) {
  if (std::exchange(candidate.counted, true)) return;
  ++trials_;
  order_.push_back(source);
  if (candidate.outcome != ErrorCode::kOk) ++errors_[std::string(error_name(candidate.outcome))];
}

std::vector<Slot> TaskSearch::next_round(bool time_is_over) {
  std::vector<Slot> slots;
  if (phase_ == Phase::kSeeds && in_flight_ == 0) slots = first_round();
  if (phase_ == Phase::kSearch && in_flight_ < options_.rounds_in_flight) {
    if (!time_is_over && !exhausted_) slots = search_round();
    cut_short_ |= time_is_over && !exhausted_ && trials_ + proposed_in_flight_ < options_.trials;
    if (slots.empty() && in_flight_ == 0) phase_ = Phase::kRecheck;
  }
  if (phase_ == Phase::kRecheck && in_flight_ == 0) {
    const bool last = time_is_over && (recheck_rounds_ >= kRecheckRoundsMax || ends_unchallenged());
    if (!last) slots = recheck_round();
    if (slots.empty()) phase_ = Phase::kDone;
  }
  if (!slots.empty()) ++in_flight_;
  return slots;
}

// Seeds and yardstick. Where time is limited, the best guess comes alone, and the other seeds with the rounds of the search.
std::vector<Slot> TaskSearch::first_round() {
  std::vector<Slot> slots;
  for (const Hash& source : retry_)
    slots.push_back({.trace = candidates_[source].trace, .origin = Origin::kSearch, .samples = options_.samples});
  add_seeds(slots, options_.time_is_limited ? 1 : plan_.seeds.size());
  proposed_in_flight_ += static_cast<int>(slots.size());
  if (!options_.time_is_limited)
    slots.push_back({.trace = plan_.baseline, .origin = Origin::kNaive, .samples = options_.samples});
  return slots;
}

bool TaskSearch::wants_yardstick() const {
  return options_.time_is_limited && phase_ >= Phase::kSearch && !refusal_ && !yardstick_given_ && naive_us_ == 0;
}

// Where time is limited it is worth one sample, and not seconds.
std::vector<Slot> TaskSearch::yardstick_round(const NaiveExpectation& expected, const TimeLeft& left) {
  if (!wants_yardstick() || expected.us <= 0) return {};
  naive_us_estimated_ = expected.of_its_kind ? expected.us : 0;
  const double worth_us = left.is_over ? 0 : std::min(kYardstickUsMax, kYardstickShareMax * left.us);
  if (yardstick_given_up_ || std::max(expected.us, seed_us()) * kYardstickRuns > worth_us) return {};
  yardstick_given_ = true;
  naive_us_expected_ = expected.us;
  ++in_flight_;
  return {{.trace = plan_.baseline, .origin = Origin::kNaive, .samples = 1}};
}

void TaskSearch::add_seeds(std::vector<Slot>& slots, size_t count) {
  const size_t open = plan_.seeds.size() - seeds_given_, allowed = static_cast<size_t>(options_.trials) - seeds_given_;
  for (count = std::min({count, open, allowed}); count > 0; --count)
    slots.push_back({.trace = plan_.seeds[seeds_given_++], .origin = Origin::kSeed, .samples = options_.samples});
}

std::vector<Slot> TaskSearch::search_round() {
  int wanted = std::min(kRoundCandidates, options_.trials - trials_ - proposed_in_flight_);
  std::vector<Slot> slots;
  if (wanted <= 0) return slots;
  add_seeds(slots, static_cast<size_t>(wanted));
  wanted -= static_cast<int>(slots.size());
  if ((options_.trials - trials_ - proposed_in_flight_) * kRefineOneIn <= options_.trials) plan_.strategy->refine();
  if (wanted > 0)
    for (Proposal& proposal : plan_.strategy->propose(wanted))
      slots.push_back({.trace = std::move(proposal.trace),
                       .origin = Origin::kSearch,
                       .samples = options_.samples,
                       .expected_us = proposal.predicted_us});
  exhausted_ = slots.empty();
  proposed_in_flight_ += static_cast<int>(slots.size());
  return slots;
}

// A time of before that is far beyond all that the device has shown now is measured again: who said it may have lied, and it would lead for ever.
// So is one that was taken while the device was slow.
bool TaskSearch::doubtful(const Candidate& c) const {
  if (c.of_before && c.slowdown > kSlowState) return true;
  return c.of_before && timed_now_ >= kWitnessCandidates && c.latency_us * kBeyondOthers < best_now_us_;
}

bool TaskSearch::well_founded(const Hash& source) const {
  const Candidate& c = candidates_.at(source);
  return c.rechecked || (c.sample_count >= options_.samples_recheck && !doubtful(c));
}

// The fastest, those whose time is doubtful and may be less, and the seed that they are compared with. The next fastest are among them because a
// leader often owes its place to luck.
std::vector<Hash> TaskSearch::finalists() const {
  std::vector<Hash> sources = leaders();
  if (sources.size() > kRecheckLeaders) sources.resize(kRecheckLeaders);
  for (const Hash& source : contenders())
    if (!well_founded(source) && doubtful(candidates_.at(source)) &&
        std::find(sources.begin(), sources.end(), source) == sources.end())
      sources.push_back(source);
  const bool seed_leads = std::find(sources.begin(), sources.end(), seed_source_) != sources.end();
  if (!sources.empty() && !seed_source_.empty() && !seed_leads) sources.push_back(seed_source_);
  return sources;
}

// Nothing is there to be compared with the fastest.
bool TaskSearch::ends_unchallenged() const { return leaders().size() <= 1; }

// The best and the seed are equally well founded, and nothing that was taken on a slow device may be better.
bool TaskSearch::is_decided() const {
  const std::vector<Hash> sources = leaders();
  if (sources.empty()) return true;
  if (!well_founded(sources.front()) || !(seed_source_.empty() || well_founded(seed_source_))) return false;
  const std::vector<Hash> near = contenders();
  return std::none_of(near.begin(), near.end(), [this](const Hash& source) {
    const Candidate& c = candidates_.at(source);
    return !c.rechecked && doubtful(c);
  });
}

// Those that may be the fastest: within what a few samples of each scatter, and at what their time would be on a device that is not slow.
std::vector<Hash> TaskSearch::contenders() const {
  std::vector<std::pair<double, Hash>> near;
  for (const auto& [source, c] : candidates_)
    if (c.counted && c.outcome == ErrorCode::kOk && c.latency_us > 0)
      near.push_back({c.latency_us / c.slowdown, source});
  std::sort(near.begin(), near.end());
  std::vector<Hash> sources;
  for (const auto& [us, source] : near)
    if (us <= kContestRatio * near.front().first && sources.size() < kContenders) sources.push_back(source);
  return sources;
}

// What is left of the contest is no more than the finals measure in any case, or has as many samples.
bool TaskSearch::halving_ends() const {
  return contest_->size() <= kRecheckLeaders || contest_samples_ >= options_.samples_recheck;
}

// Successive halving (Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013, section 3): each round measures those that
// are left in turns, half as many with twice the samples.
std::vector<Slot> TaskSearch::halving_round() {
  if (!contest_) {
    contest_ = contenders();
    contest_samples_ = options_.samples;
  } else if (!halving_ends()) {
    const auto us = [this](const Hash& source) { return candidates_.at(source).latency_us; };
    std::sort(contest_->begin(), contest_->end(), [&](const Hash& a, const Hash& b) { return us(a) < us(b); });
    contest_->resize((contest_->size() + 1) / 2);
    contest_samples_ *= 2;
  }
  std::vector<Slot> slots;
  if (halving_ends()) return slots;
  for (const Hash& source : *contest_)
    slots.push_back({.trace = candidates_.at(source).trace, .origin = Origin::kRecheck, .samples = contest_samples_});
  return slots;
}

// After the halving, until the best and the seed are equally well founded. It ends: each candidate is measured so once.
std::vector<Slot> TaskSearch::recheck_round() {
  ++recheck_rounds_;
  if (is_decided()) return {};
  std::vector<Slot> slots = halving_round();
  if (!slots.empty()) return slots;
  for (const Hash& source : finalists()) {
    // What was well founded before this run is measured beside those that are new: the device may be of another speed today.
    if (well_founded(source) && !candidates_.at(source).of_before) continue;
    Candidate& c = candidates_[source];
    c.rechecked = true;
    slots.push_back({.trace = c.trace, .origin = Origin::kRecheck, .samples = options_.samples_recheck});
  }
  return slots;
}

double TaskSearch::again_ms(const Hash& source, int samples) const {
  const Candidate& c = candidates_.at(source);
  const double runs = options_.samples + kRunsBeside, runs_again = samples + kRunsBeside;
  return c.device_ms > 0 ? c.device_ms * runs_again / runs : c.latency_us / 1000 * runs_again;
}

double TaskSearch::finals_ms() const {
  if (!entered() || done() || ends_unchallenged()) return 0;
  double ms = 0;
  for (const Hash& source : finalists())
    if (!well_founded(source)) ms += again_ms(source, options_.samples_recheck);
  if (contest_) return ms;
  std::vector<Hash> contest = contenders();
  for (int samples = options_.samples; contest.size() > kRecheckLeaders && samples < options_.samples_recheck;
       samples *= 2) {
    for (const Hash& source : contest) ms += again_ms(source, samples);
    contest.resize((contest.size() + 1) / 2);
  }
  return ms;
}

bool TaskSearch::admit(Slot& slot) {
  CHECK(slot.build.has_value(), "a slot is admitted once it is built");
  if (!slot.build->ok()) {
    slot.fate = Fate::kNotBuilt;
    slot.outcome = slot.build->error().code;
    slot.message = slot.build->error().message;
    return false;
  }
  slot.source = (*slot.build)->hash;
  Candidate& c = candidates_[slot.source];
  bool known = slot.origin == Origin::kNaive ? c.yardstick_known : slot.origin != Origin::kRecheck && c.admitted;
  if (known) {
    slot.fate = Fate::kKnown;
    return false;
  }
  if (c.attempts == 0) c.trace = slot.trace;
  c.admitted |= slot.origin != Origin::kNaive;
  slot.fate = Fate::kMeasured;
  slot.attempt = c.attempts++;
  return true;
}

void TaskSearch::learn_time(Candidate& c, double latency_us, int samples) {
  c.outcome = ErrorCode::kOk;
  if (c.first_us == 0) c.first_us = latency_us;
  if (doubtful(c)) c.first_us = latency_us;
  else if (c.latency_us > 0 && samples < c.sample_count) return;
  c.latency_us = latency_us;
  c.sample_count = samples;
  c.of_before = false;
  c.slowdown = 1;
}

bool TaskSearch::take_result(Slot& slot, const MeasureResult& result) {
  Candidate& c = candidates_[slot.source];
  slot.outcome = result.outcome;
  slot.message = result.message;
  const bool timed = gives_time(slot.origin, result.outcome, result.latency_us_median);
  slot.latency_us = timed ? result.latency_us_median : 0;
  slot.create_ms = result.create_ms;
  slot.recorded = result.recorded;
  ++slot.tries;
  c.attempts = std::max(c.attempts, result.attempt + 1);  // others of the database may have tried it meanwhile
  if (timed) {
    c.device_ms = result.device_ms;
    note_time_of_now(slot, result);
    learn_time(c, result.latency_us_median, static_cast<int>(result.samples_us.size()));
    return false;
  }
  if (c.outcome != ErrorCode::kOk) c.outcome = result.outcome;
  int tries_max = result.outcome == ErrorCode::kAgentGone ? kTriesAgentGone : kTriesPerRun;
  bool again =
      !is_final(result.outcome, ++c.seen[result.outcome]) && slot.tries < tries_max && slot.origin != Origin::kRecheck;
  if (slot.origin == Origin::kNaive && options_.time_is_limited && result.outcome == ErrorCode::kTimeout) again = false;
  if (again) slot.attempt = c.attempts++;
  return again;
}

void TaskSearch::finish_round(const std::vector<Slot>& slots) {
  --in_flight_;
  int trials_before = trials_;
  for (const Slot& slot : slots) settle(slot);
  if (phase_ != Phase::kSeeds && slots.front().origin == Origin::kNaive) return;
  best_us_by_round_.push_back(best_us());
  if (phase_ == Phase::kSeeds) {
    phase_ = Phase::kSearch;
    return;
  }
  if (phase_ != Phase::kSearch) return;
  barren_rounds_ = trials_ == trials_before ? barren_rounds_ + 1 : 0;
  exhausted_ |= barren_rounds_ >= kBarrenRoundsMax;
}

void TaskSearch::settle(const Slot& slot) {
  if (slot.origin == Origin::kRecheck) return;
  if (slot.origin != Origin::kNaive) --proposed_in_flight_;
  if (slot.fate == Fate::kDropped) return;
  if (slot.fate == Fate::kNotBuilt) {
    if (slot.origin != Origin::kNaive) {
      ++errors_[std::string(error_name(slot.outcome))];
      plan_.strategy->observe({slot.trace, slot.outcome, 0});
    }
    return;
  }
  Candidate& c = candidates_[slot.source];
  double time_us = c.outcome == ErrorCode::kOk ? c.latency_us : 0;
  if (slot.origin == Origin::kNaive) {
    naive_us_ = time_us;
    return;
  }
  if (slot.fate == Fate::kMeasured) {
    trials_new_ += !c.counted && !slot.recorded;
    count_trial(slot.source, c);
    note_prediction(slot, time_us);
  }
  if (slot.origin == Origin::kSeed && seed_source_.empty() && time_us > 0) seed_source_ = slot.source;
  plan_.strategy->observe({slot.trace, c.outcome, time_us, slot.create_ms});
}

void TaskSearch::note_time_of_now(const Slot& slot, const MeasureResult& result) {
  if (result.recorded || slot.origin == Origin::kNaive || slot.origin == Origin::kRecheck) return;
  ++timed_now_;
  if (best_now_us_ == 0 || result.latency_us_median < best_now_us_) best_now_us_ = result.latency_us_median;
}

void TaskSearch::note_prediction(const Slot& slot, double time_us) {
  if (slot.expected_us <= 0 || time_us <= 0) return;
  speeds_predicted_.push_back(static_cast<float>(1 / slot.expected_us));
  speeds_measured_.push_back(static_cast<float>(1 / time_us));
}

std::vector<Hash> TaskSearch::leaders() const {
  std::vector<std::pair<double, Hash>> timed;
  for (const auto& [source, c] : candidates_)
    if (c.counted && c.outcome == ErrorCode::kOk) timed.push_back({c.latency_us, source});
  std::sort(timed.begin(), timed.end());
  std::vector<Hash> sources;
  for (const auto& [latency_us, source] : timed) sources.push_back(source);
  return sources;
}

double TaskSearch::best_us() const {
  double best = 0;
  for (const auto& [source, c] : candidates_)
    if (c.counted && c.outcome == ErrorCode::kOk && (best == 0 || c.latency_us < best)) best = c.latency_us;
  return best;
}

double TaskSearch::predicted_us(const Slot& slot) const {
  auto known = candidates_.find(slot.source);
  if (known != candidates_.end() && known->second.latency_us > 0) return known->second.latency_us;
  return naive_us_ > 0 || slot.origin != Origin::kNaive ? naive_us_ : naive_us_expected_;
}

double TaskSearch::seed_us() const {
  auto seed = candidates_.find(seed_source_);
  return seed == candidates_.end() ? 0 : seed->second.latency_us;
}

TaskState TaskSearch::state() const {
  return {.weight = static_cast<double>(weight_),
          .work = work_,
          .group = plan_.kind,
          .known_us = best_us_by_round_.empty() ? best_us() : 0,
          .best_us = best_us_by_round_,
          .rounds_in_flight = in_flight_,
          .done = done()};
}

TaskReport TaskSearch::report() const {
  TaskReport report{.id = task_.id,
                    .op = task_.name,
                    .weight = weight_,
                    .trials = trials_,
                    .trials_new = trials_new_,
                    .errors = errors_};
  for (const te::Tensor& output : task_.program.outputs) {
    if (!report.shape.empty()) report.shape += ", ";
    for (size_t i = 0; i < output->shape.size(); ++i) report.shape += cat(i ? "x" : "", output->shape[i]);
  }
  if (plan_.strategy)
    for (const auto& [reason, count] : plan_.strategy->dropped()) report.errors[reason] += count;
  if (refusal_) report.refusal = refusal_->message;
  report.naive_ms = (naive_us_ > 0 ? naive_us_ : naive_us_estimated_) / 1000;
  report.naive_estimated = naive_us_ == 0 && naive_us_estimated_ > 0;
  if (!speeds_measured_.empty()) report.pairwise_accuracy = pairwise_accuracy(speeds_predicted_, speeds_measured_);
  report.seed_ms = seed_us() / 1000;
  std::vector<Hash> sources = leaders();
  if (sources.empty()) return report;
  const Candidate& best = candidates_.at(sources.front());
  report.best_ms = best.latency_us / 1000;
  report.best_trace = best.trace;
  report.best_source = sources.front();
  report.gflops = task_.flops / (best.latency_us * 1000);
  double fastest_us = 0;
  for (const Hash& source : order_) {
    double first = candidates_.at(source).first_us;
    if (first > 0 && (fastest_us == 0 || first < fastest_us)) fastest_us = first;
  }
  for (size_t i = 0; i < order_.size() && report.trials_to_95 == 0; ++i) {
    double first = candidates_.at(order_[i]).first_us;
    if (first > 0 && first * 0.95 <= fastest_us) report.trials_to_95 = static_cast<int>(i) + 1;
  }
  return report;
}

}  // namespace hone::tuner
