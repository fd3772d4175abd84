#include "cli/web_front.h"

#include "base/cat.h"
#include "cli/plain_http_page.h"
#include "cli/process_stats.h"
#include "schema/generated/rest_routes.h"

namespace hone::cli {

namespace {
constexpr std::chrono::milliseconds kMetricsKept{100};  // however often they are asked for
}  // namespace

WebFront::WebFront(net::EventLoop& loop, const Clock& steady, const Clock& wall, Config config)
    : config_(std::move(config)), steady_(steady), started_unix_ms_(wall.now().count()), lag_(loop, steady) {}

Result<std::unique_ptr<WebFront>> WebFront::start(net::EventLoop& loop, const Clock& steady, const Clock& wall, Config config) {
  HONE_ASSIGN(net, server_config(config.listening));
  net.endpoints = config.endpoints;
  net.page_origins = config.page_origins;
  net.calls_prefix = cat(protocol::kRestPrefix, "/");
  net.on_call = config.on_call;
  std::unique_ptr<WebFront> front(new WebFront(loop, steady, wall, std::move(config)));
  net.on_get = [f = front.get()](const net::HttpRequest& request) { return f->get(request); };
  if (net.tls) net.on_plain_get = [f = front.get()](const net::HttpRequest& request) { return f->get_plain(request); };
  HONE_ASSIGN(listening, net::Server::start(loop, std::move(net)));
  front->net_ = std::move(listening);
  front->watch_certificate(loop);
  return front;
}

void WebFront::watch_certificate(net::EventLoop& loop) {
  const Listening& given = config_.listening;
  if (!given.tls || !given.read_tls) return;
  certificates_ = std::make_unique<CertificateWatch>(
      loop, CertificateWatch::Config{.read = given.read_tls, .shown = given.tls->certified, .use = [this](const net::Certified& renewed) { return net_->renew_certificate(renewed); }});
}

net::HttpReply WebFront::get(const net::HttpRequest& request) {
  if (request.path == kAuthorityPath) return get_authority();
  if (request.path == "/") return net::HttpReply::text(200, config_.greeting);
  if (request.path == "/healthz") return net::HttpReply::text(200, "ok");
  if (request.path == "/metrics") return get_metrics(request);
  if (request.path == "/readyz") {
    const Status ready = config_.ready();
    return ready.ok() ? net::HttpReply::text(200, "ready") : net::HttpReply::text(503, ready.error().message);
  }
  auto reply = config_.get ? config_.get(request) : std::nullopt;
  return reply ? std::move(*reply) : net::HttpReply::text(404, "nothing here\n");
}

net::HttpReply WebFront::get_metrics(const net::HttpRequest& request) {
  const bool may_read = config_.may_read_metrics(request.token);
  if (!request.local && !may_read)
    return net::HttpReply::text(403, "metrics are for this machine, and but at hone server for who shows a token of the role submitter or admin: Authorization: Bearer, or X-Hone-Token");
  if (const auto now = steady_.now(); !metrics_ || now - metrics_made_ >= kMetricsKept) {
    MetricsOf page{.version = HONE_VERSION, .started_unix_ms = started_unix_ms_, .net = net_->counts(), .loop_lag_seconds = lag_.seconds(), .loop_lag_seconds_max = lag_.take_max(), .process = process_stats()};
    config_.count(page);
    metrics_ = std::make_shared<const std::string>(metrics_page(page));
    metrics_made_ = now;
  }
  return {.content_type = kMetricsType, .body = metrics_, .greeted = may_read};
}

net::HttpReply WebFront::get_authority() const {
  const auto& tls = config_.listening.tls;
  if (!tls || tls->authority.empty()) return net::HttpReply::text(404, "there is no authority to trust here\n");
  return {.content_type = "application/x-x509-ca-cert", .body = std::make_shared<const std::string>(tls->authority)};
}

net::HttpReply WebFront::get_plain(const net::HttpRequest& request) const {
  return request.path == kAuthorityPath ? get_authority() : plain_http_page(net_->origin(), !config_.listening.tls->authority.empty());
}

}  // namespace hone::cli
