#include "tracker/server_desk.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/cat.h"
#include "base/log.h"
#include "schema/message.h"
#include "tracker/lease_messages.h"

namespace hone::tracker {

namespace {

bool is_socket_url(const std::string& url) { return url.starts_with("ws://") || url.starts_with("wss://"); }

}  // namespace

// One start of a compile server.
struct ServerDesk::Server {
  explicit Server(net::EventLoop& loop) : ends(loop) {}
  struct Request {
    Client::RequestId at_tracker = 0;
    bool granted = false;
    std::set<std::string> lease_ids;  // that live
  };
  // The request behind a lease that lives.
  std::map<uint64_t, Request>::iterator holder_of(const std::string& lease_id) {
    return std::find_if(requests.begin(), requests.end(), [&](const auto& one) { return one.second.lease_ids.count(lease_id) > 0; });
  }
  bool holds(const std::string& lease_id) { return holder_of(lease_id) != requests.end(); }
  void forget(const std::string& lease_id) {
    const auto found = holder_of(lease_id);
    if (found == requests.end()) return;
    found->second.lease_ids.erase(lease_id);
    if (found->second.lease_ids.empty()) requests.erase(found);
  }

  std::string server_id, session_url;
  std::map<uint64_t, Request> requests;  // by the id of the server's reserve
  net::Timer ends;                       // unless a beat comes
  Session* session = nullptr;            // its open socket
};

class ServerDesk::Session : public net::Handler {
 public:
  Session(ServerDesk& desk, std::shared_ptr<net::Channel> channel) : desk_(desk), channel_(std::move(channel)) {}
  ~Session() override {
    if (stop_visit_) stop_visit_();
    for (const auto& [token_id, stop] : attended_) stop();
  }

  void on_frame(const net::FrameView& frame, size_t frame_bytes) override {
    if (over_) return;
    const auto message = protocol::decode_text<protocol::ServerFromServer>(frame.header, frame_bytes);
    if (!message.ok()) return hang_up(message.error(), net::CloseCode::kProtocolError);
    const bool is_hello = std::holds_alternative<protocol::ServerHello>(*message);
    if (is_hello ? is_asked_ : !server_)
      return hang_up({ErrorCode::kProtocolError, is_hello ? "a second server_hello" : "the first frame must be server_hello, and its answer comes first"}, net::CloseCode::kProtocolError);
    std::visit([this](const auto& one) { handle(one); }, *message);
  }

  void on_closed(const net::Closed& closed) override {
    channel_ = nullptr;
    if (!server_ || server_->session != this) return;
    server_->session = nullptr;
    const bool left = closed.code == static_cast<uint16_t>(net::CloseCode::kGoingAway);
    left ? desk_.end(std::string(server_->server_id)) : desk_.stop_waiting(*server_);
  }

  void hang_up(const Error& error, net::CloseCode code, std::optional<uint64_t> reply_to = std::nullopt) {
    if (std::exchange(over_, true) || !channel_) return;
    send(protocol::ErrorReply{.reply_to = reply_to, .code = error.code, .message = error.message});
    channel_->close(code, error.message);
  }
  template <class Message>
  void send(const Message& message) {
    if (channel_) channel_->send(protocol::encode(message));
  }

 private:
  void handle(const protocol::ServerHello& hello) {
    is_asked_ = true;
    desk_.access_.admit(hello.token, [weak = std::weak_ptr(self_), hello](const Result<Identity>& who) {
      if (const auto session = weak.lock()) session->admitted(hello, who);
    });
  }

