#include "server/client_desk.h"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <vector>

#include "base/cat.h"
#include "base/log.h"
#include "schema/message.h"
#include "server/jobs/limits.h"
#include "server/limits.h"

namespace hone::server {

namespace {

using protocol::Role;

template <class Message, class... Messages>
constexpr bool kIsOneOf = (std::is_same_v<Message, Messages> || ...);
template <class Message>
constexpr bool kSubmitters =
    kIsOneOf<Message, protocol::ListDevices, protocol::ShowDevice, protocol::SubmitJob, protocol::CancelJob, protocol::AttachJob,
              protocol::ListJobs, protocol::ShowJob, protocol::WatchFleet, protocol::FetchRecords>;
template <class Message>
constexpr bool kAdmins = kIsOneOf<Message, protocol::LabelDevice, protocol::ManageDevice, protocol::CreateEnrolment, protocol::ListTokens, protocol::CreateToken,
                                  protocol::RevokeToken, protocol::RotateToken>;

// What a tracker without a compile server in its process has no answer to.
template <class Message>
constexpr bool kOfJobs =
    kIsOneOf<Message, protocol::SubmitJob, protocol::CancelJob, protocol::AttachJob, protocol::ListJobs, protocol::ShowJob, protocol::FetchRecords>;

// What the audit log calls it.
std::string_view event_of(protocol::DeviceAction action) {
  switch (action) {
    case protocol::DeviceAction::kDrain: return "device_drained";
    case protocol::DeviceAction::kQuarantine: return "device_quarantined";
    case protocol::DeviceAction::kResume: return "device_resumed";
    case protocol::DeviceAction::kForget: return "device_forgotten";
  }
  return "";
}

}  // namespace

class ClientDesk::Session : public net::Handler {
 public:
  Session(ClientDesk& desk, std::shared_ptr<net::Channel> channel) : desk_(desk), channel_(std::move(channel)) {
    desk_.sessions_.insert(this);
  }
  ~Session() override {
    if (stop_visit_) stop_visit_();
    desk_.sessions_.erase(this);
  }

  void close_when_done() {
    if (jobs_.empty() && channel_) channel_->close(net::CloseCode::kGoingAway, "it stops");
  }

  void on_frame(const net::FrameView& frame, size_t frame_bytes) override {
    if (over_) return;
    auto message = protocol::decode_text<protocol::ClientFromClient>(frame.header, frame_bytes);
    if (!message.ok()) return hang_up(message.error(), net::CloseCode::kProtocolError);
    const bool is_hello = std::holds_alternative<protocol::ClientHello>(*message);
    if (!greeted_ && !is_hello)
      return hang_up({ErrorCode::kUnauthorized, "the first frame must be client_hello, and its answer comes first"},
                     net::CloseCode::kUnauthorized);
    if (is_hello && (greeted_ || is_asked_))
      return hang_up({ErrorCode::kProtocolError, "a second client_hello"}, net::CloseCode::kProtocolError);
    std::visit([&](const auto& one) { ask(one, frame); }, *message);
  }

  void on_closed(const net::Closed&) override {
    for (const std::string& job : jobs_) desk_.cancel_alone(job, asker());
    for (const auto& [follower, job] : followed_) desk_.jobs_->unfollow(job, follower);
    for (auto& stop : watches_) stop();
    channel_ = nullptr;
  }

 private:
  // What needs neither is anybody's who was let in.
  template <class Message>
  void ask(const Message& message, const net::FrameView& frame) {
    if constexpr (kSubmitters<Message> || kAdmins<Message>) {
      const Role needed = kAdmins<Message> ? Role::kAdmin : Role::kSubmitter;
      if (const Status may = check_role(who_, needed, Message::kKind); !may.ok()) return refuse(message.id, may.error());
    }
    if constexpr (kOfJobs<Message>)
      if (!desk_.jobs_)
        return refuse(message.id, {ErrorCode::kUnsupported, "this is a tracker, which has no jobs and no records; give --tracker the URL of one of its servers (hone server)"});
    handle(message, frame);
  }

  void handle(const protocol::ClientHello& hello, const net::FrameView&) {
    is_asked_ = true;
    desk_.access_.admit(hello.token, [weak = weak(), hello](const Result<tracker::Identity>& who) {
      if (auto session = weak.lock()) session->admitted(hello, who);
    });
  }

