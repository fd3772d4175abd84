// Limits of the tracker. The times are the defaults; tests shorten them.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace hone::tracker {

struct Limits {
  std::chrono::milliseconds heartbeat{1'000};  // how often an agent sends one
  std::chrono::milliseconds heartbeat_timeout{
      8'000};  // silence after which it is stuck; restarted within 15 s by its launcher
  std::chrono::milliseconds lease_ttl{15'000};     // a lease ends so long after the last heartbeat
  std::chrono::milliseconds progress_deadline{600'000};  // a lease ends so long after its session's last answer
  std::chrono::milliseconds term_max{1'800'000};  // of a lease, while another job waits for its device
  std::chrono::milliseconds priority_age{60'000};  // a waiting request gains one step of priority in this time

  // What is remembered of devices that are gone and unleased; the oldest go first. One that comes back afterwards is a new one to people, and
  // the same to records, which know devices by their keys. One takes 2 KiB beside its fingerprint, of which an honest farm has few that differ:
  // 8 KiB usually, 64 KiB at most.
  size_t gone_devices_max = 100'000;
  size_t fingerprint_bytes_max = 64 << 20;  // of all devices, each distinct one once
};

inline constexpr std::chrono::milliseconds kTick{200};        // how often deadlines are looked at
inline constexpr std::chrono::milliseconds kPauseMin{2'000};  // between two looks: the process itself did not run
inline constexpr size_t kControlFrameBytesMax = 64 << 10;
inline constexpr size_t kControlFramesPerSecondMax = 200;  // of one agent
inline constexpr size_t kWaitingMax = 1'000;               // requests
inline constexpr size_t kReservedMax = 16;                 // devices of one request
inline constexpr size_t kSessionTokensMax = 4;             // unused ones of one lease; older ones are dropped
inline constexpr size_t kSelectorTermsMax = 32;

// Of compile servers that are processes of their own.
inline constexpr size_t kServerFrameBytesMax = 256 << 10;               // of what they send, once they are known
inline constexpr const char* kRelayPath = "/ws/relay";
inline constexpr std::chrono::milliseconds kRelayDialMax{10'000};       // for the server's end of a relayed session
inline constexpr size_t kServersMax = 64;                               // each with its leases, those included that are cut off
inline constexpr std::chrono::milliseconds kProgressToldEvery{1'000};  // of one lease

// Of several trackers on one database. Who has the farm says so each beat; another one takes it when nothing was said for the lease. A beat may be lost, or wait for the disk of a busy
// database, some times over before that.
inline constexpr std::chrono::milliseconds kLeaderBeat{1'000}, kLeaderLease{10'000};
inline constexpr std::chrono::hours kTrackerKept{24};  // of one that is away: agents and servers try it, too
inline constexpr size_t kTrackersMax = 64;

// Two devices that say the same of themselves are of one class where each figure that was measured of both is within this ratio: more than heat
// and other work take from a GPU for long, less than what cards of one family differ by (RTX 4070 and 4080, M1 and M1 Pro: 1.7 and 2 times).
inline constexpr double kSignatureRatioMax = 1.4;
inline constexpr double kSignatureMax = 1e9;  // of either figure; beyond any device
inline constexpr size_t kMembersMax =
    100'000;  // devices and targets whose class is kept; further ones are told by what was measured
inline constexpr size_t kClassesMax = 64;  // of devices that say the same; the nearest is taken then

// For how long devices that are gone and unleased are remembered, where there are not too many.
inline constexpr std::chrono::hours kGoneDeviceAgeMax{24 * 90};
inline constexpr std::chrono::minutes kForgetEvery{
    60};  // for those whose time is over; that there are too many is looked at when one goes
inline constexpr int64_t kEndedLeasesKept = 100;  // of one device

// A page of the device list is full when it has so many devices, or so many bytes. They are looked at a few at once: one takes 2 to 8 KiB, or all
// of an agent's 64 KiB hello.
inline constexpr size_t kDevicesPerPage = 256;
inline constexpr size_t kDevicesPageBytes = 256 << 10;
inline constexpr size_t kDevicesAtOnce = 4;

// What is remembered of a device that happened to it. Of each kind, so that one that comes and goes all day keeps who drained it.
inline constexpr int64_t kEventsKept = 20;                            // of one device and kind
inline constexpr std::chrono::hours kEventAgeMax = kGoneDeviceAgeMax;
inline constexpr std::chrono::minutes kHealthEventEvery{1};  // an agent that changes faster has a turn of it written once in this time
inline constexpr size_t kHistoryShownMax = 200;              // events of one answer
inline constexpr size_t kHistoryIdsMax = 16;                 // ids of one physical device whose events it has, the latest

// Tokens and the codes that are exchanged for them.
inline constexpr std::chrono::minutes kCodeLifetime{10};
inline constexpr size_t kCodesMax = 1'000;
inline constexpr size_t kTokenBytesMax = 128;                 // of what is shown; the protocol's
inline constexpr size_t kTokensMax = 10'000;                  // those that ended among them
inline constexpr std::chrono::hours kTokenUseStep{1};         // how coarse it is kept when a token was shown
inline constexpr std::chrono::seconds kVisitsLookedAt{1};     // how often it is asked whether the tokens of those who are connected are good
inline constexpr std::chrono::hours kEnrolledIdleMax{24 * 90};  // an enrolled agent that did not come back for so long enrols anew
inline constexpr std::chrono::hours kEndedTokensKept{24 * 90};

}  // namespace hone::tracker
