// RestCall: one request of the REST interface, as a client of the client desk. Network thread only.
#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/net/channel.h"
#include "base/net/event_loop.h"
#include "base/net/http_message.h"
#include "base/result.h"
#include "server/rest/route_match.h"

namespace hone::server {

// What a request hears that has no other answer. `status`: 0 = the code's own.
net::HttpReply problem_reply(const Error& error, int status = 0);

class RestCall : public net::HttpCall {
 public:
  // `match` has a route. Says hello at once: the body is read when it is known whose it is.
  RestCall(net::EventLoop& loop, net::HttpRequest request, RouteMatch match, const net::Accept& accept, std::shared_ptr<net::HttpResponse> response);
  ~RestCall() override;  // its client goes away

  void on_body(SharedBytes body) override;
  void on_drained() override { send_payload(); }

 private:
  class Line;  // the channel between the two
  void ask();
  void admit(std::string_view kind, const nlohmann::json& message);
  void say(const std::string& header, std::string_view payload, std::shared_ptr<const void> owner);
  void on_frame(std::string_view header, SharedBytes payload);
  void on_close(net::CloseCode code, std::string_view reason);
  void on_reply(nlohmann::json message, const SharedBytes& payload);
  void on_event(nlohmann::json message, SharedBytes payload);
  void refuse(const Error& error);
  void send_event(std::string_view kind, const nlohmann::json& data);
  void send_payload();
  void keep_alive();

  const net::HttpRequest request_;
  const RouteMatch match_;
  const std::shared_ptr<net::HttpResponse> response_;
  std::shared_ptr<Line> line_;
  std::unique_ptr<net::Handler> client_;
  net::Timer quiet_;
  std::optional<SharedBytes> body_;  // until it is known who asks
  bool admitted_ = false, streams_ = false, begun_ = false, over_ = false;
  SharedBytes payload_;     // of the job's end, on its way
  size_t payload_sent_ = 0;
  std::string end_kind_;    // what comes behind it; "" = nothing has ended
  nlohmann::json end_;
};

}  // namespace hone::server
