#include "server/compile_server.h"

#include <algorithm>

#include "base/cat.h"
#include "base/clock.h"
#include "codegen/compile.h"
#include "codegen/emit/llvm/reference.h"
#include "server/agents/limits.h"
#include "server/agents/loop_reactor.h"
#include "server/agents/session_desk.h"
#include "server/compile/worker_pool.h"
#include "server/jobs/child_models.h"
#include "server/jobs/child_references.h"
#include "server/jobs/job_board.h"
#include "server/jobs/job_queue.h"
#include "server/jobs/limits.h"
#include "server/limits.h"
#include "server/record_classes.h"
#include "server/rest/rest_desk.h"
#include "tuner/search/planner.h"

namespace hone::server {

namespace {

ExpectedOutputs::Reference references_of(const CompileServer::Config& config, MemoryBudget& memory) {
  if (!config.model_program.empty()) return ChildReferences({.program = config.model_program}, memory);
  return [](const te::Task& task, const CancelToken* cancel) { return emit::reference_outputs(task, emit::task_seed(task), cancel); };
}

tuner::Planner default_planner(const target::Target& target, uint64_t seed, tuner::StrategyKind kind) {
  return tuner::space_planner(target, seed, kind);
}

Result<emit::KernelSource> default_compile(const te::Task& task, const schedule::Trace& trace, const target::Target& target) {
  return compile_kernel(task, trace, target);
}

size_t job_bytes_max(const MemoryBudget& memory) {
  const auto affordable = static_cast<size_t>(memory.bytes() / kJobFrameCopies);
  return std::clamp(affordable, protocol::kFrameBytesMax, protocol::kJobBytesMax);
}

std::unique_ptr<Models> models_of(const CompileServer::Config& config, MemoryBudget& memory) {
  if (config.model_program.empty()) return std::make_unique<LocalModels>();
  return std::make_unique<ChildModels>(ChildConfig{.program = config.model_program}, memory);
}

ReadTasks tasks_of(Models& models) {
  return [&models](const ModelRequest& request, const CancelToken* cancel) { return job_tasks(models, request, cancel); };
}

// Jobs that an earlier run of the service left open ended with it.
Status close_left_open(tuner::RecordStore& store, const std::string& server) {
  HONE_ASSIGN(jobs, store.jobs());
  for (tuner::JobInfo& job : jobs) {
    if (job.state != "running" || job.server != server) continue;
    job.state = "failed";
    job.message = "the service ended before the job did; repeat the command: it goes on from the records";
    job.ended_unix_ms = SystemClock().now().count();
    HONE_TRY(store.put_job(job));
  }
  return ok_status();
}

}  // namespace

struct CompileServer::Impl {
  Impl(net::EventLoop& loop, tracker::Client& tracker, tracker::Access& access, Config config_in, std::unique_ptr<tuner::RecordStore> records,
       std::unique_ptr<tuner::JobStore> submissions)
      : config(std::move(config_in)),
        reactor(loop),
        store(std::move(records)),
        job_store(std::move(submissions)),
        queued_models((config.files.empty() ? config.db : config.files) + ".models", kQueuedModelBytesMax),
        memory(config.memory_bytes > 0 ? config.memory_bytes : usable_memory_bytes()),
        expected({config.cache_folder, references_of(config, memory)}, workers, blobs),
        workers({.threads = config.workers}),
        models(models_of(config, memory)),
        sessions(tracker, config.blobs_in_sessions ? &blobs : nullptr),
        board({.reactor = reactor,
              .tracker = tracker,
              .desk = sessions,
              .workers = workers,
              .expected = expected,
              .blobs = blobs,
              .store = *store,
              .under_way = under_way,
              .memory = memory,
              .counts = counts,
              .audit = config.audit,
              .models = *models,
              .planner = config.planner ? config.planner : default_planner,
              .tasks = config.tasks ? config.tasks : tasks_of(*models),
              .compile = counts.builds.metered(config.compile ? config.compile : default_compile),
              .reattach_ms = kReattachMs}),
        jobs({.board = board, .store = *job_store, .models = queued_models, .workers = workers, .reactor = reactor, .counts = counts, .audit = config.audit}),
        record_reader(*store, workers, reactor),
        clients({.job_bytes_max = job_bytes_max(memory), .watch = config.watch, .watch_events = config.watch_events, .audit = config.audit}, tracker, access, &jobs, &record_reader, store.get()),
        rest(loop, {.job_bytes_max = job_bytes_max(memory), .accept = [this](std::shared_ptr<net::Channel> channel) { return clients.accept(std::move(channel)); }}) {}

