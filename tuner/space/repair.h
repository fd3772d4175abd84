// Repair: makes an assignment one that a device can bear and that wastes little, by the same steps whatever the rule: sizes go down one by one.
#pragma once
#include <vector>

#include "tuner/space/choices.h"
#include "tuner/space/group_view.h"

namespace hone::tuner {

// The values of a group's decisions, of which some can be changed.
class OpenChoices {
 public:
  // Of the first `count` decisions those of the group, or the program's. All outlive it.
  OpenChoices(const std::vector<Decision>& decisions, size_t count, size_t group, Assignment& assignment)
      : decisions_(decisions), count_(count), group_(group), assignment_(assignment) {}

  int64_t operator()(Choice choice) const;  // as in Choices where it is no decision
  bool lower(Choice choice);                // to the value before; false where there is none
  bool raise(Choice choice);
  void clear_but(const std::vector<Choice>& kept);  // the group's others go to their first value
  Choices all() const;  // those that are no decisions as in Choices

 private:
  int position(Choice choice) const;
  const std::vector<Decision>& decisions_;
  size_t count_, group_;
  Assignment& assignment_;
};

// ⌈extent / tile⌉·tile / extent: 1 when nothing is wasted.
double waste(int64_t extent, int64_t tile);

// What one step leaves may be too much for a step before it: it is to be repeated until nothing changes.
void repair_group(const GroupView& view, OpenChoices& choices);

}  // namespace hone::tuner
