// Which class a device is of, over agents and restarts.
#include "tracker/device_classes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "base/cat.h"
#include "base/sha256.h"
#include "schema/device_key.h"
#include "tracker/fleet_world.h"

namespace hone::tracker {
namespace {

class DeviceClassesTest : public testing::Test, protected FleetWorld {
 protected:
  DeviceClassesTest()
      : FleetWorld(cat(testing::TempDir(), "/classes_", testing::UnitTest::GetInstance()->current_test_info()->name(),
                       "_", getpid(), ".db")) {}
  // An agent's ids are hexadecimal digits.
  static std::string id_of(const std::string& name) { return sha256_hex(name).substr(0, 32); }
  static protocol::DeviceOffer measured(double arithmetic_gflops, double memory_gb_s, const std::string& physical_id) {
    auto one = offer("gpu");
    one.fingerprint.arithmetic_gflops = arithmetic_gflops;
    one.fingerprint.memory_gb_s = memory_gb_s;
    one.physical_id = id_of(physical_id);
    return one;
  }
  std::string key_of(Link link, const protocol::DeviceOffer& one) { return join(link, {one}).devices.at(0).device_key; }
};

// Given devices that say the same of themselves, when one has four times the arithmetic, or three times the memory's rate, of another, then they are
// of two classes, the first one with the key of what they say; like ones share a class, also after a restart.
TEST_F(DeviceClassesTest, TellsApartWhatABrowserDoesNot) {
  const std::string small = key_of(1, measured(2600, 68, "a")), large = key_of(2, measured(14000, 400, "b"));
  const std::string wide = key_of(3, measured(2600, 200, "c"));
  EXPECT_EQ(small, protocol::device_key(offer("gpu").fingerprint));
  EXPECT_NE(large, small);
  EXPECT_NE(wide, small);
  EXPECT_NE(wide, large);
  start();
  EXPECT_EQ(key_of(4, measured(12500, 380, "d")), large);
  EXPECT_EQ(key_of(5, measured(2500, 72, "e")), small);
  EXPECT_EQ(key_of(6, measured(2700, 190, "f")), wide);
}

// Given a device of a class, when it is slow today, comes with another agent or with a newer browser, then it stays of its class.
TEST_F(DeviceClassesTest, ADeviceKeepsItsClass) {
  const std::string small = key_of(1, measured(2600, 68, "a")), large = key_of(2, measured(14000, 400, "b"));
  EXPECT_EQ(key_of(3, measured(3000, 100, "b")), large);
  auto newer = measured(14000, 400, "b");
  newer.fingerprint.browser_major += 1;
  EXPECT_EQ(key_of(4, newer), large);
  EXPECT_EQ(key_of(5, measured(3000, 75, "unknown")), small);
}

// Given a service that keeps no fleet, when its device comes again in another such service on the same database and is slow, then it is of its class.
TEST_F(DeviceClassesTest, AServiceThatKeepsNoFleetKeepsClasses) {
  std::string key, path = path_ + ".classes";
  for (const double gflops : {14000.0, 3000.0}) {
    const auto store = open_class_store(path).value();
    Fleet fleet(steady_, wall_, FleetConfig{.make_secret = [this] { return cat("secret", ++secrets_); }});
    (void)fleet.restore(store->load().value());
    auto one = measured(gflops, 400, "a");
    auto outcome = fleet.hello(1, hello_message({one})).value();
    ASSERT_TRUE(store->commit(outcome.writes).ok());
    const auto now = fleet.devices("", 10).at(0).device_key;
    if (key.empty()) key = now;
    EXPECT_EQ(now, key);
  }
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path + suffix);
}

// Given figures that are missing or none, when a device comes with them, then it is of the class of those that say the same.
TEST_F(DeviceClassesTest, WhatWasNotMeasuredTellsNothingApart) {
  const std::string key = key_of(1, measured(2600, 68, "a"));
  EXPECT_EQ(key_of(2, offer("gpu")), key);
  EXPECT_EQ(key_of(3, measured(-1, 0, "b")), key);
  EXPECT_EQ(key_of(4, measured(std::numeric_limits<double>::infinity(), std::nan(""), "c")), key);
}

// Given an agent that says another rate at each hello, when it goes on, then the classes of what it says do not grow without end.
TEST_F(DeviceClassesTest, ALiarDoesNotFillTheDatabase) {
  double gflops = 1e-3;
  for (Link link = 1; link <= 100; ++link, gflops *= 1.5) key_of(link, measured(gflops, 1, cat("id-", link)));
  EXPECT_EQ(store_->load()->classes.size(), kClassesMax);
}

// Given two targets of one device and one of another, when the first is given a name, then both of its own have it, selectors find them by it, it
// outlives a restart, a further agent of the device has it as well, and the empty name takes it away.
TEST_F(DeviceClassesTest, ALabelIsTheDevicesOwn) {
  auto wasm = offer("cpu", "wasm");
  wasm.physical_id = id_of("a");
  const auto first = join(1, {measured(1, 1, "a"), wasm}), second = join(2, {measured(1, 1, "b")});
  std::string physical_id;
  run(fleet_->label(first.devices[0].device_id, "kitchen phone", "anna", &physical_id).value());
  EXPECT_EQ(physical_id, id_of("a"));
  start();
  join(3, {measured(1, 1, "a")});
  int named = 0;
  for (const auto& device : devices()) named += device.label == "kitchen phone";
  EXPECT_EQ(named, 3);
  acquire({.selector = "kitchen phone", .job = "j"});
  EXPECT_EQ(taken<Granted>().at(0).lease.device.physical_id, id_of("a"));
  run(fleet_->label(first.devices[0].device_id, "", "anna", &physical_id).value());
  for (const auto& device : devices()) EXPECT_FALSE(device.label.has_value());
  EXPECT_EQ(fleet_->label("dev-none", "x", "anna", &physical_id).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(fleet_->label(second.devices[0].device_id, "a\x1b[31m", "anna", &physical_id).error().code,
            ErrorCode::kInvalidArgument);
}

// Given an id that is none, when a device comes with it, then its agent is refused.
TEST_F(DeviceClassesTest, AnIdIsHexadecimalDigits) {
  for (const char* id : {"", "a", "0123456789ABCDEF0123456789ABCDEF", "\x1b[31m0123456789abcdef01234567890"}) {
    auto one = offer("gpu");
    one.physical_id = id;
    EXPECT_EQ(fleet_->hello(1, hello_message({one})).error().code, ErrorCode::kInvalidArgument) << id;
  }
}

}  // namespace
}  // namespace hone::tracker