  void admitted(const protocol::ClientHello& hello, const Result<tracker::Identity>& who) {
    const bool wrong = !who.ok() && who.error().code == ErrorCode::kUnauthorized;
    if (!who.ok() && !(wrong && hello.enroll_code)) return not_admitted(hello, who.error());
    if (hello.version != protocol::kProtocolVersion)
      return hang_up({ErrorCode::kVersionMismatch,
                      cat("the client speaks version ", hello.version, " of the protocol, the service ",
                          protocol::kProtocolVersion, "; use the same hone for both")},
                     net::CloseCode::kProtocolError, hello.id);
    if (who.ok()) return greet(hello, *who, std::nullopt);
    desk_.access_.enrol(*hello.enroll_code, [weak = weak(), hello](const Result<protocol::TokenCreated>& made) {
      if (auto session = weak.lock()) session->enrolled(hello, made);
    });
  }

  void enrolled(const protocol::ClientHello& hello, const Result<protocol::TokenCreated>& made) {
    if (!made.ok()) return not_admitted(hello, made.error());
    desk_.access_.admit(made->token, [weak = weak(), hello, token = made->token](const Result<tracker::Identity>& who) {
      auto session = weak.lock();
      if (!session) return;
      if (who.ok()) session->greet(hello, *who, token);
      else session->not_admitted(hello, who.error());
    });
  }

  void not_admitted(const protocol::ClientHello& hello, const Error& why) {
    const bool wrong = why.code == ErrorCode::kUnauthorized;
    hang_up(why, wrong ? net::CloseCode::kUnauthorized : net::CloseCode::kTryLater, hello.id);
  }

  // The user of a token that has a name is that one, whatever the hello says.
  void greet(const protocol::ClientHello& hello, const tracker::Identity& who, const std::optional<std::string>& token) {
    if (over_ || !channel_) return;
    is_asked_ = false;
    greeted_ = true;
    channel_->set_greeted();
    who_ = who;
    user_ = who.name.empty() ? hello.user : who.name;
    stop_visit_ = desk_.access_.attend(who.token_id, [this](const Error& why) { hang_up(why, net::CloseCode::kUnauthorized); });
    if (tracker::may(who.role, Role::kSubmitter)) channel_->set_frame_bytes_max(desk_.config_.job_bytes_max);
    send(protocol::ClientWelcome{
        .reply_to = hello.id, .version = protocol::kProtocolVersion, .role = who.role, .token = token});
  }

  void handle(const protocol::ListDevices& ask, const net::FrameView&) {
    desk_.tracker_.devices(ask.after.value_or(""), [weak = weak(), id = ask.id](Result<protocol::Devices> page) {
      const auto session = weak.lock();
      if (!session) return;
      if (!page.ok()) return session->refuse(id, page.error());
      page->reply_to = id;
      session->send(*page);
    });
  }

  // The records have the name too: what they say of a device is read without a service.
  void handle(const protocol::LabelDevice& ask, const net::FrameView&) {
    auto labelled = [weak = weak(), store = desk_.store_, log = desk_.config_.audit, user = user_, ask](const Result<std::string>& physical_id) {
      if (store && physical_id.ok() && !physical_id->empty()) store->put_label({*physical_id, ask.label});
      if (physical_id.ok() && log) log->tell("device_labelled", {{"device", ask.device_id}, {"label", ask.label}, {"user", user}});
      const auto session = weak.lock();
      if (!session) return;
      if (!physical_id.ok()) return session->refuse(ask.id, physical_id.error());
      session->send(protocol::DeviceLabelled{.reply_to = ask.id});
    };
    desk_.tracker_.label(ask.device_id, ask.label, user_, std::move(labelled));
  }

  void handle(const protocol::ManageDevice& ask, const net::FrameView&) {
    desk_.tracker_.manage(ask, user_, [weak = weak(), log = desk_.config_.audit, user = user_, ask](Result<protocol::DeviceManaged> managed) {
      if (managed.ok() && log)
        log->tell(event_of(ask.action), {{"device", ask.device_id}, {"reason", ask.reason}, {"user", user}});
      const auto session = weak.lock();
      if (!session) return;
      if (!managed.ok()) return session->refuse(ask.id, managed.error());
      managed->reply_to = ask.id;
      session->send(*managed);
    });
  }

