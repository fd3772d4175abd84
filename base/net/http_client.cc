#include <utility>  // before Asio 1.74: it uses std::exchange without including this

#include "base/net/http_client.h"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>

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
      self->talk();
    });
  }

  void talk() {
    answer_.step = HttpStep::kTalk;
    request_ = cat("GET ", ask_.path,
                   " HTTP/1.1\r\nHost: ", ask_.host_header.empty() ? cat(ask_.host, ":", ask_.port) : ask_.host_header,
                   "\r\nConnection: close\r\n");
    for (const auto& [name, value] : ask_.headers) request_ += cat(name, ": ", value, "\r\n");
    request_ += "\r\n";
    asio::async_write(socket_, asio::buffer(request_), [self = shared_from_this()](error_code error, size_t) {
      if (error) return self->end(error.message());
      self->read();
    });
  }

  void read() {
    socket_.async_read_some(asio::buffer(piece_), [self = shared_from_this()](error_code error, size_t bytes) {
      if (error == asio::error::eof) return self->on_close();
      if (error) return self->end(error.message());
      self->on_piece(bytes);
    });
  }

  void on_piece(size_t bytes) {
    received_ += bytes;
    if (received_ > ask_.answer_bytes_max) return end(cat("it is longer than ", ask_.answer_bytes_max, " bytes"));
    unparsed_.append(piece_.data(), bytes);
    error_code error;
    unparsed_.erase(0, parser_.put(asio::buffer(unparsed_), error));
    if (error && error != http::error::need_more) return end(error.message());
    if (parser_.is_done()) return take();
    read();
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

  const HttpAsk ask_;
  std::function<void(HttpAnswer)> on_answer_;
  tcp::resolver resolver_;
  tcp::socket socket_;
  Timer limit_;
  std::string request_, unparsed_;
  std::array<char, 16 << 10> piece_;
  size_t received_ = 0;
  http::response_parser<http::string_body> parser_;
  HttpAnswer answer_;
};

}  // namespace

void http_get(EventLoop& loop, HttpAsk ask, std::function<void(HttpAnswer)> on_answer) {
  std::make_shared<Get>(loop, std::move(ask), std::move(on_answer))->start();
}

}  // namespace hone::net
