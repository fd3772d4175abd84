// ServiceWorld: the whole service in this process for tests, over real sockets and a real database, with agents that follow a script and one
// client.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "base/cat.h"
#include "base/check.h"
#include "cli/scripted_agent.h"
#include "cli/service.h"
#include "cli/service_client.h"
#include "schema/message.h"
#include "tuner/records/sql_store.h"

namespace hone::cli {

using std::chrono::seconds;

struct World {
  World() {
    std::filesystem::create_directories(folder + "/page");
    std::ofstream(folder + "/page/index.html") << "page";
    start();
  }
  ~World() {
    client.reset();
    agent.reset();
    others.clear();
    stop();
    std::filesystem::remove_all(folder);
  }
  void start() {
    auto started = Service::start(loop, {.db = folder + "/hone.db",
                                         .agent_files = folder + "/page",
                                         .memory_bytes = memory_bytes,
                                         .limits = {.lease_ttl = std::chrono::milliseconds(4000)},
                                         .model_program = model_program,
                                         .audit_file = audit_file()});
    CHECK(started.ok(), started.ok() ? "" : started.error().message);
    service = std::move(*started);
    url = *parse_service_url(service->agent_url());
  }
  void stop() {
    if (!service) return;
    service->stop();
    CHECK(loop.run_until([&] { return service->idle(); }, seconds(20)), "the service's jobs do not end");
    service.reset();
  }
  void add_agent(ScriptedAgent::Script script) {
    agent = std::make_unique<ScriptedAgent>(loop, service->port(), url.token, std::move(script));
  }
  ScriptedAgent& add_another_agent(ScriptedAgent::Script script) {
    return *others.emplace_back(std::make_unique<ScriptedAgent>(loop, service->port(), url.token, std::move(script)));
  }
  void connect(std::string token) {
    ServiceUrl to = url;
    to.token = std::move(token);
    client = std::make_unique<ServiceClient>(
        loop, to,
        ServiceClient::Events{
            .on_ready = [this] { ready = true; },
            .on_message = [this](const protocol::ClientFromService& m, std::string_view) { receive(m); },
            .on_failed = [this](Error error) { failed = std::move(error); }});
  }
  void receive(const protocol::ClientFromService& message) {
    if (auto* page = std::get_if<protocol::Jobs>(&message)) jobs = *page;
    if (auto* accepted = std::get_if<protocol::JobAccepted>(&message)) job = accepted->job;
    if (auto* done = std::get_if<protocol::JobDone>(&message)) result = done->result;
    if (auto* end = std::get_if<protocol::JobFailed>(&message)) failed = Error{end->code, end->message};
    if (auto* error = std::get_if<protocol::ErrorReply>(&message)) failed = Error{error->code, error->message};
    if (std::get_if<protocol::JobProgress>(&message)) ++progresses;
    if (auto* list = std::get_if<protocol::Devices>(&message)) {
      devices = list->devices;
      ++pages;
    }
  }
  void submit(uint32_t trials, double device_wait_s = 20, std::optional<uint32_t> devices_max = std::nullopt) {
    protocol::JobRequest request{.kind = protocol::JobKind::kTune,
                                 .source = {.op = "matmul:32x32x32"},
                                 .target = "webgpu",
                                 .trials = trials,
                                 .seed = 1};
    request.device_wait_s = device_wait_s;
    request.devices = devices_max;
    submit(request);
  }
  // Ends what is known of an earlier job.
  void submit(const protocol::JobRequest& request, std::string_view payload = {}) {
    if (!client) connect(url.token);
    CHECK(run_until([&] { return ready; }), "the service does not greet");
    result.reset();
    failed.reset();
    client->send(protocol::SubmitJob{.id = client->next_id(), .job = request}, payload);
  }
  std::string audit_file() const { return folder + "/hone.db.audit.jsonl"; }
  bool run_until(const std::function<bool()>& done) { return loop.run_until(done, seconds(60)); }
  bool ended() const { return result.has_value() || failed.has_value(); }
  std::vector<tuner::Record> records() {
    auto store = tuner::open_record_store({.where = folder + "/hone.db"});
    std::vector<tuner::Record> out;
    const Status listed = (*store)->list({}, [&](const tuner::Record& r) {
      out.push_back(r);
      return ok_status();
    });
    CHECK(listed.ok(), listed.ok() ? "" : listed.error().message);
    return out;
  }

  std::string folder = std::filesystem::temp_directory_path() / cat("hone_service_", getpid());
  int64_t memory_bytes = 0;
  std::string model_program = HONE_BINARY;
  net::EventLoop loop;
  std::unique_ptr<Service> service;
  ServiceUrl url;
  std::unique_ptr<ScriptedAgent> agent;
  std::vector<std::unique_ptr<ScriptedAgent>> others;
  std::unique_ptr<ServiceClient> client;
  bool ready = false;
  int progresses = 0, pages = 0;
  std::vector<protocol::DeviceInfo> devices;
  std::string job;
  std::optional<protocol::Jobs> jobs;
  std::optional<nlohmann::json> result;
  std::optional<Error> failed;
};

inline std::function<std::optional<protocol::CandidateResult>(const protocol::Candidate&)> always_good() {
  return [](const protocol::Candidate&) { return ScriptedAgent::good_result(); };
}

}  // namespace hone::cli