  void handle(const protocol::ShowDevice& ask, const net::FrameView&) {
    if (std::exchange(reads_history_, true))
      return refuse(ask.id, {ErrorCode::kBusy, "this client waits for a device's history already; ask for one at a time"});
    desk_.tracker_.show(ask.device_id, [weak = weak(), id = ask.id](Result<protocol::DeviceShown> shown) {
      const auto session = weak.lock();
      if (!session) return;
      session->reads_history_ = false;
      if (!shown.ok()) return session->refuse(id, shown.error());
      shown->reply_to = id;
      session->send(*shown);
    });
  }

  void handle(const protocol::SubmitJob& ask, const net::FrameView& frame) {
    protocol::JobRequest request = ask.job;
    // Only who runs the service puts a job before those of others.
    if (who_.role != Role::kAdmin && request.priority) request.priority = std::min<int64_t>(0, *request.priority);
    const bool detached = ask.detached.value_or(false);
    auto id = std::make_shared<std::string>();
    auto accepted = [weak = weak(), desk = &desk_, asker = asker(), ask_id = ask.id, detached, id](const Result<std::string>& job) {
      if (job.ok()) *id = *job;
      const auto session = weak.lock();
      if (session) return session->submitted(ask_id, detached, job);
      if (job.ok() && !detached) desk->cancel_alone(*job, asker);
    };
    desk_.jobs_->submit({std::move(request), user_, detached, frame.kept_payload(), who_.quota}, events(id), std::move(accepted));
  }

  void submitted(uint64_t ask_id, bool detached, const Result<std::string>& job) {
    if (!job.ok()) return refuse(ask_id, job.error());
    if (!detached) jobs_.insert(*job);
    send(protocol::JobAccepted{.reply_to = ask_id, .job = *job});
  }

  // The job may end after this socket.
  Job::Events events(std::shared_ptr<const std::string> id) {
    return {.on_progress = [weak = weak()](const protocol::JobProgress& progress) {
              if (auto session = weak.lock()) session->send_news(progress);
            },
            .on_end = [weak = weak(), id](Result<JobResult> result) {
              if (auto session = weak.lock()) session->end_job(*id, std::move(result));
            }};
  }

  // Left out for who reads slowly: a newer progress replaces it, and lists tell what has become of the fleet.
  template <class Message>
  void send_news(const Message& message) {
    if (channel_ && channel_->outbox_bytes() < kProgressBacklogBytes) send(message);
  }

  void handle(const protocol::AttachJob& ask, const net::FrameView&) {
    if (followed_.size() == kFollowedPerClientMax)
      return refuse(ask.id, {ErrorCode::kLimitExceeded, cat("this client follows ", kFollowedPerClientMax, " jobs already")});
    const uint64_t follower = desk_.jobs_->next_follower();
    followed_[follower] = ask.job;
    auto attached = [weak = weak(), ask, follower](const Status& may) {
      const auto session = weak.lock();
      if (!session) return;
      if (may.ok()) return session->send(protocol::JobAccepted{.reply_to = ask.id, .job = ask.job});
      session->followed_.erase(follower);
      session->refuse(ask.id, may.error());
    };
    Job::Events told = events(std::make_shared<const std::string>(ask.job));
    told.on_end = [weak = weak(), follower, on_end = std::move(told.on_end)](Result<JobResult> result) {
      if (auto session = weak.lock()) session->followed_.erase(follower);
      on_end(std::move(result));
    };
    desk_.jobs_->follow(ask.job, asker(), follower, std::move(told), std::move(attached));
  }

  void handle(const protocol::CancelJob& ask, const net::FrameView&) {
    const Status cancelled = desk_.jobs_->cancel(ask.job, asker(), jobs_.count(ask.job) ? std::string("its client asked for it") : cat(user_, " asked for it"));
    if (cancelled.ok()) send(protocol::CancelAccepted{.reply_to = ask.id});
    else refuse(ask.id, cancelled.error());
  }

  void handle(const protocol::ShowJob& ask, const net::FrameView&) {
    desk_.jobs_->show(ask.job, asker(), [weak = weak(), id = ask.id](Result<protocol::JobShown> shown) {
      const auto session = weak.lock();
      if (!session) return;
      if (!shown.ok()) return session->refuse(id, shown.error());
      shown->reply_to = id;
      session->send(*shown);
    });
  }

