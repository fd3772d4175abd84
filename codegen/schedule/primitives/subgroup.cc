// subgroup "" [n]: the kernels ask for subgroups of n threads, of a device whose subgroups have one of several sizes. It stands before the steps that
// exchange values between lanes; without it these are illegal there.
// Refused: where the device has subgroups of one size, which need not be asked for, or takes no kernel that asks for n.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {

Status apply_subgroup(Schedule& schedule, const Step& step) {
  const std::vector<int64_t>& sizes = schedule.target().subgroup_sizes;
  if (step.factors.size() != 1) return illegal("subgroup takes one number of threads");
  if (schedule.target().subgroup_size > 0) return illegal("the subgroups' size is known already");
  if (std::find(sizes.begin(), sizes.end(), step.factors[0]) != sizes.end()) {
    schedule.ask_for_subgroups(step.factors[0]);
    return ok_status();
  }
  std::string known;
  for (int64_t size : sizes) known += cat(known.empty() ? "" : ", ", size);
  return illegal(cat("subgroups of ", step.factors[0], " threads cannot be asked for; the device's are ",
                     known.empty() ? "of no size that is known" : known));
}

}  // namespace hone::schedule
