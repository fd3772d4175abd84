#include <utility>  // before Asio 1.74: it uses std::exchange without including this

#include "tests/e2e/proxy.h"

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <thread>

namespace hone::e2e {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

// One connection of a client, and the one that was made for it.
struct Pair : std::enable_shared_from_this<Pair> {
  Pair(asio::io_context& io, std::string own, std::string service)
      : client(io), server(io), own_address(std::move(own)), service_address(std::move(service)) {}

  void pump(tcp::socket& from, tcp::socket& to, std::array<char, 65536>& buffer) {
    from.async_read_some(
        asio::buffer(buffer), [self = shared_from_this(), &from, &to, &buffer](error_code error, size_t size) {
          if (self->silent) return;  // the bytes are lost, the sockets stay
          if (error) return self->close();
          std::string bytes(buffer.data(), size);
          if (&from == &self->client) self->rewrite(bytes);
          auto sent = std::make_shared<std::string>(std::move(bytes));
          asio::async_write(to, asio::buffer(*sent), [self, sent, &from, &to, &buffer](error_code failed, size_t) {
            if (failed) return self->close();
            if (!self->silent) self->pump(from, to, buffer);
          });
        });
  }

  // Requests begin with GET; what comes over a WebSocket is masked and does not.
  void rewrite(std::string& bytes) {
    if (bytes.rfind("GET ", 0) != 0) return;
    path = bytes.substr(4, bytes.find(' ', 4) - 4);
    for (size_t at = bytes.find(own_address); at != std::string::npos; at = bytes.find(own_address, at + 1))
      bytes.replace(at, own_address.size(), service_address);
  }

  void close() {
    error_code ignored;
    client.close(ignored);
    server.close(ignored);
  }
  void reset() {
    error_code ignored;
    for (tcp::socket* one : {&client, &server}) one->set_option(asio::socket_base::linger(true, 0), ignored);
    close();
  }
  bool is_on(const std::string& wanted) const { return !silent && client.is_open() && path.rfind(wanted, 0) == 0; }

  tcp::socket client, server;
  const std::string own_address, service_address;
  std::string path;
  bool silent = false;
  std::array<char, 65536> up{}, down{};
};

}  // namespace

struct Proxy::Impl {
  explicit Impl(const std::string& port)
      : service(asio::ip::make_address("127.0.0.1"), static_cast<uint16_t>(std::stoi(port))),
        acceptor(io, {asio::ip::make_address("127.0.0.1"), 0}) {
    accept();
    thread = std::thread([this] { io.run(); });
  }
  std::string address(const tcp::endpoint& of) const { return "127.0.0.1:" + std::to_string(of.port()); }

  void accept() {
    auto pair = std::make_shared<Pair>(io, address(acceptor.local_endpoint()), address(service));
    acceptor.async_accept(pair->client, [this, pair](error_code error) {
      if (error) return;
      pairs.push_back(pair);
      error_code refused;
      pair->server.connect(service, refused);
      if (refused) {
        pair->close();
      } else {
        pair->pump(pair->client, pair->server, pair->up);
        pair->pump(pair->server, pair->client, pair->down);
      }
      accept();
    });
  }

  // On the proxy's thread; how many pairs on this path `act` was done to.
  template <class Act>
  int each(const std::string& path, Act act) {
    std::promise<int> done;
    asio::post(io, [&] {
      int count = 0;
      for (const auto& pair : pairs) count += act(*pair, path);
      done.set_value(count);
    });
    return done.get_future().get();
  }

  asio::io_context io;
  const tcp::endpoint service;
  tcp::acceptor acceptor;
  std::list<std::shared_ptr<Pair>> pairs;
  std::thread thread;
};

Proxy::Proxy(const std::string& port) : impl_(new Impl(port)) {}

Proxy::~Proxy() {
  impl_->io.stop();
  impl_->thread.join();
  delete impl_;
}

std::string Proxy::port() const { return std::to_string(impl_->acceptor.local_endpoint().port()); }

std::string Proxy::through(const std::string& url) const {
  std::string changed = url, address = impl_->address(impl_->service);
  return changed.replace(changed.find(address), address.size(), "127.0.0.1:" + port());
}

int Proxy::reset(const std::string& path) {
  return impl_->each(path, [](Pair& pair, const std::string& wanted) {
    bool hit = pair.is_on(wanted);
    if (hit) pair.reset();
    return hit;
  });
}

int Proxy::fall_silent(const std::string& path) {
  return impl_->each(path, [](Pair& pair, const std::string& wanted) {
    bool hit = pair.is_on(wanted);
    if (hit) pair.silent = true;
    return hit;
  });
}

int Proxy::open(const std::string& path) const {
  return impl_->each(path, [](Pair& pair, const std::string& wanted) { return pair.is_on(wanted); });
}

int Proxy::connections(const std::string& path) const {
  return impl_->each(path, [](Pair& pair, const std::string& wanted) { return pair.path.rfind(wanted, 0) == 0; });
}

}  // namespace hone::e2e
