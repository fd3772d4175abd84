#include "cli/scripted_agent.h"

#include <deque>

#include "schema/message.h"

namespace hone::cli {

namespace {
constexpr std::chrono::milliseconds kBeat{200};
}  // namespace

class ScriptedAgent::Control : public net::Handler {
 public:
  Control(ScriptedAgent& agent, std::shared_ptr<net::Channel> channel)
      : agent_(agent), channel_(std::move(channel)), beats_(agent.loop_) {
    protocol::Hello hello{.id = 1,
                          .token = agent.token_,
                          .version = protocol::kProtocolVersion,
                          .agent_name = "scripted",
                          .devices = agent.script_.devices};
    if (!agent.script_.launch_id.empty()) hello.launch_id = agent.script_.launch_id;
    if (!agent.agent_id_.empty()) {
      hello.resume_agent_id = agent.agent_id_;
      hello.resume_secret = agent.resume_secret_;
    }
    channel_->send(protocol::encode(hello));
  }
  ~Control() override {
    if (agent_.control_ == this) agent_.control_ = nullptr;
  }

  void on_frame(const net::FrameView& frame, size_t bytes) override {
    auto message = protocol::decode_text<protocol::ControlFromTracker>(frame.header, bytes);
    if (!message.ok()) return;
    if (auto* welcome = std::get_if<protocol::Welcome>(&*message)) {
      agent_.agent_id_ = welcome->agent_id;
      if (welcome->resume_secret) agent_.resume_secret_ = *welcome->resume_secret;
      beats_.start_repeating(kBeat, [this] {
        channel_->send(protocol::encode(protocol::Heartbeat{.seq = ++seq_, .visible = true, .worker_alive = true}));
      });
    }
    if (auto* open = std::get_if<protocol::OpenSession>(&*message)) agent_.open_session(*open);
    if (auto* error = std::get_if<protocol::ErrorReply>(&*message)) agent_.refused = error->message;
  }
  void on_closed(const net::Closed&) override {}

 private:
  ScriptedAgent& agent_;
  std::shared_ptr<net::Channel> channel_;
  net::Timer beats_;
  uint64_t seq_ = 0;
};

class ScriptedAgent::Session : public net::Handler {
 public:
  Session(ScriptedAgent& agent, std::shared_ptr<net::Channel> channel, const protocol::OpenSession& open)
      : agent_(agent), channel_(std::move(channel)), paces_(agent.loop_) {
    if (agent_.script_.each.count() > 0) paces_.start_repeating(agent_.script_.each, [this] { run_next(); });
    channel_->send(protocol::encode(protocol::SessionHello{
        .id = 1, .session_token = open.session_token, .device_id = open.device_id, .lease_id = open.lease_id}));
  }
  ~Session() override {
    if (agent_.session_ == this) agent_.session_ = nullptr;
  }

  void on_frame(const net::FrameView& frame, size_t bytes) override {
    auto message = protocol::decode_text<protocol::SessionFromServer>(frame.header, bytes);
    if (!message.ok()) return;
    if (auto* prepare = std::get_if<protocol::PrepareTask>(&*message)) {
      ++agent_.prepared;
      channel_->send(protocol::encode(protocol::TaskReady{.reply_to = prepare->id}));
    }
    if (auto* measure = std::get_if<protocol::Measure>(&*message)) {
      if (agent_.script_.each.count() > 0) queue(*measure);
      else run(*measure);
    }
    if (auto* execute = std::get_if<protocol::Execute>(&*message); execute && agent_.script_.execute) answer(*execute);
    if (std::get_if<protocol::ResultAck>(&*message)) ++agent_.acknowledged;
    if (std::get_if<protocol::Release>(&*message)) ++agent_.released;
    if (auto* error = std::get_if<protocol::ErrorReply>(&*message)) agent_.refused = error->message;
  }
  void on_closed(const net::Closed&) override {}
  void drop() { channel_->close(net::CloseCode::kGoingAway, "dropped by the script"); }

