// EnrolmentCodes: codes that let one agent in, once, within ten minutes. In memory alone: none outlives the service, so that none can be shown again
// after a restart. Pure.
#pragma once
#include <map>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "tracker/limits.h"
#include "tracker/registry.h"

namespace hone::tracker {

class EnrolmentCodes {
 public:
  EnrolmentCodes(const Clock& steady, MakeSecret make_secret) : steady_(steady), make_secret_(std::move(make_secret)) {}

  // Fails: kLimitExceeded while too many wait.
  Result<std::string> make(const std::string& name);
  // The name that it was made with; it is used from here on. Fails: kUnauthorized, when it is unknown, used or expired.
  Result<std::string> take(const std::string& code);
  // What it was taken for did not come about.
  void give_back(const std::string& code);

 private:
  struct Code {
    std::string name;
    std::chrono::milliseconds expires{0};
    bool used = false;
  };
  void forget_old();

  const Clock& steady_;
  const MakeSecret make_secret_;
  std::map<std::string, Code> codes_;  // by hash; the ended ones for a while, so that whoever comes late learns why
};

}  // namespace hone::tracker
