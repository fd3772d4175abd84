// Peers that mean ill, or do not mean anything: over real sockets, without a client of ours.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <new>
#include <stdexcept>

#include "base/cat.h"
#include "base/net/client.h"
#include "base/net/limits.h"
#include "base/net/raw_peer.h"
#include "base/net/server.h"

namespace hone::net {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 20s;

std::string header_bytes(size_t size, char length_byte, int bytes) {
  std::string text(1, length_byte);
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>((size >> (8 * i)) & 0xff);
  return text;
}

// A WebSocket frame, masked with zeros.
std::string ws_frame(char first, const std::string& payload) {
  std::string text(1, first);
  if (payload.size() < 126) text += static_cast<char>(0x80 | payload.size());
  else if (payload.size() < 65536) text += header_bytes(payload.size(), '\xfe', 2);
  else text += header_bytes(payload.size(), '\xff', 8);
  return text + std::string(4, '\0') + payload;
}

std::string hone_frame(const std::string& header) { return ws_frame('\x82', encode_frame(header).value()); }

// "greet" makes the peer known, "throw …" throws, and anything else is answered with `answer_bytes`.
class HostileTest : public testing::Test {
 protected:
  class Desk : public Handler {
   public:
    Desk(HostileTest& test, std::shared_ptr<Channel> channel) : test_(test), channel_(std::move(channel)) {}
    void on_frame(const FrameView& frame, size_t) override {
      ++test_.frames_;
      if (frame.header == "greet") return channel_->set_greeted();
      if (frame.header == "throw bad_alloc") throw std::bad_alloc();
      if (frame.header == "throw words") throw std::runtime_error("a library's words");
      if (frame.header == "throw 7") throw 7;
      channel_->send(frame.header, std::string(test_.answer_bytes_, 'a'));
    }
    void on_closed(const Closed& closed) override { test_.closed_.push_back(closed); }

   private:
    HostileTest& test_;
    std::shared_ptr<Channel> channel_;
  };

  void start(ServerConfig config = {}) {
    config.on_get = [](const HttpRequest& request) -> HttpReply {
      if (request.path == "/throw") throw std::bad_alloc();
      return HttpReply::text(200, "here");
    };
    config.endpoints = {{.path = "/ws/echo", .accept = [this](std::shared_ptr<Channel> channel) {
                           channels_.push_back(channel);
                           return std::make_unique<Desk>(*this, std::move(channel));
                         }}};
    auto started = Server::start(loop_, std::move(config));
    ASSERT_TRUE(started.ok()) << started.error().message;
    server_ = std::move(*started);
  }
  bool until(const std::function<bool()>& done) { return loop_.run_until(done, kPatience); }
  RawPeer& peer() { return peers_.emplace_back(server_->port()); }
  RawPeer& greeted_peer() {
    RawPeer& one = peer();
    one.upgrade(server_->port());
    one.say(hone_frame("greet"));
    const int before = frames_;
    EXPECT_TRUE(until([&] { return frames_ > before; }));
    return one;
  }
  // A peer as it should be is served.
  bool serves() {
    RawPeer& one = greeted_peer();
    one.say(hone_frame("{\"still\":\"here\"}"));
    return until([&] { return one.hear().find("still") != std::string::npos; });
  }
  bool hears(RawPeer& one, const std::string& text) {
    return until([&] { return one.hear().find(text) != std::string::npos || one.ended; }) &&
           one.heard.find(text) != std::string::npos;
  }

  void SetUp() override {
    poll_.start_repeating(1ms, [] {});
  }

