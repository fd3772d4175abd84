#include "tracker/tracker_link.h"

#include <utility>

#include "base/cat.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/secret.h"
#include "tracker/limits.h"

namespace hone::tracker {

namespace {

constexpr size_t kSocketsMax = 256;  // one, and another for each relayed session
constexpr std::chrono::milliseconds kGreetingMax{10'000};

bool is_final(ErrorCode code) { return code == ErrorCode::kUnauthorized || code == ErrorCode::kVersionMismatch || code == ErrorCode::kInvalidArgument; }

std::chrono::milliseconds time_of(double ms) { return std::chrono::milliseconds(static_cast<int64_t>(ms)); }

}  // namespace

class TrackerLink::Socket : public net::Handler {
 public:
  explicit Socket(TrackerLink& link) : link_(&link) {}
  void on_frame(const net::FrameView& frame, size_t frame_bytes) override {
    if (!link_) return;
    const auto message = protocol::decode_text<protocol::ServerFromTracker>(frame.header, frame_bytes);
    if (message.ok()) link_->receive(*message);
    else link_->drop(message.error());
  }
  void on_closed(const net::Closed& closed) override {
    if (link_) link_->drop({ErrorCode::kIoError, closed.reason.empty() ? "the connection ended" : closed.reason});
  }
  void leave() { link_ = nullptr; }