  void handle(const protocol::WatchFleet& ask, const net::FrameView&) {
    if (std::exchange(watches_fleet_, true)) return refuse(ask.id, {ErrorCode::kInvalidArgument, "this client watches the fleet already"});
    send(protocol::FleetWatched{.reply_to = ask.id});
    if (desk_.jobs_) watch_jobs();
    if (!desk_.config_.watch_events) return;
    watches_.push_back(desk_.config_.watch_events([weak = weak()](const protocol::DeviceEvent& event) {
      if (auto session = weak.lock()) session->send_news(protocol::DeviceChanged{.event = event});
    }));
  }

  void watch_jobs() {
    const uint64_t watcher = desk_.jobs_->watch(asker(), [weak = weak()](const protocol::JobInfo& job) {
      if (auto session = weak.lock()) session->send_news(protocol::JobChanged{.job = job});
    });
    watches_.push_back([desk = &desk_, watcher] { desk->jobs_->unwatch(watcher); });
  }

  void handle(const protocol::ListJobs& ask, const net::FrameView&) {
    if (std::exchange(reads_jobs_, true))
      return refuse(ask.id, {ErrorCode::kBusy, "this client waits for a page of the jobs already; ask for one at a time"});
    desk_.jobs_->list(asker(), static_cast<int64_t>(ask.before.value_or(0)), [weak = weak(), id = ask.id](Result<std::vector<protocol::JobInfo>> jobs, int64_t next) {
      const auto session = weak.lock();
      if (!session) return;
      session->reads_jobs_ = false;
      if (!jobs.ok()) return session->refuse(id, jobs.error());
      session->send(protocol::Jobs{.reply_to = id, .jobs = std::move(*jobs), .next = next > 0 ? std::optional(static_cast<uint64_t>(next)) : std::nullopt});
    });
  }

  void handle(const protocol::WatchAgent& ask, const net::FrameView&) {
    if (!desk_.config_.watch) return refuse(ask.id, {ErrorCode::kUnsupported, "agents join at the tracker; give --tracker its URL, as hone tracker prints it"});
    if (watches_.size() == kWatchesPerClientMax)
      return refuse(ask.id,
                    {ErrorCode::kLimitExceeded, cat("this client watches ", kWatchesPerClientMax, " agents already")});
    auto weak = std::weak_ptr<Session>(self_);
    watches_.push_back(desk_.config_.watch(ask.launch_id, [weak](protocol::AgentState state) {
      if (auto session = weak.lock()) session->send(state);
    }));
  }

  void handle(const protocol::FetchRecords& ask, const net::FrameView&) {
    if (std::exchange(reads_records_, true))
      return refuse(ask.id,
                    {ErrorCode::kBusy, "this client waits for a page of the records already; ask for one at a time"});
    auto weak = std::weak_ptr<Session>(self_);
    desk_.records_->read(ask, [weak, id = ask.id](Result<RecordReader::Page> page) {
      if (auto session = weak.lock()) session->end_page(id, std::move(page));
    });
  }

  void handle(const protocol::CreateEnrolment& ask, const net::FrameView&) {
    auto code = desk_.access_.make_code(ask.name);
    if (!code.ok()) return refuse(ask.id, code.error());
    audit("enrolment_created", {{"name", ask.name}, {"user", user_}});
    code->reply_to = ask.id;
    send(*code);
  }

  void handle(const protocol::ListTokens& ask, const net::FrameView&) {
    auto tokens = desk_.access_.tokens(ask.after.value_or(""), kTokensPerPage);
    if (!tokens.ok()) return refuse(ask.id, tokens.error());
    protocol::Tokens page{.reply_to = ask.id, .tokens = std::move(*tokens)};
    page.more = page.tokens.size() == kTokensPerPage;
    send(page);
  }

  void handle(const protocol::CreateToken& ask, const net::FrameView&) { desk_.access_.create(ask, answer_token(ask.id, "token_created")); }
  void handle(const protocol::RotateToken& ask, const net::FrameView&) { desk_.access_.rotate(ask.token_id, answer_token(ask.id, "token_rotated")); }

