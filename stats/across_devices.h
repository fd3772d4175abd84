// One case on several devices: what it differs by on all of them, and on which class of devices it differs from the rest. Each device was compared on its own
// (Comparison); here are log-ratios alone, never times of different devices.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "stats/interval.h"

namespace hone::stats {

struct DeviceEffect {
  std::string device, device_class;
  double log_ratio = 0;       // log(new / old)
  double standard_error = 0;  // of it, ≥ 0; what is below a millionth counts as a millionth
  double degrees = 0;         // of freedom: blocks less one, > 0
};

// The mean of devices that differ: random effects.
struct MeanEffect {
  double log_ratio = 0, standard_error = 0;
  Interval interval;                        // with one device its own
  double tau = 0;                           // deviation of the devices' true log-ratios
  double i_squared = 0;                     // what share of the scatter between the devices is not their noise
  int devices = 0, slower = 0, faster = 0;  // by the sign of their log-ratios
};

// DerSimonian, Laird: Meta-analysis in clinical trials, Controlled Clinical Trials 7 (1986), for the mean. The interval is Hartung's and Knapp's: A refined
// method for the meta-analysis of controlled clinical trials with binary outcome, Statistics in Medicine 20 (2001), with Student's t of devices − 1 degrees,
// and no narrower than DerSimonian and Laird's variance makes it (Röver, Knapp, Friede: Hartung-Knapp-Sidik-Jonkman approach and its modification for
// random-effects meta-analysis with few studies, BMC Medical Research Methodology 15, 2015). Of few devices it is wide: with two, Student's t of one degree
// tells little, and the signs remain. kInvalidArgument without a device, and where a number is out of its range.
Result<MeanEffect> mean_effect(std::span<const DeviceEffect> devices, double alpha);

struct ClassEffect {
  std::string device_class;
  int devices = 0;
  double log_ratio = 0, standard_error = 0;  // DerSimonian and Laird's mean of the class's devices
  double difference = 0;                     // from the middle class
  double p_value = 1;                        // of no difference from it, adjusted for the number of classes (Holm)
  bool differs = false;
};

// Each class in the order of their names. A class differs where its log-ratio is another than the middle class's: by more than accident (Welch's t, p ≤ alpha
// after Holm), and by the minimum effect (a share) at least. The middle class has the median of the classes' log-ratios; of an even number that one of the two
// which is nearer to no change, so that of two classes the one that changed is named. Classes count, not devices: a farm of ten phones of one kind and one
// laptop has two of them. kInvalidArgument as mean_effect.
Result<std::vector<ClassEffect>> class_effects(std::span<const DeviceEffect> devices, double alpha,
                                               double minimum_effect);

}  // namespace hone::stats
