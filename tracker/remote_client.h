// RemoteClient: Client over a socket. When the connection to the tracker breaks, all leases count as lost at once, with kStaleFence: nobody can say
// whether they live. The tracker ends them when this server greets it again, or when their time is over, whatever comes first. Requests that wait go
// on waiting, on the next connection; only while there is none, their time is kept here. Questions fail with the link's away() meanwhile.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "tracker/client.h"
#include "tracker/tracker_link.h"

namespace hone::tracker {

class RemoteClient : public Client, public TrackerLink::Listener {
 public:
  // All outlives it. The link tells it what happens once it was added.
  RemoteClient(net::EventLoop& loop, const Clock& steady, TrackerLink& link);

  RequestId reserve(LeaseRequest request, std::function<void(Result<std::vector<Lease>>)> on_leases,
                    std::function<void(const std::string& lease_id, Error)> on_lost) override;
  void why_none(const LeaseRequest& request, std::function<void(Missing)> done) override;
  void why_not_ready(const std::string& device_id, std::function<void(std::string)> done) override;
  void cancel(RequestId request) override;
  void release(const std::string& lease_id) override;
  void progress(const std::string& lease_id, std::chrono::milliseconds work) override;
  void redeem(const std::string& session_token, const std::string& lease_id, const std::string& device_id,
              std::function<void(Result<Lease>)> done) override;
  void reopen(const std::string& lease_id) override;
  void label(const std::string& device_id, const std::string& label, const std::string& user, std::function<void(Result<std::string>)> done) override;
  void manage(const protocol::ManageDevice& ask, const std::string& user, std::function<void(Result<protocol::DeviceManaged>)> done) override;
  void show(const std::string& device_id, std::function<void(Result<protocol::DeviceShown>)> done) override;
  void devices(const std::string& after, std::function<void(Result<protocol::Devices>)> done) override;

  void on_up() override;
  void on_down(const Error& why) override;
  void on_told(const protocol::ServerFromTracker& message) override;

 private:
  struct Request {
    LeaseRequest wish;
    std::chrono::milliseconds until{0};  // of the steady clock: how long it waits
    std::function<void(Result<std::vector<Lease>>)> on_leases;
    std::function<void(const std::string&, Error)> on_lost;
    std::optional<uint64_t> asked;    // under which id this connection's tracker knows it
    bool granted = false;
    std::set<std::string> lease_ids;  // that live
  };
  struct Held {
    RequestId request = 0;
    std::chrono::milliseconds told{0};  // when the tracker last heard of its progress, of the steady clock
  };
  void send(RequestId id);
  void answered(RequestId id, Result<protocol::ServerFromTracker> reply);
  void refuse(RequestId id, const Error& why);
  void lose(const std::string& lease_id, const Error& why);
  void look();  // at requests that wait without a connection

  net::EventLoop& loop_;
  const Clock& steady_;
  TrackerLink& link_;
  net::Timer look_;
  std::map<RequestId, Request> requests_;
  std::map<std::string, Held> held_;  // leases
  RequestId last_request_ = 0;
  const std::shared_ptr<RemoteClient> self_{this, [](RemoteClient*) {}};  // lets what is posted see that it is gone
};

}  // namespace hone::tracker
