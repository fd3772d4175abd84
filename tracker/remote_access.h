// RemoteAccess: Access of a compile server that is a process of its own: the tracker says who shows a token, and tells when one ends. Whoever was let
// in stays while the tracker cannot be asked; nobody new is let in then. Tokens and codes are made, listed and taken back at the tracker alone: here
// that fails with kUnsupported.
#pragma once
#include <map>
#include <memory>

#include "tracker/access.h"
#include "tracker/tracker_link.h"

namespace hone::tracker {

class RemoteAccess : public Access, public TrackerLink::Listener {
 public:
  explicit RemoteAccess(TrackerLink& link) : link_(link) {}

  void admit(const std::string& token, std::function<void(Result<Identity>)> done) override;
  std::function<void()> attend(const std::string& token_id, std::function<void(Error)> on_end) override;
  void enrol(const std::string& code, std::function<void(Result<protocol::TokenCreated>)> done) override;
  Result<protocol::Enrolment> make_code(const std::string& name) override;
  void create(const protocol::CreateToken& wanted, std::function<void(Result<protocol::TokenCreated>)> done) override;
  void rotate(const std::string& token_id, std::function<void(Result<protocol::TokenCreated>)> done) override;
  void revoke(const std::string& token_id, std::function<void(Status)> done) override;
  Result<std::vector<protocol::TokenInfo>> tokens(const std::string& after, size_t count_max) const override;

  void on_up() override;
  void on_down(const Error&) override {}
  void on_told(const protocol::ServerFromTracker& message) override;

 private:
  using Visits = std::map<std::string, std::map<uint64_t, std::function<void(Error)>>>;  // by token, in the order in which they came
  void stop(const std::string& token_id, uint64_t visit);
  void leave(const std::string& token_id);  // where nobody of it is here

  TrackerLink& link_;
  Visits visits_;
  uint64_t last_visit_ = 0;
  const std::shared_ptr<RemoteAccess> self_{this, [](RemoteAccess*) {}};  // lets those who stop see that it is gone
};

}  // namespace hone::tracker
