#include "tracker/fleet_statements.h"

#include <array>

#include "base/cat.h"
#include "base/json_text.h"
#include "tracker/limits.h"

namespace hone::tracker {

namespace {

using sql::Command;
using Commands = std::vector<Command>;

constexpr std::array<const char*, 3> kHoldNames{"", "maintenance", "quarantined"};  // of Hold

int64_t whole(uint64_t value) { return static_cast<int64_t>(value); }

void add(const StoredToken& t, const std::string&, Commands& to) {
  to.push_back({"INSERT INTO fleet_tokens (token_id, token_hash, role, name, created_unix_ms, expires_unix_ms, revoked_unix_ms, used_unix_ms, idle_ms_max, devices_max, jobs_max, bytes_max) "
                "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (token_id) DO UPDATE SET "
                "token_hash = excluded.token_hash, role = excluded.role, name = excluded.name, created_unix_ms = excluded.created_unix_ms, "
                "expires_unix_ms = excluded.expires_unix_ms, revoked_unix_ms = excluded.revoked_unix_ms, used_unix_ms = excluded.used_unix_ms, "
                "idle_ms_max = excluded.idle_ms_max, devices_max = excluded.devices_max, jobs_max = excluded.jobs_max, bytes_max = excluded.bytes_max",
                {t.token_id, t.token_hash, std::string(protocol::to_name(t.role)), t.name, t.created_unix_ms, t.expires_unix_ms, t.revoked_unix_ms, t.used_unix_ms, t.idle_ms_max,
                 whole(t.quota.devices_max), whole(t.quota.jobs_max), whole(t.quota.bytes_max)}});
}

void add(const StoredMember& m, const std::string&, Commands& to) {
  to.push_back({"INSERT INTO fleet_members (physical_id, said_key, device_key) VALUES ($1, $2, $3) ON CONFLICT (physical_id, said_key) DO UPDATE SET device_key = excluded.device_key",
                {m.physical_id, m.said_key, m.device_key}});
}

void add(const StoredClass& c, const std::string&, Commands& to) {
  to.push_back({"INSERT INTO fleet_classes (device_key, said_key, arithmetic_gflops, memory_gb_s) VALUES ($1, $2, $3, $4) ON CONFLICT (device_key) DO UPDATE SET "
                "said_key = excluded.said_key, arithmetic_gflops = excluded.arithmetic_gflops, memory_gb_s = excluded.memory_gb_s",
                {c.device_key, c.said_key, c.arithmetic_gflops, c.memory_gb_s}});
}

void add(const StoredAgent& a, const std::string&, Commands& to) {
  to.push_back({"INSERT INTO fleet_agents (agent_id, agent_name, resume_hash, launch_hash, created_unix_ms, seen_unix_ms) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (agent_id) DO UPDATE SET "
                "agent_name = excluded.agent_name, resume_hash = excluded.resume_hash, launch_hash = excluded.launch_hash, seen_unix_ms = excluded.seen_unix_ms",
                {a.agent_id, a.agent_name, a.resume_hash, a.launch_hash, a.created_unix_ms, a.seen_unix_ms}});
}

void add(const StoredDevice& d, const std::string&, Commands& to) {
  const std::string fingerprint = json_line(to_json(*d.fingerprint));
  to.push_back({"INSERT INTO fleet_fingerprints (json) VALUES ($1) ON CONFLICT DO NOTHING", {fingerprint}});
  to.push_back({"INSERT INTO fleet_devices (device_id, agent_id, local_id, device_key, fingerprint_id, timer_json, fence, created_unix_ms, seen_unix_ms, physical_id, label, hold, hold_reason) "
                "VALUES ($1, $2, $3, $4, (SELECT fingerprint_id FROM fleet_fingerprints WHERE json = $5), $6, $7, $8, $9, $10, $11, $12, $13) "
                "ON CONFLICT (device_id) DO UPDATE SET device_key = excluded.device_key, fingerprint_id = excluded.fingerprint_id, timer_json = excluded.timer_json, "
                "fence = CASE WHEN fleet_devices.fence < excluded.fence THEN excluded.fence ELSE fleet_devices.fence END, "
                "seen_unix_ms = excluded.seen_unix_ms, physical_id = excluded.physical_id, label = excluded.label, hold = excluded.hold, hold_reason = excluded.hold_reason",
                {d.device_id, d.agent_id, d.local_id, d.device_key, fingerprint, json_line(to_json(d.timer)), whole(d.fence), d.created_unix_ms, d.seen_unix_ms, d.physical_id, d.label,
                 hold_name(d.hold), d.hold_reason}});
}

void add(const DeviceUse& u, const std::string& database, Commands& to) {
  to.push_back({"UPDATE fleet_devices SET fence = CASE WHEN fence < $1 THEN $1 ELSE fence END, seen_unix_ms = $2 WHERE device_id = $3",
                {whole(u.fence), u.seen_unix_ms, u.device_id},
                Error{ErrorCode::kIoError, cat("the database ", database, " does not know the device ", u.device_id, ": what its agent said of it could not be stored")}});
}

void add(const StoredLease& l, const std::string&, Commands& to) {
  to.push_back({"INSERT INTO fleet_leases (lease_id, device_id, fence, job, \"user\", granted_unix_ms, ended_unix_ms, end_reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
                "ON CONFLICT (lease_id) DO UPDATE SET ended_unix_ms = excluded.ended_unix_ms, end_reason = excluded.end_reason",
                {l.lease_id, l.device_id, whole(l.fence), l.job, l.user, l.granted_unix_ms, l.ended_unix_ms, l.end_reason}});
  to.push_back({"DELETE FROM fleet_leases WHERE device_id = $1 AND fence <= $2 AND ended_unix_ms > 0", {l.device_id, whole(l.fence) - kEndedLeasesKept}});
}

void add(const protocol::DeviceEvent& e, const std::string&, Commands& to) {
  const std::string kind(protocol::to_name(e.kind));
  to.push_back({"INSERT INTO fleet_events (device_id, unix_ms, kind, \"user\", text) VALUES ($1, $2, $3, $4, $5)", {e.device_id, whole(e.unix_ms), kind, e.user, e.text}});
  to.push_back({"DELETE FROM fleet_events WHERE device_id = $1 AND kind = $2 AND event_id <= (SELECT event_id FROM fleet_events WHERE device_id = $1 AND kind = $2 "
                "ORDER BY event_id DESC LIMIT 1 OFFSET $3)",
                {e.device_id, kind, int64_t{kEventsKept}}});
}

void add(const ForgottenEvents& old, const std::string&, Commands& to) { to.push_back({"DELETE FROM fleet_events WHERE unix_ms < $1", {old.before_unix_ms}}); }

void add(const ForgottenDevice& d, const std::string&, Commands& to) {
  for (const char* sql : {"DELETE FROM fleet_leases WHERE device_id = $1", "DELETE FROM fleet_events WHERE device_id = $1", "DELETE FROM fleet_devices WHERE device_id = $1"})
    to.push_back({sql, {d.device_id}});
}

void add(const ForgottenAgent& a, const std::string&, Commands& to) { to.push_back({"DELETE FROM fleet_agents WHERE agent_id = $1", {a.agent_id}}); }

void add(const ForgottenToken& t, const std::string&, Commands& to) { to.push_back({"DELETE FROM fleet_tokens WHERE token_id = $1", {t.token_id}}); }

}  // namespace

std::string hold_name(Hold hold) { return kHoldNames[static_cast<size_t>(hold)]; }

Hold hold_named(const std::string& name) {
  for (size_t i = 1; i < kHoldNames.size(); ++i)
    if (name == kHoldNames[i]) return static_cast<Hold>(i);
  return Hold::kNone;
}

void add_statements(const Write& write, const std::string& database, std::vector<Command>& commands) {
  std::visit([&](const auto& one) { add(one, database, commands); }, write);
}

}  // namespace hone::tracker
