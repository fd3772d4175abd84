#include "cli/metrics_page.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <utility>
#include <vector>

namespace hone::cli {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;
using Series = std::vector<std::pair<Labels, double>>;

class Page {
 public:
  void gauge(const char* name, const char* help, const Series& series) {
    MetricFamily& family = begin(name, help, MetricType::Gauge);
    for (const auto& [labels, value] : series) family.metric.push_back({.label = labels, .gauge = {value}});
  }
  void gauge(const char* name, const char* help, double value) { gauge(name, help, {{{}, value}}); }

  void counter(const char* name, const char* help, const Series& series) {
    MetricFamily& family = begin(name, help, MetricType::Counter);
    for (const auto& [labels, value] : series) family.metric.push_back({.label = labels, .counter = {value}});
  }
  void counter(const char* name, const char* help, double value) { counter(name, help, {{{}, value}}); }

  void histogram(const char* name, const char* help, const std::vector<std::pair<Labels, Histogram>>& series) {
    MetricFamily& family = begin(name, help, MetricType::Histogram);
    for (const auto& [labels, values] : series)
      family.metric.push_back({.label = labels, .histogram = cumulative(values)});
  }

  std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  MetricFamily& begin(const char* name, const char* help, MetricType type) {
    families_.push_back({.name = name, .help = help, .type = type});
    return families_.back();
  }
  static ClientMetric::Histogram cumulative(const Histogram& values) {
    ClientMetric::Histogram out{.sample_sum = values.sum()};
    for (size_t i = 0; i < values.counts().size(); ++i) {
      const bool last = i == kSecondsBounds.size();
      out.sample_count += values.counts()[i];
      out.bucket.push_back({out.sample_count, last ? std::numeric_limits<double>::infinity() : kSecondsBounds[i]});
    }
    return out;
  }

