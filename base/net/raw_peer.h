// RawPeer: a TCP socket for tests of what comes from peers that are no client of ours.
#pragma once
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "base/cat.h"

namespace hone::net {

// A socket that says what it is told to and reads only when it is told to. The system completes its connection before the server accepts it.
class RawPeer {
 public:
  explicit RawPeer(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in where{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
    fcntl(fd_, F_SETFL, O_NONBLOCK);
  }
  ~RawPeer() { close(fd_); }
  RawPeer(RawPeer&& other) noexcept : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_) {}

  bool connected() const { return connected_; }
  // How much went out; less than all when the other side takes no more.
  size_t say(const std::string& bytes) {
    size_t said = 0;
    for (ssize_t n; said < bytes.size() && (n = send(fd_, bytes.data() + said, bytes.size() - said, MSG_NOSIGNAL)) > 0;)
      said += static_cast<size_t>(n);
    return said;
  }
  void upgrade(uint16_t port) {
    say(cat("GET /ws/echo HTTP/1.1\r\nHost: 127.0.0.1:", port, "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: "
            "hone.v1\r\n\r\n"));
  }
  void reset_at_end() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  // What came since the last call; `ended` afterwards says that nothing more will.
  const std::string& hear(size_t bytes_max = SIZE_MAX) {
    char buffer[65536];
    ssize_t n = 0;
    const size_t enough = bytes_max > SIZE_MAX - heard.size() ? SIZE_MAX : heard.size() + bytes_max;
    while (heard.size() < enough && (n = recv(fd_, buffer, sizeof buffer, 0)) > 0)
      heard.append(buffer, static_cast<size_t>(n));
    ended = ended || (n == 0 && heard.size() < enough) || (n < 0 && errno != EAGAIN);
    return heard;
  }

  std::string heard;
  bool ended = false;

 private:
  int fd_;
  bool connected_ = false;
};

}  // namespace hone::net
