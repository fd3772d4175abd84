// What people do with devices, and what is remembered of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tracker/fleet_world.h"

namespace hone::tracker {
namespace {

using protocol::DeviceAction;
using protocol::DeviceEventKind;
using protocol::ServiceState;

const std::string kPhone(32, 'a'), kLaptop(32, 'b');  // physical ids

protocol::DeviceOffer offer_of(const std::string& physical_id, const std::string& local_id = "gpu", const std::string& target = "webgpu") {
  protocol::DeviceOffer one = offer(local_id, target);
  one.physical_id = physical_id;
  return one;
}

struct ManageTest : testing::Test, FleetWorld {
  ManageTest() : FleetWorld(cat(testing::TempDir(), "fleet_manage_", getpid(), ".db")) {}

  void manage(const std::string& device_id, DeviceAction action, const std::string& reason = "") {
    run(fleet_->manage({.device_id = device_id, .action = action, .reason = reason}, "anna").value());
  }
  Error refused(const std::string& device_id, DeviceAction action, const std::string& reason = "") {
    return fleet_->manage({.device_id = device_id, .action = action, .reason = reason}, "anna").error();
  }
  ServiceState state(const std::string& device_id) { return fleet_->service_state(device_id).value(); }
  Lease lease(LeaseRequest request = {.job = "job-1", .user = "tess"}) {
    effects_.clear();
    acquire(std::move(request));
    return taken<Granted>().at(0).lease;
  }
  // "connected", "drained by anna: new battery".
  std::vector<std::string> history(const std::string& device_id) {
    std::vector<std::string> list;
    const std::vector<protocol::DeviceEvent> events = store_->history(fleet_->ids_of(device_id), 1'000).value();
    for (const auto& e : events)
      list.push_back(cat(protocol::to_name(e.kind), e.user.empty() ? "" : " by ", e.user, e.text.empty() ? "" : ": ", e.text));
    return list;
  }
};

TEST_F(ManageTest, ALeaseSaysWhoVouchesForItsAgent) {
  // Given devices of one class whose agents showed two tokens, of which one is a canary's, when they are leased, then each lease names its token, and the canary's alone is
  // trusted, when the session opens, too; a request for others than those of a token does not get these.
  const auto come = [this](Link link, const std::string& token, const std::string& name) {
    run(fleet_->hello(link, hello_message({offer("gpu")}), {.token_id = token, .name = name}).value());
  };
  come(1, "t1", "phone");
  come(2, "t2", "canary 1");
  const LeaseRequest apart{.not_of = {"t1"}, .job = "job-1", .user = "tess"};
  const Lease canary = lease(apart), phone = lease();
  EXPECT_EQ(canary.enrolment, "t2");
  EXPECT_TRUE(canary.trusted);
  EXPECT_EQ(phone.enrolment, "t1");
  EXPECT_FALSE(phone.trusted);
  const auto opened = fleet_->redeem(phone.session_token, phone.lease_id, phone.device.device_id);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(opened->enrolment, "t1");
  run(fleet_->release(phone.lease_id, "done"));
  EXPECT_NE(fleet_->why_none(apart).why, "") << "the canary is in use, and the phone is not apart";
}

TEST_F(ManageTest, APhysicalIdStandsForADevice) {
  // Given a device, when its physical id is quarantined, then it is; when one that nobody has is, then that is not found.
  const std::string id = join(1, {offer_of(kPhone)}).devices[0].device_id;
  manage(kPhone, DeviceAction::kQuarantine, "it lies");
  EXPECT_EQ(state(id), ServiceState::kQuarantined);
  EXPECT_EQ(refused(kLaptop, DeviceAction::kQuarantine).code, ErrorCode::kNotFound);
}

TEST_F(ManageTest, ADrainedDeviceEndsItsLeaseAndGetsNoOther) {
  // Given a leased device, when it is drained, then its lease goes on, whoever waits is told why it gets none and what lifts it, and when the lease ends
  // nobody gets the device, and a restart changes nothing.
  const std::string id = join(1, {offer("gpu")}).devices[0].device_id;
  EXPECT_EQ(state(id), ServiceState::kIdle);
  const Lease held = lease();
  EXPECT_EQ(state(id), ServiceState::kLeased);
  manage(id, DeviceAction::kDrain, "new battery");
  EXPECT_EQ(state(id), ServiceState::kDraining);
  EXPECT_TRUE(fleet_->holds(held.lease_id, held.fence));
  EXPECT_TRUE(taken<LeaseLost>().empty());
  EXPECT_EQ(fleet_->why_not_ready(id), "") << "its job works";
  const LeaseRequest wanted{.job = "job-2", .user = "bob", .wait = 10min};
  EXPECT_EQ(fleet_->why_none(wanted).why, cat(id, " is draining, and in maintenance once job-1 is done with it: new battery; hone devices resume ",
                                              id, " lets it work again"));
  acquire(wanted);
  run(fleet_->release(held.lease_id, "done"));
  EXPECT_EQ(state(id), ServiceState::kMaintenance);
  EXPECT_EQ(fleet_->why_none(wanted).why, cat(id, " is in maintenance: new battery; hone devices resume ", id, " lets it work again"));
  EXPECT_TRUE(fleet_->why_none(wanted).one_fits);
  start();
  EXPECT_EQ(state(id), ServiceState::kMaintenance);
  EXPECT_EQ(devices().at(0).service_reason, "new battery");
}

TEST_F(ManageTest, AResumedDeviceGoesToWhoWaits) {
  // Given a device in maintenance and a request that waits, when it is resumed, then the request has it; a draining one that is resumed keeps its lease.
  const std::string id = join(1, {offer("gpu")}).devices[0].device_id;
  manage(id, DeviceAction::kDrain);
  acquire({.job = "job-1", .user = "tess", .wait = 10min});
  EXPECT_TRUE(taken<Granted>().empty());
  manage(id, DeviceAction::kResume);
  ASSERT_EQ(taken<Granted>().size(), 1u);
  manage(id, DeviceAction::kDrain, "new battery");
  manage(id, DeviceAction::kResume);
  EXPECT_EQ(state(id), ServiceState::kLeased);
  EXPECT_FALSE(devices().at(0).service_reason.has_value());
  EXPECT_TRUE(taken<LeaseLost>().empty());
}

TEST_F(ManageTest, AQuarantinedDeviceLosesItsLeaseAtOnce) {
  // Given a leased device, when it is quarantined, then its holder and its agent are told so with the reason, its fence is void, nobody gets it, and who
  // asks is told why; a reservation does not count it.
  const std::string id = join(1, {offer("gpu")}).devices[0].device_id;
  const Lease held = lease();
  manage(id, DeviceAction::kQuarantine, "it lies");
  ASSERT_EQ(taken<LeaseLost>().size(), 1u);
  EXPECT_EQ(taken<LeaseLost>()[0].error.message, "it was quarantined: it lies");
  EXPECT_EQ(sent<protocol::CloseSession>(1).at(0).reason, "it was quarantined: it lies");
  EXPECT_FALSE(fleet_->holds(held.lease_id, held.fence));
  EXPECT_EQ(state(id), ServiceState::kQuarantined);
  EXPECT_EQ(fleet_->counts().lost_quarantined, 1u);
  acquire({.job = "job-2", .user = "bob", .wait = 1s});
  acquire({.job = "job-3", .user = "bob", .count = 2, .wait = 1s});
  effects_.clear();
  advance(2s);
  ASSERT_EQ(taken<NotGranted>().size(), 2u);
  EXPECT_EQ(taken<NotGranted>()[0].error.message,
            cat("no device for any target was free within 1 s: ", id, " is quarantined: it lies; hone devices resume ", id, " lets it work again"));
  EXPECT_EQ(fleet_->why_none({.target = "wasm"}).why, cat("1 device connected, but none matches wasm: chromium-webgpu (id ", id, ", quarantined)"));
}

TEST_F(ManageTest, AHeldDeviceStaysHeldUnderANewId) {
  // Given a phone with two targets and a laptop, when one of the phone's is quarantined, then the other is, too, and so is what the phone brings as another
  // agent, also after a restart; the laptop works on; when one of them is resumed, then all are.
  const auto first = join(1, {offer_of(kPhone), offer_of(kPhone, "cpu", "wasm")});
  const std::string laptop = join(2, {offer_of(kLaptop)}).devices[0].device_id;
  manage(first.devices[0].device_id, DeviceAction::kQuarantine, "it lies");
  start();
  const std::string again = join(3, {offer_of(kPhone)}).devices[0].device_id;
  for (const std::string& id : {first.devices[0].device_id, first.devices[1].device_id, again}) EXPECT_EQ(state(id), ServiceState::kQuarantined) << id;
  EXPECT_EQ(state(laptop), ServiceState::kIdle);
  manage(again, DeviceAction::kResume);
  for (const std::string& id : {first.devices[0].device_id, first.devices[1].device_id, again}) EXPECT_EQ(state(id), ServiceState::kIdle) << id;
}

TEST_F(ManageTest, ADeviceIsForgottenOnceItIsGone) {
  // Given a leased device, when it is to be forgotten, then the answer says what to do while it is here, and while its lease lives after it went; then it is
  // gone from the list and the disk, with its history.
  const std::string id = join(1, {offer("gpu")}).devices[0].device_id;
  lease();
  const Error here = refused(id, DeviceAction::kForget);
  EXPECT_EQ(here.code, ErrorCode::kBusy);
  EXPECT_EQ(here.message, cat(id, " is here: close its page or end its agent, then forget it; hone devices quarantine ", id, " keeps jobs from it"));
  run(fleet_->unlinked(1));
  EXPECT_EQ(refused(id, DeviceAction::kForget).message, cat(id, " left in the middle of a lease, which ends within 15 s; forget it then"));
  advance(16s);
  EXPECT_FALSE(history(id).empty());
  manage(id, DeviceAction::kForget);
  EXPECT_TRUE(devices().empty());
  EXPECT_TRUE(store_->load()->devices.empty());
  EXPECT_TRUE(store_->history({id}, 1'000)->empty());
  EXPECT_FALSE(fleet_->service_state(id).has_value());
}

TEST_F(ManageTest, WhatMakesNoSenseIsRefused) {
  // Given a device, when another one is managed, or a reason acts on terminals, then that is refused and nothing changes; a plain one is taken.
  const std::string id = join(1, {offer("gpu")}).devices[0].device_id;
  for (const DeviceAction action : {DeviceAction::kDrain, DeviceAction::kQuarantine, DeviceAction::kResume, DeviceAction::kForget})
    EXPECT_EQ(refused("dev-none", action).message, "there is no device dev-none; hone devices lists them");
  EXPECT_EQ(refused(id, DeviceAction::kDrain, "a\x1b[31m").code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(state(id), ServiceState::kIdle);
  manage(id, DeviceAction::kDrain, "a");
  EXPECT_EQ(state(id), ServiceState::kMaintenance);
}

TEST_F(ManageTest, ADevicesHistorySaysWhatHappenedAndByWhom) {
  // Given a device that is used, named, drained, resumed and quarantined, goes away and comes back under another id, when its history is asked for, then it says
  // each in order with who did it, whichever id is named.
  const std::string id = join(1, {offer_of(kPhone)}).devices[0].device_id;
  const auto later = [this] { advance(1ms); };
  later();
  const Lease held = lease();
  later();
  std::string physical_id;
  run(fleet_->label(id, "kitchen phone", "bob", &physical_id).value());
  later();
  manage(id, DeviceAction::kDrain, "new battery");
  later();
  run(fleet_->release(held.lease_id, "done"));
  later();
  manage(id, DeviceAction::kResume);
  later();
  manage(id, DeviceAction::kQuarantine);
  later();
  run(fleet_->unlinked(1));
  later();
  const std::string again = join(2, {offer_of(kPhone)}).devices[0].device_id;
  ASSERT_NE(again, id);
  const std::vector<std::string> expected{"connected", "leased by tess: job-1", "labelled by bob: kitchen phone", "drained by anna: new battery",
                                          "lease_ended by tess: job-1: done", "resumed by anna", "quarantined by anna", "gone", "connected"};
  EXPECT_EQ(history(id), expected);
  EXPECT_EQ(history(again), expected);
  EXPECT_EQ(fleet_->show(id)->leases, 1u);
  EXPECT_EQ(store_->history({id}, 2)->size(), 2u);
}

TEST_F(ManageTest, AHistoryIsBoundedAndKeepsEachKind) {
  // Given a device that was drained once and then comes and goes a hundred times, when its history is asked for, then it has the latest of each kind, the drain
  // among them; when that is older than what is kept, then it is gone.
  auto welcome = join(1, {offer("gpu")});
  const std::string id = welcome.devices[0].device_id, agent = welcome.agent_id;
  manage(id, DeviceAction::kDrain);
  for (Link link = 2; link < 102; ++link) {
    run(fleet_->unlinked(link - 1));
    join(link, {offer("gpu")}, agent);
  }
  EXPECT_EQ(history(id).size(), static_cast<size_t>(2 * kEventsKept + 1));
  const auto all = history(id);
  EXPECT_EQ(std::count(all.begin(), all.end(), "drained by anna"), 1);
  advance(kEventAgeMax + 1h);
  EXPECT_EQ(history(id).size(), 1u) << "that its agent fell silent";
}

TEST_F(ManageTest, AnHourOfTheWallClockForgetsNothing) {
  // Given a device that is drained, one that is gone, and a clock that goes an hour ahead and two back while things happen and hours pass, when the history is asked for, then all of it is there, and both devices are known,
  // also after a restart.
  const std::string id = join(1, {offer("gpu")}).devices[0].device_id;
  join(2, {offer("gpu")});
  run(fleet_->unlinked(2));
  for (const auto jump : {1h, -2h, 1h}) {
    wall_.advance(jump);
    manage(id, DeviceAction::kDrain);
    manage(id, DeviceAction::kResume);
    for (int minute = 0; minute < 70; ++minute) {
      steady_.advance(1min);
      beat(1);
      run(fleet_->tick());
    }
  }
  const auto all = history(id);
  EXPECT_EQ(std::count(all.begin(), all.end(), "drained by anna"), 3);
  EXPECT_EQ(std::count(all.begin(), all.end(), "resumed by anna"), 3);
  EXPECT_EQ(devices().size(), 2u);
  start();
  EXPECT_EQ(devices().size(), 2u);
  EXPECT_EQ(history(id), all);
}

TEST_F(ManageTest, BadHealthIsRememberedButNotEachTurn) {
  // Given an agent whose worker hangs and whose device is lost, when both flap, then each is shown at once, and remembered once in a minute.
  const std::string id = join(1, {offer("gpu")}).devices[0].device_id;
  const auto flap = [&] {
    beat(1, false);
    EXPECT_EQ(devices().at(0).state, protocol::DeviceStateKind::kStuck);
    EXPECT_EQ(devices().at(0).message, "its worker does not answer, for 0 s");
    beat(1, true);
    for (const auto now : {protocol::DeviceStateKind::kLost, protocol::DeviceStateKind::kReady})
      run(fleet_->device_state(1, {.device_id = id, .state = now, .message = "GPU reset"}).value());
  };
  for (int i = 0; i < 10; ++i) flap();
  EXPECT_EQ(history(id), (std::vector<std::string>{"connected", "stuck: its worker does not answer", "lost: GPU reset"}));
  for (int second = 0; second < 61; ++second) advance(1s), beat(1, true);
  flap();
  EXPECT_EQ(history(id).size(), 5u);
}

}  // namespace
}  // namespace hone::tracker