  void admitted(const protocol::ServerHello& hello, const Result<Identity>& who) {
    const Status may = who.ok() ? check_role(*who, protocol::Role::kServer, "a compile server") : Status(who.error());
    if (!may.ok()) return hang_up(may.error(), net::CloseCode::kUnauthorized, hello.id);
    if (const Status good = check(hello); !good.ok()) return hang_up(good.error(), net::CloseCode::kProtocolError, hello.id);
    desk_.end(hello.server_id);
    if (desk_.servers_.size() >= kServersMax)
      return hang_up({ErrorCode::kBusy, cat("there are ", kServersMax, " compile servers already")}, net::CloseCode::kTryLater, hello.id);
    server_ = desk_.add(hello);
    server_->session = this;
    channel_->set_greeted();
    channel_->set_frame_bytes_max(kServerFrameBytesMax);
    stop_visit_ = desk_.access_.attend(who->token_id, [this](const Error& why) { hang_up(why, net::CloseCode::kUnauthorized); });
    if (desk_.config_.audit) desk_.config_.audit->tell("server_connected", {{"token", who->token_id}, {"url", hello.session_url}});
    const Limits& limits = desk_.config_.limits;
    protocol::ServerWelcome welcome{.reply_to = hello.id,
                                    .version = protocol::kProtocolVersion,
                                    .beat_ms = static_cast<double>(limits.heartbeat.count()),
                                    .lease_ms = static_cast<double>(limits.lease_ttl.count())};
    welcome.trackers = told_.news();
    send(welcome);
    handle(protocol::ServerBeat{});
  }

  static Status check(const protocol::ServerHello& hello) {
    if (hello.version != protocol::kProtocolVersion)
      return Error{ErrorCode::kVersionMismatch, cat("the server speaks version ", hello.version, " of the protocol, the tracker ", protocol::kProtocolVersion, "; use the same hone for both")};
    if (hello.server_id.empty()) return Error{ErrorCode::kInvalidArgument, "found no server_id, expected one"};
    if (is_socket_url(hello.session_url)) return ok_status();
    return Error{ErrorCode::kInvalidArgument, cat("session_url: found '", hello.session_url, "', expected a ws: or wss: URL that agents reach")};
  }

  void handle(const protocol::ServerBeat& beat) {
    if (beat.seq > 0) send(protocol::ServerBeatAck{.seq = beat.seq, .trackers = told_.news()});
    server_->ends.start(desk_.config_.limits.lease_ttl, [&desk = desk_, id = server_->server_id] { desk.end(id); });
  }

  void handle(const protocol::Reserve& ask) {
    if (server_->requests.count(ask.id) > 0) return hang_up({ErrorCode::kProtocolError, "a second request with one id"}, net::CloseCode::kProtocolError);
    auto on_leases = [weak = std::weak_ptr(server_), id = ask.id](Result<std::vector<Lease>> leases) {
      if (const auto server = weak.lock()) granted(*server, id, std::move(leases));
    };
    auto on_lost = [weak = std::weak_ptr(server_)](const std::string& lease_id, const Error& why) {
      const auto server = weak.lock();
      if (!server || !server->holds(lease_id)) return;
      server->forget(lease_id);
      if (server->session) server->session->send(protocol::LeaseLost{.lease_id = lease_id, .code = why.code, .message = why.message});
    };
    server_->requests[ask.id].at_tracker = desk_.tracker_.reserve(request_of(ask.wish, server_->session_url), std::move(on_leases), std::move(on_lost));
  }

  // Where the socket is gone by now, the leases end with the server.
  static void granted(Server& server, uint64_t id, Result<std::vector<Lease>> leases) {
    const auto found = server.requests.find(id);
    if (found == server.requests.end()) return;
    if (!leases.ok()) {
      server.requests.erase(found);
      if (server.session) server.session->refuse(id, leases.error());
      return;
    }
    protocol::LeasesGranted grant{.reply_to = id};
    found->second.granted = true;
    for (const Lease& lease : *leases) {
      found->second.lease_ids.insert(lease.lease_id);
      grant.leases.push_back(grant_of(lease));
    }
    if (server.session) server.session->send(grant);
  }

