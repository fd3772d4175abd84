#include "tracker/service.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "base/cat.h"
#include "base/secret.h"
#include "base/sha256.h"
#include "schema/message.h"
#include "tracker/committer.h"
#include "tracker/device_events.h"
#include "tracker/fleet.h"

namespace hone::tracker {

namespace {
struct Holder {
  std::function<void(Result<std::vector<Lease>>)> on_leases;
  std::function<void(const std::string&, Error)> on_lost;
  size_t count = 1;
  std::vector<Lease> granted;       // until all are
  std::set<std::string> lease_ids;  // that live
};
struct Watcher {
  std::string launch_id, launch_hash;
  std::function<void(protocol::AgentState)> on_state;
};
// The fleet's state runs ahead of the disk; what was to be told then turns into these words.
Error not_stored(const Error& why) { return {why.code, cat("the tracker could not store its state: ", why.message)}; }
}  // namespace

struct Service::Impl : std::enable_shared_from_this<Service::Impl> {
  Impl(net::EventLoop& loop_in, std::unique_ptr<Store> store, const Clock& steady_in, const Clock& wall,
       ServiceConfig config_in)
      : loop(loop_in),
        config(std::move(config_in)),
        steady(steady_in),
        last_tick(steady_in.now()),
        fleet(steady_in, wall,
              {.limits = config.limits, .session_path = config.session_path, .make_secret = random_secret}),
        access(steady_in, wall, random_secret, [this](Outcome outcome) { apply(std::move(outcome)); }),
        ticker(loop),
        committer(std::make_unique<Committer>(std::move(store))) {}

  void apply(Outcome outcome);
  void committed(const Status& status);
  void tell(const std::vector<protocol::DeviceEvent>& events);
  void perform(Effect& effect);
  void perform_unstored(Effect& effect, const Error& why);
  void perform_one(ToAgent& to);
  void perform_one(CloseLink& close);
  void perform_one(Granted& granted);
  void perform_one(NotGranted& refused);
  void perform_one(LeaseLost& lost);
  void perform_one(AgentChanged& changed);
  void perform_one(AgentEnrolled& enrolled);
  void perform_one(Then& then) { then.done(ok_status()); }
  void close_link(Link link, net::CloseCode code, const std::string& reason);
  void tick();

  net::EventLoop& loop;
  const ServiceConfig config;
  const Clock& steady;
  std::chrono::milliseconds last_tick;
  Fleet fleet;
  AccessDesk access;
  net::Timer ticker;
  std::unique_ptr<Committer> committer;
  struct Uncommitted {
    Outcome outcome;  // without its writes
    std::vector<protocol::DeviceEvent> events;
  };
  std::deque<Uncommitted> uncommitted;                  // in order; those without writes wait for the ones before them
  std::map<Link, std::shared_ptr<net::Channel>> links;  // that said hello
  Link last_link = 0;
  std::map<RequestId, Holder> holders;
  RequestId last_request = 0;
  std::map<uint64_t, Watcher> watchers;
  std::map<uint64_t, std::function<void(const protocol::DeviceEvent&)>> event_watchers;
  uint64_t last_watcher = 0;
  bool ended = false;
};

// One agent's control socket.
class Service::ControlSession : public net::Handler {
 public:
  ControlSession(std::shared_ptr<Impl> impl, std::shared_ptr<net::Channel> channel)
      : impl_(std::move(impl)), channel_(std::move(channel)), link_(++impl_->last_link) {}
  ~ControlSession() override {
    if (stop_visit_) stop_visit_();
  }

  void on_frame(const net::FrameView& frame, size_t frame_bytes) override {
    if (impl_->ended || refused_) return;
    if (!may_speak())
      return refuse({ErrorCode::kLimitExceeded, cat("more than ", kControlFramesPerSecondMax, " frames in a second")},
                    net::CloseCode::kPolicy);
    auto message = protocol::decode_text<protocol::ControlFromAgent>(frame.header, frame_bytes);
    if (!message.ok()) return refuse(message.error(), net::CloseCode::kProtocolError);
    const bool is_hello = std::holds_alternative<protocol::Hello>(*message);
    if (enrols_ || greeted_ == is_hello)
      return refuse({ErrorCode::kProtocolError, is_hello ? "a second hello" : "the first frame must be hello, and its answer comes first"},
                    net::CloseCode::kProtocolError);
    std::visit([this](const auto& one) { handle(one); }, *message);
  }

