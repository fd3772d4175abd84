#include "tracker/enrolment_codes.h"

#include "base/cat.h"
#include "base/sha256.h"

namespace hone::tracker {

namespace {
constexpr std::string_view kRemedy = "; ask for another one with hone enroll";
}  // namespace

Result<std::string> EnrolmentCodes::make(const std::string& name) {
  forget_old();
  if (codes_.size() >= kCodesMax)
    return Error{ErrorCode::kLimitExceeded, cat("found ", codes_.size(), " enrolment codes of the last ", 2 * kCodeLifetime.count(),
                                                " minutes, as many as the service keeps; use one of them, or wait")};
  std::string code = make_secret_();
  codes_[sha256_hex(code)] = {.name = name, .expires = steady_.now() + kCodeLifetime};
  return code;
}

Result<std::string> EnrolmentCodes::take(const std::string& code) {
  const auto found = codes_.find(sha256_hex(code));
  if (found == codes_.end())
    return Error{ErrorCode::kUnauthorized, cat("the enrolment code is unknown, or the service was restarted since", kRemedy)};
  if (found->second.used)
    return Error{ErrorCode::kUnauthorized, cat("the enrolment code was used before, and it lets in once", kRemedy)};
  if (found->second.expires <= steady_.now())
    return Error{ErrorCode::kUnauthorized, cat("the enrolment code is older than ", kCodeLifetime.count(), " minutes", kRemedy)};
  found->second.used = true;
  return found->second.name;
}

void EnrolmentCodes::give_back(const std::string& code) {
  const auto found = codes_.find(sha256_hex(code));
  if (found != codes_.end()) found->second.used = false;
}

void EnrolmentCodes::forget_old() {
  std::erase_if(codes_, [&](const auto& entry) { return entry.second.expires + kCodeLifetime <= steady_.now(); });
}

}  // namespace hone::tracker
