#include "server/agents/session_desk.h"

#include <algorithm>

#include "base/cat.h"
#include "base/log.h"
#include "schema/message.h"
#include "server/agents/limits.h"
#include "server/agents/plan_runner.h"

namespace hone::server {

namespace {

#if defined(__APPLE__)
constexpr std::string_view kHostOs = "macos";
#elif defined(_WIN32)
constexpr std::string_view kHostOs = "windows";
#else
constexpr std::string_view kHostOs = "linux";
#endif

// Of what an agent sends unless it was asked for a model's outputs.
constexpr size_t kAnswerBytesMax = protocol::CandidateResult::kBytesMax;

// What was asked for, and times of each run and launch.
size_t answer_bytes_max(const protocol::Execute& execute) {
  uint64_t outputs = 0;
  for (const protocol::PlanOutput& output : execute.outputs)
    outputs += std::min<uint64_t>(output.bytes, protocol::Executed::kBytesMax);
  return std::min<uint64_t>(net::kHeaderBytesMax + outputs, protocol::Executed::kBytesMax);
}

// What shows that the device works; anything else may come from an agent that does nothing.
bool is_answer(const protocol::SessionFromAgent& message) {
  return std::holds_alternative<protocol::TaskReady>(message) || std::holds_alternative<protocol::CandidateResult>(message) ||
         std::holds_alternative<protocol::Executed>(message);
}

}  // namespace

// One session socket: first a hello with the lease's token, then the job's messages.
class SessionDesk::Session : public net::Handler, public AgentLink {
 public:
  Session(SessionDesk& desk, std::shared_ptr<net::Channel> channel) : desk_(desk), channel_(std::move(channel)) {}

  void on_frame(const net::FrameView& frame, size_t frame_bytes) override {
    auto message = protocol::decode_text<protocol::SessionFromAgent>(frame.header, frame_bytes);
    if (!message.ok()) return refuse(message.error(), net::CloseCode::kProtocolError);
    if (auto* hello = std::get_if<protocol::SessionHello>(&*message)) return greet(*hello);
    auto found = desk_.expected_.find(lease_.lease_id);
    if (found == desk_.expected_.end() || found->second.session != this)
      return refuse({ErrorCode::kStaleFence, "the lease of this session has ended"}, net::CloseCode::kPolicy);
    if (const auto* ask = std::get_if<protocol::FetchBlob>(&*message)) return send_piece(*ask);
    if (std::holds_alternative<protocol::Executed>(*message)) channel_->set_frame_bytes_max(kAnswerBytesMax);
    if (is_answer(*message)) desk_.tracker_.progress(lease_.lease_id, std::chrono::milliseconds(0));
    found->second.user->receive(*message, frame.payload.empty() ? nullptr : frame.kept_payload());
  }

  void on_closed(const net::Closed&) override { desk_.closed(lease_.lease_id, this); }

  void send(const protocol::SessionFromServer& message, std::string_view payload = {}) override {
    if (const auto* execute = std::get_if<protocol::Execute>(&message)) {
      channel_->set_frame_bytes_max(answer_bytes_max(*execute));
      desk_.tracker_.progress(lease_.lease_id, std::chrono::milliseconds(static_cast<int64_t>(answer_max_ms(*execute))));
    }
    std::visit([&](const auto& one) { channel_->send(protocol::encode(one), payload); }, message);
  }
  // A phone behind adb reverse, or a laptop behind a tunnel, seems to be here as well; but its system is another one, mostly.
  bool same_host() const override { return channel_->is_local() && (lease_.device.fingerprint.os.empty() || lease_.device.fingerprint.os == kHostOs); }
  const tracker::Lease& lease() const override { return lease_; }
  void close(std::string_view reason) { channel_->close(net::CloseCode::kNormal, reason); }

 private:
  void greet(const protocol::SessionHello& hello) {
    // One socket is one session: under a second lease, the first one's user would not hear of the end.
    if (std::exchange(has_greeted_, true))
      return refuse({ErrorCode::kProtocolError, "a second session_hello on one socket"},
                    net::CloseCode::kProtocolError);
    desk_.tracker_.redeem(hello.session_token, hello.lease_id, hello.device_id, [weak = std::weak_ptr(self_), hello](Result<tracker::Lease> lease) {
      if (const auto session = weak.lock()) session->redeemed(hello, std::move(lease));
    });
  }

  void redeemed(const protocol::SessionHello& hello, Result<tracker::Lease> lease) {
    if (over_) return;
    if (!lease.ok()) return refuse(lease.error(), net::CloseCode::kUnauthorized);
    auto found = desk_.expected_.find(hello.lease_id);
    if (found == desk_.expected_.end())
      return refuse({ErrorCode::kStaleFence, "the job of this lease has ended"}, net::CloseCode::kPolicy);
    if (found->second.session) found->second.session->close("the agent opened a newer session");
    lease_ = std::move(*lease);
    found->second.session = this;
    channel_->set_greeted();
    channel_->set_frame_bytes_max(kAnswerBytesMax);
    protocol::SessionWelcome welcome{.reply_to = hello.id, .session_id = hello.lease_id, .credits = kCreditsMax};
    if (desk_.blobs_) welcome.blobs = true;
    send(welcome);
    found->second.user->attach(*this, found->second.fence);
  }

  // The piece lives in its blob until it is sent.
  void send_piece(const protocol::FetchBlob& ask) {
    const BlobPtr blob = desk_.blobs_ ? desk_.blobs_->find(ask.sha256) : nullptr;
    if (!blob || ask.offset > blob->bytes.size())
      return send(protocol::ErrorReply{.reply_to = ask.id, .code = ErrorCode::kNotFound, .message = blob ? "the blob has no such place" : "no such blob"});
    const std::string_view piece = std::string_view(blob->bytes).substr(ask.offset, kBlobPieceBytes);
    channel_->send(protocol::encode(protocol::BlobPiece{.reply_to = ask.id}), shared_part(blob, piece));
  }

  void refuse(const Error& error, net::CloseCode code) {
    // A job may end while its agent still dials or speaks: that is nobody's fault.
    const LogLevel level = error.code == ErrorCode::kStaleFence ? LogLevel::kDebug : LogLevel::kWarn;
    log_line(level, cat("a session socket is refused: ", error.message));
    over_ = true;
    send(protocol::ErrorReply{.code = error.code, .message = error.message});
    channel_->close(code, error.message);
  }

  SessionDesk& desk_;
  const std::shared_ptr<net::Channel> channel_;
  tracker::Lease lease_;  // without an id until its token is redeemed
  bool has_greeted_ = false, over_ = false;
  const std::shared_ptr<Session> self_{this, [](Session*) {}};  // lets callbacks see that the session is gone
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
  tracker_.reopen(lease_id);
}

}  // namespace hone::server
