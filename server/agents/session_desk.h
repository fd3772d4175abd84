// SessionDesk: takes the agents' session sockets and leads each to the job whose lease opened it. Network thread only.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "base/net/channel.h"
#include "server/agents/session_user.h"
#include "server/compile/blob_store.h"
#include "tracker/client.h"

namespace hone::server {

class SessionDesk {
 public:
  // blobs: what agents may ask for on their sessions; null: they fetch it over HTTP.
  explicit SessionDesk(tracker::Client& tracker, BlobStore* blobs = nullptr) : tracker_(tracker), blobs_(blobs) {}

  // Sessions of this lease belong to `user`, until forget.
  void expect(const tracker::Lease& lease, std::shared_ptr<SessionUser> user);
  void forget(const std::string& lease_id);

  // For the endpoint /ws/session.
  std::unique_ptr<net::Handler> accept(std::shared_ptr<net::Channel> channel);

 private:
  class Session;
  struct Expected {
    std::shared_ptr<SessionUser> user;
    uint64_t fence = 0;
    Session* session = nullptr;  // the open one
  };
  void closed(const std::string& lease_id, Session* session);

  tracker::Client& tracker_;
  BlobStore* const blobs_;
  std::map<std::string, Expected> expected_;  // by lease
};

}  // namespace hone::server
