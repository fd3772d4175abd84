// DeviceClasses: which class a device is of. Browsers hide what a GPU is: an M1 and an M3 Max, or two cards of one architecture, say the same of
// themselves. So devices that do are told apart by what their agents measured of them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "schema/generated/protocol.h"
#include "tracker/outcome.h"

namespace hone::tracker {

// What is compared of two devices that say the same. 0: not measured. What a launch costs is no part of it: it is the processor's and the
// browser's, and changes with their load.
struct Signature {
  double arithmetic_gflops = 0, memory_gb_s = 0;
};
Signature signature_of(const protocol::Fingerprint& fingerprint);
// No figure that both have differs by more than kSignatureRatioMax (limits.h).
bool agree(const Signature& a, const Signature& b);

class DeviceClasses {
 public:
  void restore(const std::vector<StoredClass>& classes, const std::vector<StoredMember>& members);
  // The class of a device: that which it was found to be of before (it is slower today, perhaps), by its physical_id, or by `known_key` where that is
  // a class of devices that say the same; else the one whose founder is most like it, if that agrees with it; else a new one, which is written. The first class of devices that say the
  // same has the key of what they say, so that two databases call it the same.
  std::string class_of(const protocol::Fingerprint& fingerprint, const std::string& physical_id,
                       const std::string& known_key, Outcome& out);

 private:
  std::string choose(const std::string& said_key, const Signature& signature, const std::string& known_key,
                     Outcome& out);
  StoredClass& found(const std::string& said_key, std::string device_key, const Signature& signature, Outcome& out);

  std::map<std::string, std::vector<StoredClass>> by_said_key_;
  std::map<std::pair<std::string, std::string>, std::string> members_;  // device_key by physical_id and said_key
};

}  // namespace hone::tracker
