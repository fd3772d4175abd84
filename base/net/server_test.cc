#include "base/net/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "base/cat.h"
#include "base/net/client.h"
#include "base/net/static_files.h"
#include "base/net/thread_cpu.h"

namespace hone::net {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 10s;
constexpr size_t kLongBytes = 16 << 20;

// What a handler saw, kept after it is gone.
struct Seen {
  std::shared_ptr<Channel> channel;
  std::vector<std::pair<std::string, std::string>> frames;
  bool echoes_kept = false;        // long payloads are echoed as they lie
  std::vector<SharedBytes> kept;   // long payloads: what came, as it lies
  std::optional<Closed> closed;
  std::optional<Error> failed;
};

class Recorder : public Handler {
 public:
  Recorder(Seen& seen, bool echoes) : seen_(seen), echoes_(echoes) {}
  void on_frame(const FrameView& frame, size_t) override {
    if (seen_.echoes_kept) seen_.channel->send(frame.header, frame.kept_payload());
    else if (echoes_) seen_.channel->send(frame.header, frame.payload);
    else if (frame.payload.size() > kLongBytes) seen_.kept.push_back(frame.kept_payload());
    else seen_.frames.emplace_back(frame.header, frame.payload);
  }
  void on_closed(const Closed& closed) override { seen_.closed = closed; }

