#include "tracker/relay_desk.h"

#include <utility>

#include "base/cat.h"
#include "base/log.h"
#include "base/secret.h"
#include "schema/message.h"
#include "tracker/limits.h"

namespace hone::tracker {

// One socket: an agent's, or a server's.
class RelayDesk::End : public net::Handler {
 public:
  End(RelayDesk& desk, std::shared_ptr<net::Channel> channel) : desk_(desk), channel_(std::move(channel)), patience_(desk.loop_) {}
  ~End() override { desk_.waiting_.erase(relay_id_); }

  void on_frame(const net::FrameView& frame, size_t frame_bytes) override {
    if (other_) return pass_on(frame);
    if (!relay_id_.empty()) return refuse({ErrorCode::kProtocolError, "a second frame before the first was answered"});
    const auto hello = protocol::decode_text<protocol::SessionFromAgent>(frame.header, frame_bytes);
    if (hello.ok() && std::holds_alternative<protocol::SessionHello>(*hello)) return await(std::get<protocol::SessionHello>(*hello));
    const auto server = protocol::decode_text<protocol::RelayFromServer>(frame.header, frame_bytes);
    if (server.ok() && std::holds_alternative<protocol::RelayHello>(*server)) return join(std::get<protocol::RelayHello>(*server).relay_id);
    refuse({ErrorCode::kProtocolError, "the first frame must be session_hello, or relay_hello of a compile server"});
  }

  void on_closed(const net::Closed& closed) override {
    if (End* other = std::exchange(other_, nullptr)) {
      other->other_ = nullptr;
      other->channel_->close(net::CloseCode::kNormal, closed.reason);
    }
  }

 private:
  void await(const protocol::SessionHello& hello) {
    relay_id_ = random_secret();
    if (const Status asked = desk_.servers_.relay(hello.lease_id, relay_id_); !asked.ok()) return refuse(asked.error());
    hello_ = protocol::encode(hello);
    desk_.waiting_[relay_id_] = this;
    patience_.start(kRelayDialMax, [this] { refuse({ErrorCode::kTimeout, "the compile server did not come"}); });
  }

  void join(const std::string& relay_id) {
    const auto node = desk_.waiting_.extract(relay_id);
    if (node.empty()) return refuse({ErrorCode::kUnauthorized, "nobody waits for this end"});
    relay_id_ = relay_id;
    other_ = node.mapped();
    other_->other_ = this;
    other_->patience_.cancel();
    log_info(cat("a session is relayed: the agent at ", other_->channel_->peer(), " cannot dial its compile server at ", channel_->peer()));
    greet();
    channel_->send(other_->hello_);
  }

  void greet() {
    channel_->set_greeted();
    channel_->set_frame_bytes_max(protocol::kFrameBytesMax);
    is_greeted_ = true;
  }

  // What a server sends to an agent vouches for it.
  void pass_on(const net::FrameView& frame) {
    if (is_greeted_ && !other_->is_greeted_) other_->greet();
    other_->channel_->send(frame.header, frame.payload.empty() ? nullptr : frame.kept_payload());
  }

  void refuse(const Error& error) {
    channel_->send(protocol::encode(protocol::ErrorReply{.code = error.code, .message = error.message}));
    channel_->close(net::CloseCode::kPolicy, error.message);
  }

  RelayDesk& desk_;
  const std::shared_ptr<net::Channel> channel_;
  net::Timer patience_;
  std::string relay_id_;  // "" until the first frame
  std::string hello_;     // of an agent
  bool is_greeted_ = false;
  End* other_ = nullptr;
};

std::unique_ptr<net::Handler> RelayDesk::accept(std::shared_ptr<net::Channel> channel) { return std::make_unique<End>(*this, std::move(channel)); }

}  // namespace hone::tracker
