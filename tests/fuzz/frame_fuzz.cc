// Border: frames of peers that have shown the token. The whole input is decoded as one frame of each direction; then each line is one step of
// a conversation with the real tracker's fleet, session desk, runners, client desk and job board, joined in memory:
//   a… b…   the header of an agent's control frame, on the first or second control socket
//   s… t…   of an agent's session frame; c… d… of a client's frame; what follows a tab is the payload
//   s?N     the session_hello that the tracker's open_session number N (from 0) asks for
//   A B S T C D   that socket closes
//   +N      N seconds pass
// A runner with candidates and a runner with a model wait for devices from the start. Each candidate and each execution is answered once.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/cat.h"
#include "base/log.h"
#include "schema/message.h"
#include "server/agents/plan_runner.h"
#include "server/agents/runner_group.h"
#include "server/client_desk.h"
#include "server/jobs/device_lease.h"
#include "tests/fuzz/fleet_client.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/memory_job_store.h"
#include "tests/fuzz/scratch_store.h"
#include "tracker/access_desk.h"

namespace hone {
namespace {

constexpr size_t kStepsMax = 64;            // of one conversation
constexpr int64_t kStepSecondsMax = 100;    // more than any limit of the tracker
constexpr double kReattachMs = 30'000;
constexpr uint64_t kCandidates = 4;
constexpr int64_t kJobMemoryBytes = 256 << 20;
constexpr const char* kToken = "token";

class MemoryChannel : public net::Channel {
 public:
  bool send(std::string_view, SharedBytes) override { return open_; }
  void close(net::CloseCode, std::string_view) override { open_ = false; }
  void set_greeted() override {}
  void set_frame_bytes_max(size_t) override {}
  size_t outbox_bytes() const override { return 0; }
  const std::string& peer() const override { return peer_; }
  bool is_local() const override { return true; }
  bool is_open() const override { return open_; }

 private:
  const std::string peer_ = "127.0.0.1";
  bool open_ = true;
};

// Says at the end of a run how many frames it was.
struct FrameCount {
  ~FrameCount() { std::fprintf(stderr, "frames: %zu\n", frames); }
  size_t frames = 0;
} g_count;

// One end of a socket; opens again when something is sent after it closed.
class Socket {
 public:
  using Accept = std::function<std::unique_ptr<net::Handler>(std::shared_ptr<net::Channel>)>;
  explicit Socket(Accept accept, std::string first_header = "")
      : accept_(std::move(accept)), first_header_(std::move(first_header)) {}
  void receive(std::string_view header, std::string_view payload) {
    if (!handler_) open();
    ++g_count.frames;
    handler_->on_frame({header, payload}, sizeof(uint32_t) + header.size() + payload.size());
    if (!channel_->is_open()) close();
  }
  void close() {
    if (!handler_) return;
    handler_->on_closed({});
    handler_.reset();
    channel_.reset();
  }

 private:
  void open() {
    channel_ = std::make_shared<MemoryChannel>();
    handler_ = accept_(channel_);
    if (!first_header_.empty()) handler_->on_frame({first_header_, ""}, sizeof(uint32_t) + first_header_.size());
  }
  const Accept accept_;
  const std::string first_header_;
  std::shared_ptr<MemoryChannel> channel_;
  std::unique_ptr<net::Handler> handler_;
};

// The tracker's end of a control socket.
class ControlHandler : public net::Handler {
 public:
  ControlHandler(fuzz::FleetClient& tracker, tracker::Link link) : tracker_(tracker), link_(link) {}
  void on_frame(const net::FrameView& frame, size_t frame_bytes) override {
    auto message = protocol::decode_text<protocol::ControlFromAgent>(frame.header, frame_bytes);
    if (message.ok()) tracker_.receive(link_, *message);
  }
  void on_closed(const net::Closed&) override { tracker_.unlinked(link_); }