  void on_closed(const net::Closed&) override {
    impl_->links.erase(link_);
    if (greeted_ && !impl_->ended) impl_->apply(impl_->fleet.unlinked(link_));
  }

 private:
  void handle(const protocol::Hello& hello) {
    const auto who = impl_->access.admit(hello.token);
    if (!who.ok() && !hello.enroll_code) return refuse(who.error(), net::CloseCode::kUnauthorized, hello.id);
    if (hello.version != protocol::kProtocolVersion)
      return refuse({ErrorCode::kVersionMismatch,
                     cat("the agent speaks version ", hello.version, " of the protocol, the service ",
                         protocol::kProtocolVersion, "; reload the page")},
                    net::CloseCode::kProtocolError, hello.id);
    if (who.ok()) return greet(hello, *who, std::nullopt);
    enrols_ = true;
    impl_->access.enrol(*hello.enroll_code, [weak = std::weak_ptr(self_), hello](const Result<protocol::TokenCreated>& made) {
      if (const auto session = weak.lock()) session->enrolled(hello, made);
    });
  }
  void enrolled(const protocol::Hello& hello, const Result<protocol::TokenCreated>& made) {
    enrols_ = false;
    if (!made.ok()) {
      const bool wrong = made.error().code == ErrorCode::kUnauthorized;
      return refuse(made.error(), wrong ? net::CloseCode::kUnauthorized : net::CloseCode::kTryLater, hello.id);
    }
    const auto who = impl_->access.admit(made->token);
    if (!who.ok()) return refuse(who.error(), net::CloseCode::kUnauthorized, hello.id);
    greet(hello, *who, made->token);
  }
  void greet(const protocol::Hello& hello, const Identity& who, const std::optional<std::string>& token) {
    if (const Status may = check_role(who, protocol::Role::kAgent, "an agent"); !may.ok())
      return refuse(may.error(), net::CloseCode::kUnauthorized, hello.id);
    auto outcome = impl_->fleet.hello(link_, hello, who);
    if (!outcome.ok()) return refuse(outcome.error(), net::CloseCode::kProtocolError, hello.id);
    for (Effect& effect : outcome->effects)
      if (auto* to = std::get_if<ToAgent>(&effect); to && to->link == link_)
        if (auto* welcome = std::get_if<protocol::Welcome>(&to->message)) introduce(*welcome, who, token);
    stop_visit_ = impl_->access.attend(who.token_id, [this](const Error& why) { put_out(why); });
    greeted_ = true;
    channel_->set_greeted();
    impl_->links[link_] = channel_;
    impl_->apply(std::move(*outcome));
  }
  void introduce(protocol::Welcome& welcome, const Identity& who, const std::optional<std::string>& token) {
    welcome.role = who.role;
    welcome.token = token;
    welcome.trackers = told_.news();
  }
  // What says that the service lives waits for no disk.
  void handle(const protocol::Heartbeat& beat) {
    channel_->send(protocol::encode(protocol::HeartbeatAck{.seq = beat.seq, .trackers = told_.news()}));
    impl_->apply(impl_->fleet.heartbeat(link_, beat));
  }
  void handle(const protocol::DeviceState& state) {
    auto outcome = impl_->fleet.device_state(link_, state);
    if (outcome.ok()) return impl_->apply(std::move(*outcome));
    channel_->send(
        protocol::encode(protocol::ErrorReply{.code = outcome.error().code, .message = outcome.error().message}));
  }
  void handle(const protocol::ErrorReply&) {}  // an agent's complaint changes nothing here

  bool may_speak() {
    const auto now = impl_->steady.now();
    if (now - second_began_ >= std::chrono::seconds(1)) {
      second_began_ = now;
      frames_this_second_ = 0;
    }
    return ++frames_this_second_ <= kControlFramesPerSecondMax;
  }

