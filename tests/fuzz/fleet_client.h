// FleetClient: the tracker of a fuzz target: a real Fleet on clocks that the input moves, without sockets, disk or threads. What is to be
// written is taken as written. Secrets count, so that the same input always does the same.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/agents/fake_reactor.h"
#include "tracker/fleet.h"

namespace hone::fuzz {

class FleetClient : public tracker::Client {
 public:
  explicit FleetClient(server::FakeReactor& reactor) : reactor_(reactor) {}

  // A frame of the agent behind a control socket, as the tracker's service takes it: a hello once, then everything else.
  void receive(tracker::Link link, const protocol::ControlFromAgent& message);
  void unlinked(tracker::Link link);
  void advance(std::chrono::milliseconds by);
  // What the agents were asked for, in order.
  const std::vector<protocol::OpenSession>& opened() const { return opened_; }

  RequestId reserve(tracker::LeaseRequest request, std::function<void(Result<std::vector<tracker::Lease>>)> on_leases,
                    std::function<void(const std::string& lease_id, Error)> on_lost) override;
  void cancel(RequestId request) override;
  void release(const std::string& lease_id) override;
  void progress(const std::string& lease_id, std::chrono::milliseconds work) override { fleet_.progress(lease_id, work); }
  void redeem(const std::string& session_token, const std::string& lease_id, const std::string& device_id,
              std::function<void(Result<tracker::Lease>)> done) override {
    done(fleet_.redeem(session_token, lease_id, device_id));
  }
  void reopen(const std::string& lease_id) override;
  void label(const std::string& device_id, const std::string& label, const std::string& user, std::function<void(Result<std::string>)> done) override;
  void manage(const protocol::ManageDevice& ask, const std::string& user, std::function<void(Result<protocol::DeviceManaged>)> done) override;
  // Without its events.
  void show(const std::string& device_id, std::function<void(Result<protocol::DeviceShown>)> done) override { done(fleet_.show(device_id)); }
  void why_none(const tracker::LeaseRequest& request, std::function<void(tracker::Missing)> done) override { done(fleet_.why_none(request)); }
  void why_not_ready(const std::string& device_id, std::function<void(std::string)> done) override { done(fleet_.why_not_ready(device_id)); }
  void devices(const std::string& after, std::function<void(Result<protocol::Devices>)> done) override { done(fleet_.page_of_devices(after)); }

 private:
  struct Holder {
    std::function<void(Result<std::vector<tracker::Lease>>)> on_leases;
    std::function<void(const std::string&, Error)> on_lost;
    size_t count = 1;
    std::vector<tracker::Lease> granted;  // until all are
    std::set<std::string> lease_ids;      // that live
  };
  std::string secret();
  void apply(tracker::Outcome outcome);
  void perform(tracker::Granted& granted);
  void perform(tracker::NotGranted& refused);
  void perform(tracker::LeaseLost& lost);
  void perform(tracker::ToAgent& to);
  void perform(tracker::CloseLink& close) { greeted_.erase(close.link); }
  void perform(tracker::AgentChanged&) {}
  void perform(tracker::AgentEnrolled&) {}
  void perform(tracker::Then& then) { then.done(ok_status()); }

  server::FakeReactor& reactor_;
  FakeClock steady_, wall_;
  uint64_t secrets_ = 0;
  tracker::Fleet fleet_{steady_, wall_, {.make_secret = [this] { return secret(); }}};
  std::map<tracker::Link, bool> greeted_;
  std::vector<protocol::OpenSession> opened_;
  std::map<RequestId, Holder> holders_;
  RequestId last_request_ = 0;
};

}  // namespace hone::fuzz