 private:
  fuzz::FleetClient& tracker_;
  const tracker::Link link_;
};

tuner::Planner no_plan(const target::Target&, uint64_t, tuner::StrategyKind) {
  return [](const te::Task&) { return Error{ErrorCode::kUnsupported, "no plan"}; };
}
// What models do is other targets' matter: jobs get their device and have nothing to do.
Result<std::shared_ptr<const server::JobTasks>> no_tasks(const server::ModelRequest&, const CancelToken*) {
  return std::make_shared<const server::JobTasks>();
}

class World {
 public:
  World() {
    access_.restore({}, kToken);
    task_.id = {3, 4};
    task_.name = "a task";
    for (const char agent : {'a', 'b'}) sockets_.emplace(agent, control(static_cast<tracker::Link>(agent)));
    for (const char agent : {'s', 't'}) sockets_.emplace(agent, session());
    for (const char person : {'c', 'd'}) sockets_.emplace(person, client());
    lease([this](const auto& device) { return group_->add(device); }, [this] { submit(); });
    lease([this](const auto&) { return plan_; }, [this] { execute(); });
    reactor_.turn();
  }

  ~World() {
    for (auto& [letter, socket] : sockets_) socket.close();
    for (const auto& lease : leases_) lease->stop();
    group_->close();
    plan_->close();
    queue_.stop();
    reactor_.turn_until([this] { return queue_.is_idle(); });
    reactor_.turn();
  }

  void step(std::string_view line) {
    if (line.empty()) return;
    const char what = line[0];
    const std::string_view rest = line.substr(1);
    if (what == '+') pass(rest);
    else if (auto socket = sockets_.find(what); socket != sockets_.end()) {
      const size_t tab = std::min(rest.find('\t'), rest.size());
      socket->second.receive(header_of(rest.substr(0, tab)), rest.substr(std::min(tab + 1, rest.size())));
    } else if (socket = sockets_.find(static_cast<char>(what | 0x20)); socket != sockets_.end()) {
      socket->second.close();
    }
    reactor_.turn();
  }

 private:
  std::string header_of(std::string_view text) const {
    if (text.size() != 2 || text[0] != '?') return std::string(text);
    const auto number = static_cast<size_t>(text[1] - '0');
    if (number >= tracker_.opened().size()) return "";
    const protocol::OpenSession& open = tracker_.opened()[number];
    return protocol::encode(protocol::SessionHello{
        .id = 1, .session_token = open.session_token, .device_id = open.device_id, .lease_id = open.lease_id});
  }

  void lease(std::function<std::shared_ptr<server::SessionUser>(const protocol::DeviceInfo&)> make_user,
             std::function<void()> begin) {
    server::DeviceLease::Config config{.request = {.job = "j", .user = "ann", .wait = std::chrono::hours(1)},
                                       .reacquire_ms = kReattachMs,
                                       .make_user = std::move(make_user)};
    config.on_first = [begin = std::move(begin)](const Result<protocol::DeviceInfo>& device) {
      if (device.ok()) begin();
    };
    leases_.push_back(std::make_shared<server::DeviceLease>(std::move(config), tracker_, desk_, fences_));
    leases_.back()->start();
  }

  void submit() {
    for (uint64_t trial = 1; trial <= kCandidates; ++trial) {
      tuner::MeasureInput input{.trial_id = trial, .task = &task_, .in_turns = trial > kCandidates / 2};
      input.source.launches.push_back({.code = "code"});
      input.source.hash = {0, trial};
      group_->submit(std::move(input), [this, trial](const tuner::MeasureResult& result) {
        CHECK(++answers_[trial] == 1, cat("candidate ", trial, " was answered twice"));
        group_->committed(task_.id, {0, trial}, result.attempt);
      });
    }
  }

  void execute() {
    plan_->execute({.outputs = {{.buffer = 0, .bytes = 4}}, .repeats = 2}, [this](Result<server::PlanRunner::Answer>) {
      CHECK(++answers_[0] == 1, "an execution was answered twice");
    });
  }

  void pass(std::string_view seconds) {
    int64_t count = 0;
    for (char c : seconds.substr(0, 2)) count = c >= '0' && c <= '9' ? count * 10 + (c - '0') : count;
    const auto time = std::chrono::seconds(std::min(count, kStepSecondsMax));
    tracker_.advance(time);
    reactor_.advance(static_cast<double>(std::chrono::milliseconds(time).count()));
  }

  Socket control(tracker::Link link) {
    return Socket([this, link](auto) { return std::make_unique<ControlHandler>(tracker_, link); });
  }
  Socket session() {
    return Socket([this](auto channel) { return desk_.accept(std::move(channel)); });
  }
  Socket client() {
    return Socket([this](auto channel) { return clients_.accept(std::move(channel)); },
                  protocol::encode(protocol::ClientHello{.id = 1, .token = kToken, .version = protocol::kProtocolVersion, .user = "ann"}));
  }
  static std::function<void()> watch(const std::string& launch_id, const std::function<void(protocol::AgentState)>& on_state) {
    on_state({.launch_id = launch_id});
    return [] {};
  }