 private:
  TrackerLink* link_;
};

TrackerLink::TrackerLink(net::EventLoop& loop, const Clock& steady, Config config)
    : loop_(loop),
      steady_(steady),
      config_(std::move(config)),
      server_id_(random_secret()),
      farm_(config_.to),
      backoff_(config_.backoff, hash_bytes(server_id_).lo),
      next_(loop),
      beat_(loop),
      known_(loop),
      client_(std::make_unique<net::Client>(loop, net::Idle(), kSocketsMax, config_.tls)) {}

TrackerLink::~TrackerLink() {
  if (socket_) socket_->leave();
}

void TrackerLink::start(std::string session_url) {
  session_url_ = std::move(session_url);
  dial();
}

Error TrackerLink::away() const {
  return {ErrorCode::kIoError, cat("the tracker at ", where(), " cannot be asked: ", why_)};
}

std::string TrackerLink::where() const { return cat(farm_.current().host, ":", farm_.current().port); }

void TrackerLink::dial() {
  state_ = State::kConnecting;
  net::ConnectTo to = farm_.current();
  to.path = "/ws/server";
  client_->connect(
      to,
      [this](std::shared_ptr<net::Channel> channel) {
        auto socket = std::make_unique<Socket>(*this);
        greet(std::move(channel), *socket);
        return socket;
      },
      [this](const Error& error) { drop(error); });
}

void TrackerLink::greet(std::shared_ptr<net::Channel> channel, Socket& socket) {
  if (state_ == State::kLeft) {  // while it was dialled
    socket.leave();
    return channel->close(net::CloseCode::kGoingAway, why_);
  }
  state_ = State::kGreeting;
  channel_ = std::move(channel);
  socket_ = &socket;
  hello_sent_ = steady_.now();
  send(protocol::ServerHello{
      .id = ++last_id_, .token = config_.token, .version = protocol::kProtocolVersion, .server_id = server_id_, .session_url = session_url_});
  next_.start(kGreetingMax, [this] { drop({ErrorCode::kTimeout, "it did not greet in time"}); });
}

void TrackerLink::receive(const protocol::ServerFromTracker& message) {
  if (state_ == State::kLeft) return;
  const bool greets = std::holds_alternative<protocol::ServerWelcome>(message), fails = std::holds_alternative<protocol::ErrorReply>(message);
  if ((state_ == State::kGreeting) != greets && !fails) return drop({ErrorCode::kProtocolError, "it spoke out of turn"});
  std::visit([this](const auto& one) { take(one); }, message);
}

void TrackerLink::take(const protocol::ServerWelcome& welcome) {
  next_.cancel();
  backoff_.reset();
  state_ = State::kUp;
  lease_ = time_of(welcome.lease_ms);
  if (welcome.trackers) know(*welcome.trackers);
  log_info(cat("connected to the tracker at ", where()));
  beat_.start_repeating(time_of(welcome.beat_ms), [this] { beat(); });
  known_until(hello_sent_ + lease_);
  for (Listener* listener : listeners_)
    if (is_up()) listener->on_up();
}

void TrackerLink::beat() {
  beats_[++last_seq_] = steady_.now();
  send(protocol::ServerBeat{last_seq_});
}

void TrackerLink::know(const std::vector<std::string>& trackers) {
  farm_.know(trackers);
  if (config_.on_trackers) config_.on_trackers(trackers);
}

void TrackerLink::take(const protocol::ServerBeatAck& ack) {
  if (ack.trackers) know(*ack.trackers);
  const auto sent = beats_.find(ack.seq);
  if (sent == beats_.end()) return;
  const auto until = sent->second + lease_;
  beats_.erase(beats_.begin(), std::next(sent));
  known_until(until);
}

// This process may not have run for a while: then what comes now says nothing any more.
void TrackerLink::known_until(std::chrono::milliseconds until) {
  const auto left = until - steady_.now();
  const Error silent{ErrorCode::kTimeout, "it acknowledged nothing for as long as a lease lives"};
  if (left <= std::chrono::milliseconds(0)) return drop(silent);
  known_.start(left, [this, silent] { drop(silent); });
}

void TrackerLink::take(const protocol::ErrorReply& error) {
  const Error why{error.code, error.message};
  if (state_ == State::kUp && error.reply_to && answer(*error.reply_to, why)) return;
  if (state_ == State::kGreeting && is_final(error.code)) refuse(why);
  else drop(why);
  if (error.tracker) farm_.go_to(*error.tracker);
}

void TrackerLink::refuse(const Error& why) {
  state_ = State::kRefused;
  why_ = why.message;
  next_.cancel();
  std::exchange(socket_, nullptr)->leave();
  std::exchange(channel_, nullptr)->close(net::CloseCode::kNormal, "");
  if (config_.on_refused) config_.on_refused(why);
}

// Where it cannot be opened, the agent tries again.
void TrackerLink::take(const protocol::RelaySession& relay) {
  if (!accept_session_) return;
  net::ConnectTo to = farm_.current();
  to.path = kRelayPath;
  client_->connect(
      to,
      [accept = accept_session_, relay_id = relay.relay_id](std::shared_ptr<net::Channel> channel) {
        channel->send(protocol::encode(protocol::RelayHello{relay_id}));
        return accept(std::move(channel));
      },
      [](const Error& error) { log_warn(cat("a session could not be relayed: ", error.message)); });
}

template <class Message>
void TrackerLink::take(const Message& message) {
  if constexpr (requires { message.reply_to; }) {
    answer(message.reply_to, protocol::ServerFromTracker(message));
  } else {
    for (Listener* listener : listeners_) listener->on_told(message);
  }
}

bool TrackerLink::answer(uint64_t id, Result<protocol::ServerFromTracker> reply) {
  const auto node = asked_.extract(id);
  if (!node.empty()) node.mapped()(std::move(reply));
  return !node.empty();
}

void TrackerLink::stop_timers() {
  next_.cancel();
  beat_.cancel();
  known_.cancel();
}

void TrackerLink::leave() {
  if (state_ == State::kLeft) return;
  state_ = State::kLeft;
  why_ = "this server ends";
  stop_timers();
  for (auto& [id, reply] : std::exchange(asked_, {})) reply(away());
  if (channel_) channel_->close(net::CloseCode::kGoingAway, why_);
}

// From whatever state: everything of the connection ends, and another one follows.
void TrackerLink::drop(const Error& why) {
  if (state_ == State::kLeft) {
    socket_ = nullptr;
    channel_ = nullptr;
  }
  if (state_ == State::kWaiting || state_ == State::kRefused || state_ == State::kLeft) return;
  const bool was_up = std::exchange(state_, State::kWaiting) == State::kUp;
  if (was_up || why_ != why.message) log_warn(cat("no connection to the tracker at ", where(), ": ", why.message, "; it is tried again"));
  why_ = why.message;
  stop_timers();
  beats_.clear();
  if (const auto socket = std::exchange(socket_, nullptr)) socket->leave();
  if (const auto channel = std::exchange(channel_, nullptr)) channel->close(net::CloseCode::kNormal, "");
  farm_.failed();
  next_.start(backoff_.next(), [this] { dial(); });
  for (auto& [id, reply] : std::exchange(asked_, {})) reply(away());
  if (!was_up) return;
  for (Listener* listener : listeners_) listener->on_down(why);
}

}  // namespace hone::tracker