  // Its token ended: nothing of it counts from here on.
  void put_out(const Error& why) {
    impl_->links.erase(link_);
    impl_->apply(impl_->fleet.evict(link_, "its token was taken back"));
    refuse(why, net::CloseCode::kUnauthorized);
  }

  void refuse(const Error& error, net::CloseCode code, std::optional<uint64_t> reply_to = std::nullopt) {
    refused_ = true;
    channel_->send(
        protocol::encode(protocol::ErrorReply{.reply_to = reply_to, .code = error.code, .message = error.message}));
    channel_->close(code, error.message);
  }

  std::shared_ptr<Impl> impl_;
  std::shared_ptr<net::Channel> channel_;
  const Link link_;
  ToldTrackers told_{impl_->config.trackers};
  std::chrono::milliseconds second_began_{0};  // of the steady clock
  size_t frames_this_second_ = 0;
  bool greeted_ = false, enrols_ = false, refused_ = false;
  std::function<void()> stop_visit_;
  const std::shared_ptr<ControlSession> self_{this, [](ControlSession*) {}};  // lets callbacks see that the session is gone
};

// Effects wait for the disk, also those of later outcomes without writes: everybody sees the steps in their order.
void Service::Impl::apply(Outcome outcome) {
  if (outcome.writes.empty() && uncommitted.empty()) {
    for (Effect& effect : outcome.effects) perform(effect);
    return;
  }
  std::vector<Write> writes = std::move(outcome.writes);
  auto events = event_watchers.empty() ? std::vector<protocol::DeviceEvent>() : events_of(writes);
  uncommitted.push_back({std::move(outcome), std::move(events)});
  committer->commit(std::move(writes), [weak = weak_from_this(), &loop = loop](Status status) {
    loop.post([weak, status] {
      if (const auto self = weak.lock(); self && !self->ended) self->committed(status);
    });
  });
}

void Service::Impl::committed(const Status& status) {
  CHECK(!uncommitted.empty(), "a commit that nobody asked for");
  auto [outcome, events] = std::move(uncommitted.front());
  uncommitted.pop_front();
  for (Effect& effect : outcome.effects) {
    if (status.ok()) perform(effect);
    else perform_unstored(effect, not_stored(status.error()));
  }
  if (status.ok()) tell(events);
}

void Service::Impl::tell(const std::vector<protocol::DeviceEvent>& events) {
  const auto called = event_watchers;  // apart, for a callback may stop a watch
  for (const protocol::DeviceEvent& event : events)
    for (const auto& [id, on_event] : called) on_event(event);
}

void Service::Impl::perform(Effect& effect) {
  std::visit([this](auto& one) { perform_one(one); }, effect);
}

// A grant or a welcome that is not on disk must not be acted on: the fence could be given twice after a crash.
void Service::Impl::perform_unstored(Effect& effect, const Error& why) {
  if (auto* granted = std::get_if<Granted>(&effect)) {
    NotGranted refused{granted->request, why};
    perform_one(refused);
    apply(fleet.release(granted->lease.lease_id, why.message));
  } else if (const auto* to = std::get_if<ToAgent>(&effect)) {
    close_link(to->link, net::CloseCode::kTryLater, why.message);
  } else if (const auto* then = std::get_if<Then>(&effect)) {
    then->done(why);
  } else if (!std::holds_alternative<AgentEnrolled>(effect)) {
    perform(effect);
  }
}

void Service::Impl::perform_one(ToAgent& to) {
  const auto found = links.find(to.link);
  if (found == links.end()) return;
  std::visit([&](const auto& message) { found->second->send(protocol::encode(message)); }, to.message);
}

void Service::Impl::perform_one(CloseLink& close) { close_link(close.link, close.code, close.reason); }

void Service::Impl::close_link(Link link, net::CloseCode code, const std::string& reason) {
  const auto found = links.find(link);
  if (found == links.end()) return;
  const auto channel = found->second;
  links.erase(found);
  channel->close(code, reason);
}

void Service::Impl::perform_one(Granted& granted) {
  const auto found = holders.find(granted.request);
  if (found == holders.end()) return apply(fleet.release(granted.lease.lease_id, "its request was cancelled"));
  Holder& holder = found->second;
  holder.lease_ids.insert(granted.lease.lease_id);
  holder.granted.push_back(std::move(granted.lease));
  if (holder.granted.size() < holder.count) return;
  const auto on_leases = std::move(holder.on_leases);
  on_leases(std::exchange(holder.granted, {}));
}

void Service::Impl::perform_one(NotGranted& refused) {
  auto node = holders.extract(refused.request);
  if (!node.empty()) node.mapped().on_leases(std::move(refused.error));
}

void Service::Impl::perform_one(LeaseLost& lost) {
  const auto found = holders.find(lost.request);
  if (found == holders.end() || found->second.lease_ids.erase(lost.lease_id) == 0) return;
  const auto on_lost = found->second.on_lost;
  if (found->second.lease_ids.empty()) holders.erase(found);
  on_lost(lost.lease_id, std::move(lost.error));
}

void Service::Impl::perform_one(AgentChanged& changed) {
  std::vector<Watcher> called;  // apart, for a callback may stop a watch
  for (const auto& [id, watcher] : watchers)
    if (watcher.launch_hash == changed.launch_hash) called.push_back(watcher);
  for (const Watcher& watcher : called) {
    changed.state.launch_id = watcher.launch_id;
    watcher.on_state(changed.state);
  }
}

void Service::Impl::perform_one(AgentEnrolled& enrolled) {
  if (config.audit) config.audit->tell("agent_enrolled", {{"agent", enrolled.agent_id}, {"name", enrolled.agent_name}});
}

void Service::Impl::tick() {
  const auto now = steady.now(), pause = now - std::exchange(last_tick, now);
  if (pause > kPauseMin) fleet.excuse(pause);
  apply(fleet.tick());
  access.tick();
}

Service::Service(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Service::~Service() {
  CHECK(impl_->loop.on_thread(), "a Service ends on its loop's thread");
  impl_->ended = true;
  impl_->ticker.cancel();
  impl_->committer.reset();
  impl_->holders.clear();
  impl_->watchers.clear();
  impl_->event_watchers.clear();
}

Result<std::unique_ptr<Service>> Service::start(net::EventLoop& loop, std::unique_ptr<Store> store, const Clock& steady,
                                                const Clock& wall, ServiceConfig config) {
  HONE_ASSIGN(stored, store->load());
  auto impl = std::make_shared<Impl>(loop, std::move(store), steady, wall, std::move(config));
  impl->apply(impl->fleet.restore(stored));
  impl->access.restore(stored.tokens, impl->config.token);
  impl->ticker.start_repeating(kTick, [impl = impl.get()] { impl->tick(); });
  return std::unique_ptr<Service>(new Service(std::move(impl)));
}

AccessDesk& Service::access() { return impl_->access; }

std::unique_ptr<net::Handler> Service::accept(std::shared_ptr<net::Channel> channel) {
  channel->set_frame_bytes_max(kControlFrameBytesMax);
  return std::make_unique<ControlSession>(impl_, std::move(channel));
}

std::function<void()> Service::watch(const std::string& launch_id, std::function<void(protocol::AgentState)> on_state) {
  const uint64_t id = ++impl_->last_watcher;
  impl_->watchers[id] = {launch_id, sha256_hex(launch_id), on_state};
  on_state(impl_->fleet.agent_state(launch_id));
  return [weak = std::weak_ptr(impl_), id] {
    if (const auto impl = weak.lock()) impl->watchers.erase(id);
  };
}

std::function<void()> Service::watch_events(std::function<void(const protocol::DeviceEvent&)> on_event) {
  const uint64_t id = ++impl_->last_watcher;
  impl_->event_watchers[id] = std::move(on_event);
  return [weak = std::weak_ptr(impl_), id] {
    if (const auto impl = weak.lock()) impl->event_watchers.erase(id);
  };
}

CommitReading Service::commits() const { return impl_->committer->commits(); }
FleetCounts Service::counts() const { return impl_->fleet.counts(); }

void Service::drain() { impl_->apply(impl_->fleet.drain()); }

Client::RequestId Service::reserve(LeaseRequest request, std::function<void(Result<std::vector<Lease>>)> on_leases,
                                   std::function<void(const std::string& lease_id, Error)> on_lost) {
  const RequestId id = ++impl_->last_request;
  impl_->holders[id] = {.on_leases = std::move(on_leases), .on_lost = std::move(on_lost), .count = request.count};
  // Posted, for the caller does not know its request's number yet.
  impl_->loop.post([weak = std::weak_ptr(impl_), id, request = std::move(request)]() mutable {
    const auto impl = weak.lock();
    if (impl && impl->holders.count(id)) impl->apply(impl->fleet.acquire(id, std::move(request)));
  });
  return id;
}

void Service::cancel(RequestId request) {
  impl_->apply(impl_->fleet.cancel(request));
  const auto node = impl_->holders.extract(request);
  if (node.empty()) return;
  for (const std::string& lease_id : node.mapped().lease_ids)
    impl_->apply(impl_->fleet.release(lease_id, "its request was cancelled"));
}

void Service::release(const std::string& lease_id) {
  auto& holders = impl_->holders;
  const auto found = std::find_if(holders.begin(), holders.end(), [&](const auto& entry) { return entry.second.lease_ids.count(lease_id) > 0; });
  if (found != holders.end()) {
    found->second.lease_ids.erase(lease_id);
    if (found->second.lease_ids.empty()) holders.erase(found);
  }
  impl_->apply(impl_->fleet.release(lease_id, "its job is done with it"));
}

void Service::progress(const std::string& lease_id, std::chrono::milliseconds work) {
  impl_->fleet.progress(lease_id, work);
}

void Service::redeem(const std::string& session_token, const std::string& lease_id, const std::string& device_id,
                     std::function<void(Result<Lease>)> done) {
  done(impl_->fleet.redeem(session_token, lease_id, device_id));
}

void Service::reopen(const std::string& lease_id) {
  auto outcome = impl_->fleet.reopen(lease_id);
  if (outcome.ok()) impl_->apply(std::move(*outcome));
}

void Service::label(const std::string& device_id, const std::string& label, const std::string& user, std::function<void(Result<std::string>)> done) {
  std::string physical_id;
  auto outcome = impl_->fleet.label(device_id, label, user, &physical_id);
  if (!outcome.ok()) return done(outcome.error());
  impl_->apply(std::move(*outcome));
  done(std::move(physical_id));
}

void Service::manage(const protocol::ManageDevice& ask, const std::string& user, std::function<void(Result<protocol::DeviceManaged>)> done) {
  auto outcome = impl_->fleet.manage(ask, user);
  if (!outcome.ok()) return done(outcome.error());
  const protocol::DeviceManaged managed{.service_state = impl_->fleet.service_state(ask.device_id)};
  outcome->effects.push_back(Then{[managed, done = std::move(done)](const Status& stored) {
    if (stored.ok()) done(managed);
    else done(stored.error());
  }});
  impl_->apply(std::move(*outcome));
}

void Service::show(const std::string& device_id, std::function<void(Result<protocol::DeviceShown>)> done) {
  auto shown = impl_->fleet.show(device_id);
  if (!shown.ok()) return done(shown.error());
  using Events = Result<std::vector<protocol::DeviceEvent>>;
  auto answer = [done = std::move(done), shown = std::move(*shown)](Events events) mutable {
    if (!events.ok()) return done(events.error());
    shown.events = std::move(*events);
    done(std::move(shown));
  };
  impl_->committer->history(impl_->fleet.ids_of(device_id), [weak = std::weak_ptr(impl_), &loop = impl_->loop, answer](Events events) {
    loop.post([weak, answer, events = std::move(events)]() mutable {
      if (const auto impl = weak.lock(); impl && !impl->ended) answer(std::move(events));
    });
  });
}

void Service::why_none(const LeaseRequest& request, std::function<void(Missing)> done) { done(impl_->fleet.why_none(request)); }
void Service::why_not_ready(const std::string& device_id, std::function<void(std::string)> done) { done(impl_->fleet.why_not_ready(device_id)); }
void Service::devices(const std::string& after, std::function<void(Result<protocol::Devices>)> done) { done(impl_->fleet.page_of_devices(after)); }

}  // namespace hone::tracker
