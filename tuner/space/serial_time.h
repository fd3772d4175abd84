// What a group takes on a serial machine (machine.h), estimated before anything is measured: all instructions that its threads, fragments or iterations
// execute, one after the other, and the lines that come from beyond the first cache.
#pragma once
#include <vector>

#include "tuner/space/accesses.h"
#include "tuner/space/choices.h"
#include "tuner/space/group_view.h"
#include "tuner/space/machine.h"

namespace hone::tuner {

// launched: by the producers' numbers, whether each is a launch of its own. Microseconds, but for launches.
double serial_time_us(const GroupView& view, const Choices& choices, const SerialMachine& machine, const std::vector<bool>& launched);

}  // namespace hone::tuner
