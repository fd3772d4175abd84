#include "tests/replay/run_job.h"

#include "cli/interrupt.h"
#include "cli/job_session.h"

namespace hone::replay {

Status run_job(cli::Service::Config config, protocol::JobRequest job, const std::string& browser) {
  net::EventLoop loop;
  HONE_ASSIGN(service, cli::Service::start(loop, std::move(config)));
  const std::string agent_url = service->agent_url(), target = job.target;
  HONE_ASSIGN(url, cli::parse_service_url(agent_url));
  Status done = Error{ErrorCode::kCancelled, "interrupted"};
  {
    cli::JobSession session(loop, {.url = agent_url, .browser = browser, .target = target}, url);
    session.submit(std::move(job), "", [&](Result<cli::JobResult> r) {
      done = r.ok() ? ok_status() : Status(r.error());
      loop.stop();
    });
    cli::Interrupt interrupt(loop, [&] { session.cancel(); });
    loop.run();
  }
  service->stop();
  loop.run_until([&] { return service->idle(); }, std::chrono::seconds(10));
  return done;
}

}  // namespace hone::replay
