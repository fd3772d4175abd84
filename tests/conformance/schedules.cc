#include "tests/conformance/schedules.h"

#include <optional>

#include "base/cat.h"
#include "codegen/compile.h"
#include "tests/wasm/core_trace.h"
#include "tuner/space/space.h"

namespace hone::conformance {
namespace {

constexpr int kTries = 16;  // samples, until one is legal

std::optional<Scheduled> sample(const tuner::Space& space, Rng& rng) {
  for (int i = 0; i < kTries; ++i)
    if (auto trace = space.trace(space.sample(rng)); trace.ok()) return Scheduled{"sample", std::move(*trace)};
  return std::nullopt;
}

std::optional<Scheduled> seed(const tuner::Space& space, Rng& rng) {
  std::vector<schedule::Trace> seeds = space.seeds();
  if (seeds.empty()) return std::nullopt;
  return Scheduled{"seed", std::move(seeds[rng.below(seeds.size())])};
}

}  // namespace

std::vector<Scheduled> schedules_of(const Subject& subject, int number, const target::Target& target,
                                    Omissions& omissions) {
  std::vector<Scheduled> out = {{"yardstick", baseline_trace(subject.task, target).value()}};
  if (has_no_results(subject)) return out;
  Rng rng(hash_mix(static_cast<uint64_t>(number), 77));
  std::optional<Scheduled> drawn;
  if (number % 3 != 2) {
    const auto space = tuner::Space::derive(subject.task, target);
    if (!space.ok()) ++omissions[cat("no space, a random trace instead: ", space.error().message)];
    else drawn = number % 3 == 0 ? sample(*space, rng) : seed(*space, rng);
    if (space.ok() && !drawn) ++omissions["no sample of a space was legal, a random trace instead"];
  }
  // On GPUs a random trace is often one thread with all of the code, which drivers take minutes to compile.
  if (!drawn && !target::on_cores(target.kind)) return out;
  if (!drawn) drawn = Scheduled{"random", random_core_trace(subject.task, target, rng)};
  out.push_back(std::move(*drawn));
  return out;
}

}  // namespace hone::conformance
