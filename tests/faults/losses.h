// Losses of power at moments by chance, and what is there after each.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tests/faults/power_loss.h"

namespace hone::faults {

// Calls `check` `count` times: each time `folder` holds the files, by their last names, that a disk holds if its power is lost after the first `moment` events. The moments ascend.
void for_each_loss(const std::vector<DiskEvent>& events, int count, Rng& rng, const std::string& folder,
                   const std::function<void(size_t moment)>& check);

// How many losses each test tries: HONE_POWER_LOSSES, or 500.
int losses_wanted();

}  // namespace hone::faults
