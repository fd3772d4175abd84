// WebFront: what hone up, hone tracker and hone server serve over HTTP beside their own: health, readiness, metrics, the authority that a phone is to trust and
// the page that leads there; and the port for their sockets. On the event loop's thread.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/net/event_loop.h"
#include "base/net/loop_lag.h"
#include "base/net/server.h"
#include "base/result.h"
#include "cli/certificate_watch.h"
#include "cli/listen_options.h"
#include "cli/metrics_page.h"

namespace hone::cli {

class WebFront {
 public:
  struct Config {
    Listening listening;
    std::string greeting;  // at /, for who opens the URL in a browser
    std::function<Status()> ready;
    std::function<void(MetricsOf&)> count;                            // fills in what this process counts of its own
    std::function<bool(const std::string& token)> may_read_metrics;   // for who asks from elsewhere
    std::function<std::optional<net::HttpReply>(const net::HttpRequest&)> get;  // what else there is; none: nothing
    net::AcceptCall on_call;  // below protocol::kRestPrefix
    std::vector<net::Endpoint> endpoints;
    std::vector<std::string> page_origins;  // net::ServerConfig
  };
  // Fails: address_in_use, io_error, bad_certificate.
  static Result<std::unique_ptr<WebFront>> start(net::EventLoop& loop, const Clock& steady, const Clock& wall, Config config);

  void allow_pages(const std::vector<std::string>& origins) { net_->allow_pages(origins); }
  uint16_t port() const { return net_->port(); }
  std::string origin() const { return net_->origin(); }
  std::string agents_origin() const { return cli::agents_origin(config_.listening, *net_); }

 private:
  WebFront(net::EventLoop& loop, const Clock& steady, const Clock& wall, Config config);
  void watch_certificate(net::EventLoop& loop);
  net::HttpReply get(const net::HttpRequest& request);
  net::HttpReply get_metrics(const net::HttpRequest& request);
  net::HttpReply get_authority() const;
  net::HttpReply get_plain(const net::HttpRequest& request) const;

  const Config config_;
  const Clock& steady_;
  const int64_t started_unix_ms_;
  net::LoopLag lag_;
  std::shared_ptr<const std::string> metrics_;  // the latest page; null: none yet
  std::chrono::milliseconds metrics_made_{0};   // of the steady clock
  std::unique_ptr<net::Server> net_;
  std::unique_ptr<CertificateWatch> certificates_;  // null: without TLS
};

}  // namespace hone::cli
