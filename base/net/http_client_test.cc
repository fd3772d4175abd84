#include "base/net/http_client.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>

#include "base/cat.h"
#include "base/net/listener.h"

namespace hone::net {
namespace {

// A peer that says this to whoever connects, and then nothing, with the socket open.
class Peer {
 public:
  Peer(EventLoop& loop, std::string words)
      : listener_(Listener::open(loop, "127.0.0.1", 0, [this, words = std::move(words)](int fd, const std::string&) {
                    (void)!write(fd, words.data(), words.size());
                    sockets_.push_back(fd);
                  }).value()) {}
  ~Peer() {
    for (int fd : sockets_) close(fd);
  }
  uint16_t port() const { return listener_->port(); }

 private:
  std::vector<int> sockets_;
  std::unique_ptr<Listener> listener_;
};

HttpAnswer ask(EventLoop& loop, HttpAsk what) {
  std::optional<HttpAnswer> answer;
  http_ask(loop, std::move(what), [&](HttpAnswer got) { answer = std::move(got); });
  EXPECT_TRUE(loop.run_until([&] { return answer.has_value(); }, std::chrono::seconds(20)));
  return answer.value_or(HttpAnswer());
}

TEST(HttpClient, AnAnswerIsHandedOver) {
  // Given a peer that answers, when it is asked, then status, body and date are there.
  EventLoop loop;
  Peer peer(loop, "HTTP/1.1 503 Busy\r\nDate: today\r\nContent-Length: 4\r\n\r\nlate");
  const HttpAnswer answer = ask(loop, {.host = "127.0.0.1", .port = peer.port(), .path = "/"});
  EXPECT_EQ(answer.step, HttpStep::kDone);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, "late");
  EXPECT_EQ(answer.date, "today");
  EXPECT_EQ(answer.problem, "");
}

TEST(HttpClient, SilentAndEndlessPeersAreGivenUp) {
  // Given peers that say nothing, half an answer, or one longer than is taken, when they are asked, then the question ends with what was wrong, at that
  // step.
  EventLoop loop;
  for (const std::string& words : {std::string(), std::string("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
                                   cat("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n", std::string(2000, 'x')),
                                   cat("HTTP/1.1 200 OK\r\nX: ", std::string(200'000, 'x'))}) {
    Peer peer(loop, words);
    const HttpAnswer answer = ask(loop, {.host = "127.0.0.1",
                                         .port = peer.port(),
                                         .path = "/",
                                         .answer_bytes_max = 1000,
                                         .limit = std::chrono::milliseconds(200)});
    EXPECT_EQ(answer.step, HttpStep::kTalk) << words.substr(0, 60);
    EXPECT_NE(answer.problem, "");
  }
}

TEST(HttpClient, ANameAndAPortThatAreNotThereAreToldApart) {
  // Given a name without address and a port where nobody listens, when they are asked, then it is said how far that came.
  EventLoop loop;
  EXPECT_EQ(ask(loop, {.host = "no-such-host.invalid", .port = 1, .path = "/"}).step, HttpStep::kResolve);
  uint16_t port = 0;
  {
    Peer gone(loop, "");
    port = gone.port();
  }
  const HttpAnswer refused = ask(loop, {.host = "localhost", .port = port, .path = "/"});
  EXPECT_EQ(refused.step, HttpStep::kConnect);
  EXPECT_EQ(refused.address, "127.0.0.1");
}

}  // namespace
}  // namespace hone::net
