// TrackerLink: a compile server's connection to its tracker, /ws/server. It comes back after every loss, from every state and into any restart, with
// jittered back-off. It is up from the welcome until the socket ends, or until the tracker has acknowledged nothing for the time that a lease lives:
// from then on the tracker may have ended this server's leases, so it must not count on them. On the event loop's thread.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/net/client.h"
#include "base/net/event_loop.h"
#include "base/result.h"
#include "schema/generated/protocol.h"
#include "schema/message.h"
#include "tracker/farm_addresses.h"

namespace hone::tracker {

class TrackerLink {
 public:
  struct Config {
    std::vector<net::ConnectTo> to;  // host, port and tls of the tracker, or of several of one farm: whichever has it
    net::TlsContext tls;
    std::string token;        // of the role server
    Backoff::Limits backoff = {};
    // The tracker will not have this server, whenever it asks: a wrong token, another version. No attempt follows.
    std::function<void(const Error&)> on_refused = nullptr;
    std::function<void(const std::vector<std::string>&)> on_trackers = nullptr;  // what a tracker says of where the farm's trackers are: origins
  };
  // Hears of the connection, while the loop turns.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_up() = 0;
    virtual void on_down(const Error& why) = 0;  // what was asked has failed by then
    virtual void on_told(const protocol::ServerFromTracker& message) = 0;  // no answer
  };
  using Reply = std::function<void(Result<protocol::ServerFromTracker>)>;

  TrackerLink(net::EventLoop& loop, const Clock& steady, Config config);
  ~TrackerLink();  // what was asked is answered no more
  void add(Listener& listener) { listeners_.push_back(&listener); }
  // Once. session_url: where agents open the sessions of this server: a ws: or wss: URL.
  void start(std::string session_url);

  // Takes the sessions of agents that cannot dial this server, as if they had.
  void relay_to(net::Accept accept) { accept_session_ = std::move(accept); }

  // In order: the tracker ends what this server still holds at once. Nothing is asked or tried again from here on.
  void leave();
  bool has_left() const { return state_ == State::kLeft && !channel_; }

  bool is_up() const { return state_ == State::kUp; }
  // Why what is asked now fails, for people.
  Error away() const;
  // Sends a request under a new id, which is returned. `reply` is called once: with its answer; with the error that the tracker answers; or with
  // away() when it is not up, or is no more. It is called from within this where the link is not up.
  template <class Message>
  uint64_t ask(Message message, Reply reply) {
    message.id = ++last_id_;
    if (!is_up()) {
      reply(away());
      return message.id;
    }
    asked_.emplace(message.id, std::move(reply));
    send(message);
    return message.id;
  }
  // Nothing where the link is not up.
  template <class Message>
  void send(const Message& message) {
    if (channel_) channel_->send(protocol::encode(message));
  }

 private:
  class Socket;
  enum class State : uint8_t { kWaiting, kConnecting, kGreeting, kUp, kRefused, kLeft };
  void dial();
  void greet(std::shared_ptr<net::Channel> channel, Socket& socket);
  void receive(const protocol::ServerFromTracker& message);
  void take(const protocol::ServerWelcome& welcome);
  void take(const protocol::ServerBeatAck& ack);
  void take(const protocol::ErrorReply& error);
  void take(const protocol::RelaySession& relay);
  template <class Message>
  void take(const Message& message);
  bool answer(uint64_t id, Result<protocol::ServerFromTracker> reply);
  void known_until(std::chrono::milliseconds until);
  void beat();
  void drop(const Error& why);
  void know(const std::vector<std::string>& trackers);
  std::string where() const;  // "lab:9190"
  void refuse(const Error& why);
  void stop_timers();

  net::EventLoop& loop_;
  const Clock& steady_;
  const Config config_;
  const std::string server_id_;
  FarmAddresses farm_;
  std::string session_url_;
  std::vector<Listener*> listeners_;
  net::Accept accept_session_;
  State state_ = State::kWaiting;
  std::string why_ = "it was not reached yet";
  Backoff backoff_;
  uint64_t last_id_ = 0, last_seq_ = 0;
  std::map<uint64_t, Reply> asked_;
  std::map<uint64_t, std::chrono::milliseconds> beats_;  // that were not acknowledged, by seq: when they were sent, of the steady clock
  std::chrono::milliseconds hello_sent_{0}, lease_{0};
  net::Timer next_, beat_, known_;  // next_: the next attempt, or the end of this one's patience
  Socket* socket_ = nullptr;        // owned by the connection
  std::shared_ptr<net::Channel> channel_;
  std::unique_ptr<net::Client> client_;  // last: its end calls back into the socket
};

}  // namespace hone::tracker