  std::vector<MetricFamily> families_;
};

double as_double(auto value) { return static_cast<double>(value); }
double seconds_of(std::chrono::milliseconds time) { return as_double(time.count()) / 1000; }

void add_fleet(Page& page, const tracker::FleetCounts& fleet) {
  page.gauge("hone_agents_connected", "Agents whose socket is open.", as_double(fleet.agents));
  page.gauge("hone_devices", "Known devices by state.",
             {{{{"state", "ready"}}, as_double(fleet.ready)},
              {{{"state", "leased"}}, as_double(fleet.leased)},
              {{{"state", "draining"}}, as_double(fleet.draining)},
              {{{"state", "maintenance"}}, as_double(fleet.maintenance)},
              {{{"state", "quarantined"}}, as_double(fleet.quarantined)},
              {{{"state", "unready"}}, as_double(fleet.unready)},
              {{{"state", "stuck"}}, as_double(fleet.stuck)},
              {{{"state", "gone"}}, as_double(fleet.gone)}});
  page.gauge("hone_leases", "Leases that live.", as_double(fleet.leases));
  page.gauge("hone_lease_requests_waiting", "Requests that no free device could serve yet.", as_double(fleet.waiting));
  page.gauge("hone_lease_request_longest_wait_seconds", "How long the oldest of those requests has waited.",
             seconds_of(fleet.longest_wait));
  page.counter("hone_lease_grants_total", "Leases granted.", as_double(fleet.grants));
  page.counter("hone_leases_lost_total", "Leases that ended other than by their holders.",
               {{{{"reason", "silent"}}, as_double(fleet.lost_silent)},
                {{{"reason", "changed"}}, as_double(fleet.lost_changed)},
                {{{"reason", "stalled"}}, as_double(fleet.lost_stalled)},
                {{{"reason", "term"}}, as_double(fleet.lost_term)},
                {{{"reason", "quarantined"}}, as_double(fleet.lost_quarantined)}});
}

void add_jobs(Page& page, const server::CompileServer::Counts& jobs) {
  page.gauge("hone_jobs_running", "Jobs that run.", as_double(jobs.jobs_running));
  page.gauge("hone_jobs_queued", "Detached jobs that wait for their turn.", as_double(jobs.jobs_queued));
  Series ended{{{{"outcome", std::string(error_name(ErrorCode::kOk))}}, 0.0}};
  for (const auto& [code, count] : jobs.jobs_ended)
    if (code == ErrorCode::kOk) ended.front().second = as_double(count);
    else ended.push_back({{{"outcome", std::string(error_name(code))}}, as_double(count)});
  page.counter("hone_jobs_ended_total", "Jobs that ended, by outcome.", ended);
  page.counter("hone_results_acknowledged_total", "Results of agents that are stored, or refused for good.",
               as_double(jobs.results_acknowledged));
  page.counter("hone_records_added_total", "Records stored that were not there before.", as_double(jobs.records_added));
  page.histogram("hone_kernel_build_seconds", "What the compiler took for each kernel of a search.",
                 {{{}, jobs.build_seconds}});
}

void add_commits(Page& page, const MetricsOf& service) {
  std::vector<std::pair<Labels, Histogram>> seconds;
  Series failures, queued;
  const auto add = [&](const char* store, const std::optional<CommitReading>& commits) {
    if (!commits) return;
    const Labels of{{"store", store}};
    seconds.push_back({of, commits->seconds});
    failures.push_back({of, as_double(commits->failures)});
    queued.push_back({of, as_double(commits->queued)});
  };
  add("fleet", service.fleet_commits);
  add("records", service.record_commits);
  page.histogram("hone_commit_seconds", "What a commit to disk took.", seconds);
  page.counter("hone_commit_failures_total", "Commits that failed.", failures);
  page.gauge("hone_commit_queue_length", "Pieces of writing that wait for a commit.", queued);
}

void add_net(Page& page, const net::ServerCounts& net) {
  page.gauge("hone_sockets", "Open sockets of peers that have shown a token, and of others.",
             {{{{"peer", "known"}}, as_double(net.known)}, {{{"peer", "stranger"}}, as_double(net.strangers)}});
  page.gauge("hone_outbox_bytes", "What waits for peers to read it.", as_double(net.outbox_bytes));
  page.counter("hone_received_bytes_total", "Frames received.", as_double(net.received_bytes));
  page.counter("hone_sent_bytes_total", "Frames and bodies of HTTP sent.", as_double(net.sent_bytes));
}

void add_process(Page& page, const MetricsOf& service) {
  page.gauge("hone_build_info", "The version of hone, as a label.", {{{{"version", service.version}}, 1.0}});
  page.histogram("hone_loop_lag_seconds", "How late the network thread came to a timer, ten times a second.",
                 {{{}, service.loop_lag_seconds}});
  page.gauge("hone_loop_lag_max_seconds", "The greatest of them since the last scrape.", service.loop_lag_seconds_max);
  page.gauge("process_resident_memory_bytes", "Resident memory.", as_double(service.process.resident_bytes));
  page.gauge("process_open_fds", "Open descriptors.", as_double(service.process.descriptors));
  page.gauge("process_max_fds", "The limit of open descriptors.", as_double(service.process.descriptors_max));
  page.counter("process_cpu_seconds_total", "Processor time of all threads.", service.process.cpu_s);
  page.gauge("process_start_time_seconds", "When the service started, since 1970.",
             as_double(service.started_unix_ms) / 1000);
}

}  // namespace

std::string metrics_page(const MetricsOf& service) {
  Page page;
  if (service.fleet) add_fleet(page, *service.fleet);
  if (service.trackers) page.gauge("hone_trackers", "Trackers of this farm that were seen within a day; this one has the farm.", as_double(*service.trackers));
  if (service.jobs) add_jobs(page, *service.jobs);
  add_commits(page, service);
  add_net(page, service.net);
  add_process(page, service);
  return page.text();
}

}  // namespace hone::cli
