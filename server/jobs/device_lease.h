// DeviceLease: keeps a job on one class of devices. Acquires a lease, leads its sessions to the job's SessionUser, and acquires another one
// of the same device key when it is lost, or when its device fails. A job that uses several devices has one of these for each. Network thread only; shared with the tracker's callbacks.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/agents/session_desk.h"
#include "server/jobs/leased_store.h"
#include "tracker/client.h"

namespace hone::server {

class DeviceLease : public std::enable_shared_from_this<DeviceLease> {
 public:
  struct Config {
    tracker::LeaseRequest request;
    double reacquire_ms;  // how long a lost device may take to come back
    // Makes the user of the first device that is granted; called once, unless the lease keeps asking.
    std::function<std::shared_ptr<SessionUser>(const protocol::DeviceInfo&)> make_user;
    // Called once: the user is there, or why no device came.
    std::function<void(Result<protocol::DeviceInfo>)> on_first;
    // An additional device: where none comes in time, or a lost one does not come back, the request is repeated.
    bool keeps_asking = false;
  };
  DeviceLease(Config config, tracker::Client& tracker, SessionDesk& desk, std::shared_ptr<Fences> fences)
      : config_(std::move(config)), tracker_(tracker), desk_(desk), fences_(std::move(fences)) {}

  void start();
  // Starts several with one reservation, as the first of them asks for it: each gets one of its leases, or all are refused. They are stopped together.
  static void start_together(const std::vector<std::shared_ptr<DeviceLease>>& all);
  void stop_waiting();  // if no device came yet: as stop
  void stop();          // releases; on_first is answered with kCancelled if it was not yet

 private:
  void acquire(tracker::LeaseRequest request);
  void on_lease(Result<tracker::Lease> lease);
  void on_refused(const Error& error);
  void on_lost(const Error& reason);
  void exchange();
  void give_for(std::string selector);  // its lease, for one on what fits
  void acquire_equal(std::string selector, std::chrono::milliseconds wait);
  void answer(Result<protocol::DeviceInfo> device);
  void drop();

  const Config config_;
  tracker::Client& tracker_;
  SessionDesk& desk_;
  const std::shared_ptr<Fences> fences_;
  std::shared_ptr<SessionUser> user_;
  std::optional<tracker::Client::RequestId> request_;
  std::string lease_id_, device_key_, device_id_;
  bool answered_ = false, stopped_ = false;
};

}  // namespace hone::server
