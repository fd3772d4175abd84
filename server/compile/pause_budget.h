// PauseBudget: for how long workers may stand still for others' sake. Whoever measures on this host wants them to; where several do in turn, or one
// never says that it is done, they must get on all the same. While they stand still with work to do, the budget runs down; when it is gone, they
// work until it is full again, which takes a quarter of the time. So they have at least a fifth of it. Pure.
#pragma once
#include <chrono>

namespace hone::server {

class PauseBudget {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit PauseBudget(std::chrono::milliseconds longest) : longest_(longest), left_(longest) {}

  // From now on somebody wants the workers to stand still, and there is work; or not. Times never go back.
  void want(bool still, Time now);
  // Whether they do.
  bool still(Time now);
  // When that changes without another call of want: at the end of a pause, or of a term of work that was forced. Only while somebody wants it.
  Time changes_at(Time now);

 private:
  static constexpr int kRefill = 4;  // times as fast as it runs down
  void settle(Time now);

  const std::chrono::nanoseconds longest_;
  std::chrono::nanoseconds left_;
  Time settled_{};
  bool wanted_ = false, forced_ = false;  // forced_: the budget is gone, and not full again
};

}  // namespace hone::server
