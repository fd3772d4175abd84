// A server and a client with TLS, on one loop.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>

#include "base/cat.h"
#include "base/net/client.h"
#include "base/net/http_client.h"
#include "base/net/server.h"

namespace hone::net {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 20s;

std::chrono::seconds now_unix() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
}

const Certified& authority() {
  static const Certified made = *make_authority("test", {}, {now_unix() - 24h, now_unix() + 24h});
  return made;
}

Certified certified(const std::vector<std::string>& names, std::chrono::seconds until = now_unix() + 24h) {
  return *make_server_certificate(authority(), names, {now_unix() - 48h, until});
}

struct Heard {
  std::shared_ptr<Channel> channel;
  std::string last;
  std::optional<Closed> closed;
  std::optional<Error> failed;
  std::string key;
};

class Listens : public Handler {
 public:
  Listens(Heard& heard, bool echoes) : heard_(heard), echoes_(echoes) {}
  void on_frame(const FrameView& frame, size_t) override {
    if (echoes_) heard_.channel->send(frame.header, frame.payload);
    else heard_.last = frame.payload;
  }
  void on_closed(const Closed& closed) override { heard_.closed = closed; }

 private:
  Heard& heard_;
  bool echoes_;
};

Accept listen(Heard& heard, bool echoes) {
  return [&heard, echoes](std::shared_ptr<Channel> channel) {
    channel->set_greeted();
    heard.channel = std::move(channel);
    return std::make_unique<Listens>(heard, echoes);
  };
}

class TlsTest : public testing::Test {
 protected:
  void start(ServerConfig config) {
    config.on_get = [](const HttpRequest&) { return HttpReply::text(200, "hello"); };
    config.endpoints = {{.path = "/ws/echo", .accept = listen(service_, true), .frame_bytes_max = 4 << 20}};
    auto started = Server::start(loop_, std::move(config));
    ASSERT_TRUE(started.ok()) << started.error().message;
    server_ = std::move(*started);
  }
  Heard& connect(const Trust& trust, ConnectTo to = {.tls = true}) {
    to.port = server_->port();
    to.path = "/ws/echo";
    Heard& heard = heard_.emplace_back();
    to.on_peer_key = [&heard](const std::string& key) { heard.key = key; };
    clients_.push_back(std::make_unique<Client>(loop_, Idle(), 8, *client_tls_context(trust)));
    clients_.back()->connect(to, listen(heard, false), [&heard](Error error) { heard.failed = std::move(error); });
    EXPECT_TRUE(loop_.run_until([&] { return heard.channel || heard.failed; }, kPatience));
    return heard;
  }
  // A plain socket that says this, and is closed by the test's end.
  int say(const std::string& words) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const sockaddr_in where{.sin_family = AF_INET, .sin_port = htons(server_->port()), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    (void)::connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where);
    EXPECT_EQ(write(fd, words.data(), words.size()), static_cast<ssize_t>(words.size()));
    sockets_.push_back(fd);
    return fd;
  }
  // What comes until the server closes.
  std::string answer(int fd) {
    std::string got;
    const auto ended = [&] {
      char buffer[4096];
      ssize_t n = 0;
      while ((n = read(fd, buffer, sizeof buffer)) > 0) got.append(buffer, static_cast<size_t>(n));
      return n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    };
    Timer tick(loop_);  // wakes run_until
    tick.start_repeating(5ms, [] {});
    EXPECT_TRUE(loop_.run_until(ended, kPatience)) << "the server does not close";
    return got;
  }
  void TearDown() override {
    for (int fd : sockets_) close(fd);
  }

  EventLoop loop_;
  Heard service_;
  std::deque<Heard> heard_;
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<int> sockets_;
};