  void handle(const protocol::CancelReservation& ask) {
    const auto node = server_->requests.extract(ask.request);
    if (!node.empty()) desk_.tracker_.cancel(node.mapped().at_tracker);
  }
  void handle(const protocol::ReleaseLease& ask) {
    if (!server_->holds(ask.lease_id)) return;
    server_->forget(ask.lease_id);
    desk_.tracker_.release(ask.lease_id);
  }
  void handle(const protocol::LeaseProgress& told) {
    if (server_->holds(told.lease_id)) desk_.tracker_.progress(told.lease_id, std::chrono::milliseconds(static_cast<int64_t>(told.work_ms)));
  }
  void handle(const protocol::ReopenSession& ask) {
    if (server_->holds(ask.lease_id)) desk_.tracker_.reopen(ask.lease_id);
  }
  void handle(const protocol::RedeemSession& ask) {
    if (!server_->holds(ask.lease_id)) return refuse(ask.id, {ErrorCode::kStaleFence, "the lease of this session has ended"});
    desk_.tracker_.redeem(ask.session_token, ask.lease_id, ask.device_id, answer<Lease>(ask.id, [](Session& session, uint64_t id, Lease lease) {
      session.send(protocol::SessionRedeemed{.reply_to = id, .lease = grant_of(lease)});
    }));
  }
  void handle(const protocol::AskWhyNone& ask) {
    desk_.tracker_.why_none(request_of(ask.wish, ""), [weak = std::weak_ptr(self_), id = ask.id](Missing missing) {
      if (const auto session = weak.lock()) session->send(protocol::WhyNone{.reply_to = id, .why = std::move(missing.why), .one_fits = missing.one_fits});
    });
  }
  void handle(const protocol::AskWhyNotReady& ask) {
    desk_.tracker_.why_not_ready(ask.device_id, [weak = std::weak_ptr(self_), id = ask.id](std::string why) {
      if (const auto session = weak.lock()) session->send(protocol::WhyNotReady{.reply_to = id, .why = std::move(why)});
    });
  }

  // What clients of the server ask about devices.
  void handle(const protocol::ListDevices& ask) { desk_.tracker_.devices(ask.after.value_or(""), answer<protocol::Devices>(ask.id)); }
  void handle(const protocol::ShowDevice& ask) { desk_.tracker_.show(ask.device_id, answer<protocol::DeviceShown>(ask.id)); }
  void handle(const protocol::ManageDevice& ask) { desk_.tracker_.manage(ask, ask.user.value_or(""), answer<protocol::DeviceManaged>(ask.id)); }
  void handle(const protocol::LabelDevice& ask) {
    desk_.tracker_.label(ask.device_id, ask.label, ask.user.value_or(""), answer<std::string>(ask.id, [](Session& session, uint64_t id, std::string physical_id) {
      protocol::DeviceLabelled labelled{.reply_to = id};
      if (!physical_id.empty()) labelled.physical_id = std::move(physical_id);
      session.send(labelled);
    }));
  }

  void handle(const protocol::AdmitToken& ask) {
    desk_.access_.admit(ask.token, answer<Identity>(ask.id, [](Session& session, uint64_t id, const Identity& who) {
      session.attend(who.token_id);
      session.send(protocol::TokenAdmitted{.reply_to = id, .token_id = who.token_id, .role = who.role, .name = who.name, .quota = who.quota});
    }));
  }
  void handle(const protocol::AttendToken& ask) { attend(ask.token_id); }
  void handle(const protocol::LeaveToken& ask) {
    const auto node = attended_.extract(ask.token_id);
    if (!node.empty()) node.mapped()();
  }
  void attend(const std::string& token_id) {
    if (attended_.count(token_id) > 0 || attended_.size() >= kTokensMax) return;
    attended_[token_id] = desk_.access_.attend(token_id, [this, token_id](const Error& why) {
      attended_.erase(token_id);
      send(protocol::TokenEnded{.token_id = token_id, .message = why.message});
    });
  }
  void handle(const protocol::ErrorReply& error) { log_warn(cat("a compile server reports: ", error.message)); }

