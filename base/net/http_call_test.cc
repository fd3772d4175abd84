// HTTP requests with bodies, late answers and streams, over real sockets.
#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>

#include "base/cat.h"
#include "base/net/raw_peer.h"
#include "base/net/server.h"
#include "base/net/thread_cpu.h"

namespace hone::net {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 20s;
constexpr size_t kBodyBytesMax = 4 << 20;

// What came of one call.
struct Seen {
  HttpRequest request;
  std::shared_ptr<HttpResponse> response;
  std::optional<std::string> body;
  int bodies = 0, drained = 0;
  bool ended = false;
};

class HttpCallTest : public testing::Test {
 protected:
  class Call : public HttpCall {
   public:
    explicit Call(Seen& seen) : seen_(seen) {}
    ~Call() override { seen_.ended = true; }
    void on_body(SharedBytes body) override {
      ++seen_.bodies;
      seen_.body = body ? std::string(*body) : "";
      if (seen_.request.path == "/api/echo") seen_.response->reply({.body = std::make_shared<const std::string>(*seen_.body)});
      if (seen_.request.path == "/api/throw") throw std::runtime_error("a call's fault");
    }
    void on_drained() override { ++seen_.drained; }

   private:
    Seen& seen_;
  };

  void start(ServerConfig config = {}) {
    config.on_get = [](const HttpRequest& request) { return HttpReply::text(200, request.path == "/long" ? std::string(64 << 20, 'l') : "a page"); };
    config.calls_prefix = "/api/";
    config.on_call = [this](const HttpRequest& request, std::shared_ptr<HttpResponse> response) -> std::unique_ptr<HttpCall> {
      if (request.body_bytes > kBodyBytesMax) return response->reply(HttpReply::text(413, "too much")), nullptr;
      if (request.path == "/api/held") response->hold_body();
      return std::make_unique<Call>(calls_.emplace_back(Seen{request, std::move(response)}));
    };
    auto started = Server::start(loop_, std::move(config));
    ASSERT_TRUE(started.ok()) << started.error().message;
    server_ = std::move(*started);
  }
  void TearDown() override { server_.reset(); }  // calls end before what they write to
  bool until(const std::function<bool()>& done) { return loop_.run_until(done, kPatience); }
  std::string head(const std::string& line, const std::string& more) const { return cat(line, " HTTP/1.1\r\nHost: 127.0.0.1:", server_->port(), "\r\n", more, "\r\n"); }
  std::string post(const std::string& path, const std::string& body) const { return head(cat("POST ", path), cat("Content-Length: ", body.size(), "\r\n")) + body; }
  RawPeer& peer() { return peers_.emplace_back(server_->port()); }
  bool hears(RawPeer& one, const std::string& text) {
    return until([&] { return one.hear().find(text) != std::string::npos; });
  }
  bool hears_end(RawPeer& one) {
    return until([&] { return one.hear(), one.ended; });
  }
  static size_t count(const std::string& text, const std::string& what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  }

  EventLoop loop_;
  std::deque<Seen> calls_;
  std::deque<RawPeer> peers_;
  std::unique_ptr<Server> server_;
};

TEST_F(HttpCallTest, ABodyComesWholeHoweverItIsCut) {
  // Given bodies of no byte, one, 64 KiB and 3 MiB, when each is sent in pieces on the same connection, then the call hears it once and whole, and its reply has it.
  start();
  RawPeer& one = peer();
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65536}, size_t{3} << 20}) {
    std::string body(size, 'b');
    if (size > 0) body.back() = 'e';
    one.heard.clear();
    const std::string bytes = post("/api/echo?a=1&b=x%20y&a=%26", body);
    for (size_t at = 0; at < bytes.size();) {
      at += one.say(bytes.substr(at, std::max<size_t>(7, size / 9)));
      loop_.run_until([] { return true; }, 0ms);
    }
    ASSERT_TRUE(until([&] { return one.hear().find("\r\n\r\n") != std::string::npos && one.heard.ends_with(body); })) << size;
    EXPECT_EQ(calls_.back().body, body);
    EXPECT_TRUE(until([&] { return calls_.back().ended; }));
    EXPECT_EQ(calls_.back().bodies, 1) << size;
  }
  EXPECT_EQ(calls_.size(), 4u);
  EXPECT_EQ(calls_.front().request.method, "POST");
  EXPECT_EQ(calls_.front().request.path, "/api/echo");
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(calls_.front().request.query, (Pairs{{"a", "1"}, {"b", "x y"}, {"a", "&"}}));
}

