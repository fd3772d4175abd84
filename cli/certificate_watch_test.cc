#include "cli/certificate_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace hone::cli {
namespace {

using namespace std::chrono_literals;

TEST(CertificateWatch, TakesWhatWasRenewedOnce) {
  // Given a certificate's files that are looked at, when they are replaced, first by what does not belong together, then the one before stays; when they are whole, then the new one is used, once,
  // on the loop's thread.
  net::EventLoop loop;
  std::atomic<int> phase = 0, reads = 0;
  std::vector<std::string> used;
  CertificateWatch watch(loop, {.read = [&]() -> Result<ServerTls> {
                                  ++reads;
                                  if (phase == 1) return Error{ErrorCode::kBadCertificate, "the key is another one's"};
                                  return ServerTls{.certified = {.certificate = phase == 0 ? "old" : "new", .key = "k"}};
                                },
                                .shown = {.certificate = "old", .key = "k"},
                                .use = [&](const net::Certified& certified) {
                                  EXPECT_TRUE(loop.on_thread());
                                  used.push_back(certified.certificate);
                                  return ok_status();
                                },
                                .every = 1ms});
  net::Timer tick(loop);  // wakes run_until
  tick.start_repeating(5ms, [] {});
  const auto looks = [&](int more) {
    const int until = reads + more;
    return loop.run_until([&] { return reads >= until; }, 10s);
  };
  ASSERT_TRUE(looks(3));
  phase = 1;
  ASSERT_TRUE(looks(3));
  EXPECT_TRUE(used.empty());
  phase = 2;
  ASSERT_TRUE(loop.run_until([&] { return !used.empty(); }, 10s));
  ASSERT_TRUE(looks(3));
  EXPECT_EQ(used, std::vector<std::string>{"new"});
}

}  // namespace
}  // namespace hone::cli
