// CertificateWatch: takes a renewed certificate while the service runs: its files are read again once in kLookEvery, on a thread of its own.
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/net/event_loop.h"
#include "base/result.h"
#include "cli/tls_files.h"

namespace hone::cli {

class CertificateWatch {
 public:
  static constexpr std::chrono::milliseconds kLookEvery{60'000};  // a policy: certificates are renewed days before they end
  struct Config {
    std::function<Result<ServerTls>()> read;           // the files as they are now; on the thread
    net::Certified shown;                              // what is in use
    std::function<Status(const net::Certified&)> use;  // another one; on the loop's thread
    std::chrono::milliseconds every = kLookEvery;
  };
  CertificateWatch(net::EventLoop& loop, Config config);
  ~CertificateWatch();  // `use` is called no more

 private:
  void run();
  void look();
  void take(const net::Certified& certified);

  net::EventLoop& loop_;
  const Config config_;
  std::string seen_;  // the thread's: the certificate of the last look that could be read
  std::string why_;   // likewise: why it could not; "" = it could
  const std::shared_ptr<CertificateWatch> self_{this, [](CertificateWatch*) {}};  // lets what is posted see that it is gone
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;     // last: it uses all of the above
};

}  // namespace hone::cli