  void handle(const protocol::RevokeToken& ask, const net::FrameView&) {
    desk_.access_.revoke(ask.token_id, [weak = weak(), log = desk_.config_.audit, user = user_, ask](const Status& revoked) {
      if (revoked.ok() && log) log->tell("token_revoked", {{"token", ask.token_id}, {"user", user}});
      const auto session = weak.lock();
      if (!session) return;
      if (revoked.ok()) session->send(protocol::TokenRevoked{.reply_to = ask.id});
      else session->refuse(ask.id, revoked.error());
    });
  }

  // What is on disk then is told, whether anybody waits for the answer or not.
  std::function<void(Result<protocol::TokenCreated>)> answer_token(uint64_t id, const char* event) {
    return [weak = weak(), log = desk_.config_.audit, user = user_, id, event](Result<protocol::TokenCreated> made) {
      if (made.ok() && log)
        log->tell(event, {{"token", made->info.token_id}, {"role", std::string(protocol::to_name(made->info.role))}, {"name", made->info.name}, {"user", user}});
      const auto session = weak.lock();
      if (!session) return;
      if (!made.ok()) return session->refuse(id, made.error());
      made->reply_to = id;
      session->send(*made);
    };
  }

  void audit(std::string_view event, std::initializer_list<AuditLog::Field> fields) {
    if (desk_.config_.audit) desk_.config_.audit->tell(event, fields);
  }

  void handle(const protocol::ErrorReply& error, const net::FrameView&) {
    log_warn(cat("a client reports: ", error.message));
  }

  void end_job(const std::string& id, Result<JobResult> result) {
    jobs_.erase(id);
    if (result.ok()) send(protocol::JobDone{.job = id, .result = std::move(result->result)}, shared_bytes(std::move(result->payload)));
    else send(protocol::JobFailed{.job = id, .code = result.error().code, .message = result.error().message});
    if (desk_.closing_) close_when_done();
  }

  void end_page(uint64_t id, Result<RecordReader::Page> page) {
    reads_records_ = false;
    if (!page.ok()) return refuse(id, page.error());
    page->frame.reply_to = id;
    send(page->frame, shared_bytes(std::move(page->lines)));
  }

  template <class Message>
  void send(const Message& message, SharedBytes payload = nullptr) {
    if (channel_) channel_->send(protocol::encode(message), std::move(payload));
  }
  void refuse(uint64_t id, const Error& error) {
    send(protocol::ErrorReply{.reply_to = id, .code = error.code, .message = error.message});
  }
  std::weak_ptr<Session> weak() const { return self_; }
  JobQueue::Asker asker() const { return {user_, who_.role == Role::kAdmin}; }
  void hang_up(const Error& error, net::CloseCode code, std::optional<uint64_t> reply_to = std::nullopt) {
    if (std::exchange(over_, true) || !channel_) return;
    send(protocol::ErrorReply{.reply_to = reply_to, .code = error.code, .message = error.message});
    channel_->close(code, error.message);
  }

  friend class ClientDesk;
  ClientDesk& desk_;
  std::shared_ptr<net::Channel> channel_;
  std::shared_ptr<Session> self_;  // an alias without ownership: lets callbacks see that the session is gone
  bool greeted_ = false, is_asked_ = false, over_ = false;  // is_asked: it is looked up whose token it is
  tracker::Identity who_;
  std::string user_;
  std::function<void()> stop_visit_;
  std::set<std::string> jobs_;                  // that end with it
  std::map<uint64_t, std::string> followed_;    // others, by follower
  std::vector<std::function<void()>> watches_;
  bool reads_records_ = false, reads_history_ = false, reads_jobs_ = false, watches_fleet_ = false;
};

void ClientDesk::cancel_alone(const std::string& job, const JobQueue::Asker& asker) {
  if (jobs_->cancel(job, asker, "its client went away").ok()) log_info(cat("job ", job, " is cancelled: its client went away"), {{"job", job}});
}

std::unique_ptr<net::Handler> ClientDesk::accept(std::shared_ptr<net::Channel> channel) {
  auto session = std::make_unique<Session>(*this, std::move(channel));
  session->self_ = std::shared_ptr<Session>(session.get(), [](Session*) {});
  return session;
}

void ClientDesk::close() {
  closing_ = true;
  const std::set<Session*> all = sessions_;
  for (Session* session : all) session->close_when_done();
}

}  // namespace hone::server