TEST_F(TlsTest, FramesOfAllSizesTravel) {
  // Given a server whose certificate is by an authority that the client trusts, when frames from one byte to 4 MB are sent, then each comes back as it was, and the client
  // knows the key that the server showed.
  const Certified own = certified({"127.0.0.1"});
  start({.tls = own});
  EXPECT_EQ(server_->origin(), cat("https://127.0.0.1:", server_->port()));
  Heard& heard = connect({.system = false, .authorities = {authority().certificate}});
  ASSERT_TRUE(heard.channel) << heard.failed->message;
  EXPECT_EQ(heard.key, read_certificate(own.certificate)->key_sha256);
  for (const size_t bytes : {size_t{1}, size_t{2000}, size_t{70'000}, size_t{1} << 20, (size_t{4} << 20) - 100}) {
    const std::string payload(bytes, static_cast<char>('a' + bytes % 7));
    ASSERT_TRUE(heard.channel->send("{}", payload));
    ASSERT_TRUE(loop_.run_until([&] { return heard.last.size() == bytes || heard.closed; }, kPatience)) << bytes;
    EXPECT_EQ(heard.last, payload);
  }
}

TEST_F(TlsTest, AServerThatCannotShowWhoItIsIsRefused) {
  // Given servers whose certificate is by an unknown authority, expired, for another address or for another name, when a client connects, then it fails as bad_certificate
  // with what is wrong, and no socket is left.
  const Trust ours{.system = false, .authorities = {authority().certificate}}, others{.system = true};
  const struct {
    Certified tls;
    Trust trust;
    const char* host;
    const char* problem;
  } cases[] = {{certified({"127.0.0.1"}), others, "127.0.0.1", "by an authority that is not trusted"},
               {certified({"127.0.0.1"}, now_unix() - 1h), ours, "127.0.0.1", "has expired"},
               {certified({"10.0.0.1"}), ours, "127.0.0.1", "for another address"},
               {certified({"lab.local"}), ours, "localhost", "for another name"}};
  for (const auto& one : cases) {
    start({.tls = one.tls});
    const Heard& heard = connect(one.trust, {.host = one.host, .tls = true});
    ASSERT_TRUE(heard.failed) << one.problem;
    EXPECT_EQ(heard.failed->code, ErrorCode::kBadCertificate) << heard.failed->message;
    EXPECT_NE(heard.failed->message.find(one.problem), std::string::npos) << heard.failed->message;
    EXPECT_TRUE(loop_.run_until([&] { return server_->sockets() == 0; }, kPatience)) << one.problem;
    clients_.clear();
    server_.reset();
  }
}

TEST_F(TlsTest, AQuestionOverHttpsIsAnsweredOrRefused) {
  // Given a server with TLS, when it is asked over https by who trusts its authority and by who does not, then the one has the answer, and the other what is wrong; so has
  // who asks a server without TLS.
  start({.tls = certified({"127.0.0.1"})});
  const auto ask = [this](const Trust& trust) {
    std::optional<HttpAnswer> answer;
    http_ask(loop_, {.host = "127.0.0.1", .port = server_->port(), .path = "/", .tls = *client_tls_context(trust)},
             [&](HttpAnswer got) { answer = std::move(got); });
    EXPECT_TRUE(loop_.run_until([&] { return answer.has_value(); }, kPatience));
    return *answer;
  };
  const Trust ours{.system = false, .authorities = {authority().certificate}};
  const HttpAnswer answer = ask(ours);
  EXPECT_EQ(answer.status, 200) << answer.problem;
  EXPECT_EQ(answer.body, "hello\n");
  const HttpAnswer refused = ask({});
  EXPECT_EQ(refused.step, HttpStep::kSecure);
  EXPECT_NE(refused.problem.find("not trusted"), std::string::npos) << refused.problem;
  server_.reset();
  start({});
  EXPECT_EQ(ask(ours).step, HttpStep::kSecure);
}

TEST_F(TlsTest, AClientWithTheOtherSchemeHearsThatItIsTheOther) {
  // Given a server with TLS and one without, when a client comes to each with the other scheme, then it fails with a question about https.
  const Trust ours{.system = false, .authorities = {authority().certificate}};
  start({.tls = certified({"127.0.0.1"})});
  const Heard& plain = connect(ours, {.tls = false});
  ASSERT_TRUE(plain.failed);
  EXPECT_NE(plain.failed->message.find("does it speak https?"), std::string::npos) << plain.failed->message;
  clients_.clear();
  server_.reset();
  start({});
  const Heard& secure = connect(ours);
  ASSERT_TRUE(secure.failed);
  EXPECT_NE(secure.failed->message.find("does it speak https?"), std::string::npos) << secure.failed->message;
}

TEST_F(TlsTest, PlainHttpHearsWhereToGo) {
  // Given a server with TLS, when somebody asks in plain HTTP, or wants a WebSocket without TLS, then it hears a sentence with the URL, and nothing else of the server.
  start({.tls = certified({"127.0.0.1"})});
  const std::string host = cat("Host: 127.0.0.1:", server_->port(), "\r\n");
  const std::string page = answer(say(cat("GET / HTTP/1.1\r\n", host, "Connection: close\r\n\r\n")));
  EXPECT_NE(page.find("400"), std::string::npos) << page;
  EXPECT_NE(page.find(server_->origin()), std::string::npos) << page;
  EXPECT_EQ(page.find("hello"), std::string::npos);
  const std::string upgrade = answer(say(cat("GET /ws/echo HTTP/1.1\r\n", host,
                                             "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: hone.v1\r\n\r\n")));
  EXPECT_EQ(upgrade.find("101"), std::string::npos) << upgrade;
  EXPECT_NE(upgrade.find(server_->origin()), std::string::npos) << upgrade;
}

TEST_F(TlsTest, AHandshakeThatDoesNotEndIsEnded) {
  // Given a server with TLS, when peers say nothing, half a greeting or nonsense, then each is closed by the deadline of the handshake, and its place is free.
  start({.tls = certified({"127.0.0.1"}), .handshake_timeout_s = 1});
  std::vector<int> slow{say(""), say(std::string("\x16\x03\x01\x02", 4)), say(std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8))};
  ASSERT_TRUE(loop_.run_until([&] { return server_->sockets() == slow.size(); }, kPatience));
  const auto began = std::chrono::steady_clock::now();
  slow.push_back(say(std::string("\x16\x03\x01\x00\x04junk", 9)));
  for (const int fd : slow) answer(fd);
  EXPECT_TRUE(loop_.run_until([&] { return server_->sockets() == 0; }, kPatience));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
}

TEST_F(TlsTest, ARenewedCertificateIsShownWithoutANewStart) {
  // Given a server with a client, when its certificate is renewed, with another key and another name, then the next client sees the new one, under its name, too, and the first client's
  // connection goes on; what is no certificate changes nothing.
  start({.tls = certified({"127.0.0.1", "localhost"})});
  const Trust trust{.system = false, .authorities = {authority().certificate}};
  Heard& before = connect(trust);
  ASSERT_TRUE(before.channel);
  ASSERT_TRUE(server_->renew_certificate(certified({"127.0.0.1", "localhost", "lab.local"})).ok());
  Heard& after = connect(trust);
  ASSERT_TRUE(after.channel) << after.failed->message;
  EXPECT_NE(after.key, before.key);
  const Heard& latest = connect(trust, {.host_header = cat("lab.local:", server_->port()), .tls = true});
  ASSERT_TRUE(latest.channel);
  before.channel->send("{}", "still here");  // it is answered to whoever came last
  EXPECT_TRUE(loop_.run_until([&] { return latest.last == "still here"; }, kPatience));
  EXPECT_FALSE(before.closed);
  EXPECT_FALSE(server_->renew_certificate({.certificate = "nothing", .key = "nothing"}).ok());
  EXPECT_EQ(connect(trust).key, after.key);
}

TEST_F(TlsTest, AServerWithoutAUsableKeyDoesNotStart) {
  // Given a key of another certificate, or none, when a server is started with it, then it fails as bad_certificate.
  Certified mixed = certified({"127.0.0.1"});
  mixed.key = certified({"127.0.0.1"}).key;
  for (const std::string& key : {mixed.key, std::string(), std::string("nonsense")}) {
    mixed.key = key;
    const auto started = Server::start(loop_, {.tls = mixed});
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code, ErrorCode::kBadCertificate) << started.error().message;
  }
}

}  // namespace
}  // namespace hone::net
