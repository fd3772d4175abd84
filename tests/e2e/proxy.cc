#include <utility>  // before Asio 1.74: it uses std::exchange without including this

#include "tests/e2e/proxy.h"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <thread>

namespace hone::e2e {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {

constexpr size_t kPieceBytes = 64 << 10, kWaitingBytesMax = 256 << 10;

struct Pace {
  std::chrono::milliseconds latency{0};
  size_t bytes_per_s = 0;
};

struct Piece {
  std::string bytes;
  Clock::time_point due;
};

struct Cut {
  size_t after_bytes = 0;
  Proxy::End end = Proxy::End::kReset;
};

// One direction of a connection: what was read and not yet written.
struct Flow {
  Flow(asio::io_context& io, tcp::socket& from, tcp::socket& to) : from(from), to(to), timer(io) {}

  tcp::socket &from, &to;
  asio::steady_timer timer;
  std::array<char, kPieceBytes> buffer{};
  std::deque<Piece> waiting;
  size_t waiting_bytes = 0;
  Clock::time_point free_at{};  // the line, after what was written last
  std::optional<Cut> cut;
  bool reading = false, writing = false, ended = false, lost = false;
};

// One connection of a client, and the one that was made for it.
struct Pair : std::enable_shared_from_this<Pair> {
  Pair(asio::io_context& io, const Pace& pace, std::string own, std::string service)
      : client(io), server(io), up(io, client, server), down(io, server, client), pace(pace), own_address(std::move(own)), service_address(std::move(service)) {}

  void begin() {
    for (Flow* flow : {&up, &down}) read(*flow);
  }

  // No faster than the other end takes it, but for what the line itself holds.
  void read(Flow& flow) {
    if (flow.reading || flow.ended || flow.lost || flow.waiting_bytes > kWaitingBytesMax) return;
    flow.reading = true;
    flow.from.async_read_some(asio::buffer(flow.buffer), [self = shared_from_this(), &flow](error_code error, size_t size) {
      flow.reading = false;
      if (flow.lost) return;  // the bytes are lost, the sockets stay
      flow.ended = static_cast<bool>(error);
      if (!error) self->take(flow, std::string(flow.buffer.data(), size));
      self->read(flow);
      self->write(flow);
    });
  }

  void take(Flow& flow, std::string bytes) {
    if (&flow == &up) rewrite(bytes);
    if (flow.cut && flow.cut->after_bytes <= bytes.size()) {
      bytes.resize(flow.cut->after_bytes);
      flow.ended = true;
    } else if (flow.cut) {
      flow.cut->after_bytes -= bytes.size();
    }
    flow.waiting_bytes += bytes.size();
    if (!bytes.empty()) flow.waiting.push_back({std::move(bytes), Clock::now() + pace.latency});
  }

  void write(Flow& flow) {
    if (flow.writing || flow.lost) return;
    if (flow.waiting.empty()) return flow.ended ? end(flow) : void();
    flow.writing = true;
    flow.timer.expires_at(std::max(flow.waiting.front().due, flow.free_at));
    flow.timer.async_wait([self = shared_from_this(), &flow](error_code) { self->send(flow); });
  }

  void send(Flow& flow) {
    std::string& first = flow.waiting.front().bytes;
    const size_t size = std::min(first.size(), pace.bytes_per_s == 0 ? first.size() : std::max<size_t>(1, pace.bytes_per_s / 10));
    const auto sent = std::make_shared<std::string>(first.substr(0, size));
    first.erase(0, size);
    if (first.empty()) flow.waiting.pop_front();
    flow.waiting_bytes -= size;
    if (pace.bytes_per_s != 0) flow.free_at = Clock::now() + std::chrono::microseconds(size * 1'000'000 / pace.bytes_per_s);
    asio::async_write(flow.to, asio::buffer(*sent), [self = shared_from_this(), sent, &flow](error_code failed, size_t) {
      flow.writing = false;
      if (failed) return self->close();
      self->read(flow);
      self->write(flow);
    });
  }

  // Requests begin with GET; what comes over a WebSocket is masked and does not.
  void rewrite(std::string& bytes) {
    if (bytes.rfind("GET ", 0) != 0) return;
    path = bytes.substr(4, bytes.find(' ', 4) - 4);
    for (size_t at = bytes.find(own_address); at != std::string::npos; at = bytes.find(own_address, at + 1))
      bytes.replace(at, own_address.size(), service_address);
  }

  void end(const Flow& flow) { flow.cut && flow.cut->end == Proxy::End::kReset ? reset() : close(); }
  // Both ends get a FIN before anything else.
  void close() {
    error_code ignored;
    for (tcp::socket* one : {&client, &server}) {
      one->shutdown(tcp::socket::shutdown_send, ignored);
      one->close(ignored);
    }
  }
  void reset() {
    error_code ignored;
    for (tcp::socket* one : {&client, &server}) {
      one->set_option(asio::socket_base::linger(true, 0), ignored);
      one->close(ignored);
    }
  }
  Flow& flow(Proxy::Way way) { return way == Proxy::Way::kUp ? up : down; }
  bool is_on(const std::string& wanted) const { return !up.lost && !down.lost && client.is_open() && path.rfind(wanted, 0) == 0; }

  tcp::socket client, server;
  Flow up, down;
  const Pace& pace;
  const std::string own_address, service_address;
  std::string path;
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
    auto pair = std::make_shared<Pair>(io, pace, address(acceptor.local_endpoint()), address(service));
    acceptor.async_accept(pair->client, [this, pair](error_code error) {
      if (error) return;
      pairs.push_back(pair);
      error_code refused;
      pair->server.connect(service, refused);
      refused ? pair->close() : pair->begin();
      accept();
    });
  }

  template <class Work>
  auto on_thread(Work work) {
    std::promise<decltype(work())> done;
    asio::post(io, [&] { done.set_value(work()); });
    return done.get_future().get();
  }
  // How many open pairs on this path there are, to each of which `act` is done.
  template <class Act>
  int each(const std::string& path, Act act) {
    return on_thread([&] {
      int count = 0;
      for (const auto& pair : pairs) {
        if (!pair->is_on(path)) continue;
        act(*pair);
        ++count;
      }
      return count;
    });
  }

  asio::io_context io;
  const tcp::endpoint service;
  tcp::acceptor acceptor;
  Pace pace;
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
  return impl_->each(path, [](Pair& pair) { pair.reset(); });
}

int Proxy::cut(const std::string& path, Way way, size_t after_bytes, End end) {
  return impl_->each(path, [&](Pair& pair) { pair.flow(way).cut = Cut{after_bytes, end}; });
}

int Proxy::fall_silent(const std::string& path) {
  return impl_->each(path, [](Pair& pair) { pair.up.lost = pair.down.lost = true; });
}

int Proxy::lose(const std::string& path, Way way) {
  return impl_->each(path, [&](Pair& pair) { pair.flow(way).lost = true; });
}

void Proxy::slow_down(std::chrono::milliseconds latency, size_t bytes_per_s) {
  impl_->on_thread([&] { return impl_->pace = Pace{latency, bytes_per_s}, true; });
}

int Proxy::open(const std::string& path) const {
  return impl_->each(path, [](Pair&) {});
}

int Proxy::connections(const std::string& path) const {
  return impl_->on_thread([&] {
    return static_cast<int>(std::count_if(impl_->pairs.begin(), impl_->pairs.end(), [&](const auto& pair) { return pair->path.rfind(path, 0) == 0; }));
  });
}

}  // namespace hone::e2e