  // Sends the value, or why there is none, as the answer to a request.
  template <class Value, class Tell>
  std::function<void(Result<Value>)> answer(uint64_t id, Tell tell) {
    return [weak = std::weak_ptr(self_), id, tell](Result<Value> value) {
      const auto session = weak.lock();
      if (!session) return;
      if (value.ok()) tell(*session, id, std::move(*value));
      else session->refuse(id, value.error());
    };
  }
  template <class Message>
  std::function<void(Result<Message>)> answer(uint64_t id) {
    return answer<Message>(id, [](Session& session, uint64_t to, Message message) {
      message.reply_to = to;
      session.send(message);
    });
  }
  void refuse(uint64_t id, const Error& error) { send(protocol::ErrorReply{.reply_to = id, .code = error.code, .message = error.message}); }

  ServerDesk& desk_;
  std::shared_ptr<net::Channel> channel_;  // null: closed
  std::shared_ptr<Server> server_;         // null until it is let in
  ToldTrackers told_{desk_.config_.trackers};
  bool is_asked_ = false, over_ = false;   // is_asked: it is looked up whose token it is
  std::function<void()> stop_visit_;
  std::map<std::string, std::function<void()>> attended_;  // tokens of its clients
  const std::shared_ptr<Session> self_{this, [](Session*) {}};  // lets callbacks see that the session is gone
};

ServerDesk::ServerDesk(net::EventLoop& loop, Client& tracker, Access& access, Config config)
    : loop_(loop), tracker_(tracker), access_(access), config_(std::move(config)) {}
ServerDesk::~ServerDesk() = default;

std::unique_ptr<net::Handler> ServerDesk::accept(std::shared_ptr<net::Channel> channel) {
  return std::make_unique<Session>(*this, std::move(channel));
}

std::shared_ptr<ServerDesk::Server> ServerDesk::add(const protocol::ServerHello& hello) {
  auto server = std::make_shared<Server>(loop_);
  server->server_id = hello.server_id;
  server->session_url = hello.session_url;
  servers_[hello.server_id] = server;
  return server;
}

void ServerDesk::end(const std::string& server_id) {
  const auto node = servers_.extract(server_id);
  if (node.empty()) return;
  Server& server = *node.mapped();
  server.ends.cancel();
  for (const auto& [id, request] : std::exchange(server.requests, {})) tracker_.cancel(request.at_tracker);
  if (server.session) std::exchange(server.session, nullptr)->hang_up({ErrorCode::kTimeout, "it sent no beat for as long as a lease lives, or greeted again"}, net::CloseCode::kReplaced);
}

// Nobody would hear of what it is granted from here on.
void ServerDesk::stop_waiting(Server& server) {
  for (auto it = server.requests.begin(); it != server.requests.end();) {
    if (!it->second.granted) tracker_.cancel(it->second.at_tracker);
    it = it->second.granted ? std::next(it) : server.requests.erase(it);
  }
  if (server.requests.empty()) end(std::string(server.server_id));
}

Status ServerDesk::relay(const std::string& lease_id, const std::string& relay_id) {
  const auto found = std::find_if(servers_.begin(), servers_.end(), [&](const auto& one) { return one.second->holds(lease_id); });
  if (found == servers_.end()) return Error{ErrorCode::kStaleFence, "the lease of this session has ended"};
  if (!found->second->session) return Error{ErrorCode::kIoError, "the compile server of this session is cut off"};
  found->second->session->send(protocol::RelaySession{relay_id});
  return ok_status();
}

size_t ServerDesk::connected() const {
  return static_cast<size_t>(std::count_if(servers_.begin(), servers_.end(), [](const auto& one) { return one.second->session != nullptr; }));
}

}  // namespace hone::tracker
