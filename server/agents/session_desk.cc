#include "server/agents/session_desk.h"

#include "base/cat.h"
#include "base/log.h"
#include "schema/message.h"
#include "server/agents/limits.h"

namespace hone::server {

// One session socket: first a hello with the lease's token, then the job's messages.
class SessionDesk::Session : public net::Handler, public AgentLink {
 public:
  Session(SessionDesk& desk, std::shared_ptr<net::Channel> channel) : desk_(desk), channel_(std::move(channel)) {}

  void on_frame(const net::FrameView& frame, size_t frame_bytes) override {
    auto message = protocol::decode_text<protocol::SessionFromAgent>(frame.header, frame_bytes);
    if (!message.ok()) return refuse(message.error(), net::CloseCode::kProtocolError);
    if (auto* hello = std::get_if<protocol::SessionHello>(&*message)) return greet(*hello);
    auto found = desk_.expected_.find(lease_id_);
    if (found == desk_.expected_.end() || found->second.session != this)
      return refuse({ErrorCode::kStaleFence, "the lease of this session has ended"}, net::CloseCode::kPolicy);
    found->second.user->receive(*message, frame.payload);
  }

  void on_closed(const net::Closed&) override { desk_.closed(lease_id_, this); }

  void send(const protocol::SessionFromServer& message, std::string_view payload = {}) override {
    std::visit([&](const auto& one) { channel_->send(protocol::encode(one), payload); }, message);
  }
  bool same_host() const override { return channel_->peer().rfind("127.", 0) == 0 || channel_->peer() == "::1"; }
  void close(std::string_view reason) { channel_->close(net::CloseCode::kNormal, reason); }

 private:
  void greet(const protocol::SessionHello& hello) {
    // One socket is one session: under a second lease, the first one's user would not hear of the end.
    if (!lease_id_.empty())
      return refuse({ErrorCode::kProtocolError, "a second session_hello on one socket"}, net::CloseCode::kProtocolError);
    auto lease = desk_.tracker_.redeem(hello.session_token, hello.lease_id, hello.device_id);
    if (!lease.ok()) return refuse(lease.error(), net::CloseCode::kUnauthorized);
    auto found = desk_.expected_.find(hello.lease_id);
    if (found == desk_.expected_.end())
      return refuse({ErrorCode::kStaleFence, "the job of this lease has ended"}, net::CloseCode::kPolicy);
    if (found->second.session) found->second.session->close("the agent opened a newer session");
    lease_id_ = hello.lease_id;
    found->second.session = this;
    channel_->set_greeted();
    channel_->set_frame_bytes_max(protocol::Executed::kBytesMax);
    send(protocol::SessionWelcome{.reply_to = hello.id, .session_id = hello.lease_id, .credits = kCreditsMax});
    found->second.user->attach(*this, found->second.fence);
  }

  void refuse(const Error& error, net::CloseCode code) {
    // A job may end while its agent still dials or speaks: that is nobody's fault.
    const LogLevel level = error.code == ErrorCode::kStaleFence ? LogLevel::kDebug : LogLevel::kWarn;
    log_line(level, cat("a session socket is refused: ", error.message));
    send(protocol::ErrorReply{.code = error.code, .message = error.message});
    channel_->close(code, error.message);
  }

  SessionDesk& desk_;
  const std::shared_ptr<net::Channel> channel_;
  std::string lease_id_;
};

void SessionDesk::expect(const tracker::Lease& lease, std::shared_ptr<SessionUser> user) {
  expected_[lease.lease_id] = {std::move(user), lease.fence};
}

void SessionDesk::forget(const std::string& lease_id) {
  auto found = expected_.find(lease_id);
  if (found == expected_.end()) return;
  Expected gone = std::move(found->second);
  expected_.erase(found);
  if (!gone.session) return;
  gone.user->detach();
  gone.session->close("the lease has ended");
}

std::unique_ptr<net::Handler> SessionDesk::accept(std::shared_ptr<net::Channel> channel) {
  return std::make_unique<Session>(*this, std::move(channel));
}

void SessionDesk::closed(const std::string& lease_id, Session* session) {
  auto found = expected_.find(lease_id);
  if (found == expected_.end() || found->second.session != session) return;
  found->second.session = nullptr;
  found->second.user->detach();
  // Only the socket broke, perhaps: ask for another one. An agent that is gone answers nothing, and the lease runs out.
  if (Status asked = tracker_.reopen(lease_id); !asked.ok())
    log_debug(cat("the session of lease ", lease_id, " ended: ", asked.error().message));
}

}  // namespace hone::server
