// A client and servers that are none: what they send ends the connection, never the client's process.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "base/cat.h"
#include "base/check.h"
#include "base/net/client.h"

namespace hone::net {
namespace {

using namespace std::string_literals;

// Takes one connection on a thread of its own, says what `answer` makes of the request, and hears until the peer has gone.
class LyingServer {
 public:
  explicit LyingServer(std::function<std::string(const std::string& request)> answer) : answer_(std::move(answer)) {
    const sockaddr_in any{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    CHECK(bind(listening_, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 && listen(listening_, 1) == 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~LyingServer() {
    thread_.join();
    close(listening_);
  }
  uint16_t port() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
  }

 private:
  void serve() const {
    const int peer = accept(listening_, nullptr, nullptr);
    std::string request, piece(4096, '\0');
    for (ssize_t got = 1; got > 0 && request.find("\r\n\r\n") == std::string::npos;) {
      got = read(peer, piece.data(), piece.size());
      if (got > 0) request.append(piece, 0, static_cast<size_t>(got));
    }
    const std::string said = answer_(request);
    send(peer, said.data(), said.size(), MSG_NOSIGNAL);
    while (read(peer, piece.data(), piece.size()) > 0) {}
    close(peer);
  }

  const std::function<std::string(const std::string&)> answer_;
  const int listening_ = socket(AF_INET, SOCK_STREAM, 0);
  std::thread thread_;
};

// RFC 6455, 1.3.
std::string accept_key(const std::string& request) {
  const size_t at = request.find("Sec-WebSocket-Key: ") + 19;
  const std::string key = request.substr(at, request.find("\r\n", at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char digest[EVP_MAX_MD_SIZE], text[64];
  unsigned int size = 0;
  EVP_Digest(key.data(), key.size(), digest, &size, EVP_sha1(), nullptr);
  return {reinterpret_cast<char*>(text), static_cast<size_t>(EVP_EncodeBlock(text, digest, static_cast<int>(size)))};
}

class Listener : public Handler {
 public:
  explicit Listener(std::optional<Closed>& closed) : closed_(closed) {}
  void on_frame(const FrameView&, size_t) override {}
  void on_closed(const Closed& closed) override { closed_ = closed; }

 private:
  std::optional<Closed>& closed_;
};

// How a connection to the server ends: why it failed, or why it was closed.
std::string ending(const LyingServer& server) {
  EventLoop loop;
  Client client(loop);
  std::optional<Closed> closed;
  std::optional<Error> failed;
  client.connect(
      {.port = server.port(), .path = "/ws/client", .frame_bytes_max = 1 << 20},
      [&](std::shared_ptr<Channel>) { return std::make_unique<Listener>(closed); },
      [&](Error error) { failed = std::move(error); });
  EXPECT_TRUE(loop.run_until([&] { return closed || failed; }, std::chrono::seconds(30)));
  return failed ? failed->message : closed ? closed->reason : "nothing";
}

std::string welcome(const std::string& request) {
  return cat(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: "
      "hone.v1\r\n"
      "Sec-WebSocket-Accept: ",
      accept_key(request), "\r\n\r\n");
}

TEST(HostileServer, AFrameBeyondTheLimitEndsTheConnection) {
  // Given a server that announces a frame of 2^31 bytes and sends 4 MiB of it, when a client that takes 1 MiB hears it, then the connection ends
  // with that, and nothing is written beyond a buffer.
  const LyingServer server([](const std::string& request) {
    return welcome(request) + "\x82\x7f\0\0\0\0\x80\0\0\0"s + std::string(4 << 20, '\0');
  });
  EXPECT_NE(ending(server).find("exceeds the limit of 1048576"), std::string::npos);
}

TEST(HostileServer, ARedirectIsNotFollowed) {
  // Given a server that sends its client elsewhere, when the client connects, then the connection fails with a sentence.
  const LyingServer server(
      [](const std::string&) { return "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n"s; });
  EXPECT_NE(ending(server).find("cannot connect"), std::string::npos);
}

}  // namespace
}  // namespace hone::net