 private:
  Seen& seen_;
  bool echoes_;
};

Accept record(Seen& seen, bool echoes = false) {
  return [&seen, echoes](std::shared_ptr<Channel> channel) {
    seen.channel = std::move(channel);
    return std::make_unique<Recorder>(seen, echoes);
  };
}

// A server that echoes at /ws/echo (frames up to 4 MB) and a client, on one loop.
class ServerTest : public testing::Test {
 protected:
  void start(ServerConfig config = {}) {
    config.on_get = [](const HttpRequest& request) {
      if (request.path == "/blob/x" && request.token == "secret")
        return HttpReply{.content_type = "application/octet-stream",
                         .body = std::make_shared<const std::string>(300'000, 'b'),
                         .immutable = true};
      return HttpReply::text(request.path == "/" ? 200 : 404, cat("path ", request.path));
    };
    config.endpoints = {{.path = "/ws/echo", .accept = record(service_, true), .frame_bytes_max = 4 << 20}};
    auto started = Server::start(loop_, std::move(config));
    ASSERT_TRUE(started.ok()) << started.error().message;
    server_ = std::move(*started);
  }
  ConnectTo to() const { return {.port = server_->port(), .path = "/ws/echo"}; }
  bool connect(Client& client, Seen& seen, ConnectTo where) {
    client.connect(std::move(where), record(seen), [&seen](Error error) { seen.failed = std::move(error); });
    return loop_.run_until([&] { return seen.channel || seen.failed; }, kPatience) && seen.channel;
  }
  // Sends bytes over a plain socket from another thread, and returns all that comes until the server closes or `until` was seen.
  std::string raw(const std::string& bytes, const std::string& until = {}) {
    std::atomic<bool> done = false;
    auto answer = std::async(std::launch::async, [this, &done, port = server_->port(), bytes, until] {
      const int fd = socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in where{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
      const timeval limit{.tv_sec = std::chrono::seconds(kPatience).count()};
      setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
      std::string got;
      if (::connect(fd, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0 &&
          write(fd, bytes.data(), bytes.size()) >= 0) {
        char buffer[65536];
        for (ssize_t n;
             (until.empty() || got.find(until) == std::string::npos) && (n = read(fd, buffer, sizeof buffer)) > 0;)
          got.append(buffer, static_cast<size_t>(n));
      }
      close(fd);
      done = true;
      loop_.post([] {});  // wakes run_until
      return got;
    });
    EXPECT_TRUE(loop_.run_until([&] { return done.load(); }, kPatience + 2s)) << "the server did not close";
    return answer.get();
  }
  std::string get(const std::string& path, const std::string& host, const std::string& more = {}) {
    return raw(cat("GET ", path, " HTTP/1.1\r\nHost: ", host, "\r\nConnection: close\r\n", more, "\r\n"));
  }
  std::string own_host() const { return cat("127.0.0.1:", server_->port()); }

  Seen& new_seen() { return seen_.emplace_back(); }  // outlives the clients of the test's body

  EventLoop loop_;
  std::deque<Seen> seen_;
  Seen service_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, EchoesFramesOfAnySize) {
  // Given an open channel, when frames of 64 B, 64 KiB, 1 MB and just under the cap are sent, then each comes back whole and in order.
  start();
  Client client(loop_);
  Seen& seen = new_seen();
  ASSERT_TRUE(connect(client, seen, to())) << seen.failed->message;
  const std::vector<size_t> sizes{64, 65536, 1'000'000, (4 << 20) - 100};
  for (const size_t size : sizes) EXPECT_TRUE(seen.channel->send(cat("{\"n\":", size, "}"), std::string(size, 'p')));
  ASSERT_TRUE(loop_.run_until([&] { return seen.frames.size() == sizes.size(); }, kPatience));
  for (size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(seen.frames[i].first, cat("{\"n\":", sizes[i], "}"));
    EXPECT_EQ(seen.frames[i].second, std::string(sizes[i], 'p'));
  }
  EXPECT_EQ(seen.channel->outbox_bytes(), 0u);
}

TEST_F(ServerTest, RefusesAFrameBeyondTheCap) {
  // Given a cap of 4 MB, when a longer frame is sent, then the channel closes with 1009 and the handler sees no frame; a channel that was told a larger cap takes it.
  start();
  Client client(loop_);
  Seen &seen = new_seen(), &control = new_seen();
  ASSERT_TRUE(connect(client, seen, to()));
  seen.channel->send("{}", std::string(4 << 20, 'x'));
  ASSERT_TRUE(loop_.run_until([&] { return seen.closed.has_value(); }, kPatience));
  EXPECT_EQ(seen.closed->code, static_cast<uint16_t>(CloseCode::kTooLarge));
  EXPECT_TRUE(seen.frames.empty());
  EXPECT_FALSE(seen.channel->send("{}"));

  ASSERT_TRUE(connect(client, control, to()));
  service_.channel->set_frame_bytes_max(5 << 20);
  control.channel->send("{}", std::string(4 << 20, 'x'));
  EXPECT_TRUE(loop_.run_until([&] { return control.frames.size() == 1; }, kPatience));
}

TEST_F(ServerTest, ClosesOnBytesThatAreNoFrame) {
  // Given an open WebSocket, when a binary message is too short for a frame, then the server closes with 1002 and says why.
  start();
  const std::string handshake =
      cat("GET /ws/echo HTTP/1.1\r\nHost: ", own_host(), "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: "
          "hone.v1\r\n\r\n");
  const std::string short_frame("\x82\x82\x00\x00\x00\x00hi", 8);  // final, binary, masked with zeros, 2 bytes
  const std::string answer = raw(handshake + short_frame, "too short");
  EXPECT_NE(answer.find("101 Switching"), std::string::npos) << answer;
  EXPECT_NE(answer.find("\x03\xea"), std::string::npos);  // 1002
  EXPECT_NE(answer.find("too short"), std::string::npos);
}

TEST_F(ServerTest, WhoComesThroughAProxyIsNotLocal) {
  // Given handshakes from this machine, when they carry a proxy's headers, in whatever letters and however long, then the peer is not local; a plain
  // one is.
  start();
  const auto is_local = [&](const std::string& headers) {
    service_.channel.reset();
    raw(cat("GET /ws/echo HTTP/1.1\r\nHost: ", own_host(), "\r\n", headers,
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: hone.v1\r\n\r\n"),
        "101 Switching");
    EXPECT_TRUE(service_.channel) << headers;
    return service_.channel && service_.channel->is_local();
  };
  EXPECT_TRUE(is_local(""));
  EXPECT_TRUE(is_local("X-Something: 1.2.3.4\r\n"));
  EXPECT_FALSE(is_local("X-Forwarded-For: 1.2.3.4\r\n"));
  EXPECT_FALSE(is_local("x-forwarded-for: 127.0.0.1\r\n"));
  EXPECT_FALSE(is_local("Via: 1.1 proxy\r\n"));
  EXPECT_FALSE(is_local("Forwarded: for=192.0.2.60;proto=https;by=203.0.113.43\r\n"));
  EXPECT_FALSE(is_local(cat("FORWARDED: for=", std::string(400, '1'), "\r\n")));
  EXPECT_EQ(service_.channel->peer(), "127.0.0.1");
}

TEST_F(ServerTest, ATrustedProxySaysWhoAsks) {
  // Given a service that trusts a proxy on this machine, when one comes through it with its public name, then the peer is whom the proxy names, and it is not local.
  start({.public_origin = "https://lab.example", .trusted_proxies = {"127.0.0.1"}});
  raw(cat("GET /ws/echo HTTP/1.1\r\nHost: lab.example\r\nOrigin: https://lab.example\r\nX-Forwarded-For: 6.6.6.6, 192.0.2.60\r\n"
          "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: hone.v1\r\n\r\n"),
      "101 Switching");
  ASSERT_TRUE(service_.channel);
  EXPECT_EQ(service_.channel->peer(), "192.0.2.60");
  EXPECT_FALSE(service_.channel->is_local());
}

TEST_F(ServerTest, ALongPayloadIsSentFromWhereItIs) {
  // Given 3 MB that somebody keeps, when they are sent, then they are held, not copied, until they are gone, and come back as they were; none are sent as well as some.
  start();
  Client client(loop_);
  Seen& seen = new_seen();
  ASSERT_TRUE(connect(client, seen, to()));
  std::string bytes(3'000'000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i >> 5);
  const SharedBytes kept = shared_bytes(bytes);
  EXPECT_TRUE(seen.channel->send("{\"of\":\"long\"}", kept));
  EXPECT_EQ(kept.use_count(), 2);
  EXPECT_GE(seen.channel->outbox_bytes(), bytes.size());
  EXPECT_TRUE(seen.channel->send("{\"of\":\"none\"}", SharedBytes()));
  ASSERT_TRUE(loop_.run_until([&] { return seen.frames.size() == 2; }, kPatience));
  EXPECT_EQ(kept.use_count(), 1);
  EXPECT_TRUE(seen.frames[0].second == bytes);
  EXPECT_EQ(seen.frames[1].second, "");
}

TEST_F(ServerTest, TheLoopIsNeverBusyFor20Ms) {
  // Given a loop that serves, when 200 MB go to a server and come back, then its thread never computes for 20 ms between two looks, as it would if it copied them at once. (Its own time, which
  // other work of the machine does not change.)
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's realloc copies, and its memory costs time of its own";
#endif
  constexpr size_t kLong = 200 << 20;
  constexpr double kBusyMsMax = 20;
  start({.outbox_bytes_max = 2 * kLong});
  Client client(loop_);
  Seen& seen = new_seen();
  ASSERT_TRUE(connect(client, seen, to()));
  service_.channel->set_greeted();  // it has no time to say hello on a busy machine
  service_.channel->set_frame_bytes_max(2 * kLong);
  service_.echoes_kept = true;
  seen.channel->set_frame_bytes_max(2 * kLong);
  const SharedBytes kept = shared_bytes(std::string(kLong, 'x'));

  double busy_ms_max = 0, before_ms = thread_cpu_ms();
  Timer look(loop_);
  look.start_repeating(1ms, [&] {
    const double now_ms = thread_cpu_ms();
    busy_ms_max = std::max(busy_ms_max, now_ms - std::exchange(before_ms, now_ms));
  });
  EXPECT_TRUE(seen.channel->send("{}", kept));
  ASSERT_TRUE(loop_.run_until([&] { return !seen.kept.empty() || seen.closed || service_.closed; }, 60s))
      << seen.channel->outbox_bytes() << " bytes are not sent, " << service_.channel->outbox_bytes() << " not sent back";
  ASSERT_FALSE(seen.kept.empty()) << (seen.closed ? seen.closed->reason : service_.closed->reason);
  EXPECT_LT(busy_ms_max, kBusyMsMax);
  EXPECT_TRUE(*seen.kept[0] == *kept);
}

TEST_F(ServerTest, ReassemblesFragmentsAndRefusesText) {
  // Given a message in three fragments with a ping in between, when it is sent, then it comes back as one; a text message closes the channel.
  start();
  const std::string handshake =
      cat("GET /ws/echo HTTP/1.1\r\nHost: ", own_host(), "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: "
          "hone.v1\r\n\r\n");
  const std::string mask(4, '\0');
  const std::string fragments = std::string("\x02\x84", 2) + mask + std::string("\x02\0\0\0", 4) +
                                std::string("\x89\x80", 2) + mask + std::string("\x00\x83", 2) + mask + "{}p" +
                                std::string("\x80\x84", 2) + mask + "tail";
  const std::string answer = raw(handshake + fragments, "{}ptail");
  EXPECT_NE(answer.find(std::string("\x82\x0b\x02\0\0\0{}ptail", 13)), std::string::npos);
  const std::string refused = raw(handshake + std::string("\x81\x82", 2) + mask + "{}", "binary");
  EXPECT_NE(refused.find("hone.v1 is binary"), std::string::npos);
}

TEST_F(ServerTest, WebSocketNeedsTheRightOriginAndHost) {
  // Given clients with foreign Origin, foreign Host, a rebound name or an unknown path, when they connect, then they are refused; ours is let in.
  start();
  Client client(loop_);
  const auto refused = [&](ConnectTo where) {
    Seen& seen = new_seen();
    return !connect(client, seen, std::move(where)) && seen.failed && seen.failed->code == ErrorCode::kIoError;
  };
  ConnectTo where = to();
  where.origin = "http://evil.example";
  EXPECT_TRUE(refused(where));
  where = to();
  where.origin = cat("http://127.0.0.1:", server_->port() + 1);
  EXPECT_TRUE(refused(where));
  where = to();
  where.origin = "null";
  EXPECT_TRUE(refused(where));
  where = to();
  where.host_header = cat("evil.example:", server_->port());
  EXPECT_TRUE(refused(where));
  where = to();
  where.path = "/ws/other";
  EXPECT_TRUE(refused(where));

  Seen &control = new_seen(), &without_origin = new_seen();
  where = to();
  where.origin = server_->origin();
  EXPECT_TRUE(connect(client, control, where));
  EXPECT_TRUE(connect(client, without_origin, to()));
  EXPECT_EQ(server_->channels(), 2u);
}

TEST_F(ServerTest, HttpNeedsTheRightOriginAndHost) {
  // Given HTTP requests, when Host or Origin is foreign, then the answer is 403 with a sentence; with ours it is 200 with the isolation headers.
  start();
  EXPECT_NE(get("/", "evil.example").find("403"), std::string::npos);
  EXPECT_NE(get("/", own_host(), "Origin: http://evil.example\r\n").find("403"), std::string::npos);
  const std::string answer = get("/", own_host(), cat("Origin: ", server_->origin(), "\r\n"));
  EXPECT_EQ(answer.find("HTTP/1.1 200"), 0u) << answer;
  for (const char* header : {"cross-origin-opener-policy: same-origin", "cross-origin-embedder-policy: require-corp",
                             "cross-origin-resource-policy: same-origin", "content-security-policy: ",
                             "x-content-type-options: nosniff", "cache-control: no-cache", "content-length: 7"})
    EXPECT_NE(answer.find(header), std::string::npos) << header << "\n" << answer;
  EXPECT_NE(answer.find("\r\n\r\npath /\n"), std::string::npos);
}

TEST_F(ServerTest, ServesBlobsWithTheToken) {
  // Given a blob of 300 kB behind a token, when it is asked for with and without, then it comes whole and immutable, or not at all.
  start();
  const std::string blob = get("/blob/x", own_host(), "X-Hone-Token: secret\r\n");
  EXPECT_NE(blob.find("200"), std::string::npos);
  EXPECT_NE(blob.find("immutable"), std::string::npos);
  EXPECT_EQ(blob.size() - blob.find("\r\n\r\n") - 4, 300'000u);
  EXPECT_NE(get("/blob/x", own_host()).find("404"), std::string::npos);
  const std::string head =
      raw(cat("HEAD /blob/x HTTP/1.1\r\nHost: ", own_host(), "\r\nConnection: close\r\nX-Hone-Token: secret\r\n\r\n"));
  EXPECT_NE(head.find("content-length: 300000"), std::string::npos);
  EXPECT_EQ(head.size(), head.find("\r\n\r\n") + 4);
  const std::string post =
      raw(cat("POST / HTTP/1.1\r\nHost: ", own_host(), "\r\nConnection: close\r\ncontent-length: 0\r\n\r\n"));
  EXPECT_NE(post.find("405"), std::string::npos) << post;
}

TEST_F(ServerTest, DropsAPeerThatFellSilent) {
  // Given a peer that answers no ping (its machine is gone), when the idle limit passes, then the handler is told; a live peer stays.
  start({.ping_s = 1, .hangup_s = 2});
  const std::string handshake =
      cat("GET /ws/echo HTTP/1.1\r\nHost: ", own_host(), "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: "
          "hone.v1\r\n\r\n");
  raw(handshake);  // reads until the server closes, and never answers a ping
  EXPECT_TRUE(service_.closed.has_value());
  service_.closed.reset();
  Client client(loop_);
  Seen& live = new_seen();
  ASSERT_TRUE(connect(client, live, to()));
  EXPECT_FALSE(loop_.run_until([&] { return service_.closed.has_value(); }, 3s));
}

TEST_F(ServerTest, DropsAPeerThatNeverSpeaks) {
  // Given a peer that connects and sends half a request, when the handshake's limit passes, then its socket is closed.
  start({.handshake_timeout_s = 1});
  const auto before = std::chrono::steady_clock::now();
  raw("GET / HTTP/1.1\r\nHost: ");
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
}

TEST_F(ServerTest, ASlowReaderIsClosed) {
  // Given an outbox of at most 1 MB, when more is queued at once, then send says no and the channel closes with 4013; less is sent.
  start({.outbox_bytes_max = 1 << 20});
  Client client(loop_);
  Seen& seen = new_seen();
  ASSERT_TRUE(connect(client, seen, to()));
  EXPECT_TRUE(service_.channel->send("{}", std::string(600'000, 'x')));
  EXPECT_FALSE(service_.channel->send("{}", std::string(600'000, 'x')));
  ASSERT_TRUE(loop_.run_until([&] { return seen.closed.has_value(); }, kPatience));
  EXPECT_EQ(seen.closed->code, static_cast<uint16_t>(CloseCode::kTryLater));
  EXPECT_EQ(seen.frames.size(), 1u);
}

TEST_F(ServerTest, ABusyPortIsOneClearSentence) {
  // Given a server, when another wants its port, then the error is address_in_use and names the port; a free port works.
  start();
  const auto second = Server::start(loop_, {.port = server_->port()});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kAddressInUse);
  EXPECT_NE(second.error().message.find(cat("port ", server_->port())), std::string::npos);
  EXPECT_TRUE(Server::start(loop_, {}).ok());
  EXPECT_EQ(Server::start(loop_, {.address = "not-an-address"}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(ServerTest, AClientSaysWhyItCannotConnect) {
  // Given a port where nobody listens, when a client connects, then it fails once with io_error and the address.
  start();
  const ConnectTo nowhere = to();
  server_.reset();
  Client client(loop_);
  Seen& seen = new_seen();
  EXPECT_FALSE(connect(client, seen, nowhere));
  ASSERT_TRUE(seen.failed);
  EXPECT_EQ(seen.failed->code, ErrorCode::kIoError);
  EXPECT_NE(seen.failed->message.find(cat("127.0.0.1:", nowhere.port)), std::string::npos);
  EXPECT_EQ(seen.failed->message.find('\0'), std::string::npos) << "what follows would never be printed";
}

TEST_F(ServerTest, StartsAndStopsFiftyTimes) {
  // Given a loop, when a server with an open channel and a request in flight starts and stops 50 times, then each channel is told and no descriptor is left.
  const auto descriptors = [] {
    const std::filesystem::directory_iterator entries("/proc/self/fd");
    return std::distance(begin(entries), end(entries));
  };
  auto after_first = descriptors();
  for (int round = 0; round < 50; ++round) {
    start();
    {
      Client client(loop_);
      Seen& seen = new_seen();
      ASSERT_TRUE(connect(client, seen, to()));
      seen.channel->send("{}", std::string(200'000, 'x'));
      server_.reset();
      EXPECT_TRUE(service_.closed.has_value());
    }
    service_ = {};
    if (round == 0) after_first = descriptors();
  }
  EXPECT_EQ(descriptors(), after_first);
}

TEST_F(ServerTest, ItsEndClosesNobodyElsesFile) {
  // Given a thread that opens and closes files all the time and a peer that keeps connecting to another server of the loop, when clients and
  // servers end 200 times, then no file of the thread was closed by anybody else, and the other server still serves.
  std::atomic<bool> over = false;
  std::atomic<int> closed_by_others = 0;
  std::thread other([&] {
    while (!over) {
      const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      std::this_thread::yield();
      if (::close(fd) != 0) ++closed_by_others;
    }
  });
  start();
  for (int round = 0; round < 200; ++round) {
    const auto ends = Server::start(loop_, {});
    Client client(loop_);
    Seen& seen = new_seen();
    client.connect(to(), record(seen), [](Error) {});
    if (round % 2) loop_.run_until([&] { return seen.channel != nullptr; }, kPatience);
  }
  over = true;
  other.join();
  EXPECT_EQ(closed_by_others, 0);
  Client last(loop_);
  EXPECT_TRUE(connect(last, new_seen(), to()));
}

TEST_F(ServerTest, AClientLeavesAServiceThatFellSilent) {
  // Given a service that answers the handshake and then nothing more (its machine is gone), when the idle limit passes, then the client is
  // told; a client of a service that lives, and says as little, stays.
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof where;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&where), size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&where), &size);
  start();
  Seen &left = new_seen(), &kept = new_seen();
  // A proxy that lets the handshake through and nothing else.
  auto proxy = std::async(std::launch::async, [&, port = server_->port()] {
    const int near = accept(listener, nullptr, nullptr), far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    char buffer[4096];
    if (::connect(far, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) {
      (void)!write(far, buffer, static_cast<size_t>(read(near, buffer, sizeof buffer)));
      (void)!write(near, buffer, static_cast<size_t>(read(far, buffer, sizeof buffer)));
    }
    while (read(near, buffer, sizeof buffer) > 0) {}  // until the client hangs up
    close(near);
    close(far);
  });
  Client silent(loop_, {.ping_s = 1, .hangup_s = 2}),
      live(loop_, {.ping_s = 1, .hangup_s = 2});  // they end before the proxy
  ConnectTo through = to();
  through.host_header = own_host();
  through.port = ntohs(where.sin_port);
  ASSERT_TRUE(connect(silent, left, through));
  ASSERT_TRUE(connect(live, kept, to()));
  EXPECT_TRUE(loop_.run_until([&] { return left.closed.has_value(); }, kPatience));
  EXPECT_FALSE(kept.closed.has_value());
  close(listener);
}

TEST(EventLoop, PostsFromOtherThreadsRunInOrder) {
  // Given another thread that posts 1000 pieces of work, when the loop runs, then all run on the loop's thread in their order.
  EventLoop loop;
  std::vector<int> ran;
  std::thread poster([&] {
    for (int i = 0; i < 1000; ++i)
      loop.post([&ran, i, &loop] {
        ran.push_back(i);
        if (i == 999) loop.stop();
      });
  });
  loop.run();
  poster.join();
  ASSERT_EQ(ran.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
}

TEST(Timer, FiresRepeatsAndForgets) {
  // Given a repeating timer, one that is cancelled and one that is destroyed, when the loop runs, then only the repeating one fires.
  EventLoop loop;
  int ticks = 0, never = 0;
  Timer repeating(loop), cancelled(loop);
  repeating.start_repeating(2ms, [&] { ++ticks; });
  cancelled.start(1ms, [&] { ++never; });
  {
    Timer gone(loop);
    gone.start(1ms, [&] { ++never; });
  }
  cancelled.cancel();
  EXPECT_TRUE(loop.run_until([&] { return ticks == 5; }, kPatience));
  EXPECT_EQ(never, 0);
}

TEST(StaticFiles, ServesAFolderAndNothingElse) {
  // Given a folder with a file and a link out of it, when paths are asked for, then only files below the folder come, with their types, also when the folder is gone since; and of a
  // folder that is not there, none.
  const std::string folder = cat(testing::TempDir(), "/static_file_test_", getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder + "/site/sub");
  std::ofstream(folder + "/site/index.html") << "<p>";
  std::ofstream(folder + "/site/sub/x.wasm") << "wasm";
  std::ofstream(folder + "/secret") << "secret";
  std::filesystem::create_symlink(folder + "/secret", folder + "/site/link");
  const StaticFiles site(folder + "/site");
  const auto status = [&](std::string_view path) { return site.reply("/agent/", path).status; };
  EXPECT_EQ(site.reply("/agent/", "/agent/").content_type, "text/html; charset=utf-8");
  EXPECT_EQ(site.reply("/agent/", "/agent/sub/x.wasm").content_type, "application/wasm");
  EXPECT_EQ(*site.reply("/agent/", "/agent/sub/x.wasm").body, "wasm");
  EXPECT_EQ(status("/agent/sub/x.wasm"), 200);
  EXPECT_EQ(status("/agent/../secret"), 404);
  EXPECT_EQ(status("/agent/link"), 404);
  EXPECT_EQ(status("/agent//etc/passwd"), 404);
  EXPECT_EQ(status("/agent/sub"), 404);
  EXPECT_EQ(status("/other/index.html"), 404);
  EXPECT_EQ(status(std::string_view("/agent/index.html\0", 18)), 404);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(status("/agent/sub/x.wasm"), 200);
  EXPECT_EQ(StaticFiles(folder + "/site").reply("/agent/", "/agent/").status, 404);
}

}  // namespace
}  // namespace hone::net
