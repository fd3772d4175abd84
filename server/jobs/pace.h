// Pace: how fast a job's trials came in of late, and how long the rest will take at that.
#pragma once
#include <deque>

namespace hone::server {

class Pace {
 public:
  // `trials` so far at `elapsed_s` [s] since the start; neither ever falls.
  void note(double elapsed_s, int trials);

  // Over the last kRateWindowS; 0 where nothing is known.
  double trials_per_second() const;

  // [s] for `trials_left` at this pace, and at most until `limit_s` [s] since the start (0: no limit). 0 where nothing is left, or
  // nothing is known.
  double left_s(int trials_left, double limit_s) const;

 private:
  struct Mark {
    double elapsed_s;
    int trials;
  };
  std::deque<Mark> recent_;
};

}  // namespace hone::server
