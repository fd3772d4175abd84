#include <utility>  // before Asio 1.74: it uses std::exchange without including this

#include "base/net/http_client.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/cat.h"

namespace hone::net {

namespace beast = boost::beast;
namespace http = beast::http;
using boost::asio::ip::tcp;

namespace {

class Get : public std::enable_shared_from_this<Get> {
 public:
  Get(EventLoop& loop, HttpAsk ask, std::function<void(HttpAnswer)> on_answer)
      : ask_(std::move(ask)), on_answer_(std::move(on_answer)), resolver_(loop.io()), stream_(loop.io()) {
    parser_.body_limit(ask_.body_bytes_max);
  }

  void start() {
    resolver_.async_resolve(tcp::v4(), ask_.host, cat(ask_.port),
                            [self = shared_from_this()](beast::error_code error, tcp::resolver::results_type places) {
                              if (error) return self->end(error);
                              self->answer_.address = places.begin()->endpoint().address().to_string();
                              self->connect(places);
                            });
  }

 private:
  void connect(const tcp::resolver::results_type& places) {
    answer_.step = HttpStep::kConnect;
    stream_.expires_after(ask_.limit);
    stream_.async_connect(places, [self = shared_from_this()](beast::error_code error, const tcp::endpoint&) {
      if (error) return self->end(error);
      self->talk();
    });
  }

  void talk() {
    answer_.step = HttpStep::kTalk;
    request_ = {http::verb::get, ask_.path, 11};
    request_.set(http::field::host, cat(ask_.host, ":", ask_.port));
    request_.set(http::field::connection, "close");
    for (const auto& [name, value] : ask_.headers) request_.set(name, value);
    stream_.expires_after(ask_.limit);
    http::async_write(stream_, request_, [self = shared_from_this()](beast::error_code error, size_t) {
      if (error) return self->end(error);
      self->read();
    });
  }

  void read() {
    stream_.expires_after(ask_.limit);
    http::async_read_header(stream_, buffer_, parser_, [self = shared_from_this()](beast::error_code error, size_t) {
      // Beast 1.74 holds its limit against what comes without a length alone.
      if (!error && self->parser_.content_length().value_or(0) > self->ask_.body_bytes_max)
        error = http::error::body_limit;
      if (error) return self->end(error);
      self->read_body();
    });
  }

  void read_body() {
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](beast::error_code error, size_t) {
      if (!error) self->take();
      self->end(error);
    });
  }

  void take() {
    http::response<http::string_body>& response = parser_.get();
    answer_.step = HttpStep::kDone;
    answer_.status = static_cast<int>(response.result_int());
    answer_.date = std::string(response[http::field::date]);
    answer_.body = std::move(response.body());
  }

  void end(beast::error_code error) {
    if (answer_.step != HttpStep::kDone) answer_.problem = error.message();
    stream_.close();
    on_answer_(std::move(answer_));
  }

  const HttpAsk ask_;
  const std::function<void(HttpAnswer)> on_answer_;
  tcp::resolver resolver_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{64 << 10};
  http::request<http::empty_body> request_;
  http::response_parser<http::string_body> parser_;
  HttpAnswer answer_;
};

}  // namespace

void http_get(EventLoop& loop, HttpAsk ask, std::function<void(HttpAnswer)> on_answer) {
  std::make_shared<Get>(loop, std::move(ask), std::move(on_answer))->start();
}

}  // namespace hone::net
