// What a compile server sees of the tracker: leases on devices. One implementation in the same process (Service). What is asked is answered by
// `done`, once, from within the call or later: the answer may lie in another process. All calls and callbacks on the event loop's thread.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "schema/generated/protocol.h"

namespace hone::tracker {

struct LeaseRequest {
  std::string selector;    // device id, kind, capability expression (selector.h); empty = any
  std::string target;      // "webgpu"; empty = any
  std::string device_key;  // only this class of devices; empty = any
  std::vector<std::string> not_of;  // only devices of agents that other tokens vouch for
  std::string job;
  std::string user;
  int64_t priority = 0;                    // greater is served first
  size_t user_devices_max = 0;             // that the user's jobs may hold at once, these included; 0 = any number
  size_t count = 1;                        // so many devices of one class at once, or none; kReservedMax at most
  std::chrono::milliseconds wait{60'000};  // kNoDevice afterwards
  std::string session_url;                 // where agents open the sessions of its leases: a ws: or wss: URL; empty = at the tracker's own process
};

// Why no device can be leased now.
struct Missing {
  std::string why;        // for people; "" = one can
  bool one_fits = false;  // a connected one would do: it is in use, not ready, or held back by people
};

struct Lease {
  std::string lease_id;
  uint64_t fence = 0;  // greater than every earlier one of the device, also across restarts
  protocol::DeviceInfo device;
  std::string session_token;  // the agent was sent it; it opens one session socket, once
  std::string enrolment;      // who vouches for the agent: the id of the token that it has shown
  bool trusted = false;       // that token is a canary's
};

class Client {
 public:
  using RequestId = uint64_t;
  virtual ~Client() = default;

  // Waits for request.count matching free devices. `on_leases` is called once, unless cancelled: with the leases, committed to disk in one
  // transaction, or with kNoDevice / kInvalidArgument (a bad selector, a bad count). No device is held while others are missing; once the
  // request has waited for Limits::priority_age, those that are free are kept for it. `on_lost` is called at most once for each lease, when
  // it ends other than by release, with the reason: kStaleFence, the device is away, another one or quarantined; kTimeout, its session answered nothing; kBusy, another job waits, and this
  // one may ask again. Neither is called from within reserve.
  virtual RequestId reserve(LeaseRequest request, std::function<void(Result<std::vector<Lease>>)> on_leases,
                            std::function<void(const std::string& lease_id, Error)> on_lost) = 0;
  // The same for one device.
  RequestId acquire(LeaseRequest request, std::function<void(Result<Lease>)> on_lease,
                    std::function<void(Error)> on_lost) {
    request.count = 1;
    return reserve(
        std::move(request),
        [on_lease = std::move(on_lease)](Result<std::vector<Lease>> leases) {
          leases.ok() ? on_lease(std::move(leases->front())) : on_lease(leases.error());
        },
        [on_lost = std::move(on_lost)](const std::string&, Error why) { on_lost(std::move(why)); });
  }
  // Why no device can be leased to such a request now, with what is there instead, for people; "" = one can, or the selector is a bad one.
  virtual void why_none(const LeaseRequest& request, std::function<void(Missing)> done) = 0;
  // What keeps a connected device from working now and since when, for people: "a kernel still runs on it, for 12 s"; "" = nothing does.
  virtual void why_not_ready(const std::string& device_id, std::function<void(std::string)> done) = 0;
  virtual void cancel(RequestId request) = 0;  // all of its leases are released
  virtual void release(const std::string& lease_id) = 0;

  // The session of this lease answered something, or was given work that may take so long. The next answer is due within that and
  // Limits::progress_deadline, as the first is after the grant; the lease ends with kTimeout otherwise. Nothing where it has ended.
  virtual void progress(const std::string& lease_id, std::chrono::milliseconds work) = 0;
  // Takes a session_hello's token, once: kUnauthorized when it is unknown or used, kStaleFence when its lease has ended.
  virtual void redeem(const std::string& session_token, const std::string& lease_id, const std::string& device_id,
                      std::function<void(Result<Lease>)> done) = 0;
  // Asks the agent to open another session socket under the same lease, after one broke. An agent that reconnects is asked by itself. Nothing where
  // the lease has ended.
  virtual void reopen(const std::string& lease_id) = 0;

  // Gives a device a name for people, which selectors know too, and each other of the same physical_id; "" takes it away. `done` hears the
  // physical_id of the device, "" where it has none. `user` does it. Fails: not_found, invalid_argument.
  virtual void label(const std::string& device_id, const std::string& label, const std::string& user, std::function<void(Result<std::string>)> done) = 0;
  // Takes a device out of service, or back (of its physical_id, too), or forgets it, as protocol.json says. `done` comes when that is on disk. Fails: not_found,
  // invalid_argument, busy, and as disks do.
  virtual void manage(const protocol::ManageDevice& ask, const std::string& user, std::function<void(Result<protocol::DeviceManaged>)> done) = 0;
  // A device with its history, as it is on disk. Fails: not_found, and as disks do.
  virtual void show(const std::string& device_id, std::function<void(Result<protocol::DeviceShown>)> done) = 0;
  // A page of the known devices, ordered by device_id, of those behind `after` ("" = from the first): as many as one frame should have.
  virtual void devices(const std::string& after, std::function<void(Result<protocol::Devices>)> done) = 0;
};

}  // namespace hone::tracker
