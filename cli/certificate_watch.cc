#include "cli/certificate_watch.h"

#include <utility>

#include "base/cat.h"
#include "base/log.h"

namespace hone::cli {

CertificateWatch::CertificateWatch(net::EventLoop& loop, Config config)
    : loop_(loop), config_(std::move(config)), seen_(config_.shown.certificate), thread_([this] { run(); }) {}

CertificateWatch::~CertificateWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void CertificateWatch::run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, config_.every, [this] { return stopping_; })) {
    lock.unlock();
    look();
    lock.lock();
  }
}

// Whoever renews it may be between its two files: then they do not belong together yet.
void CertificateWatch::look() {
  const auto now = config_.read();
  const std::string why = now.ok() ? "" : now.error().message;
  if (std::exchange(why_, why) != why && !why.empty()) log_warn(cat("the certificate's files cannot be used now, and the one before stays: ", why));
  if (!now.ok() || std::exchange(seen_, now->certified.certificate) == now->certified.certificate) return;
  loop_.post([weak = std::weak_ptr(self_), certified = now->certified] {
    if (const auto self = weak.lock()) self->take(certified);
  });
}

void CertificateWatch::take(const net::Certified& certified) {
  const Status used = config_.use(certified);
  if (used.ok()) log_info("the renewed certificate is shown from here on");
  else log_warn(cat("the renewed certificate cannot be used, and the one before stays: ", used.error().message));
}

}  // namespace hone::cli
