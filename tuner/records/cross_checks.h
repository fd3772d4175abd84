// CrossChecks: which attempts of one class are a check of another device's time, and what they say of both.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tuner/records/store.h"

namespace hone::tuner {

class CrossChecks {
 public:
  void add(const Record& record);  // those of one trial behind each other
  std::vector<CrossCheck> take();  // in the order of the checks

 private:
  void pair_up();

  std::vector<Record> trial_;  // that have a time, of the trial that is read
  std::vector<CrossCheck> all_;
};

// ln(check / first), each set against what the agent's reference kernel took beside it, where both know that: so a device that is hot, or of another speed
// altogether, is as fast as any.
double log_ratio(const CrossCheck& check);

// A device of a class, as its records name it.
using DeviceName = std::pair<std::string, std::string>;  // enrolment, device

// A device whose times are biased against the others'.
struct Bias {
  std::string enrolment, device, agent;
  double ratio = 1;            // its times over the others', by the device that shows most
  int checks = 0;              // jobs that showed it, likewise
  int64_t agreed_unix_ms = 0;  // the latest check within kAgreeWithin; 0 = none
};

// Whose bias shows (bias.h), from one number for each job: the middle of its checks of a pair of devices. Which of the two is biased one pair cannot
// tell: it is the one against which a trusted device speaks, or two and more than half of those that it was compared with; of several, the one with most
// against it is found first, and says nothing of the others any more. A trusted device is never found biased. What is doubted already does not count.
std::vector<Bias> find_biased(const std::vector<CrossCheck>& checks);

}  // namespace hone::tuner
