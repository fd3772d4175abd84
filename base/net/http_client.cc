#include <utility>  // before Asio 1.74: it uses std::exchange without including this

#include "base/net/http_client.h"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>

#include "base/cat.h"

namespace hone::net {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

// Asio carries, Beast parses: its own streams take as long to compile as all the rest of this folder.
class Get : public std::enable_shared_from_this<Get> {
 public:
  Get(EventLoop& loop, HttpAsk ask, std::function<void(HttpAnswer)> on_answer)
      : ask_(std::move(ask)), on_answer_(std::move(on_answer)), resolver_(loop.io()), socket_(loop.io()), limit_(loop) {
    parser_.eager(true);
  }

  void start() {
    limit_.start(ask_.limit, [self = shared_from_this()] { self->end("it took too long"); });
    resolver_.async_resolve(tcp::v4(), ask_.host, cat(ask_.port),
                            [self = shared_from_this()](error_code error, const tcp::resolver::results_type& places) {
                              if (error) return self->end(error.message());
                              self->answer_.address = places.begin()->endpoint().address().to_string();
                              self->connect(places);
                            });
  }

 private:
  void connect(const tcp::resolver::results_type& places) {
    if (!on_answer_) return;
    answer_.step = HttpStep::kConnect;
    asio::async_connect(socket_, places, [self = shared_from_this()](error_code error, const tcp::endpoint&) {
      if (error) return self->end(error.message());
      self->ask_.tls ? self->secure() : self->talk(self->socket_);
    });
  }

  void secure() {
    answer_.step = HttpStep::kSecure;
    SSL_CTX_up_ref(ask_.tls.get());  // asio's context takes it
    secured_.emplace(asio::ssl::context(ask_.tls.get()), socket_);
    if (!expect_host(secured_->stream.native_handle(), ask_.host)) return end("no memory for TLS");
    secured_->stream.async_handshake(asio::ssl::stream_base::client, [self = shared_from_this()](error_code error) {
      const std::string problem = verify_problem(self->secured_->stream.native_handle());
      if (error) return self->end(problem.empty() ? error.message() : problem);
      self->talk(self->secured_->stream);
    });
  }

  template <class Stream>
  void talk(Stream& stream) {
    answer_.step = HttpStep::kTalk;
    request_ = cat(ask_.method, " ", ask_.path,
                   " HTTP/1.1\r\nHost: ", ask_.host_header.empty() ? cat(ask_.host, ":", ask_.port) : ask_.host_header,
                   "\r\nConnection: close\r\n");
    for (const auto& [name, value] : ask_.headers) request_ += cat(name, ": ", value, "\r\n");
    if (!ask_.body.empty()) request_ += cat("Content-Length: ", ask_.body.size(), "\r\n");
    request_ += cat("\r\n", ask_.body);
    asio::async_write(stream, asio::buffer(request_), [self = shared_from_this(), &stream](error_code error, size_t) {
      if (error) return self->end(error.message());
      self->read(stream);
    });
  }

  template <class Stream>
  void read(Stream& stream) {
    stream.async_read_some(asio::buffer(piece_), [self = shared_from_this(), &stream](error_code error, size_t bytes) {
      if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) return self->on_close();
      if (error) return self->end(error.message());
      if (self->on_piece(bytes)) self->read(stream);
    });
  }

  // False: it was the last.
  bool on_piece(size_t bytes) {
    received_ += bytes;
    if (received_ > ask_.answer_bytes_max) return end(cat("it is longer than ", ask_.answer_bytes_max, " bytes")), false;
    unparsed_.append(piece_.data(), bytes);
    error_code error;
    unparsed_.erase(0, parser_.put(asio::buffer(unparsed_), error));
    if (error && error != http::error::need_more) return end(error.message()), false;
    if (parser_.is_done()) return take(), false;
    return true;
  }

  // Where the answer says no length, this is its end.
  void on_close() {
    error_code error;
    if (parser_.got_some()) parser_.put_eof(error);
    if (error || !parser_.is_done()) return end("the connection ended before the answer did");
    take();
  }

  void take() {
    answer_.step = HttpStep::kDone;
    answer_.status = static_cast<int>(parser_.get().result_int());
    answer_.date = std::string(parser_.get()[http::field::date]);
    answer_.body = std::move(parser_.get().body());
    end("");
  }

  // Once; what comes in afterwards finds nobody to tell.
  void end(std::string problem) {
    limit_.cancel();
    resolver_.cancel();
    error_code ignored;
    socket_.close(ignored);
    answer_.problem = std::move(problem);
    if (const auto told = std::exchange(on_answer_, nullptr)) told(std::move(answer_));
  }

  // Asio's stream refers to its context.
  struct Secured {
    Secured(asio::ssl::context context_in, tcp::socket& socket) : context(std::move(context_in)), stream(socket, context) {}
    asio::ssl::context context;
    asio::ssl::stream<tcp::socket&> stream;
  };

  const HttpAsk ask_;
  std::function<void(HttpAnswer)> on_answer_;
  tcp::resolver resolver_;
  tcp::socket socket_;
  std::optional<Secured> secured_;  // of HTTPS
  Timer limit_;
  std::string request_, unparsed_;
  std::array<char, 16 << 10> piece_;
  size_t received_ = 0;
  http::response_parser<http::string_body> parser_;
  HttpAnswer answer_;
};

}  // namespace

void http_ask(EventLoop& loop, HttpAsk ask, std::function<void(HttpAnswer)> on_answer) {
  std::make_shared<Get>(loop, std::move(ask), std::move(on_answer))->start();
}

}  // namespace hone::net