  const Config config;
  LoopReactor reactor;
  std::unique_ptr<tuner::RecordStore> store;
  std::unique_ptr<tuner::JobStore> job_store;
  ModelFolder queued_models;
  BlobStore blobs;
  MemoryBudget memory;
  ExpectedOutputs expected;
  JobCounts counts;
  WorkerPool workers;  // below what its work uses: it ends first
  const std::unique_ptr<Models> models;
  SessionDesk sessions;
  UnderWay under_way;
  JobBoard board;
  JobQueue jobs;
  RecordReader record_reader;
  ClientDesk clients;
  RestDesk rest;
};

CompileServer::CompileServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CompileServer::~CompileServer() = default;

Result<std::unique_ptr<CompileServer>> CompileServer::start(net::EventLoop& loop, tracker::Client& tracker,
                                                            tracker::Access& access, Config config) {
  HONE_ASSIGN(store, open_records({.where = config.db, .server = config.server, .busy_wait = tuner::kServiceBusyWait}));
  HONE_TRY(close_left_open(*store, config.server));
  HONE_ASSIGN(job_store, tuner::open_job_store(config.db, config.server));
  HONE_ASSIGN(left_open, job_store->load());
  auto impl = std::make_unique<Impl>(loop, tracker, access, std::move(config), std::move(store), std::move(job_store));
  impl->jobs.resume(std::move(left_open), impl->config.resumes_jobs);
  return std::unique_ptr<CompileServer>(new CompileServer(std::move(impl)));
}

std::unique_ptr<net::Handler> CompileServer::accept_session(std::shared_ptr<net::Channel> channel) {
  return impl_->sessions.accept(std::move(channel));
}

std::unique_ptr<net::HttpCall> CompileServer::accept_call(const net::HttpRequest& request, std::shared_ptr<net::HttpResponse> response) {
  return impl_->rest.accept(request, std::move(response));
}

std::unique_ptr<net::Handler> CompileServer::accept_client(std::shared_ptr<net::Channel> channel) {
  return impl_->clients.accept(std::move(channel));
}

net::HttpReply CompileServer::get_blob(const std::string& sha256, const Result<tracker::Identity>& who) {
  if (!who.ok()) return net::HttpReply::text(403, who.error().message);
  if (const Status may = check_role(*who, protocol::Role::kAgent, "reading a blob"); !may.ok())
    return net::HttpReply::text(403, may.error().message);
  BlobPtr blob = impl_->blobs.find(sha256);
  if (!blob) return net::HttpReply::text(404, "no such blob");
  net::HttpReply reply{.content_type = "application/octet-stream", .immutable = true, .greeted = true};
  reply.body = std::shared_ptr<const std::string>(blob, &blob->bytes);
  return reply;
}

CommitReading CompileServer::commits() const { return impl_->store->commits(); }
CompileServer::Counts CompileServer::counts() const {
  const JobCounts& counts = impl_->counts;
  return {impl_->board.running(), impl_->jobs.queued(), counts.ended, counts.results_settled, impl_->store->added(), counts.builds.seconds()};
}
void CompileServer::try_write() { impl_->store->try_write(); }

void CompileServer::drain() { impl_->jobs.drain(); }

void CompileServer::stop() {
  impl_->jobs.stop();
  impl_->clients.close();
}
bool CompileServer::idle() const {
  return impl_->jobs.is_idle() && (!impl_->clients.closing() || impl_->clients.closed());
}

}  // namespace hone::server