TEST_F(HttpCallTest, ALateReplyHoldsUpNobodyElse) {
  // Given a call that has not replied, when another connection asks, then that is served; when the call replies, then its peer has it, and may ask again.
  start();
  RawPeer &slow = peer(), &other = peer();
  slow.say(post("/api/wait", "x"));
  ASSERT_TRUE(until([&] { return !calls_.empty() && calls_[0].body; }));
  other.say(post("/api/echo", "other"));
  ASSERT_TRUE(hears(other, "other"));
  EXPECT_EQ(slow.hear(), "");
  calls_[0].response->reply({.status = 202, .body = std::make_shared<const std::string>("first")});
  ASSERT_TRUE(hears(slow, "first"));
  slow.say(post("/api/echo", "second"));
  EXPECT_TRUE(hears(slow, "second"));
}

TEST_F(HttpCallTest, ARequestBehindOneThatWaitsHoldsUpNobody) {
  // Given a request that waits for its answer, when another one comes behind it on its connection, then everybody else is served, the loop does not turn in circles meanwhile, and the connection ends: behind a body at
  // once, otherwise with the first answer.
  start();
  for (const bool has_body : {false, true}) {
    calls_.clear();
    RawPeer &slow = peer(), &other = peer();
    slow.say((has_body ? post("/api/wait", "x") : head("GET /api/wait", "")) + post("/api/echo", "second"));
    ASSERT_TRUE(until([&] { return !calls_.empty() && calls_[0].body; }));
    other.say(post("/api/echo", "other"));
    ASSERT_TRUE(hears(other, "other"));
    EXPECT_EQ(slow.hear(), "");
    const double before_ms = thread_cpu_ms();
    loop_.run_until([] { return false; }, 300ms);
    EXPECT_LT(thread_cpu_ms() - before_ms, 100);
    calls_[0].response->reply({.status = 202, .body = std::make_shared<const std::string>("first")});
    EXPECT_TRUE(hears_end(slow));
    EXPECT_EQ(slow.heard.find("second"), std::string::npos);
    EXPECT_EQ(slow.heard.ends_with("first"), !has_body) << slow.heard;
  }
}

TEST_F(HttpCallTest, AStreamIsReadAsItIsWritten) {
  // Given a stream, when a piece is written, then the peer has it before the next one is, the call hears that it was taken, and the end of the stream ends the connection.
  start();
  RawPeer& one = peer();
  one.say(head("GET /api/stream", ""));
  ASSERT_TRUE(until([&] { return !calls_.empty() && calls_[0].body; }));
  Seen& call = calls_[0];
  call.response->begin_stream("text/event-stream");
  ASSERT_TRUE(hears(one, "text/event-stream"));
  for (const std::string piece : {"piece 1", "piece 2"}) {
    const int drained = call.drained;
    call.response->write(piece);
    ASSERT_TRUE(hears(one, piece));
    EXPECT_TRUE(until([&] { return call.drained > drained; }));
  }
  EXPECT_FALSE(call.ended);
  call.response->write(std::string(1 << 20, 'l'));
  call.response->end_stream();
  ASSERT_TRUE(hears_end(one));
  EXPECT_EQ(count(one.heard, "l"), (1u << 20) + count(one.heard.substr(0, one.heard.find("lll")), "l"));
  EXPECT_TRUE(call.ended);
  EXPECT_FALSE(call.response->is_open());
}

