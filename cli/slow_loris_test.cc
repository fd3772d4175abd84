// Peers that say what they have to say byte by byte, over HTTP and over WebSocket, to a whole service.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/net/http_client.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

using namespace std::chrono_literals;

constexpr int kPeers = 150;  // of each kind; one address may have fewer strangers

// A socket that sends its text without end, a byte at a time.
class Dripping {
 public:
  Dripping(uint16_t port, std::string text) : text_(std::move(text)), fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    CHECK(connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0, "a socket connects");
  }
  ~Dripping() { close(fd_); }
  Dripping(const Dripping&) = delete;
  // From here on, one byte after the other.
  void say(size_t bytes) {
    (void)!send(fd_, text_.data(), bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    said_ = bytes;
  }
  void drip() { (void)!send(fd_, &text_[said_++ % text_.size()], 1, MSG_NOSIGNAL | MSG_DONTWAIT); }

 private:
  const std::string text_;
  const int fd_;
  size_t said_ = 0;
};

std::string request(uint16_t port) { return cat("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:", port, "\r\nX-Slow: ", std::string(4000, 'x')); }

// An upgrade that is whole, and a masked frame of 60,000 bytes that has hardly begun.
std::string upgrade(uint16_t port) {
  return cat("GET /ws/agent HTTP/1.1\r\nHost: 127.0.0.1:", port, "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: hone.v1\r\n\r\n");
}

TEST(SlowLoris, KeepsNeitherAJobNorAQuestionWaiting) {
  // Given more peers than one address may have strangers, half of which send a request, and half a first frame, byte by byte without end, when an agent and a client come, then they are let in, the job ends well, and health
  // is told meanwhile.
  World w;
  std::vector<std::unique_ptr<Dripping>> peers;
  const std::string frame_begin("\x82\xfe\xea\x60\x01\x02\x03\x04", 8), half = request(w.service->port()), whole = upgrade(w.service->port());
  for (int i = 0; i < kPeers; ++i) {
    peers.emplace_back(std::make_unique<Dripping>(w.service->port(), half))->say(20);
    peers.emplace_back(std::make_unique<Dripping>(w.service->port(), cat(whole, frame_begin, std::string(60'000, 'x'))))->say(whole.size());
  }
  net::Timer drip(w.loop);
  drip.start_repeating(5ms, [&] {
    for (const auto& peer : peers) peer->drip();
  });
  w.add_agent({.measure = always_good(), .each = 5ms});
  w.submit(30);
  int told = 0;
  std::function<void()> ask = [&] {
    net::http_ask(w.loop, {.host = "127.0.0.1", .port = w.service->port(), .path = "/healthz"}, [&](net::HttpAnswer answer) {
      told += answer.status == 200;
      if (!w.ended()) ask();
    });
  };
  ask();
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["tasks"][0]["trials"], 30);
  EXPECT_GT(told, 0);
}

}  // namespace
}  // namespace hone::cli