  server::FakeReactor reactor_;
  fuzz::FleetClient tracker_{reactor_};
  server::SessionDesk desk_{tracker_};
  server::BlobStore blobs_;
  tuner::InlineExecutor inline_;
  server::ExpectedOutputs expected_{{"", [](const te::Task&, const auto&) { return emit::Reference{1e-5, {{}}, {{{1.0f}}}}; }}, inline_, blobs_};
  server::WorkerPool workers_{{.threads = 0}};
  server::UnderWay under_way_;
  server::MemoryBudget memory_{kJobMemoryBytes};
  server::JobCounts counts_;
  server::LocalModels models_;
  server::JobBoard board_{{.reactor = reactor_,
                           .tracker = tracker_,
                           .desk = desk_,
                           .workers = workers_,
                           .expected = expected_,
                           .blobs = blobs_,
                           .store = fuzz::scratch_store(),
                           .under_way = under_way_,
                           .memory = memory_,
                           .counts = counts_,
                           .models = models_,
                           .planner = no_plan,
                           .tasks = no_tasks,
                           .reattach_ms = kReattachMs}};
  fuzz::MemoryJobStore submissions_;
  server::ModelFolder queued_models_{"", 0};  // takes no model
  server::JobQueue queue_{{.board = board_, .store = submissions_, .models = queued_models_, .workers = inline_, .reactor = reactor_, .counts = counts_}};
  server::RecordReader records_{fuzz::scratch_store(), inline_, reactor_};
  FakeClock steady_, wall_;
  uint64_t secrets_ = 0;
  // What is to be written is taken as written.
  tracker::AccessDesk access_{steady_, wall_, [this] { return cat("secret", ++secrets_, "-0123456789abcdef"); },
                              [](const tracker::Outcome& outcome) {
                                for (const auto& effect : outcome.effects)
                                  if (const auto* then = std::get_if<tracker::Then>(&effect)) then->done(ok_status());
                              }};
  server::ClientDesk clients_{{.job_bytes_max = protocol::kFrameBytesMax, .watch = watch}, tracker_, access_, &queue_, &records_, &fuzz::scratch_store()};

  te::Task task_;
  std::map<uint64_t, int> answers_;  // by trial; 0: the execution
  std::shared_ptr<server::Fences> fences_ = std::make_shared<server::Fences>();
  std::shared_ptr<server::RunnerGroup> group_ =
      server::RunnerGroup::make({"key", kReattachMs, nullptr}, reactor_, expected_, workers_);
  std::shared_ptr<server::PlanRunner> plan_ = server::PlanRunner::make(kReattachMs, reactor_);
  std::vector<std::shared_ptr<server::DeviceLease>> leases_;
  std::map<char, Socket> sockets_;
};

void decode_all(std::string_view bytes) {
  const auto frame = net::decode_frame(bytes);
  if (!frame.ok()) return;
  (void)protocol::decode_text<protocol::ControlFromAgent>(frame->header, bytes.size());
  (void)protocol::decode_text<protocol::ControlFromTracker>(frame->header, bytes.size());
  (void)protocol::decode_text<protocol::SessionFromAgent>(frame->header, bytes.size());
  (void)protocol::decode_text<protocol::SessionFromServer>(frame->header, bytes.size());
  (void)protocol::decode_text<protocol::ClientFromClient>(frame->header, bytes.size());
  (void)protocol::decode_text<protocol::ClientFromService>(frame->header, bytes.size());
  (void)protocol::decode_text<protocol::ServerFromServer>(frame->header, bytes.size());
  (void)protocol::decode_text<protocol::ServerFromTracker>(frame->header, bytes.size());
  (void)protocol::decode_text<protocol::RelayFromServer>(frame->header, bytes.size());
}

void converse(std::string_view text) {
  World world;
  for (size_t steps = 0; !text.empty() && steps < kStepsMax; ++steps) world.step(fuzz::take_line(text));
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool quiet = (hone::log_from(hone::LogLevel::kNone), true);
  (void)quiet;
  const std::string_view bytes = hone::fuzz::text_of(data, size);
  hone::decode_all(bytes);
  hone::converse(bytes);
  return 0;
}
