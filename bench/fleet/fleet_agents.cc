// Many agents in one process, over real sockets: each says hello with one device, beats, and comes back with its secret after every loss, after waits
// as browser-agent/src/core/backoff.ts has them. They dial from a hundred addresses of loopback, as a farm's devices do. Each 250 ms one JSON
// line: {"welcomed": agents that are in, "opened": sessions that they were asked for, "silence_ms_max": the longest wait for an answer to a beat}
#include <cstdio>
#include <map>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/net/client.h"
#include "base/rng.h"
#include "base/secret.h"
#include "bench/fleet/simulated_device.h"
#include "bench/fleet/tls_folder.h"
#include "schema/message.h"

using namespace hone;
using namespace std::chrono_literals;
using Time = std::chrono::steady_clock::time_point;

namespace {

constexpr auto kTurn = 10ms;
constexpr int kAddresses = 100;
constexpr double kFirstWaitMs = 300, kWaitMsMax = 5'000;  // control.ts
constexpr int kDialsPerTurn = 20;                         // so that the first arrival takes seconds, as in a farm

struct Options {
  int port = 0, agents = 0;
  std::string token, tls_folder;
};

class Crowd;

struct Agent {
  int number = 0;
  std::string physical_id = random_secret();
  std::string id, secret;
  std::shared_ptr<net::Channel> channel;
  bool welcomed = false;
  int failures = 0;
  uint64_t seq = 0, acknowledged = 0;
  Time asked{};
};

class Crowd {
 public:
  Crowd(net::EventLoop& loop, const Options& options)
      : options_(options),
        client_(loop, {}, static_cast<size_t>(options.agents) + 256, bench::client_context(options.tls_folder)),
        turn_(loop),
        report_(loop),
        agents_(static_cast<size_t>(options.agents)) {
    for (int i = 0; i < options.agents; ++i) {
      agents_[static_cast<size_t>(i)].number = i;
      dials_.emplace(std::chrono::steady_clock::now(), i);
    }
    turn_.start_repeating(kTurn, [this] { turn(); });
    report_.start_repeating(250ms, [this] { report(); });
  }

 private:
  class Control;
  void turn();
  void dial(Agent& agent);
  void lost(Agent& agent);
  void beat(Agent& agent);
  void report();
  protocol::Hello hello(const Agent& agent) const;

  const Options options_;
  net::Client client_;
  net::Timer turn_, report_;
  std::vector<Agent> agents_;
  std::multimap<Time, int> dials_;  // when each lost agent dials again
  Rng rng_{1};
  uint64_t turns_ = 0, welcomed_ = 0, opened_ = 0;
  double silence_ms_max_ = 0;
};

class Crowd::Control : public net::Handler {
 public:
  Control(Crowd& crowd, Agent& agent, std::shared_ptr<net::Channel> channel) : crowd_(crowd), agent_(agent) {
    agent_.channel = std::move(channel);
    agent_.channel->send(protocol::encode(crowd_.hello(agent_)));
  }
  void on_frame(const net::FrameView& frame, size_t bytes) override {
    const auto message = protocol::decode_text<protocol::ControlFromTracker>(frame.header, bytes);
    if (!message.ok()) return;
    if (const auto* welcome = std::get_if<protocol::Welcome>(&*message)) welcome_agent(*welcome);
    if (const auto* ack = std::get_if<protocol::HeartbeatAck>(&*message)) answered(ack->seq);
    if (std::get_if<protocol::OpenSession>(&*message)) ++crowd_.opened_;
  }
  void on_closed(const net::Closed&) override { crowd_.lost(agent_); }

 private:
  void welcome_agent(const protocol::Welcome& welcome) {
    agent_.id = welcome.agent_id;
    if (welcome.resume_secret) agent_.secret = *welcome.resume_secret;
    agent_.failures = 0;
    agent_.seq = agent_.acknowledged = 0;
    ++crowd_.welcomed_;
    agent_.welcomed = true;
  }
  void answered(uint64_t seq) {
    agent_.acknowledged = seq;
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - agent_.asked).count();
    if (seq == agent_.seq) crowd_.silence_ms_max_ = std::max(crowd_.silence_ms_max_, ms);
  }

  Crowd& crowd_;
  Agent& agent_;
};

protocol::Hello Crowd::hello(const Agent& agent) const {
  protocol::DeviceOffer offer{.local_id = "gpu", .target = "webgpu"};
  offer.physical_id = agent.physical_id;
  offer.timer = {.method = "timestamp", .quantum_ns = 1};
  offer.fingerprint = bench::simulated_fingerprint(agent.number);
  protocol::Hello hello{.id = 1,
                        .token = options_.token,
                        .version = protocol::kProtocolVersion,
                        .agent_name = "simulated",
                        .devices = {offer}};
  if (!agent.id.empty()) {
    hello.resume_agent_id = agent.id;
    hello.resume_secret = agent.secret;
  }
  return hello;
}

// Each agent beats once a second, in the hundredth turn that is its own.
void Crowd::turn() {
  const auto now = std::chrono::steady_clock::now();
  for (int dialled = 0; dialled < kDialsPerTurn && !dials_.empty() && dials_.begin()->first <= now; ++dialled) {
    Agent& agent = agents_[static_cast<size_t>(dials_.begin()->second)];
    dials_.erase(dials_.begin());
    dial(agent);
  }
  for (size_t i = turns_++ % 100; i < agents_.size(); i += 100)
    if (agents_[i].welcomed) beat(agents_[i]);
}

void Crowd::dial(Agent& agent) {
  net::ConnectTo to{.port = static_cast<uint16_t>(options_.port), .path = "/ws/agent", .tls = !options_.tls_folder.empty()};
  to.from = cat("127.0.1.", 1 + agent.number % kAddresses);
  client_.connect(
      std::move(to),
      [this, &agent](auto channel) { return std::make_unique<Control>(*this, agent, std::move(channel)); },
      [this, &agent](const Error&) { lost(agent); });
}

void Crowd::lost(Agent& agent) {
  if (std::exchange(agent.welcomed, false)) --welcomed_;
  agent.channel.reset();
  const double whole = std::min(kWaitMsMax, kFirstWaitMs * static_cast<double>(1u << std::min(agent.failures++, 10)));
  const auto wait = std::chrono::microseconds(static_cast<int64_t>(1000 * whole * (0.5 + 0.5 * rng_.uniform())));
  dials_.emplace(std::chrono::steady_clock::now() + wait, agent.number);
}

void Crowd::beat(Agent& agent) {
  agent.asked = std::chrono::steady_clock::now();
  agent.channel->send(protocol::encode(protocol::Heartbeat{.seq = ++agent.seq, .visible = true, .worker_alive = true}));
}

void Crowd::report() {
  const nlohmann::json line{
      {"welcomed", welcomed_}, {"opened", opened_}, {"silence_ms_max", std::exchange(silence_ms_max_, 0)}};
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("agents that connect, beat and come back");
  app.add_option("--port", options.port)->required();
  app.add_option("--agents", options.agents)->required();
  app.add_option("--token", options.token)->required();
  app.add_option("--tls-folder", options.tls_folder, "of hone tls init; none: no TLS");
  CLI11_PARSE(app, argc, argv);
  net::EventLoop loop;
  Crowd crowd(loop, options);
  loop.run();
}
