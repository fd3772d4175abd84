#include <utility>  // before Asio 1.74: it uses std::exchange without including this

#include "base/net/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>

#include "base/cat.h"
#include "base/net/limits.h"

namespace hone::net {

namespace {

Error listen_error(const std::string& address, uint16_t port, int error) {
  if (error == EADDRINUSE)
    return {ErrorCode::kAddressInUse,
            cat("port ", port, " of ", address, " is in use by another process; stop it, or choose another port")};
  return {ErrorCode::kIoError, cat("cannot listen on ", address, ":", port, ": ", std::strerror(error))};
}

Result<int> listening_socket(const std::string& address, uint16_t port) {
  sockaddr_in where{.sin_family = AF_INET, .sin_port = htons(port)};
  if (inet_pton(AF_INET, address.c_str(), &where.sin_addr) != 1)
    return Error{ErrorCode::kInvalidArgument,
                 cat("'", address, "' is not an IPv4 address; use 127.0.0.1, or an address of this machine")};
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return Error{ErrorCode::kIoError, cat("cannot make a socket: ", std::strerror(errno))};
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0 && listen(fd, SOMAXCONN) == 0) return fd;
  const int error = errno;
  close(fd);
  return listen_error(address, port, error);
}

int spare_descriptor() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

}  // namespace

struct Listener::Impl : std::enable_shared_from_this<Listener::Impl> {
  Impl(EventLoop& loop, int fd, OnSocket on_socket_in)
      : socket(loop.io(), fd), on_socket(std::move(on_socket_in)), pause(loop) {}
  ~Impl() { close(spare); }

  void wait() {
    socket.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [self = shared_from_this()](boost::system::error_code error) {
                        if (!error && !self->ended) self->accept_some();
                      });
  }
  void accept_some() {
    for (int i = 0; i < kAcceptsPerTurnMax && !ended; ++i) {
      sockaddr_in from{};
      socklen_t size = sizeof from;
      const int fd =
          accept4(socket.native_handle(), reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd >= 0) take(fd, from);
      else if (errno == EAGAIN || errno == EWOULDBLOCK) return wait();
      else if (errno != EINTR && errno != ECONNABORTED) return refuse_one();
    }
    if (!ended) wait();
  }
  void take(int fd, const sockaddr_in& from) {
    const int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &from.sin_addr, text.data(), text.size());
    on_socket(fd, text.data());
  }
  // No descriptor or no memory is left. With the spare one, a peer hears at once that it is not let in; the next one is looked at a little later.
  void refuse_one() {
    close(std::exchange(spare, -1));
    const int fd = accept4(socket.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) close(fd);
    spare = spare_descriptor();
    pause.start(kAcceptPause, [this] { wait(); });
  }

  boost::asio::posix::stream_descriptor socket;
  const OnSocket on_socket;
  Timer pause;
  int spare = spare_descriptor();
  bool ended = false;
};

Listener::Listener(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Listener::~Listener() {
  impl_->ended = true;
  impl_->pause.cancel();
  impl_->socket.close();
}

Result<std::unique_ptr<Listener>> Listener::open(EventLoop& loop, const std::string& address, uint16_t port,
                                                 OnSocket on_socket) {
  HONE_ASSIGN(fd, listening_socket(address, port));
  auto impl = std::make_shared<Impl>(loop, fd, std::move(on_socket));
  impl->wait();
  return std::unique_ptr<Listener>(new Listener(std::move(impl)));
}

uint16_t Listener::port() const {
  sockaddr_in where{};
  socklen_t size = sizeof where;
  getsockname(impl_->socket.native_handle(), reinterpret_cast<sockaddr*>(&where), &size);
  return ntohs(where.sin_port);
}

}  // namespace hone::net