  EventLoop loop_;
  Timer poll_{loop_};  // what peers hear is no event of the loop
  int frames_ = 0;
  size_t answer_bytes_ = 0;
  std::vector<Closed> closed_;
  std::vector<std::shared_ptr<Channel>> channels_;
  std::unique_ptr<Server> server_;
  std::deque<RawPeer> peers_;
};

// Lowers or raises the soft limit of descriptors for a while.
class Descriptors {
 public:
  explicit Descriptors(rlim_t limit) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    now.rlim_cur = std::min(limit, before_.rlim_max);
    setrlimit(RLIMIT_NOFILE, &now);
  }
  ~Descriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

// Another process with silent sockets, every second of them a WebSocket; it ends with this object.
class Silence {
 public:
  Silence(uint16_t port, int count) {
    int ready[2], over[2];
    EXPECT_EQ(pipe(ready) | pipe2(over, O_CLOEXEC), 0);
    child_ = fork();
    if (child_ == 0) {
      const Descriptors many(static_cast<rlim_t>(count) + 1'000);
      std::deque<RawPeer> peers;
      bool all = true;
      for (int i = 0; i < count; ++i) {
        all = peers.emplace_back(port).connected() && all;
        if (i % 2) peers.back().upgrade(port);
      }
      (void)!write(ready[1], all ? "y" : "n", 1);
      close(over[1]);
      char end = 0;
      (void)!read(over[0], &end, 1);
      _exit(0);
    }
    close(ready[1]);
    close(over[0]);
    ready_ = ready[0];
    over_ = over[1];
    fcntl(ready_, F_SETFL, O_NONBLOCK);
  }
  ~Silence() {
    close(over_);
    close(ready_);
    waitpid(child_, nullptr, 0);
  }
  bool connected() {
    (void)!read(ready_, &said_, 1);
    return said_ == 'y';
  }

 private:
  char said_ = 0;
  pid_t child_ = 0;
  int ready_ = -1, over_ = -1;
};

TEST_F(HostileTest, SilentSocketsKeepNobodyOut) {
  // Given a server that may have 1,024 descriptors, when 2,000 sockets connect, half of them with a handshake, and say nothing more, then it
  // keeps as many as one address may have without greeting; a peer that greets is served at once, and stays when another 500 come.
  const Descriptors few(1'024);
  start();
  Silence silence(server_->port(), 2'000);
  ASSERT_TRUE(until([&] { return silence.connected(); }));
  RawPeer& friendly = greeted_peer();  // it comes after all of them
  EXPECT_EQ(server_->sockets(), kStrangersPerAddressMax);
  Silence more(server_->port(), 500);
  ASSERT_TRUE(until([&] { return more.connected(); }));
  ASSERT_TRUE(serves());
  EXPECT_LE(server_->sockets(), kStrangersPerAddressMax + 2);
  friendly.say(hone_frame("{\"am\":\"known\"}"));
  EXPECT_TRUE(hears(friendly, "known"));
}

TEST_F(HostileTest, SocketsThatComeAndGoWhileOthersAreSilent) {
  // Given an address with all the strangers that it may have, when sockets come, upgrade, greet, ask or do nothing, and go at any moment of that, by
  // a close or by a reset, then the server serves, and in the end has the silent ones alone.
  const Descriptors few(1'024);
  start();
  answer_bytes_ = 100'000;
  Silence silence(server_->port(), 300);
  ASSERT_TRUE(until([&] { return silence.connected(); }));
  for (int round = 0; round < 60; ++round) {
    std::vector<RawPeer> batch;
    for (int i = 0; i < 16; ++i) {
      RawPeer& one = batch.emplace_back(server_->port());
      if (i % 8 > 1) one.upgrade(server_->port());
      if (i % 8 > 3) one.say(hone_frame(i % 2 ? "greet" : "{}"));
      if (i % 8 > 5) one.say(hone_frame("{}").substr(0, 7));
      if (i > 7) one.reset_at_end();
    }
    int turns = 0;
    loop_.run_until([&] { return ++turns > round; }, kPatience);
  }
  EXPECT_TRUE(serves());
  peers_.clear();
  EXPECT_TRUE(until(
      [&] { return server_->channels() <= kStrangersPerAddressMax && server_->sockets() <= kStrangersPerAddressMax; }));
  EXPECT_TRUE(serves());
}

TEST_F(HostileTest, WithoutDescriptorsItWaitsInsteadOfSpinning) {
  // Given a process whose descriptors are used up by others, when sockets connect, then they are refused without the loop turning in circles;
  // when there are descriptors again, then it serves.
  start();
  ASSERT_TRUE(serves());
  std::vector<RawPeer> waiting;
  for (int i = 0; i < 20; ++i) waiting.emplace_back(server_->port());
  {
    const int next = dup(0);
    close(next);
    const Descriptors none(static_cast<rlim_t>(next));
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    loop_.run_until([] { return false; }, 500ms);
    getrusage(RUSAGE_SELF, &after);
    const auto ms = [](const rusage& use) {
      return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000 + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000;
    };
    EXPECT_LT(ms(after) - ms(before), 250) << "it turned in circles";
    int refused = 0;
    for (RawPeer& one : waiting) refused += (one.hear(), one.ended);
    EXPECT_GT(refused, 0);
  }
  EXPECT_TRUE(serves());
}

// Whoever asks for another protocol in the handshake: its request with the line in question replaced.
std::string upgrade_with(uint16_t port, const std::string& line, const std::string& instead) {
  std::string request = cat("GET /ws/echo HTTP/1.1\r\nHost: 127.0.0.1:", port, "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: hone.v1\r\n\r\n");
  const size_t at = request.find(line);
  CHECK(at != std::string::npos, "the request has such a line");
  return request.replace(at, request.find("\r\n", at) - at, instead);
}

TEST_F(HostileTest, UpgradesThatAreRefused) {
  // Given requests to upgrade that lack something, ask for something else, come in two pieces, come twice, or are reset half way, when the server refuses them, then it says why to whoever
  // listens, lets none of them speak another protocol, and serves. (base_net.valgrind runs it too: libwebsockets 4.1.6 may read what it has freed after a refusal, NN-2025-0102.)
  start({.hello_timeout = 2s});
  const uint16_t port = server_->port();
  const std::string protocol = "Sec-WebSocket-Protocol: hone.v1";
  const std::vector<std::pair<std::string, std::string>> said{
      {upgrade_with(port, protocol, "Sec-WebSocket-Protocol: another"), " 400 "},
      {upgrade_with(port, protocol, "X-Nothing: here"), " 400 "},
      {upgrade_with(port, "GET /ws/echo", "GET /ws/none HTTP/1.1"), " 404 "},
      {upgrade_with(port, "Host: ", "Host: elsewhere.example"), " 403 "},
      {upgrade_with(port, "Connection: Upgrade", "Connection: Upgrade\r\nOrigin: http://elsewhere.example"), " 403 "},
      {upgrade_with(port, "Upgrade: websocket", "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__"), " 400 "},
      {upgrade_with(port, "Upgrade: websocket", "Upgrade: h2c"), " 400 "},
      {upgrade_with(port, "Upgrade: websocket", "Upgrade: " + std::string(2'000, 'x')), ""},
      {upgrade_with(port, "Upgrade: websocket", "Upgrade:"), ""},
      {upgrade_with(port, "Sec-WebSocket-Key: ", "X-Nothing: here"), ""},
      {upgrade_with(port, "Sec-WebSocket-Version: ", "Sec-WebSocket-Version: 999"), ""}};
  for (const auto& [request, status] : said) {
    RawPeer& whole = peer();
    whole.say(request);
    EXPECT_TRUE(hears(whole, status)) << request << whole.heard;
    EXPECT_EQ(whole.heard.find(" 101 "), std::string::npos) << request;
    RawPeer& twice = peer();
    twice.say(request + request);
    RawPeer& halved = peer();
    halved.say(request.substr(0, request.size() / 2));
    RawPeer& reset = peer();
    reset.reset_at_end();
    reset.say(request);
    EXPECT_TRUE(until([&] { return twice.hear().size() > 0 || twice.ended; })) << request;
    halved.say(request.substr(request.size() / 2));
    EXPECT_TRUE(until([&] { return halved.hear().size() > 0 || halved.ended; })) << request;
    peers_.clear();
  }
  EXPECT_TRUE(serves());
}

TEST_F(HostileTest, WhoDoesNotGreetIsClosed) {
  // Given a time for the hello, when a peer opens a WebSocket and pings, or begins a message, but does not greet, then it is closed with 1008;
  // one that has greeted stays.
  start({.hello_timeout = 300ms});
  RawPeer& known = greeted_peer();
  RawPeer &silent = peer(), &half = peer();
  silent.upgrade(server_->port());
  silent.say(ws_frame('\x89', ""));
  half.upgrade(server_->port());
  half.say(ws_frame('\x82', std::string(1000, 'x')).substr(0, 500));
  EXPECT_TRUE(hears(silent, "no hello came within 0.3"));
  EXPECT_TRUE(hears(half, "no hello came within 0.3"));
  known.say(hone_frame("{\"am\":\"known\"}"));
  EXPECT_TRUE(hears(known, "known"));
}

TEST_F(HostileTest, AMessageThatBeganEnds) {
  // Given known peers, when one begins a message and goes on with it byte by byte, in fragments, or not at all, then it is closed with 1008 once
  // the time for a message is over; one whose message came whole stays.
  start({.message_timeout = 300ms});
  RawPeer &half = greeted_peer(), &fragments = greeted_peer(), &whole = greeted_peer();
  half.say(ws_frame('\x82', std::string(1000, 'x')).substr(0, 500));
  fragments.say(ws_frame('\x02', "abcd"));
  whole.say(hone_frame("{\"am\":\"whole\"}"));
  // At a pace at which the server has read all when it closes: a socket with unread bytes is reset, and the reason is lost on the way.
  Timer next{loop_};
  next.start_repeating(20ms, [&] { fragments.say(ws_frame('\x00', "e")); });
  EXPECT_TRUE(hears(fragments, "not whole within 0.3"));
  next.cancel();
  EXPECT_TRUE(hears(half, "not whole within 0.3"));
  whole.say(hone_frame("{\"still\":\"whole\"}"));
  EXPECT_TRUE(hears(whole, "still"));
}

TEST_F(HostileTest, WhoAsksAndDoesNotReadIsNotAnswered) {
  // Given a peer that asks 1,000 times for 64 KiB, several times what the system buffers, and reads nothing, when the server has served what it
  // could, then no more waits than a few MiB; when the peer then reads, then every answer comes.
  start();
  answer_bytes_ = 64 << 10;
  RawPeer& one = greeted_peer();
  std::string asks;
  const int count = 1'000;
  for (int i = 0; i < count; ++i) asks += hone_frame("{}");
  size_t said = 0, most = 0;
  const auto step = [&](bool reads) {
    said += one.say(asks.substr(said));
    most = std::max(most, channels_.back()->outbox_bytes());
    if (reads) one.hear();
  };
  ASSERT_TRUE(until([&] {
    step(false);
    return most > kOutboxPausesReadingBytes;
  }));
  (void)loop_.run_until(
      [&] {
        step(false);
        return false;
      },
      300ms);
  EXPECT_LT(most, kOutboxPausesReadingBytes + (1 << 20));
  EXPECT_TRUE(until([&] {
    step(true);
    return frames_ == count + 1 && channels_.back()->outbox_bytes() == 0;
  }));
  EXPECT_TRUE(until([&] {
    step(true);
    return one.heard.size() > size_t{count} * answer_bytes_;
  }));
}

TEST_F(HostileTest, WhoReadsSlowlyIsKeptAndWhoDoesNotReadIsNot) {
  // Given two peers that answer no ping and are sent 24 MiB, when one takes it bit by bit, for longer than a silent peer is kept, then it gets all;
  // the other, which takes nothing, is dropped in that time.
  start({.ping_s = 1, .hangup_s = 2});
  answer_bytes_ = 24 << 20;
  RawPeer &slow = greeted_peer(), &deaf = greeted_peer();
  slow.say(hone_frame("{}"));
  deaf.say(hone_frame("{}"));
  Timer sips(loop_);
  sips.start_repeating(100ms, [&] { slow.hear(512 << 10); });
  EXPECT_TRUE(until([&] { return slow.heard.size() > answer_bytes_; }));
  EXPECT_TRUE(until([&] { return !channels_.back()->is_open(); }));
  (void)deaf;
}

TEST_F(HostileTest, AllOutboxesTogetherHaveACap) {
  // Given peers that do not read, when what waits for all of them exceeds the cap, then the one with the most is closed, and the others stay.
  start({.outboxes_bytes_max = 24 << 20});
  RawPeer &most = greeted_peer(), &some = greeted_peer();
  const auto to_most = channels_[0], to_some = channels_[1];
  EXPECT_TRUE(to_most->send("{}", std::string(14 << 20, 'm')));
  EXPECT_TRUE(to_some->send("{}", std::string(9 << 20, 's')));
  EXPECT_TRUE(to_some->send("{}", std::string(2 << 20, 's')));
  EXPECT_FALSE(to_most->is_open());
  EXPECT_EQ(to_most->outbox_bytes(), 0u);
  EXPECT_TRUE(to_some->is_open());
  EXPECT_FALSE(to_some->send("{}", std::string(25 << 20, 's'))) << "what exceeds the cap alone is not kept";
  EXPECT_TRUE(until([&] { return most.hear(), most.ended; }));
  (void)some;
}

TEST_F(HostileTest, WhatIsThrownEndsItsConnectionAlone) {
  // Given a handler that throws, when frames and a request make it do so, then their connections end, 1011 says why, and all others are served.
  start();
  RawPeer& bystander = greeted_peer();
  for (const auto& [say, why] :
       {std::pair("throw bad_alloc", "out of memory"), std::pair("throw words", "an error within the service"),
        std::pair("throw 7", "an error within the service")}) {
    RawPeer& one = greeted_peer();
    const size_t before = closed_.size();
    one.say(hone_frame(say));
    EXPECT_TRUE(until([&] { return closed_.size() > before; })) << say;
    EXPECT_EQ(closed_.back().code, static_cast<uint16_t>(CloseCode::kInternal));
    EXPECT_TRUE(hears(one, why)) << say;
  }
  RawPeer& web = peer();
  web.say(cat("GET /throw HTTP/1.1\r\nHost: 127.0.0.1:", server_->port(), "\r\n\r\n"));
  EXPECT_TRUE(until([&] { return web.hear(), web.ended; }));
  bystander.say(hone_frame("{\"by\":\"stander\"}"));
  EXPECT_TRUE(hears(bystander, "stander"));
}

TEST_F(HostileTest, MalformedFramesEndTheirConnectionAlone) {
  // Given frames that no WebSocket has (no mask, reserved bits and kinds, lengths of 2^31 and 2^63, a fragmented ping) and that no hone.v1 has (text,
  // a header beyond the frame, nothing), when they come before and after a greeting, then that connection ends, and others are served.
  start();
  const std::string mask(4, '\0');
  const std::string bad[] = {
      std::string("\x82\x02hi", 4),       // not masked
      std::string("\xf2\x80", 2) + mask,  // reserved bits
      std::string("\x83\x80", 2) + mask,  // a reserved kind
      header_bytes(size_t{1} << 31, '\xff', 8).insert(0, "\x82") + mask,
      header_bytes(size_t{1} << 63, '\xff', 8).insert(0, "\x82") + mask,
      std::string("\x09\x80", 2) + mask,                       // a ping that is a fragment
      std::string("\x80\x80", 2) + mask,                       // the end of a message that never began
      ws_frame('\x81', "{}"),                                  // text
      ws_frame('\x82', ""),                                    // no frame of hone.v1
      ws_frame('\x82', std::string("\xff\xff\xff\xff{}", 6)),  // a header beyond its frame
      ws_frame('\x82', std::string(65'537, 'x')),              // more than an unknown peer may send
  };
  for (const bool greeted : {false, true})
    for (size_t i = 0; i < std::size(bad); ++i) {
      RawPeer& one = greeted ? greeted_peer() : peer();
      if (!greeted) one.upgrade(server_->port());
      one.say(bad[i] + std::string(70'000, 'x'));
      EXPECT_TRUE(until([&] { return one.hear(), one.ended; })) << (greeted ? "known " : "unknown ") << i;
    }
  EXPECT_TRUE(serves());
}

TEST_F(HostileTest, AHeaderTooLongToSendClosesTheChannel) {
  // Given a channel, when a header longer than the protocol permits is sent, then send says no and the channel closes with 1009; the process lives.
  start();
  RawPeer& one = greeted_peer();
  EXPECT_FALSE(channels_[0]->send(std::string(kHeaderBytesMax + 1, 'x')));
  EXPECT_TRUE(hears(one, "exceeds the limit"));
  EXPECT_TRUE(serves());
}

TEST(EventLoop, WhatIsThrownEndsNothingElse) {
  // Given work and timers that throw, when the loop runs, then what comes after them runs, and a repeating timer repeats.
  EventLoop loop;
  int ran = 0, ticks = 0;
  Timer timer(loop);
  timer.start_repeating(1ms, [&] {
    ++ticks;
    throw std::runtime_error("a tick's");
  });
  for (int i = 0; i < 3; ++i)
    loop.post([&] {
      ++ran;
      throw std::bad_alloc();
    });
  EXPECT_TRUE(loop.run_until([&] { return ran == 3 && ticks >= 3; }, kPatience));
  loop.post([&] {
    loop.stop();
    throw 1;
  });
  loop.run();
  EXPECT_EQ(ran, 3);
}

}  // namespace
}  // namespace hone::net
