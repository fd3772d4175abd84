// What a group takes on a GPU whose threads run side by side in subgroups: an estimate before anything is measured, by which choices are ordered. A
// roofline (Williams, Waterman and Patterson 2009) of arithmetic, L1 and L2, with as many threads as hide the latency of arithmetic and loads (Volkov
// 2016, Understanding Latency Hiding on GPUs, chapter 4).
#pragma once
#include "tuner/space/choices.h"
#include "tuner/space/group_view.h"
#include "tuner/space/machine.h"

namespace hone::tuner {

// Microseconds, the launches that a group makes beside its first included. Needs: runs_side_by_side(view.target).
double gpu_time_us(const GroupView& view, const Choices& choices);

}  // namespace hone::tuner
