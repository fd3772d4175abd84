// Store: what the tracker keeps over a restart. Interface; sqlite_store.h is the default.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "schema/generated/protocol.h"
#include "tracker/fingerprints.h"

namespace hone::tracker {

struct StoredAgent {
  std::string agent_id, agent_name;
  std::string resume_hash, launch_hash;  // SHA-256 of the secrets that let it come back; "" = none
  int64_t created_unix_ms = 0, seen_unix_ms = 0;
};

// What people put on a device; none: it is in service.
enum class Hold : uint8_t { kNone, kMaintenance, kQuarantined };

struct StoredDevice {
  std::string device_id, agent_id, local_id, device_key;
  FingerprintPtr fingerprint = std::make_shared<protocol::Fingerprint>();
  protocol::Timer timer;
  uint64_t fence = 0;  // of its latest lease
  int64_t created_unix_ms = 0, seen_unix_ms = 0;
  std::string physical_id, label;  // the id that its agent keeps, and what people call it; "" = unknown
  Hold hold = Hold::kNone;
  std::string hold_reason;  // as somebody said; "" = nobody did
};

// What changes of a device with each lease and each goodbye. Only of one that is stored.
struct DeviceUse {
  std::string device_id;
  uint64_t fence = 0;
  int64_t seen_unix_ms = 0;
};

struct StoredClass {
  std::string device_key, said_key;
  double arithmetic_gflops = 0, memory_gb_s = 0;  // device_classes.h
};

// A device stays of the class that it was found to be of.
struct StoredMember {
  std::string physical_id, said_key, device_key;
};

struct StoredLease {
  std::string lease_id, device_id;
  uint64_t fence = 0;
  std::string job, user;
  int64_t granted_unix_ms = 0, ended_unix_ms = 0;  // ended: 0 while it lives
  std::string end_reason;
};

struct StoredToken {
  std::string token_id, token_hash;  // SHA-256, 64 hexadecimal digits
  protocol::Role role = protocol::Role::kAgent;
  std::string name;
  int64_t created_unix_ms = 0, expires_unix_ms = 0, revoked_unix_ms = 0, used_unix_ms = 0;  // 0: never
  int64_t idle_ms_max = 0;  // each use moves its end so far into the future; 0: it stays
  protocol::Quota quota;
};

struct ForgottenDevice {
  std::string device_id;
};
struct ForgottenAgent {  // whose devices are forgotten
  std::string agent_id;
};
struct ForgottenToken {
  std::string token_id;
};
struct ForgottenEvents {  // all that are older
  int64_t before_unix_ms = 0;
};

// Inserts, or replaces the one with the same id; or deletes it, a device with its leases and events. An event is of a device that is stored; of each
// of its kinds the latest kEventsKept stay.
using Write = std::variant<StoredAgent, StoredDevice, DeviceUse, StoredLease, StoredClass, StoredMember, StoredToken, protocol::DeviceEvent,
                           ForgottenDevice, ForgottenAgent, ForgottenToken, ForgottenEvents>;

struct StoredFleet {
  std::vector<StoredAgent> agents;
  std::vector<StoredDevice> devices;
  std::vector<StoredLease> open_leases;
  std::vector<StoredClass> classes;
  std::vector<StoredMember> members;
  std::vector<StoredToken> tokens;
};

// One thread at a time.
class Store {
 public:
  virtual ~Store() = default;
  virtual Result<StoredFleet> load() = 0;
  // All or nothing, on disk when it returns.
  virtual Status commit(const std::vector<Write>& writes) = 0;
  // What happened to these devices, their leases among it, oldest first; the latest `count_max`.
  virtual Result<std::vector<protocol::DeviceEvent>> history(const std::vector<std::string>& device_ids, size_t count_max) = 0;
};

}  // namespace hone::tracker