TEST_F(HttpCallTest, BytesBehindAStreamHoldUpNobody) {
  // Given a stream, when its peer sends more bytes, a request or none, then the loop does not turn in circles, and others are served.
  start();
  for (const std::string& more : {head("GET /page", ""), std::string(100'000, 'x')}) {
    calls_.clear();
    RawPeer &one = peer(), &other = peer();
    one.say(head("GET /api/stream", ""));
    ASSERT_TRUE(until([&] { return !calls_.empty() && calls_[0].body; }));
    calls_[0].response->begin_stream("text/plain");
    calls_[0].response->write("piece");
    ASSERT_TRUE(hears(one, "piece"));
    one.say(more);
    const double before_ms = thread_cpu_ms();
    loop_.run_until([] { return false; }, 300ms);
    EXPECT_LT(thread_cpu_ms() - before_ms, 100);
    other.say(post("/api/echo", "other"));
    EXPECT_TRUE(hears(other, "other"));
    calls_[0].response->end_stream();
    EXPECT_TRUE(hears_end(one));
  }
}

TEST_F(HttpCallTest, BytesBehindAReplyThatNobodyReadsHoldUpNobody) {
  // Given a long reply that its peer does not read, when the peer sends more bytes, then the loop does not turn in circles, and others are served.
  start();
  for (const std::string& more : {head("GET /page", ""), std::string(100'000, 'x')}) {
    RawPeer &one = peer(), &other = peer();
    one.say(head("GET /long", ""));
    other.say(head("GET /page", ""));
    ASSERT_TRUE(hears(other, "a page"));
    one.say(more);
    const double before_ms = thread_cpu_ms();
    loop_.run_until([] { return false; }, 300ms);
    EXPECT_LT(thread_cpu_ms() - before_ms, 100);
    size_t said = 0;
    loop_.run_until([&] { return said += one.say(std::string(100'000, 'x')), said > (64 << 20); }, 500ms);
    EXPECT_LT(said, size_t{64} << 20);
    other.say(head("GET /page?again", ""));
    EXPECT_TRUE(until([&] { return count(other.hear(), "a page") == 2; }));
  }
}

TEST_F(HttpCallTest, ABodyThatIsRefusedIsNoRequest) {
  // Given a body that is too long and looks like a request, when its head is refused, then that is the connection's one answer, and it ends; so with a page, which takes no body.
  start();
  for (const std::string path : {"/api/echo", "/page"}) {
    RawPeer& one = peer();
    const std::string body = head("GET /page", "");
    one.say(head(cat("POST ", path), cat("Content-Length: ", kBodyBytesMax + 1, "\r\n")) + body + body);
    ASSERT_TRUE(hears_end(one));
    EXPECT_EQ(count(one.heard, "HTTP/1.1"), 1u) << one.heard;
    EXPECT_NE(one.heard.find(path == "/page" ? " 405 " : " 413 "), std::string::npos) << one.heard;
  }
  EXPECT_TRUE(calls_.empty());
}

TEST_F(HttpCallTest, ABodyHasOneLength) {
  // Given requests whose end could be seen in two ways, when they come, then each hears 411 and its connection ends.
  start();
  for (const std::string more : {"Transfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", "Content-Length: 4\r\nContent-Length: 5\r\n", "Content-Length: -1\r\n",
                                 "Content-Length: 4x\r\n", "Content-Length: 99999999999999999999\r\n", "Content-Length: 0x4\r\n"}) {
    RawPeer& one = peer();
    one.say(head("POST /api/echo", more) + "4\r\nbody\r\n0\r\n\r\n" + head("GET /page", ""));
    ASSERT_TRUE(hears_end(one)) << more;
    EXPECT_EQ(count(one.heard, "HTTP/1.1"), 1u) << more << one.heard;
    EXPECT_EQ(one.heard.find("HTTP/1.1 411"), 0u) << more << one.heard;
  }
  EXPECT_TRUE(calls_.empty());
}

TEST_F(HttpCallTest, WhoGoesAwayEndsItsCall) {
  // Given calls whose peers go away, one in its body, one before its answer, one in a stream, when the sockets end, then so do the calls, and what is said to them is said to nobody.
  start();
  for (const bool resets : {false, true}) {
    calls_.clear();
    RawPeer in_body(server_->port()), waiting(server_->port()), streaming(server_->port());
    in_body.say(head("POST /api/wait", "Content-Length: 100\r\n") + "half");
    waiting.say(post("/api/wait", "x"));
    streaming.say(head("GET /api/wait", ""));
    ASSERT_TRUE(until([&] { return calls_.size() == 3 && calls_[1].body && calls_[2].body; }));
    calls_[2].response->begin_stream("text/plain");
    calls_[2].response->write("x");
    ASSERT_TRUE(hears(streaming, "x"));
    if (resets)
      for (RawPeer* one : {&in_body, &waiting, &streaming}) one->reset_at_end();
    for (RawPeer* one : {&in_body, &waiting, &streaming}) { RawPeer gone(std::move(*one)); }
    EXPECT_TRUE(until([&] { return calls_[0].ended && calls_[1].ended && calls_[2].ended; })) << resets;
    EXPECT_FALSE(calls_[0].body);
    for (Seen& call : calls_) {
      EXPECT_FALSE(call.response->is_open());
      call.response->reply(HttpReply::text(200, "late"));
      call.response->write("late");
    }
  }
}

TEST_F(HttpCallTest, WhoDoesNotReadIsLetGo) {
  // Given a stream whose peer reads nothing, when more is written than an outbox may have, then the connection ends.
  start({.outbox_bytes_max = 1 << 20});
  RawPeer& one = peer();
  one.say(head("GET /api/wait", ""));
  ASSERT_TRUE(until([&] { return !calls_.empty() && calls_[0].body; }));
  calls_[0].response->begin_stream("text/plain");
  EXPECT_TRUE(until([&] {
    calls_[0].response->write(std::string(100'000, 'x'));
    return calls_[0].ended;
  }));
}

TEST_F(HttpCallTest, HalfABodyHasItsTime) {
  // Given half a body, when nothing more comes for as long as a service waits, then the connection ends, and no call has heard it.
  start({.handshake_timeout_s = 1});
  RawPeer& one = peer();
  one.say(head("POST /api/echo", "Content-Length: 100\r\n") + "half");
  EXPECT_TRUE(hears_end(one));
  EXPECT_TRUE(until([&] { return calls_.size() == 1 && calls_[0].ended; }));
  EXPECT_FALSE(calls_[0].body);
}

TEST_F(HttpCallTest, ATrickleOfABodyHasItsTime) {
  // Given a body that comes byte by byte, when its time is over, then the connection ends although bytes still come.
  start({.message_timeout = 500ms});
  RawPeer& one = peer();
  one.say(head("POST /api/echo", "Content-Length: 100000\r\n"));
  EXPECT_TRUE(until([&] { return one.say("x"), one.hear(), one.ended; }));
  EXPECT_FALSE(calls_[0].body);
}

TEST_F(HttpCallTest, WhoWaitsToBeToldMayGoOn) {
  // Given a client that waits for 100 Continue before its body, as curl does, when its head is accepted, then it is told to go on.
  start();
  RawPeer& one = peer();
  one.say(head("POST /api/echo", "Content-Length: 4\r\nExpect: 100-continue\r\n"));
  ASSERT_TRUE(hears(one, "HTTP/1.1 100 Continue\r\n\r\n"));
  one.say("body");
  EXPECT_TRUE(until([&] { return one.hear().ends_with("body"); }));
}

TEST_F(HttpCallTest, AHeldBodyComesOnceItIsReleased) {
  // Given calls that hold their bodies, when a body of 3 MiB is sent, then it does not come; when one is released, then it comes whole; when another one is refused instead, then its peer hears that, and no body came.
  start();
  for (const bool refuses : {false, true}) {
    calls_.clear();
    RawPeer& one = peer();
    std::string bytes = post("/api/held", std::string(3 << 20, 'b'));
    const auto say_more = [&] {
      bytes.erase(0, one.say(bytes));
      return false;
    };
    loop_.run_until(say_more, 300ms);
    ASSERT_EQ(calls_.size(), 1u);
    EXPECT_FALSE(calls_[0].body);
    if (refuses) {
      calls_[0].response->reply(HttpReply::text(401, "who are you?"));
      EXPECT_TRUE(until([&] { return say_more(), one.hear(), one.ended; }));
      EXPECT_EQ(one.heard.find("HTTP/1.1 401"), 0u) << one.heard;
      EXPECT_FALSE(calls_[0].body);
    } else {
      calls_[0].response->release_body();
      EXPECT_TRUE(until([&] { return say_more(), calls_[0].body.has_value(); }));
      EXPECT_EQ(calls_[0].body->size(), 3u << 20);
    }
  }
}

TEST_F(HttpCallTest, WhoGoesAwayWhileItsBodyIsHeldEndsItsCall) {
  // Given a call that holds its body, when its peer goes away, then the call ends at the latest when a request's time is over.
  start({.handshake_timeout_s = 1});
  {
    RawPeer gone(server_->port());
    gone.say(head("POST /api/held", "Content-Length: 1000\r\n") + "half");
    ASSERT_TRUE(until([&] { return calls_.size() == 1; }));
  }
  EXPECT_TRUE(until([&] { return calls_[0].ended; }));
}

TEST_F(HttpCallTest, ACallThatThrowsEndsItsConnection) {
  // Given a call that throws, when its body came, then its connection ends, and others are served.
  start();
  RawPeer &bad = peer(), &good = peer();
  bad.say(post("/api/throw", "x"));
  EXPECT_TRUE(hears_end(bad));
  good.say(post("/api/echo", "fine"));
  EXPECT_TRUE(hears(good, "fine"));
}

}  // namespace
}  // namespace hone::net