 private:
  void answer(const protocol::Execute& execute) {
    auto executed = agent_.script_.execute(execute);
    if (!executed) return;
    executed->reply_to = execute.id;
    uint64_t bytes = 0;
    for (const protocol::PlanOutput& output : execute.outputs) bytes += output.bytes;
    if (execute.rival)
      for (const protocol::PlanOutput& output : execute.rival->outputs) bytes += output.bytes;
    channel_->send(protocol::encode(*executed), std::string(executed->error ? 0 : bytes, '\0'));
  }
  void queue(const protocol::Measure& measure) {
    for (const protocol::Candidate& candidate : measure.candidates) {
      queue_.push_back(measure);
      queue_.back().candidates = {candidate};
    }
  }
  void run_next() {
    if (queue_.empty()) return;
    const protocol::Measure next = std::move(queue_.front());
    queue_.pop_front();
    run(next);
  }
  void run(const protocol::Measure& measure) {
    std::vector<protocol::CandidateResult> results;
    for (const protocol::Candidate& candidate : measure.candidates) {
      ++agent_.measured;
      auto result = agent_.script_.measure(candidate);
      if (!agent_.session_) return;  // the script dropped it
      if (!result) continue;
      result->batch = measure.batch;
      result->trial = candidate.trial;
      result->attempt = candidate.attempt;
      result->fence = measure.fence;
      results.push_back(std::move(*result));
    }
    if (agent_.script_.deliver) results = agent_.script_.deliver(std::move(results));
    for (const protocol::CandidateResult& result : results) channel_->send(protocol::encode(result));
    channel_->send(protocol::encode(protocol::BatchDone{.batch = measure.batch}));
  }

  ScriptedAgent& agent_;
  std::shared_ptr<net::Channel> channel_;
  net::Timer paces_;
  std::deque<protocol::Measure> queue_;  // of one candidate each
};

ScriptedAgent::ScriptedAgent(net::EventLoop& loop, uint16_t port, std::string token, Script script)
    : loop_(loop),
      port_(port),
      token_(std::move(token)),
      script_(std::move(script)),
      client_(std::make_unique<net::Client>(loop)) {
  auto accept = [this](std::shared_ptr<net::Channel> channel) {
    auto control = std::make_unique<Control>(*this, std::move(channel));
    control_ = control.get();
    return control;
  };
  client_->connect({.port = port_, .path = "/ws/agent"}, accept, [this](Error error) { refused = error.message; });
}

ScriptedAgent::~ScriptedAgent() = default;

void ScriptedAgent::vanish() { client_.reset(); }

void ScriptedAgent::drop_session() {
  if (session_) session_->drop();
}

void ScriptedAgent::open_session(const protocol::OpenSession& open) {
  auto accept = [this, open](std::shared_ptr<net::Channel> channel) {
    auto session = std::make_unique<Session>(*this, std::move(channel), open);
    session_ = session.get();
    return session;
  };
  client_->connect({.port = port_, .path = open.session_path}, accept,
                   [this](Error error) { refused = error.message; });
}

protocol::DeviceOffer ScriptedAgent::some_device() {
  protocol::DeviceOffer offer{.local_id = "gpu", .target = "webgpu"};
  offer.fingerprint = {.target = "webgpu",
                       .vendor = "nobody",
                       .architecture = "paper",
                       .browser = "scripted",
                       .browser_major = 1,
                       .os = "linux"};
  offer.timer = {.method = "timestamp", .quantum_ns = 1};
  return offer;
}

protocol::CandidateResult ScriptedAgent::good_result(double latency_us) {
  return {.outcome = ErrorCode::kOk,
          .samples_us = {latency_us, latency_us, latency_us},
          .latency_us_median = latency_us,
          .method = "timestamp",
          .clock_resolution_ns = 1,
          .repeats = 1,
          .create_ms = 1,
          .device_ms = 2,
          .max_error = 1e-7,
          .reference_us = 10};
}

}  // namespace hone::cli
