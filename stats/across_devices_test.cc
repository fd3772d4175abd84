#include "stats/across_devices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/cat.h"

namespace hone::stats {
namespace {

DeviceEffect device(std::string device_class, double ratio, double standard_error = 0.002) {
  return {.device = cat("a device of ", device_class),
          .device_class = device_class,
          .log_ratio = std::log(ratio),
          .standard_error = standard_error,
          .degrees = 29};
}

// Given three studies, when their mean is taken by hand, then it is the same: Q is 8, its weights' scale 200, so tau² is (8 − 2) / 200; the interval is Hartung
// and Knapp's.
TEST(AcrossDevices, IsTheFormulasMean) {
  std::vector<DeviceEffect> devices(3, device("a", 1, 0.1));
  devices[0].log_ratio = 0;
  devices[1].log_ratio = 0.2;
  devices[2].log_ratio = 0.4;
  const MeanEffect mean = mean_effect(devices, 0.05).value();
  EXPECT_NEAR(mean.log_ratio, 0.2, 1e-12);
  EXPECT_NEAR(mean.tau, std::sqrt((8.0 - 2) / 200), 1e-12);
  EXPECT_NEAR(mean.i_squared, 0.75, 1e-12);
  EXPECT_NEAR(mean.standard_error, 0.2 / std::sqrt(3), 1e-12);
  EXPECT_NEAR(mean.interval.high - mean.log_ratio, 4.302653 * 0.2 / std::sqrt(3), 1e-6);
  EXPECT_EQ(mean.slower, 2);
  EXPECT_EQ(mean.faster, 0);
}

// Given devices that agree by accident more than their noise, when their mean is taken, then its interval is no narrower than their noise makes it.
TEST(AcrossDevices, AgreementByAccidentMakesNothingSurer) {
  const std::vector<DeviceEffect> devices(4, device("a", 1.02, 0.01));
  EXPECT_NEAR(mean_effect(devices, 0.01)->standard_error, 0.005, 1e-12);
}

// Given one device, when the mean is taken, then its interval is the device's own.
TEST(AcrossDevices, OneDeviceSpeaksForItself) {
  const std::vector<DeviceEffect> one{device("a", 1.05)};
  const MeanEffect mean = mean_effect(one, 0.01).value();
  EXPECT_EQ(mean.log_ratio, one[0].log_ratio);
  EXPECT_NEAR(mean.interval.high - mean.log_ratio, 2.756386 * 0.002, 1e-7);
}

std::vector<std::string> differing(const std::vector<DeviceEffect>& devices) {
  std::vector<std::string> names;
  const auto classes = class_effects(devices, 0.01, 0.005);
  for (const ClassEffect& one : *classes)
    if (one.differs) names.push_back(one.device_class);
  return names;
}

// Given three classes, when a kernel is four times as slow on one, then that one is named and no other, with one device of each or several, and also where the
// others are faster.
TEST(AcrossDevices, NamesTheClassThatDiffers) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(differing({device("apple", 1), device("intel", 4), device("nvidia", 1.001)}), Names{"intel"});
  EXPECT_EQ(differing({device("apple", 1), device("apple", 0.999), device("intel", 4), device("intel", 3.8),
                       device("nvidia", 1.001)}),
            Names{"intel"});
  EXPECT_EQ(differing({device("apple", 0.9), device("intel", 4), device("nvidia", 0.901)}), Names{"intel"});
}

// Given classes on which a kernel changed alike, or by less than the minimum, or by less than their noise, when they are held against each other, then none is
// named.
TEST(AcrossDevices, NamesNoneWithoutADifference) {
  EXPECT_TRUE(differing({device("apple", 1.1), device("intel", 1.1), device("nvidia", 1.101)}).empty());
  EXPECT_TRUE(differing({device("apple", 1, 1e-5), device("intel", 1.004, 1e-5), device("nvidia", 1, 1e-5)}).empty());
  EXPECT_TRUE(differing({device("apple", 1, 0.05), device("intel", 1.1, 0.05), device("nvidia", 1, 0.05)}).empty());
  EXPECT_TRUE(differing({device("apple", 4)}).empty());
}

// Given two classes, when one changed, then it is the one that is named.
TEST(AcrossDevices, OfTwoClassesTheChangedOneIsNamed) {
  EXPECT_EQ(differing({device("apple", 1), device("intel", 4)}), std::vector<std::string>{"intel"});
  EXPECT_EQ(differing({device("apple", 0.25), device("intel", 1)}), std::vector<std::string>{"apple"});
}

// Given no device, or one whose noise is unknown, when a mean is taken, then it is an error.
TEST(AcrossDevices, RefusesWhatIsNotKnown) {
  EXPECT_FALSE(mean_effect({}, 0.01).ok());
  EXPECT_FALSE(
      mean_effect(std::vector<DeviceEffect>{device("a", 1, std::numeric_limits<double>::infinity())}, 0.01).ok());
  EXPECT_FALSE(class_effects(std::vector<DeviceEffect>{device("a", 0)}, 0.01, 0.005).ok());
  EXPECT_TRUE(mean_effect(std::vector<DeviceEffect>{device("a", 1, 0)}, 0.01).ok());
}

}  // namespace
}  // namespace hone::stats
