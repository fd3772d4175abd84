// Which decisions a group leaves open, and from which values each is chosen.
#pragma once
#include <string>
#include <vector>

#include "tuner/space/choices.h"
#include "tuner/space/group_view.h"

namespace hone::tuner {

std::vector<Decision> decisions_of(const GroupView& view);
// Of the program: what it keeps as f16, and how it reads textures.
std::vector<Decision> storage_decisions(const te::Task& task, const target::Target& target, const Sketch& sketch);
// Which subgroups kernels ask for, of a device whose subgroups differ in size; none where no decision makes lanes exchange values.
std::vector<Decision> subgroup_decisions(const target::Target& device, const std::vector<Decision>& others);

// Names of the constants that are worth halving: the schedule may choose how they lie, and reading them takes time.
std::vector<std::string> large_constants(const te::Task& task);
// Do lanes of subgroups exchange values?
bool exchanges(const Choices& choices);

}  // namespace hone::tuner
