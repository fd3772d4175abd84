// What a space may keep, and add up, as f16.
#include <algorithm>

#include "codegen/schedule/half_sum.h"
#include "codegen/schedule/schedule.h"
#include "tuner/space/space.h"

namespace hone::tuner {

// Names of the constants that are worth halving: the schedule may choose how they lie, and reading them takes time.
std::vector<std::string> Space::large_constants() const {
  constexpr int64_t kElementsMin = 1024;
  std::vector<std::string> names;
  for (size_t i = 0; i < task_->program.inputs.size(); ++i) {
    const te::Tensor t = task_->program.inputs[i];
    const bool open = task_->args[i].role == te::Role::kConstant && task_->args[i].free;
    if (open && t->dtype == ir::DType::kF32 && ir::element_count(t->shape) >= kElementsMin) names.push_back(t->name);
  }
  return names;
}

// Copies, temporaries and constants in half the bytes, where the device has f16 and the task bears the rounding. On textures copies are what a
// first launch leaves to a second: reductions in slices, and producers.
void Space::add_storage_decisions() {
  if (!target_.has_f16 || !schedule::permits_f16(task_->accuracy)) return;
  const bool reused = std::any_of(sketch_.groups.begin(), sketch_.groups.end(), [](const Group& g) { return g.reuse; });
  if (reused) add("storage", {0, 1}, {"f32", "f16"});
  if (!large_constants().empty()) add("constants.storage", {0, 1}, {"f32", "f16"});
}

// Is there anything that could be kept as f16?
bool Space::keeps_copies(const Assignment& a) const {
  for (const Decision& d : decisions_) {
    const int64_t chosen = value(a, d.key, 0);
    const auto is = [&d](std::string_view part) { return d.key.find(part) != std::string::npos; };
    if (is(".place") && chosen == 1) return true;
    if (is("k.slices") && chosen > 1) return true;
    if (is("operand") && chosen == static_cast<int64_t>(Staging::kWorkgroup)) return true;
  }
  return false;
}

// Steps of k that a sum in f16 may take within the error that the task bears; 0: too few, or there is no such sum.
int64_t Space::half_steps(size_t index) const {
  constexpr int64_t kStepsMin = 4, kStepsMax = 32;
  const Group& group = sketch_.groups[index];
  const te::Reduce& reduce = *task_->program.computes[static_cast<size_t>(group.reduction)].reduce;
  if (!schedule::computes_halves(target_) || !schedule::is_sum(reduce.combiner, ir::DType::kF32)) return 0;
  const int64_t window = window_elements(*task_, group);
  for (int64_t steps = kStepsMax; steps >= kStepsMin; steps /= 2) {
    const bool borne = schedule::half_sum_error(window * steps) <= task_->accuracy.tolerance();
    if (borne && steps < extents_of(*task_, group).k) return steps;
  }
  return 0;
}

void Space::add_half_sums(const std::string& p) {
  add_unusual(p + "sums", {0, 1});
  decisions_.back().labels = {"f32", "f16"};
}

}  // namespace hone::tuner
