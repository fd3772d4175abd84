// What a service counts, in Prometheus' text format, for GET /metrics. Pure. No label has a value from outside: the number of series does not
// depend on what agents and clients do.
#pragma once
#include <optional>
#include <string>

#include "base/commit_meter.h"
#include "base/net/server.h"
#include "cli/process_stats.h"
#include "server/compile_server.h"
#include "tracker/fleet_counts.h"

namespace hone::cli {

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

struct MetricsOf {
  std::string version;
  int64_t started_unix_ms = 0;
  // Of the tracker and of the compile server; nothing of the one that is another process.
  std::optional<tracker::FleetCounts> fleet;
  std::optional<size_t> trackers;  // of the farm, this one among them; none: it is alone
  std::optional<server::CompileServer::Counts> jobs;
  std::optional<CommitReading> fleet_commits, record_commits;
  net::ServerCounts net;
  Histogram loop_lag_seconds;
  double loop_lag_seconds_max = 0;  // since the last page
  ProcessStats process;
};
std::string metrics_page(const MetricsOf& service);

}  // namespace hone::cli
