// Generated from schema/protocol.json by scripts/gen_schema. Do not edit.
#include "schema/generated/protocol.h"

namespace hone::protocol {
bool read_fields(const nlohmann::json& json, RecordPlace& value, std::string& error);
bool read_fields(const nlohmann::json& json, Fingerprint& value, std::string& error);
bool read_fields(const nlohmann::json& json, Timer& value, std::string& error);
bool read_fields(const nlohmann::json& json, DeviceOffer& value, std::string& error);
bool read_fields(const nlohmann::json& json, DeviceGrant& value, std::string& error);
bool read_fields(const nlohmann::json& json, Buffer& value, std::string& error);
bool read_fields(const nlohmann::json& json, ExpectedOutput& value, std::string& error);
bool read_fields(const nlohmann::json& json, Expected& value, std::string& error);
bool read_fields(const nlohmann::json& json, InputSet& value, std::string& error);
bool read_fields(const nlohmann::json& json, Texture& value, std::string& error);
bool read_fields(const nlohmann::json& json, Binding& value, std::string& error);
bool read_fields(const nlohmann::json& json, Launch& value, std::string& error);
bool read_fields(const nlohmann::json& json, ArgLayout& value, std::string& error);
bool read_fields(const nlohmann::json& json, Candidate& value, std::string& error);
bool read_fields(const nlohmann::json& json, MeasurePolicy& value, std::string& error);
bool read_fields(const nlohmann::json& json, PlanKernel& value, std::string& error);
bool read_fields(const nlohmann::json& json, PlanLaunch& value, std::string& error);
bool read_fields(const nlohmann::json& json, PlanLoop& value, std::string& error);
bool read_fields(const nlohmann::json& json, PlanUpload& value, std::string& error);
bool read_fields(const nlohmann::json& json, PlanOutput& value, std::string& error);
bool read_fields(const nlohmann::json& json, RivalPlan& value, std::string& error);
bool read_fields(const nlohmann::json& json, Failure& value, std::string& error);
bool read_fields(const nlohmann::json& json, LeaseInfo& value, std::string& error);
bool read_fields(const nlohmann::json& json, DeviceInfo& value, std::string& error);
bool read_fields(const nlohmann::json& json, DeviceEvent& value, std::string& error);
bool read_fields(const nlohmann::json& json, Quota& value, std::string& error);
bool read_fields(const nlohmann::json& json, TokenInfo& value, std::string& error);
bool read_fields(const nlohmann::json& json, LeaseWish& value, std::string& error);
bool read_fields(const nlohmann::json& json, LeaseGrant& value, std::string& error);
bool read_fields(const nlohmann::json& json, JobSource& value, std::string& error);
bool read_fields(const nlohmann::json& json, RunInput& value, std::string& error);
bool read_fields(const nlohmann::json& json, RunOptions& value, std::string& error);
bool read_fields(const nlohmann::json& json, CompareOptions& value, std::string& error);
bool read_fields(const nlohmann::json& json, CompareBuildsOptions& value, std::string& error);
bool read_fields(const nlohmann::json& json, TuneOptions& value, std::string& error);
bool read_fields(const nlohmann::json& json, JobInfo& value, std::string& error);
bool read_fields(const nlohmann::json& json, JobRequest& value, std::string& error);
bool read_fields(const nlohmann::json& json, Hello& value, std::string& error);
bool read_fields(const nlohmann::json& json, Welcome& value, std::string& error);
bool read_fields(const nlohmann::json& json, Heartbeat& value, std::string& error);
bool read_fields(const nlohmann::json& json, HeartbeatAck& value, std::string& error);
bool read_fields(const nlohmann::json& json, DeviceState& value, std::string& error);
bool read_fields(const nlohmann::json& json, OpenSession& value, std::string& error);
bool read_fields(const nlohmann::json& json, CloseSession& value, std::string& error);
bool read_fields(const nlohmann::json& json, Drain& value, std::string& error);
bool read_fields(const nlohmann::json& json, SessionHello& value, std::string& error);
bool read_fields(const nlohmann::json& json, SessionWelcome& value, std::string& error);
bool read_fields(const nlohmann::json& json, PrepareTask& value, std::string& error);
bool read_fields(const nlohmann::json& json, TaskReady& value, std::string& error);
bool read_fields(const nlohmann::json& json, Measure& value, std::string& error);
bool read_fields(const nlohmann::json& json, CandidateResult& value, std::string& error);
bool read_fields(const nlohmann::json& json, ResultAck& value, std::string& error);
bool read_fields(const nlohmann::json& json, BatchDone& value, std::string& error);
bool read_fields(const nlohmann::json& json, Timing& value, std::string& error);
bool read_fields(const nlohmann::json& json, Cancel& value, std::string& error);
bool read_fields(const nlohmann::json& json, Release& value, std::string& error);
bool read_fields(const nlohmann::json& json, Execute& value, std::string& error);
bool read_fields(const nlohmann::json& json, Executed& value, std::string& error);
bool read_fields(const nlohmann::json& json, FetchBlob& value, std::string& error);
bool read_fields(const nlohmann::json& json, BlobPiece& value, std::string& error);
bool read_fields(const nlohmann::json& json, ClientHello& value, std::string& error);
bool read_fields(const nlohmann::json& json, ClientWelcome& value, std::string& error);
bool read_fields(const nlohmann::json& json, ListDevices& value, std::string& error);
bool read_fields(const nlohmann::json& json, Devices& value, std::string& error);
bool read_fields(const nlohmann::json& json, LabelDevice& value, std::string& error);
bool read_fields(const nlohmann::json& json, DeviceLabelled& value, std::string& error);
bool read_fields(const nlohmann::json& json, ManageDevice& value, std::string& error);
bool read_fields(const nlohmann::json& json, DeviceManaged& value, std::string& error);
bool read_fields(const nlohmann::json& json, ShowDevice& value, std::string& error);
bool read_fields(const nlohmann::json& json, DeviceShown& value, std::string& error);
bool read_fields(const nlohmann::json& json, SubmitJob& value, std::string& error);
bool read_fields(const nlohmann::json& json, JobAccepted& value, std::string& error);
bool read_fields(const nlohmann::json& json, JobProgress& value, std::string& error);
bool read_fields(const nlohmann::json& json, JobDone& value, std::string& error);
bool read_fields(const nlohmann::json& json, JobFailed& value, std::string& error);
bool read_fields(const nlohmann::json& json, CancelJob& value, std::string& error);
bool read_fields(const nlohmann::json& json, AttachJob& value, std::string& error);
bool read_fields(const nlohmann::json& json, ListJobs& value, std::string& error);
bool read_fields(const nlohmann::json& json, Jobs& value, std::string& error);
bool read_fields(const nlohmann::json& json, CancelAccepted& value, std::string& error);
bool read_fields(const nlohmann::json& json, ShowJob& value, std::string& error);
bool read_fields(const nlohmann::json& json, JobShown& value, std::string& error);
bool read_fields(const nlohmann::json& json, WatchFleet& value, std::string& error);
bool read_fields(const nlohmann::json& json, FleetWatched& value, std::string& error);
bool read_fields(const nlohmann::json& json, DeviceChanged& value, std::string& error);
bool read_fields(const nlohmann::json& json, JobChanged& value, std::string& error);
bool read_fields(const nlohmann::json& json, WatchAgent& value, std::string& error);
bool read_fields(const nlohmann::json& json, AgentState& value, std::string& error);
bool read_fields(const nlohmann::json& json, FetchRecords& value, std::string& error);
bool read_fields(const nlohmann::json& json, Records& value, std::string& error);
bool read_fields(const nlohmann::json& json, CreateEnrolment& value, std::string& error);
bool read_fields(const nlohmann::json& json, Enrolment& value, std::string& error);
bool read_fields(const nlohmann::json& json, ListTokens& value, std::string& error);
bool read_fields(const nlohmann::json& json, Tokens& value, std::string& error);
bool read_fields(const nlohmann::json& json, CreateToken& value, std::string& error);
bool read_fields(const nlohmann::json& json, TokenCreated& value, std::string& error);
bool read_fields(const nlohmann::json& json, RevokeToken& value, std::string& error);
bool read_fields(const nlohmann::json& json, TokenRevoked& value, std::string& error);
bool read_fields(const nlohmann::json& json, RotateToken& value, std::string& error);
bool read_fields(const nlohmann::json& json, ServerHello& value, std::string& error);
bool read_fields(const nlohmann::json& json, ServerWelcome& value, std::string& error);
bool read_fields(const nlohmann::json& json, ServerBeat& value, std::string& error);
bool read_fields(const nlohmann::json& json, ServerBeatAck& value, std::string& error);
bool read_fields(const nlohmann::json& json, Reserve& value, std::string& error);
bool read_fields(const nlohmann::json& json, LeasesGranted& value, std::string& error);
bool read_fields(const nlohmann::json& json, CancelReservation& value, std::string& error);
bool read_fields(const nlohmann::json& json, ReleaseLease& value, std::string& error);
bool read_fields(const nlohmann::json& json, LeaseLost& value, std::string& error);
bool read_fields(const nlohmann::json& json, LeaseProgress& value, std::string& error);
bool read_fields(const nlohmann::json& json, RedeemSession& value, std::string& error);
bool read_fields(const nlohmann::json& json, SessionRedeemed& value, std::string& error);
bool read_fields(const nlohmann::json& json, ReopenSession& value, std::string& error);
bool read_fields(const nlohmann::json& json, AskWhyNone& value, std::string& error);
bool read_fields(const nlohmann::json& json, WhyNone& value, std::string& error);
bool read_fields(const nlohmann::json& json, AskWhyNotReady& value, std::string& error);
bool read_fields(const nlohmann::json& json, WhyNotReady& value, std::string& error);
bool read_fields(const nlohmann::json& json, AdmitToken& value, std::string& error);
bool read_fields(const nlohmann::json& json, TokenAdmitted& value, std::string& error);
bool read_fields(const nlohmann::json& json, AttendToken& value, std::string& error);
bool read_fields(const nlohmann::json& json, LeaveToken& value, std::string& error);
bool read_fields(const nlohmann::json& json, TokenEnded& value, std::string& error);
bool read_fields(const nlohmann::json& json, RelaySession& value, std::string& error);
bool read_fields(const nlohmann::json& json, RelayHello& value, std::string& error);
bool read_fields(const nlohmann::json& json, ErrorReply& value, std::string& error);
}  // namespace hone::protocol

#include "schema/json_fields.h"

namespace hone::protocol {

std::string_view to_name(DeviceStateKind value) {
  switch (value) {
    case DeviceStateKind::kReady: return "ready";
    case DeviceStateKind::kLost: return "lost";
    case DeviceStateKind::kRecovering: return "recovering";
    case DeviceStateKind::kGone: return "gone";
    case DeviceStateKind::kStuck: return "stuck";
  }
  return "unknown";
}
bool from_name(std::string_view name, DeviceStateKind& value) {
  if (name == "ready") return value = DeviceStateKind::kReady, true;
  if (name == "lost") return value = DeviceStateKind::kLost, true;
  if (name == "recovering") return value = DeviceStateKind::kRecovering, true;
  if (name == "gone") return value = DeviceStateKind::kGone, true;
  if (name == "stuck") return value = DeviceStateKind::kStuck, true;
  return false;
}

std::string_view to_name(ServiceState value) {
  switch (value) {
    case ServiceState::kIdle: return "idle";
    case ServiceState::kLeased: return "leased";
    case ServiceState::kDraining: return "draining";
    case ServiceState::kMaintenance: return "maintenance";
    case ServiceState::kQuarantined: return "quarantined";
  }
  return "unknown";
}
bool from_name(std::string_view name, ServiceState& value) {
  if (name == "idle") return value = ServiceState::kIdle, true;
  if (name == "leased") return value = ServiceState::kLeased, true;
  if (name == "draining") return value = ServiceState::kDraining, true;
  if (name == "maintenance") return value = ServiceState::kMaintenance, true;
  if (name == "quarantined") return value = ServiceState::kQuarantined, true;
  return false;
}

std::string_view to_name(DeviceAction value) {
  switch (value) {
    case DeviceAction::kDrain: return "drain";
    case DeviceAction::kQuarantine: return "quarantine";
    case DeviceAction::kResume: return "resume";
    case DeviceAction::kForget: return "forget";
  }
  return "unknown";
}
bool from_name(std::string_view name, DeviceAction& value) {
  if (name == "drain") return value = DeviceAction::kDrain, true;
  if (name == "quarantine") return value = DeviceAction::kQuarantine, true;
  if (name == "resume") return value = DeviceAction::kResume, true;
  if (name == "forget") return value = DeviceAction::kForget, true;
  return false;
}

std::string_view to_name(DeviceEventKind value) {
  switch (value) {
    case DeviceEventKind::kConnected: return "connected";
    case DeviceEventKind::kGone: return "gone";
    case DeviceEventKind::kStuck: return "stuck";
    case DeviceEventKind::kLost: return "lost";
    case DeviceEventKind::kLeased: return "leased";
    case DeviceEventKind::kLeaseEnded: return "lease_ended";
    case DeviceEventKind::kLabelled: return "labelled";
    case DeviceEventKind::kDrained: return "drained";
    case DeviceEventKind::kQuarantined: return "quarantined";
    case DeviceEventKind::kResumed: return "resumed";
  }
  return "unknown";
}
bool from_name(std::string_view name, DeviceEventKind& value) {
  if (name == "connected") return value = DeviceEventKind::kConnected, true;
  if (name == "gone") return value = DeviceEventKind::kGone, true;
  if (name == "stuck") return value = DeviceEventKind::kStuck, true;
  if (name == "lost") return value = DeviceEventKind::kLost, true;
  if (name == "leased") return value = DeviceEventKind::kLeased, true;
  if (name == "lease_ended") return value = DeviceEventKind::kLeaseEnded, true;
  if (name == "labelled") return value = DeviceEventKind::kLabelled, true;
  if (name == "drained") return value = DeviceEventKind::kDrained, true;
  if (name == "quarantined") return value = DeviceEventKind::kQuarantined, true;
  if (name == "resumed") return value = DeviceEventKind::kResumed, true;
  return false;
}

std::string_view to_name(AgentStateKind value) {
  switch (value) {
    case AgentStateKind::kConnected: return "connected";
    case AgentStateKind::kGone: return "gone";
    case AgentStateKind::kStuck: return "stuck";
  }
  return "unknown";
}
bool from_name(std::string_view name, AgentStateKind& value) {
  if (name == "connected") return value = AgentStateKind::kConnected, true;
  if (name == "gone") return value = AgentStateKind::kGone, true;
  if (name == "stuck") return value = AgentStateKind::kStuck, true;
  return false;
}

std::string_view to_name(BufferRole value) {
  switch (value) {
    case BufferRole::kInput: return "input";
    case BufferRole::kConstant: return "constant";
    case BufferRole::kOutput: return "output";
  }
  return "unknown";
}
bool from_name(std::string_view name, BufferRole& value) {
  if (name == "input") return value = BufferRole::kInput, true;
  if (name == "constant") return value = BufferRole::kConstant, true;
  if (name == "output") return value = BufferRole::kOutput, true;
  return false;
}

std::string_view to_name(PadKind value) {
  switch (value) {
    case PadKind::kAny: return "any";
    case PadKind::kZero: return "zero";
  }
  return "unknown";
}
bool from_name(std::string_view name, PadKind& value) {
  if (name == "any") return value = PadKind::kAny, true;
  if (name == "zero") return value = PadKind::kZero, true;
  return false;
}

std::string_view to_name(BindingKind value) {
  switch (value) {
    case BindingKind::kArg: return "arg";
    case BindingKind::kTemp: return "temp";
  }
  return "unknown";
}
bool from_name(std::string_view name, BindingKind& value) {
  if (name == "arg") return value = BindingKind::kArg, true;
  if (name == "temp") return value = BindingKind::kTemp, true;
  return false;
}

std::string_view to_name(JobKind value) {
  switch (value) {
    case JobKind::kTune: return "tune";
    case JobKind::kBench: return "bench";
    case JobKind::kRun: return "run";
    case JobKind::kVerify: return "verify";
    case JobKind::kCompare: return "compare";
    case JobKind::kCompareBuilds: return "compare_builds";
  }
  return "unknown";
}
bool from_name(std::string_view name, JobKind& value) {
  if (name == "tune") return value = JobKind::kTune, true;
  if (name == "bench") return value = JobKind::kBench, true;
  if (name == "run") return value = JobKind::kRun, true;
  if (name == "verify") return value = JobKind::kVerify, true;
  if (name == "compare") return value = JobKind::kCompare, true;
  if (name == "compare_builds") return value = JobKind::kCompareBuilds, true;
  return false;
}

std::string_view to_name(ScheduleChoice value) {
  switch (value) {
    case ScheduleChoice::kBest: return "best";
    case ScheduleChoice::kSeed: return "seed";
    case ScheduleChoice::kNaive: return "naive";
  }
  return "unknown";
}
bool from_name(std::string_view name, ScheduleChoice& value) {
  if (name == "best") return value = ScheduleChoice::kBest, true;
  if (name == "seed") return value = ScheduleChoice::kSeed, true;
  if (name == "naive") return value = ScheduleChoice::kNaive, true;
  return false;
}

std::string_view to_name(CacheState value) {
  switch (value) {
    case CacheState::kHot: return "hot";
    case CacheState::kCold: return "cold";
    case CacheState::kModel: return "model";
  }
  return "unknown";
}
bool from_name(std::string_view name, CacheState& value) {
  if (name == "hot") return value = CacheState::kHot, true;
  if (name == "cold") return value = CacheState::kCold, true;
  if (name == "model") return value = CacheState::kModel, true;
  return false;
}

std::string_view to_name(JobPhase value) {
  switch (value) {
    case JobPhase::kQueued: return "queued";
    case JobPhase::kPreparing: return "preparing";
    case JobPhase::kWaitingForDevice: return "waiting_for_device";
    case JobPhase::kMeasuring: return "measuring";
    case JobPhase::kFinishing: return "finishing";
  }
  return "unknown";
}
bool from_name(std::string_view name, JobPhase& value) {
  if (name == "queued") return value = JobPhase::kQueued, true;
  if (name == "preparing") return value = JobPhase::kPreparing, true;
  if (name == "waiting_for_device") return value = JobPhase::kWaitingForDevice, true;
  if (name == "measuring") return value = JobPhase::kMeasuring, true;
  if (name == "finishing") return value = JobPhase::kFinishing, true;
  return false;
}

std::string_view to_name(JobState value) {
  switch (value) {
    case JobState::kQueued: return "queued";
    case JobState::kRunning: return "running";
    case JobState::kDone: return "done";
    case JobState::kFailed: return "failed";
    case JobState::kCancelled: return "cancelled";
    case JobState::kLost: return "lost";
  }
  return "unknown";
}
bool from_name(std::string_view name, JobState& value) {
  if (name == "queued") return value = JobState::kQueued, true;
  if (name == "running") return value = JobState::kRunning, true;
  if (name == "done") return value = JobState::kDone, true;
  if (name == "failed") return value = JobState::kFailed, true;
  if (name == "cancelled") return value = JobState::kCancelled, true;
  if (name == "lost") return value = JobState::kLost, true;
  return false;
}

std::string_view to_name(Role value) {
  switch (value) {
    case Role::kAgent: return "agent";
    case Role::kSubmitter: return "submitter";
    case Role::kAdmin: return "admin";
    case Role::kServer: return "server";
  }
  return "unknown";
}
bool from_name(std::string_view name, Role& value) {
  if (name == "agent") return value = Role::kAgent, true;
  if (name == "submitter") return value = Role::kSubmitter, true;
  if (name == "admin") return value = Role::kAdmin, true;
  if (name == "server") return value = Role::kServer, true;
  return false;
}

std::string_view to_name(RecordPart value) {
  switch (value) {
    case RecordPart::kTasks: return "tasks";
    case RecordPart::kDevices: return "devices";
    case RecordPart::kJobs: return "jobs";
    case RecordPart::kAttempts: return "attempts";
  }
  return "unknown";
}
bool from_name(std::string_view name, RecordPart& value) {
  if (name == "tasks") return value = RecordPart::kTasks, true;
  if (name == "devices") return value = RecordPart::kDevices, true;
  if (name == "jobs") return value = RecordPart::kJobs, true;
  if (name == "attempts") return value = RecordPart::kAttempts, true;
  return false;
}

nlohmann::json to_json(const RecordPlace& value) {
  nlohmann::json json = nlohmann::json::object();
  json["row"] = write(value.row);
  json["attempt"] = write(value.attempt);
  return json;
}
bool read_fields(const nlohmann::json& json, RecordPlace& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("row", value.row, {65536, 65536});
  reader.required("attempt", value.attempt, {65536, 65536});
  return reader.ok();
}
template <>
Result<RecordPlace> from_json<RecordPlace>(const nlohmann::json& json) {
  return read_value<RecordPlace>(json);
}

nlohmann::json to_json(const Fingerprint& value) {
  nlohmann::json json = nlohmann::json::object();
  json["target"] = write(value.target);
  json["vendor"] = write(value.vendor);
  json["architecture"] = write(value.architecture);
  json["device"] = write(value.device);
  json["description"] = write(value.description);
  json["backend"] = write(value.backend);
  json["browser"] = write(value.browser);
  json["browser_major"] = write(value.browser_major);
  json["os"] = write(value.os);
  json["features"] = write(value.features);
  json["limits"] = write(value.limits);
  if (value.launch_us) json["launch_us"] = write(*value.launch_us);
  if (value.driver) json["driver"] = write(*value.driver);
  if (value.arithmetic_gflops) json["arithmetic_gflops"] = write(*value.arithmetic_gflops);
  if (value.memory_gb_s) json["memory_gb_s"] = write(*value.memory_gb_s);
  if (value.last_level_cache_bytes) json["last_level_cache_bytes"] = write(*value.last_level_cache_bytes);
  return json;
}
bool read_fields(const nlohmann::json& json, Fingerprint& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("target", value.target, {32, 32});
  reader.required("vendor", value.vendor, {256, 256});
  reader.required("architecture", value.architecture, {256, 256});
  reader.required("device", value.device, {256, 256});
  reader.required("description", value.description, {1024, 1024});
  reader.required("backend", value.backend, {256, 256});
  reader.required("browser", value.browser, {64, 64});
  reader.required("browser_major", value.browser_major, {65536, 65536});
  reader.required("os", value.os, {64, 64});
  reader.required("features", value.features, {256, 128});
  reader.required("limits", value.limits, {256, 65536});
  reader.optional("launch_us", value.launch_us, {65536, 65536});
  reader.optional("driver", value.driver, {256, 256});
  reader.optional("arithmetic_gflops", value.arithmetic_gflops, {65536, 65536});
  reader.optional("memory_gb_s", value.memory_gb_s, {65536, 65536});
  reader.optional("last_level_cache_bytes", value.last_level_cache_bytes, {65536, 65536});
  return reader.ok();
}
template <>
Result<Fingerprint> from_json<Fingerprint>(const nlohmann::json& json) {
  return read_value<Fingerprint>(json);
}

nlohmann::json to_json(const Timer& value) {
  nlohmann::json json = nlohmann::json::object();
  json["method"] = write(value.method);
  json["quantum_ns"] = write(value.quantum_ns);
  return json;
}
bool read_fields(const nlohmann::json& json, Timer& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("method", value.method, {64, 64});
  reader.required("quantum_ns", value.quantum_ns, {65536, 65536});
  return reader.ok();
}
template <>
Result<Timer> from_json<Timer>(const nlohmann::json& json) {
  return read_value<Timer>(json);
}

nlohmann::json to_json(const DeviceOffer& value) {
  nlohmann::json json = nlohmann::json::object();
  json["local_id"] = write(value.local_id);
  json["target"] = write(value.target);
  json["fingerprint"] = write(value.fingerprint);
  json["timer"] = write(value.timer);
  if (value.launch_flags) json["launch_flags"] = write(*value.launch_flags);
  if (value.physical_id) json["physical_id"] = write(*value.physical_id);
  return json;
}
bool read_fields(const nlohmann::json& json, DeviceOffer& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("local_id", value.local_id, {64, 64});
  reader.required("target", value.target, {32, 32});
  reader.required("fingerprint", value.fingerprint, {65536, 65536});
  reader.required("timer", value.timer, {65536, 65536});
  reader.optional("launch_flags", value.launch_flags, {128, 1024});
  reader.optional("physical_id", value.physical_id, {64, 64});
  return reader.ok();
}
template <>
Result<DeviceOffer> from_json<DeviceOffer>(const nlohmann::json& json) {
  return read_value<DeviceOffer>(json);
}

nlohmann::json to_json(const DeviceGrant& value) {
  nlohmann::json json = nlohmann::json::object();
  json["local_id"] = write(value.local_id);
  json["device_id"] = write(value.device_id);
  json["device_key"] = write(value.device_key);
  return json;
}
bool read_fields(const nlohmann::json& json, DeviceGrant& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("local_id", value.local_id, {64, 64});
  reader.required("device_id", value.device_id, {64, 64});
  reader.required("device_key", value.device_key, {64, 64});
  return reader.ok();
}
template <>
Result<DeviceGrant> from_json<DeviceGrant>(const nlohmann::json& json) {
  return read_value<DeviceGrant>(json);
}

nlohmann::json to_json(const Buffer& value) {
  nlohmann::json json = nlohmann::json::object();
  json["name"] = write(value.name);
  json["role"] = write(value.role);
  json["dtype"] = write(value.dtype);
  json["shape"] = write(value.shape);
  json["dims"] = write(value.dims);
  json["pad"] = write(value.pad);
  json["bytes"] = write(value.bytes);
  json["seed"] = hex_text(value.seed);
  json["low"] = write(value.low);
  json["high"] = write(value.high);
  if (value.step) json["step"] = write(*value.step);
  return json;
}
bool read_fields(const nlohmann::json& json, Buffer& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("name", value.name, {256, 256});
  reader.required("role", value.role, {65536, 65536});
  reader.required("dtype", value.dtype, {16, 16});
  reader.required("shape", value.shape, {16, 65536});
  reader.required("dims", value.dims, {32, 65536});
  reader.required("pad", value.pad, {65536, 65536});
  reader.required("bytes", value.bytes, {65536, 65536});
  reader.hex("seed", value.seed);
  reader.required("low", value.low, {65536, 65536});
  reader.required("high", value.high, {65536, 65536});
  reader.optional("step", value.step, {65536, 65536, 0, 1000000});
  return reader.ok();
}
template <>
Result<Buffer> from_json<Buffer>(const nlohmann::json& json) {
  return read_value<Buffer>(json);
}

nlohmann::json to_json(const ExpectedOutput& value) {
  nlohmann::json json = nlohmann::json::object();
  json["sha256"] = write(value.sha256);
  json["bytes"] = write(value.bytes);
  json["largest"] = write(value.largest);
  json["median"] = write(value.median);
  return json;
}
bool read_fields(const nlohmann::json& json, ExpectedOutput& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("sha256", value.sha256, {64, 64});
  reader.required("bytes", value.bytes, {65536, 65536});
  reader.required("largest", value.largest, {65536, 65536});
  reader.required("median", value.median, {65536, 65536});
  return reader.ok();
}
template <>
Result<ExpectedOutput> from_json<ExpectedOutput>(const nlohmann::json& json) {
  return read_value<ExpectedOutput>(json);
}

nlohmann::json to_json(const Expected& value) {
  nlohmann::json json = nlohmann::json::object();
  json["outputs"] = write(value.outputs);
  return json;
}
bool read_fields(const nlohmann::json& json, Expected& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("outputs", value.outputs, {16, 65536});
  return reader.ok();
}
template <>
Result<Expected> from_json<Expected>(const nlohmann::json& json) {
  return read_value<Expected>(json);
}

nlohmann::json to_json(const InputSet& value) {
  nlohmann::json json = nlohmann::json::object();
  json["buffers"] = write(value.buffers);
  json["expected"] = write(value.expected);
  return json;
}
bool read_fields(const nlohmann::json& json, InputSet& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("buffers", value.buffers, {64, 65536});
  reader.required("expected", value.expected, {65536, 65536});
  return reader.ok();
}
template <>
Result<InputSet> from_json<InputSet>(const nlohmann::json& json) {
  return read_value<InputSet>(json);
}

nlohmann::json to_json(const Texture& value) {
  nlohmann::json json = nlohmann::json::object();
  json["width"] = write(value.width);
  json["height"] = write(value.height);
  json["layers"] = write(value.layers);
  json["format"] = write(value.format);
  return json;
}
bool read_fields(const nlohmann::json& json, Texture& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("width", value.width, {65536, 65536});
  reader.required("height", value.height, {65536, 65536});
  reader.required("layers", value.layers, {65536, 65536});
  reader.required("format", value.format, {16, 16});
  return reader.ok();
}
template <>
Result<Texture> from_json<Texture>(const nlohmann::json& json) {
  return read_value<Texture>(json);
}

nlohmann::json to_json(const Binding& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = write(value.kind);
  json["position"] = write(value.position);
  json["writes"] = write(value.writes);
  json["bytes"] = write(value.bytes);
  if (value.texture) json["texture"] = write(*value.texture);
  return json;
}
bool read_fields(const nlohmann::json& json, Binding& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("kind", value.kind, {65536, 65536});
  reader.required("position", value.position, {65536, 65536});
  reader.required("writes", value.writes, {65536, 65536});
  reader.required("bytes", value.bytes, {65536, 65536});
  reader.optional("texture", value.texture, {65536, 65536});
  return reader.ok();
}
template <>
Result<Binding> from_json<Binding>(const nlohmann::json& json) {
  return read_value<Binding>(json);
}

nlohmann::json to_json(const Launch& value) {
  nlohmann::json json = nlohmann::json::object();
  json["code"] = write(value.code);
  json["grid"] = write(value.grid);
  json["threads"] = write(value.threads);
  json["bindings"] = write(value.bindings);
  json["module_bytes"] = write(value.module_bytes);
  json["scratch_bytes"] = write(value.scratch_bytes);
  if (value.ahead) json["ahead"] = write(*value.ahead);
  return json;
}
bool read_fields(const nlohmann::json& json, Launch& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("code", value.code, {4194304, 4194304});
  reader.required("grid", value.grid, {65536, 65536});
  reader.required("threads", value.threads, {65536, 65536});
  reader.required("bindings", value.bindings, {64, 65536});
  reader.required("module_bytes", value.module_bytes, {65536, 65536});
  reader.required("scratch_bytes", value.scratch_bytes, {65536, 65536});
  reader.optional("ahead", value.ahead, {65536, 65536});
  return reader.ok();
}
template <>
Result<Launch> from_json<Launch>(const nlohmann::json& json) {
  return read_value<Launch>(json);
}

nlohmann::json to_json(const ArgLayout& value) {
  nlohmann::json json = nlohmann::json::object();
  json["position"] = write(value.position);
  json["dims"] = write(value.dims);
  json["bytes"] = write(value.bytes);
  if (value.dtype) json["dtype"] = write(*value.dtype);
  return json;
}
bool read_fields(const nlohmann::json& json, ArgLayout& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("position", value.position, {65536, 65536});
  reader.required("dims", value.dims, {32, 65536});
  reader.required("bytes", value.bytes, {65536, 65536});
  reader.optional("dtype", value.dtype, {16, 16});
  return reader.ok();
}
template <>
Result<ArgLayout> from_json<ArgLayout>(const nlohmann::json& json) {
  return read_value<ArgLayout>(json);
}

nlohmann::json to_json(const Candidate& value) {
  nlohmann::json json = nlohmann::json::object();
  json["trial"] = write(value.trial);
  json["attempt"] = write(value.attempt);
  json["best_so_far_us"] = write(value.best_so_far_us);
  json["predicted_us"] = write(value.predicted_us);
  json["temps"] = write(value.temps);
  json["launches"] = write(value.launches);
  json["layouts"] = write(value.layouts);
  return json;
}
bool read_fields(const nlohmann::json& json, Candidate& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("trial", value.trial, {65536, 65536});
  reader.required("attempt", value.attempt, {65536, 65536});
  reader.required("best_so_far_us", value.best_so_far_us, {65536, 65536});
  reader.required("predicted_us", value.predicted_us, {65536, 65536});
  reader.required("temps", value.temps, {64, 65536});
  reader.required("launches", value.launches, {64, 65536});
  reader.required("layouts", value.layouts, {64, 65536});
  return reader.ok();
}
template <>
Result<Candidate> from_json<Candidate>(const nlohmann::json& json) {
  return read_value<Candidate>(json);
}

nlohmann::json to_json(const MeasurePolicy& value) {
  nlohmann::json json = nlohmann::json::object();
  json["samples"] = write(value.samples);
  json["sample_ms_min"] = write(value.sample_ms_min);
  json["quanta_min"] = write(value.quanta_min);
  json["race_factor"] = write(value.race_factor);
  json["cap_ms"] = write(value.cap_ms);
  json["in_turns"] = write(value.in_turns);
  if (value.cache) json["cache"] = write(*value.cache);
  if (value.model_bytes) json["model_bytes"] = write(*value.model_bytes);
  if (value.both_caches) json["both_caches"] = write(*value.both_caches);
  return json;
}
bool read_fields(const nlohmann::json& json, MeasurePolicy& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("samples", value.samples, {65536, 65536});
  reader.required("sample_ms_min", value.sample_ms_min, {65536, 65536});
  reader.required("quanta_min", value.quanta_min, {65536, 65536});
  reader.required("race_factor", value.race_factor, {65536, 65536});
  reader.required("cap_ms", value.cap_ms, {65536, 65536});
  reader.required("in_turns", value.in_turns, {65536, 65536});
  reader.optional("cache", value.cache, {65536, 65536});
  reader.optional("model_bytes", value.model_bytes, {65536, 65536});
  reader.optional("both_caches", value.both_caches, {65536, 65536});
  return reader.ok();
}
template <>
Result<MeasurePolicy> from_json<MeasurePolicy>(const nlohmann::json& json) {
  return read_value<MeasurePolicy>(json);
}

nlohmann::json to_json(const PlanKernel& value) {
  nlohmann::json json = nlohmann::json::object();
  json["sha256"] = write(value.sha256);
  json["bytes"] = write(value.bytes);
  json["writes"] = write(value.writes);
  if (value.scratch_bytes) json["scratch_bytes"] = write(*value.scratch_bytes);
  return json;
}
bool read_fields(const nlohmann::json& json, PlanKernel& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("sha256", value.sha256, {64, 64});
  reader.required("bytes", value.bytes, {65536, 65536});
  reader.required("writes", value.writes, {64, 65536});
  reader.optional("scratch_bytes", value.scratch_bytes, {65536, 65536});
  return reader.ok();
}
template <>
Result<PlanKernel> from_json<PlanKernel>(const nlohmann::json& json) {
  return read_value<PlanKernel>(json);
}

nlohmann::json to_json(const PlanLaunch& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kernel"] = write(value.kernel);
  json["grid"] = write(value.grid);
  json["buffers"] = write(value.buffers);
  json["binding_bytes"] = write(value.binding_bytes);
  if (value.ahead) json["ahead"] = write(*value.ahead);
  return json;
}
bool read_fields(const nlohmann::json& json, PlanLaunch& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("kernel", value.kernel, {65536, 65536});
  reader.required("grid", value.grid, {65536, 65536});
  reader.required("buffers", value.buffers, {64, 65536});
  reader.required("binding_bytes", value.binding_bytes, {64, 65536});
  reader.optional("ahead", value.ahead, {65536, 65536});
  return reader.ok();
}
template <>
Result<PlanLaunch> from_json<PlanLaunch>(const nlohmann::json& json) {
  return read_value<PlanLaunch>(json);
}

nlohmann::json to_json(const PlanLoop& value) {
  nlohmann::json json = nlohmann::json::object();
  json["first"] = write(value.first);
  json["last"] = write(value.last);
  if (value.trips) json["trips"] = write(*value.trips);
  if (value.condition) json["condition"] = write(*value.condition);
  return json;
}
bool read_fields(const nlohmann::json& json, PlanLoop& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("first", value.first, {65536, 65536});
  reader.required("last", value.last, {65536, 65536});
  reader.optional("trips", value.trips, {65536, 65536});
  reader.optional("condition", value.condition, {65536, 65536});
  return reader.ok();
}
template <>
Result<PlanLoop> from_json<PlanLoop>(const nlohmann::json& json) {
  return read_value<PlanLoop>(json);
}

nlohmann::json to_json(const PlanUpload& value) {
  nlohmann::json json = nlohmann::json::object();
  json["buffer"] = write(value.buffer);
  json["sha256"] = write(value.sha256);
  json["bytes"] = write(value.bytes);
  return json;
}
bool read_fields(const nlohmann::json& json, PlanUpload& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("buffer", value.buffer, {65536, 65536});
  reader.required("sha256", value.sha256, {64, 64});
  reader.required("bytes", value.bytes, {65536, 65536});
  return reader.ok();
}
template <>
Result<PlanUpload> from_json<PlanUpload>(const nlohmann::json& json) {
  return read_value<PlanUpload>(json);
}

nlohmann::json to_json(const PlanOutput& value) {
  nlohmann::json json = nlohmann::json::object();
  json["buffer"] = write(value.buffer);
  json["bytes"] = write(value.bytes);
  return json;
}
bool read_fields(const nlohmann::json& json, PlanOutput& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("buffer", value.buffer, {65536, 65536});
  reader.required("bytes", value.bytes, {65536, 65536});
  return reader.ok();
}
template <>
Result<PlanOutput> from_json<PlanOutput>(const nlohmann::json& json) {
  return read_value<PlanOutput>(json);
}

nlohmann::json to_json(const RivalPlan& value) {
  nlohmann::json json = nlohmann::json::object();
  json["buffers"] = write(value.buffers);
  json["kernels"] = write(value.kernels);
  json["launches"] = write(value.launches);
  json["constants"] = write(value.constants);
  json["inputs"] = write(value.inputs);
  json["outputs"] = write(value.outputs);
  if (value.textures) json["textures"] = write(*value.textures);
  if (value.loops) json["loops"] = write(*value.loops);
  json["rival_first"] = write(value.rival_first);
  json["sample_ms"] = write(value.sample_ms);
  json["kernels_alone"] = write(value.kernels_alone);
  return json;
}
bool read_fields(const nlohmann::json& json, RivalPlan& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("buffers", value.buffers, {65536, 65536});
  reader.required("kernels", value.kernels, {16384, 65536});
  reader.required("launches", value.launches, {65536, 65536});
  reader.required("constants", value.constants, {65536, 65536});
  reader.required("inputs", value.inputs, {256, 65536});
  reader.required("outputs", value.outputs, {256, 65536});
  reader.optional("textures", value.textures, {65536, 65536});
  reader.optional("loops", value.loops, {256, 65536});
  reader.required("rival_first", value.rival_first, {64, 65536});
  reader.required("sample_ms", value.sample_ms, {65536, 65536, 0, 10000});
  reader.required("kernels_alone", value.kernels_alone, {65536, 65536});
  return reader.ok();
}
template <>
Result<RivalPlan> from_json<RivalPlan>(const nlohmann::json& json) {
  return read_value<RivalPlan>(json);
}

nlohmann::json to_json(const Failure& value) {
  nlohmann::json json = nlohmann::json::object();
  json["code"] = write(value.code);
  json["message"] = write(value.message);
  return json;
}
bool read_fields(const nlohmann::json& json, Failure& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("code", value.code, {65536, 65536});
  reader.required("message", value.message, {16384, 16384});
  return reader.ok();
}
template <>
Result<Failure> from_json<Failure>(const nlohmann::json& json) {
  return read_value<Failure>(json);
}

nlohmann::json to_json(const LeaseInfo& value) {
  nlohmann::json json = nlohmann::json::object();
  json["lease_id"] = write(value.lease_id);
  json["fence"] = write(value.fence);
  json["job"] = write(value.job);
  json["user"] = write(value.user);
  json["expires_in_ms"] = write(value.expires_in_ms);
  return json;
}
bool read_fields(const nlohmann::json& json, LeaseInfo& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("lease_id", value.lease_id, {64, 64});
  reader.required("fence", value.fence, {65536, 65536});
  reader.required("job", value.job, {256, 256});
  reader.required("user", value.user, {256, 256});
  reader.required("expires_in_ms", value.expires_in_ms, {65536, 65536});
  return reader.ok();
}
template <>
Result<LeaseInfo> from_json<LeaseInfo>(const nlohmann::json& json) {
  return read_value<LeaseInfo>(json);
}

nlohmann::json to_json(const DeviceInfo& value) {
  nlohmann::json json = nlohmann::json::object();
  json["device_id"] = write(value.device_id);
  json["device_key"] = write(value.device_key);
  json["kind"] = write(value.kind);
  json["agent_id"] = write(value.agent_id);
  json["agent_name"] = write(value.agent_name);
  json["state"] = write(value.state);
  json["message"] = write(value.message);
  json["visible"] = write(value.visible);
  json["fingerprint"] = write(value.fingerprint);
  json["timer"] = write(value.timer);
  if (value.lease) json["lease"] = write(*value.lease);
  json["seen_ago_ms"] = write(value.seen_ago_ms);
  if (value.physical_id) json["physical_id"] = write(*value.physical_id);
  if (value.label) json["label"] = write(*value.label);
  json["service_state"] = write(value.service_state);
  if (value.service_reason) json["service_reason"] = write(*value.service_reason);
  return json;
}
bool read_fields(const nlohmann::json& json, DeviceInfo& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("device_id", value.device_id, {64, 64});
  reader.required("device_key", value.device_key, {64, 64});
  reader.required("kind", value.kind, {128, 128});
  reader.required("agent_id", value.agent_id, {64, 64});
  reader.required("agent_name", value.agent_name, {256, 256});
  reader.required("state", value.state, {65536, 65536});
  reader.required("message", value.message, {4096, 4096});
  reader.required("visible", value.visible, {65536, 65536});
  reader.required("fingerprint", value.fingerprint, {65536, 65536});
  reader.required("timer", value.timer, {65536, 65536});
  reader.optional("lease", value.lease, {65536, 65536});
  reader.required("seen_ago_ms", value.seen_ago_ms, {65536, 65536});
  reader.optional("physical_id", value.physical_id, {64, 64});
  reader.optional("label", value.label, {64, 64});
  reader.required("service_state", value.service_state, {65536, 65536});
  reader.optional("service_reason", value.service_reason, {256, 256});
  return reader.ok();
}
template <>
Result<DeviceInfo> from_json<DeviceInfo>(const nlohmann::json& json) {
  return read_value<DeviceInfo>(json);
}

nlohmann::json to_json(const DeviceEvent& value) {
  nlohmann::json json = nlohmann::json::object();
  json["unix_ms"] = write(value.unix_ms);
  json["device_id"] = write(value.device_id);
  json["kind"] = write(value.kind);
  json["user"] = write(value.user);
  json["text"] = write(value.text);
  return json;
}
bool read_fields(const nlohmann::json& json, DeviceEvent& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("unix_ms", value.unix_ms, {65536, 65536});
  reader.required("device_id", value.device_id, {64, 64});
  reader.required("kind", value.kind, {65536, 65536});
  reader.required("user", value.user, {256, 256});
  reader.required("text", value.text, {4096, 4096});
  return reader.ok();
}
template <>
Result<DeviceEvent> from_json<DeviceEvent>(const nlohmann::json& json) {
  return read_value<DeviceEvent>(json);
}

nlohmann::json to_json(const Quota& value) {
  nlohmann::json json = nlohmann::json::object();
  json["devices_max"] = write(value.devices_max);
  json["jobs_max"] = write(value.jobs_max);
  json["bytes_max"] = write(value.bytes_max);
  return json;
}
bool read_fields(const nlohmann::json& json, Quota& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("devices_max", value.devices_max, {65536, 65536});
  reader.required("jobs_max", value.jobs_max, {65536, 65536});
  reader.required("bytes_max", value.bytes_max, {65536, 65536});
  return reader.ok();
}
template <>
Result<Quota> from_json<Quota>(const nlohmann::json& json) {
  return read_value<Quota>(json);
}

nlohmann::json to_json(const TokenInfo& value) {
  nlohmann::json json = nlohmann::json::object();
  json["token_id"] = write(value.token_id);
  json["role"] = write(value.role);
  json["name"] = write(value.name);
  json["created_unix_ms"] = write(value.created_unix_ms);
  json["expires_unix_ms"] = write(value.expires_unix_ms);
  json["revoked_unix_ms"] = write(value.revoked_unix_ms);
  json["used_unix_ms"] = write(value.used_unix_ms);
  if (value.quota) json["quota"] = write(*value.quota);
  return json;
}
bool read_fields(const nlohmann::json& json, TokenInfo& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("token_id", value.token_id, {64, 64});
  reader.required("role", value.role, {65536, 65536});
  reader.required("name", value.name, {64, 64});
  reader.required("created_unix_ms", value.created_unix_ms, {65536, 65536});
  reader.required("expires_unix_ms", value.expires_unix_ms, {65536, 65536});
  reader.required("revoked_unix_ms", value.revoked_unix_ms, {65536, 65536});
  reader.required("used_unix_ms", value.used_unix_ms, {65536, 65536});
  reader.optional("quota", value.quota, {65536, 65536});
  return reader.ok();
}
template <>
Result<TokenInfo> from_json<TokenInfo>(const nlohmann::json& json) {
  return read_value<TokenInfo>(json);
}

nlohmann::json to_json(const LeaseWish& value) {
  nlohmann::json json = nlohmann::json::object();
  json["selector"] = write(value.selector);
  json["target"] = write(value.target);
  json["device_key"] = write(value.device_key);
  json["not_of"] = write(value.not_of);
  json["job"] = write(value.job);
  json["user"] = write(value.user);
  json["priority"] = write(value.priority);
  json["user_devices_max"] = write(value.user_devices_max);
  json["count"] = write(value.count);
  json["wait_ms"] = write(value.wait_ms);
  return json;
}
bool read_fields(const nlohmann::json& json, LeaseWish& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("selector", value.selector, {1024, 1024});
  reader.required("target", value.target, {32, 32});
  reader.required("device_key", value.device_key, {64, 64});
  reader.required("not_of", value.not_of, {1024, 64});
  reader.required("job", value.job, {256, 256});
  reader.required("user", value.user, {256, 256});
  reader.required("priority", value.priority, {65536, 65536});
  reader.required("user_devices_max", value.user_devices_max, {65536, 65536});
  reader.required("count", value.count, {65536, 65536});
  reader.required("wait_ms", value.wait_ms, {65536, 65536, 0, 31536000000});
  return reader.ok();
}
template <>
Result<LeaseWish> from_json<LeaseWish>(const nlohmann::json& json) {
  return read_value<LeaseWish>(json);
}

nlohmann::json to_json(const LeaseGrant& value) {
  nlohmann::json json = nlohmann::json::object();
  json["lease_id"] = write(value.lease_id);
  json["fence"] = write(value.fence);
  json["device"] = write(value.device);
  json["session_token"] = write(value.session_token);
  json["enrolment"] = write(value.enrolment);
  json["trusted"] = write(value.trusted);
  return json;
}
bool read_fields(const nlohmann::json& json, LeaseGrant& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("lease_id", value.lease_id, {64, 64});
  reader.required("fence", value.fence, {65536, 65536});
  reader.required("device", value.device, {65536, 65536});
  reader.required("session_token", value.session_token, {128, 128});
  reader.required("enrolment", value.enrolment, {64, 64});
  reader.required("trusted", value.trusted, {65536, 65536});
  return reader.ok();
}
template <>
Result<LeaseGrant> from_json<LeaseGrant>(const nlohmann::json& json) {
  return read_value<LeaseGrant>(json);
}

nlohmann::json to_json(const JobSource& value) {
  nlohmann::json json = nlohmann::json::object();
  if (value.op) json["op"] = write(*value.op);
  if (value.model_name) json["model_name"] = write(*value.model_name);
  if (value.package) json["package"] = write(*value.package);
  return json;
}
bool read_fields(const nlohmann::json& json, JobSource& value, std::string& error) {
  FieldReader reader(json, error);
  reader.optional("op", value.op, {4096, 4096});
  reader.optional("model_name", value.model_name, {4096, 4096});
  reader.optional("package", value.package, {65536, 65536});
  return reader.ok();
}
template <>
Result<JobSource> from_json<JobSource>(const nlohmann::json& json) {
  return read_value<JobSource>(json);
}

nlohmann::json to_json(const RunInput& value) {
  nlohmann::json json = nlohmann::json::object();
  json["name"] = write(value.name);
  json["dtype"] = write(value.dtype);
  json["shape"] = write(value.shape);
  if (value.constant) json["constant"] = write(*value.constant);
  return json;
}
bool read_fields(const nlohmann::json& json, RunInput& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("name", value.name, {1024, 1024});
  reader.required("dtype", value.dtype, {16, 16});
  reader.required("shape", value.shape, {16, 65536, 0, 67108864});
  reader.optional("constant", value.constant, {65536, 65536});
  return reader.ok();
}
template <>
Result<RunInput> from_json<RunInput>(const nlohmann::json& json) {
  return read_value<RunInput>(json);
}

nlohmann::json to_json(const RunOptions& value) {
  nlohmann::json json = nlohmann::json::object();
  if (value.model_bytes) json["model_bytes"] = write(*value.model_bytes);
  if (value.inputs) json["inputs"] = write(*value.inputs);
  if (value.check) json["check"] = write(*value.check);
  if (value.repeats) json["repeats"] = write(*value.repeats);
  if (value.schedules) json["schedules"] = write(*value.schedules);
  if (value.time_s) json["time_s"] = write(*value.time_s);
  if (value.launches) json["launches"] = write(*value.launches);
  if (value.placements) json["placements"] = write(*value.placements);
  return json;
}
bool read_fields(const nlohmann::json& json, RunOptions& value, std::string& error) {
  FieldReader reader(json, error);
  reader.optional("model_bytes", value.model_bytes, {65536, 65536});
  reader.optional("inputs", value.inputs, {1024, 65536});
  reader.optional("check", value.check, {65536, 65536});
  reader.optional("repeats", value.repeats, {65536, 65536, 0, 10000});
  reader.optional("schedules", value.schedules, {3, 65536});
  reader.optional("time_s", value.time_s, {65536, 65536, 0, 3600});
  reader.optional("launches", value.launches, {65536, 65536});
  reader.optional("placements", value.placements, {65536, 65536});
  return reader.ok();
}
template <>
Result<RunOptions> from_json<RunOptions>(const nlohmann::json& json) {
  return read_value<RunOptions>(json);
}

nlohmann::json to_json(const CompareOptions& value) {
  nlohmann::json json = nlohmann::json::object();
  json["schedules"] = write(value.schedules);
  if (value.task) json["task"] = write(*value.task);
  if (value.rounds) json["rounds"] = write(*value.rounds);
  if (value.cache) json["cache"] = write(*value.cache);
  return json;
}
bool read_fields(const nlohmann::json& json, CompareOptions& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("schedules", value.schedules, {16, 64});
  reader.optional("task", value.task, {512, 512});
  reader.optional("rounds", value.rounds, {65536, 65536, 3, 99});
  reader.optional("cache", value.cache, {65536, 65536});
  return reader.ok();
}
template <>
Result<CompareOptions> from_json<CompareOptions>(const nlohmann::json& json) {
  return read_value<CompareOptions>(json);
}

nlohmann::json to_json(const CompareBuildsOptions& value) {
  nlohmann::json json = nlohmann::json::object();
  json["model_bytes"] = write(value.model_bytes);
  if (value.pairs_max) json["pairs_max"] = write(*value.pairs_max);
  if (value.sample_ms) json["sample_ms"] = write(*value.sample_ms);
  if (value.kernels_alone) json["kernels_alone"] = write(*value.kernels_alone);
  if (value.family) json["family"] = write(*value.family);
  if (value.same_within) json["same_within"] = write(*value.same_within);
  return json;
}
bool read_fields(const nlohmann::json& json, CompareBuildsOptions& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("model_bytes", value.model_bytes, {65536, 65536});
  reader.optional("pairs_max", value.pairs_max, {65536, 65536, 10, 480});
  reader.optional("sample_ms", value.sample_ms, {65536, 65536, 0, 10000});
  reader.optional("kernels_alone", value.kernels_alone, {65536, 65536});
  reader.optional("family", value.family, {65536, 65536, 1, 1000000});
  reader.optional("same_within", value.same_within, {65536, 65536, 0.005, 1});
  return reader.ok();
}
template <>
Result<CompareBuildsOptions> from_json<CompareBuildsOptions>(const nlohmann::json& json) {
  return read_value<CompareBuildsOptions>(json);
}

nlohmann::json to_json(const TuneOptions& value) {
  nlohmann::json json = nlohmann::json::object();
  if (value.strategy) json["strategy"] = write(*value.strategy);
  if (value.samples) json["samples"] = write(*value.samples);
  if (value.cache) json["cache"] = write(*value.cache);
  return json;
}
bool read_fields(const nlohmann::json& json, TuneOptions& value, std::string& error) {
  FieldReader reader(json, error);
  reader.optional("strategy", value.strategy, {32, 32});
  reader.optional("samples", value.samples, {65536, 65536, 1, 64});
  reader.optional("cache", value.cache, {65536, 65536});
  return reader.ok();
}
template <>
Result<TuneOptions> from_json<TuneOptions>(const nlohmann::json& json) {
  return read_value<TuneOptions>(json);
}

nlohmann::json to_json(const JobInfo& value) {
  nlohmann::json json = nlohmann::json::object();
  json["job"] = write(value.job);
  json["job_kind"] = write(value.job_kind);
  json["user"] = write(value.user);
  json["state"] = write(value.state);
  if (value.outcome) json["outcome"] = write(*value.outcome);
  json["message"] = write(value.message);
  json["source"] = write(value.source);
  json["target"] = write(value.target);
  json["priority"] = write(value.priority);
  json["detached"] = write(value.detached);
  json["starts"] = write(value.starts);
  json["submitted_unix_ms"] = write(value.submitted_unix_ms);
  json["started_unix_ms"] = write(value.started_unix_ms);
  json["ended_unix_ms"] = write(value.ended_unix_ms);
  return json;
}
bool read_fields(const nlohmann::json& json, JobInfo& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("job", value.job, {256, 256});
  reader.required("job_kind", value.job_kind, {65536, 65536});
  reader.required("user", value.user, {256, 256});
  reader.required("state", value.state, {65536, 65536});
  reader.optional("outcome", value.outcome, {65536, 65536});
  reader.required("message", value.message, {4096, 4096});
  reader.required("source", value.source, {512, 512});
  reader.required("target", value.target, {32, 32});
  reader.required("priority", value.priority, {65536, 65536});
  reader.required("detached", value.detached, {65536, 65536});
  reader.required("starts", value.starts, {65536, 65536});
  reader.required("submitted_unix_ms", value.submitted_unix_ms, {65536, 65536});
  reader.required("started_unix_ms", value.started_unix_ms, {65536, 65536});
  reader.required("ended_unix_ms", value.ended_unix_ms, {65536, 65536});
  return reader.ok();
}
template <>
Result<JobInfo> from_json<JobInfo>(const nlohmann::json& json) {
  return read_value<JobInfo>(json);
}

nlohmann::json to_json(const JobRequest& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = write(value.kind);
  json["source"] = write(value.source);
  json["dims"] = write(value.dims);
  json["target"] = write(value.target);
  json["selector"] = write(value.selector);
  json["trials"] = write(value.trials);
  json["time_s"] = write(value.time_s);
  json["seed"] = hex_text(value.seed);
  if (value.priority) json["priority"] = write(*value.priority);
  if (value.device_wait_s) json["device_wait_s"] = write(*value.device_wait_s);
  if (value.options) json["options"] = write(*value.options);
  if (value.tolerance) json["tolerance"] = write(*value.tolerance);
  if (value.devices) json["devices"] = write(*value.devices);
  if (value.time_spent_s) json["time_spent_s"] = write(*value.time_spent_s);
  if (value.without_passes) json["without_passes"] = write(*value.without_passes);
  if (value.devices_min) json["devices_min"] = write(*value.devices_min);
  return json;
}
bool read_fields(const nlohmann::json& json, JobRequest& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("kind", value.kind, {65536, 65536});
  reader.required("source", value.source, {65536, 65536});
  reader.required("dims", value.dims, {64, 65536});
  reader.required("target", value.target, {32, 32});
  reader.required("selector", value.selector, {1024, 1024});
  reader.required("trials", value.trials, {65536, 65536});
  reader.required("time_s", value.time_s, {65536, 65536, 0, 31536000});
  reader.hex("seed", value.seed);
  reader.optional("priority", value.priority, {65536, 65536});
  reader.optional("device_wait_s", value.device_wait_s, {65536, 65536, 0, 31536000});
  reader.optional("options", value.options, {65536, 65536});
  reader.optional("tolerance", value.tolerance, {65536, 65536, 0, 1});
  reader.optional("devices", value.devices, {65536, 65536});
  reader.optional("time_spent_s", value.time_spent_s, {65536, 65536, 0, 31536000});
  reader.optional("without_passes", value.without_passes, {16, 64});
  reader.optional("devices_min", value.devices_min, {65536, 65536});
  return reader.ok();
}
template <>
Result<JobRequest> from_json<JobRequest>(const nlohmann::json& json) {
  return read_value<JobRequest>(json);
}

nlohmann::json to_json(const Hello& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Hello::kKind;
  json["id"] = write(value.id);
  json["token"] = write(value.token);
  json["version"] = write(value.version);
  json["agent_name"] = write(value.agent_name);
  if (value.launch_id) json["launch_id"] = write(*value.launch_id);
  if (value.resume_agent_id) json["resume_agent_id"] = write(*value.resume_agent_id);
  json["devices"] = write(value.devices);
  if (value.problem) json["problem"] = write(*value.problem);
  if (value.resume_secret) json["resume_secret"] = write(*value.resume_secret);
  if (value.enroll_code) json["enroll_code"] = write(*value.enroll_code);
  return json;
}
bool read_fields(const nlohmann::json& json, Hello& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("token", value.token, {128, 128});
  reader.required("version", value.version, {65536, 65536});
  reader.required("agent_name", value.agent_name, {256, 256});
  reader.optional("launch_id", value.launch_id, {64, 64});
  reader.optional("resume_agent_id", value.resume_agent_id, {64, 64});
  reader.required("devices", value.devices, {16, 65536});
  reader.optional("problem", value.problem, {4096, 4096});
  reader.optional("resume_secret", value.resume_secret, {64, 64});
  reader.optional("enroll_code", value.enroll_code, {64, 64});
  return reader.ok();
}
template <>
Result<Hello> from_json<Hello>(const nlohmann::json& json) {
  return read_value<Hello>(json);
}

nlohmann::json to_json(const Welcome& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Welcome::kKind;
  json["reply_to"] = write(value.reply_to);
  json["agent_id"] = write(value.agent_id);
  json["devices"] = write(value.devices);
  json["heartbeat_ms"] = write(value.heartbeat_ms);
  json["heartbeat_timeout_ms"] = write(value.heartbeat_timeout_ms);
  if (value.resume_secret) json["resume_secret"] = write(*value.resume_secret);
  if (value.token) json["token"] = write(*value.token);
  if (value.role) json["role"] = write(*value.role);
  if (value.trackers) json["trackers"] = write(*value.trackers);
  return json;
}
bool read_fields(const nlohmann::json& json, Welcome& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("agent_id", value.agent_id, {64, 64});
  reader.required("devices", value.devices, {16, 65536});
  reader.required("heartbeat_ms", value.heartbeat_ms, {65536, 65536});
  reader.required("heartbeat_timeout_ms", value.heartbeat_timeout_ms, {65536, 65536});
  reader.optional("resume_secret", value.resume_secret, {64, 64});
  reader.optional("token", value.token, {128, 128});
  reader.optional("role", value.role, {65536, 65536});
  reader.optional("trackers", value.trackers, {64, 300});
  return reader.ok();
}
template <>
Result<Welcome> from_json<Welcome>(const nlohmann::json& json) {
  return read_value<Welcome>(json);
}

nlohmann::json to_json(const Heartbeat& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Heartbeat::kKind;
  json["seq"] = write(value.seq);
  json["visible"] = write(value.visible);
  json["worker_alive"] = write(value.worker_alive);
  json["busy_ms"] = write(value.busy_ms);
  return json;
}
bool read_fields(const nlohmann::json& json, Heartbeat& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("seq", value.seq, {65536, 65536});
  reader.required("visible", value.visible, {65536, 65536});
  reader.required("worker_alive", value.worker_alive, {65536, 65536});
  reader.required("busy_ms", value.busy_ms, {65536, 65536});
  return reader.ok();
}
template <>
Result<Heartbeat> from_json<Heartbeat>(const nlohmann::json& json) {
  return read_value<Heartbeat>(json);
}

nlohmann::json to_json(const HeartbeatAck& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = HeartbeatAck::kKind;
  json["seq"] = write(value.seq);
  if (value.trackers) json["trackers"] = write(*value.trackers);
  return json;
}
bool read_fields(const nlohmann::json& json, HeartbeatAck& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("seq", value.seq, {65536, 65536});
  reader.optional("trackers", value.trackers, {64, 300});
  return reader.ok();
}
template <>
Result<HeartbeatAck> from_json<HeartbeatAck>(const nlohmann::json& json) {
  return read_value<HeartbeatAck>(json);
}

nlohmann::json to_json(const DeviceState& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = DeviceState::kKind;
  json["device_id"] = write(value.device_id);
  json["state"] = write(value.state);
  json["message"] = write(value.message);
  return json;
}
bool read_fields(const nlohmann::json& json, DeviceState& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("device_id", value.device_id, {64, 64});
  reader.required("state", value.state, {65536, 65536});
  reader.required("message", value.message, {4096, 4096});
  return reader.ok();
}
template <>
Result<DeviceState> from_json<DeviceState>(const nlohmann::json& json) {
  return read_value<DeviceState>(json);
}

nlohmann::json to_json(const OpenSession& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = OpenSession::kKind;
  json["lease_id"] = write(value.lease_id);
  json["fence"] = write(value.fence);
  json["device_id"] = write(value.device_id);
  json["session_path"] = write(value.session_path);
  json["session_token"] = write(value.session_token);
  if (value.relay_path) json["relay_path"] = write(*value.relay_path);
  return json;
}
bool read_fields(const nlohmann::json& json, OpenSession& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("lease_id", value.lease_id, {64, 64});
  reader.required("fence", value.fence, {65536, 65536});
  reader.required("device_id", value.device_id, {64, 64});
  reader.required("session_path", value.session_path, {1024, 1024});
  reader.required("session_token", value.session_token, {128, 128});
  reader.optional("relay_path", value.relay_path, {1024, 1024});
  return reader.ok();
}
template <>
Result<OpenSession> from_json<OpenSession>(const nlohmann::json& json) {
  return read_value<OpenSession>(json);
}

nlohmann::json to_json(const CloseSession& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = CloseSession::kKind;
  json["lease_id"] = write(value.lease_id);
  json["reason"] = write(value.reason);
  return json;
}
bool read_fields(const nlohmann::json& json, CloseSession& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("lease_id", value.lease_id, {64, 64});
  reader.required("reason", value.reason, {4096, 4096});
  return reader.ok();
}
template <>
Result<CloseSession> from_json<CloseSession>(const nlohmann::json& json) {
  return read_value<CloseSession>(json);
}

nlohmann::json to_json([[maybe_unused]] const Drain& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Drain::kKind;
  return json;
}
bool read_fields(const nlohmann::json& json, [[maybe_unused]] Drain& value, std::string& error) {
  FieldReader reader(json, error);

  return reader.ok();
}
template <>
Result<Drain> from_json<Drain>(const nlohmann::json& json) {
  return read_value<Drain>(json);
}

nlohmann::json to_json(const SessionHello& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = SessionHello::kKind;
  json["id"] = write(value.id);
  json["session_token"] = write(value.session_token);
  json["device_id"] = write(value.device_id);
  json["lease_id"] = write(value.lease_id);
  return json;
}
bool read_fields(const nlohmann::json& json, SessionHello& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("session_token", value.session_token, {128, 128});
  reader.required("device_id", value.device_id, {64, 64});
  reader.required("lease_id", value.lease_id, {64, 64});
  return reader.ok();
}
template <>
Result<SessionHello> from_json<SessionHello>(const nlohmann::json& json) {
  return read_value<SessionHello>(json);
}

nlohmann::json to_json(const SessionWelcome& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = SessionWelcome::kKind;
  json["reply_to"] = write(value.reply_to);
  json["session_id"] = write(value.session_id);
  json["credits"] = write(value.credits);
  if (value.blobs) json["blobs"] = write(*value.blobs);
  return json;
}
bool read_fields(const nlohmann::json& json, SessionWelcome& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("session_id", value.session_id, {64, 64});
  reader.required("credits", value.credits, {65536, 65536});
  reader.optional("blobs", value.blobs, {65536, 65536});
  return reader.ok();
}
template <>
Result<SessionWelcome> from_json<SessionWelcome>(const nlohmann::json& json) {
  return read_value<SessionWelcome>(json);
}

nlohmann::json to_json(const PrepareTask& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = PrepareTask::kKind;
  json["id"] = write(value.id);
  json["task"] = write(value.task);
  json["buffers"] = write(value.buffers);
  json["expected"] = write(value.expected);
  json["tolerance"] = write(value.tolerance);
  if (value.reference_launches) json["reference_launches"] = write(*value.reference_launches);
  if (value.name) json["name"] = write(*value.name);
  if (value.more_inputs) json["more_inputs"] = write(*value.more_inputs);
  return json;
}
bool read_fields(const nlohmann::json& json, PrepareTask& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("task", value.task, {64, 64});
  reader.required("buffers", value.buffers, {64, 65536});
  reader.required("expected", value.expected, {65536, 65536});
  reader.required("tolerance", value.tolerance, {65536, 65536});
  reader.optional("reference_launches", value.reference_launches, {8, 65536});
  reader.optional("name", value.name, {1024, 1024});
  reader.optional("more_inputs", value.more_inputs, {127, 65536});
  return reader.ok();
}
template <>
Result<PrepareTask> from_json<PrepareTask>(const nlohmann::json& json) {
  return read_value<PrepareTask>(json);
}

nlohmann::json to_json(const TaskReady& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = TaskReady::kKind;
  json["reply_to"] = write(value.reply_to);
  if (value.error) json["error"] = write(*value.error);
  return json;
}
bool read_fields(const nlohmann::json& json, TaskReady& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.optional("error", value.error, {65536, 65536});
  return reader.ok();
}
template <>
Result<TaskReady> from_json<TaskReady>(const nlohmann::json& json) {
  return read_value<TaskReady>(json);
}

nlohmann::json to_json(const Measure& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Measure::kKind;
  json["batch"] = write(value.batch);
  json["fence"] = write(value.fence);
  json["task"] = write(value.task);
  json["policy"] = write(value.policy);
  json["candidates"] = write(value.candidates);
  return json;
}
bool read_fields(const nlohmann::json& json, Measure& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("batch", value.batch, {65536, 65536});
  reader.required("fence", value.fence, {65536, 65536});
  reader.required("task", value.task, {64, 64});
  reader.required("policy", value.policy, {65536, 65536});
  reader.required("candidates", value.candidates, {1024, 65536});
  return reader.ok();
}
template <>
Result<Measure> from_json<Measure>(const nlohmann::json& json) {
  return read_value<Measure>(json);
}

nlohmann::json to_json(const CandidateResult& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = CandidateResult::kKind;
  json["batch"] = write(value.batch);
  json["trial"] = write(value.trial);
  json["attempt"] = write(value.attempt);
  json["fence"] = write(value.fence);
  json["outcome"] = write(value.outcome);
  json["message"] = write(value.message);
  json["samples_us"] = write(value.samples_us);
  json["latency_us_median"] = write(value.latency_us_median);
  json["method"] = write(value.method);
  json["clock_resolution_ns"] = write(value.clock_resolution_ns);
  json["repeats"] = write(value.repeats);
  json["create_ms"] = write(value.create_ms);
  json["device_ms"] = write(value.device_ms);
  json["max_error"] = write(value.max_error);
  json["reference_us"] = write(value.reference_us);
  if (value.cache) json["cache"] = write(*value.cache);
  if (value.other_us) json["other_us"] = write(*value.other_us);
  return json;
}
bool read_fields(const nlohmann::json& json, CandidateResult& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("batch", value.batch, {65536, 65536});
  reader.required("trial", value.trial, {65536, 65536});
  reader.required("attempt", value.attempt, {65536, 65536});
  reader.required("fence", value.fence, {65536, 65536});
  reader.required("outcome", value.outcome, {65536, 65536});
  reader.required("message", value.message, {65536, 65536});
  reader.required("samples_us", value.samples_us, {4096, 65536});
  reader.required("latency_us_median", value.latency_us_median, {65536, 65536});
  reader.required("method", value.method, {64, 64});
  reader.required("clock_resolution_ns", value.clock_resolution_ns, {65536, 65536});
  reader.required("repeats", value.repeats, {65536, 65536});
  reader.required("create_ms", value.create_ms, {65536, 65536});
  reader.required("device_ms", value.device_ms, {65536, 65536});
  reader.required("max_error", value.max_error, {65536, 65536});
  reader.required("reference_us", value.reference_us, {65536, 65536});
  reader.optional("cache", value.cache, {65536, 65536});
  reader.optional("other_us", value.other_us, {65536, 65536});
  return reader.ok();
}
template <>
Result<CandidateResult> from_json<CandidateResult>(const nlohmann::json& json) {
  return read_value<CandidateResult>(json);
}

nlohmann::json to_json(const ResultAck& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ResultAck::kKind;
  json["trial"] = write(value.trial);
  json["attempt"] = write(value.attempt);
  return json;
}
bool read_fields(const nlohmann::json& json, ResultAck& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("trial", value.trial, {65536, 65536});
  reader.required("attempt", value.attempt, {65536, 65536});
  return reader.ok();
}
template <>
Result<ResultAck> from_json<ResultAck>(const nlohmann::json& json) {
  return read_value<ResultAck>(json);
}

nlohmann::json to_json(const BatchDone& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = BatchDone::kKind;
  json["batch"] = write(value.batch);
  return json;
}
bool read_fields(const nlohmann::json& json, BatchDone& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("batch", value.batch, {65536, 65536});
  return reader.ok();
}
template <>
Result<BatchDone> from_json<BatchDone>(const nlohmann::json& json) {
  return read_value<BatchDone>(json);
}

nlohmann::json to_json(const Timing& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Timing::kKind;
  json["active"] = write(value.active);
  return json;
}
bool read_fields(const nlohmann::json& json, Timing& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("active", value.active, {65536, 65536});
  return reader.ok();
}
template <>
Result<Timing> from_json<Timing>(const nlohmann::json& json) {
  return read_value<Timing>(json);
}

nlohmann::json to_json(const Cancel& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Cancel::kKind;
  json["batch"] = write(value.batch);
  return json;
}
bool read_fields(const nlohmann::json& json, Cancel& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("batch", value.batch, {65536, 65536});
  return reader.ok();
}
template <>
Result<Cancel> from_json<Cancel>(const nlohmann::json& json) {
  return read_value<Cancel>(json);
}

nlohmann::json to_json([[maybe_unused]] const Release& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Release::kKind;
  return json;
}
bool read_fields(const nlohmann::json& json, [[maybe_unused]] Release& value, std::string& error) {
  FieldReader reader(json, error);

  return reader.ok();
}
template <>
Result<Release> from_json<Release>(const nlohmann::json& json) {
  return read_value<Release>(json);
}

nlohmann::json to_json(const Execute& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Execute::kKind;
  json["id"] = write(value.id);
  json["buffers"] = write(value.buffers);
  json["kernels"] = write(value.kernels);
  json["launches"] = write(value.launches);
  json["constants"] = write(value.constants);
  json["inputs"] = write(value.inputs);
  json["outputs"] = write(value.outputs);
  json["repeats"] = write(value.repeats);
  json["cap_ms"] = write(value.cap_ms);
  if (value.textures) json["textures"] = write(*value.textures);
  if (value.model) json["model"] = write(*value.model);
  if (value.timed_ms_max) json["timed_ms_max"] = write(*value.timed_ms_max);
  if (value.time_launches) json["time_launches"] = write(*value.time_launches);
  if (value.loops) json["loops"] = write(*value.loops);
  if (value.rival) json["rival"] = write(*value.rival);
  if (value.fresh) json["fresh"] = write(*value.fresh);
  return json;
}
bool read_fields(const nlohmann::json& json, Execute& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("buffers", value.buffers, {65536, 65536});
  reader.required("kernels", value.kernels, {16384, 65536});
  reader.required("launches", value.launches, {65536, 65536});
  reader.required("constants", value.constants, {65536, 65536});
  reader.required("inputs", value.inputs, {256, 65536});
  reader.required("outputs", value.outputs, {256, 65536});
  reader.required("repeats", value.repeats, {65536, 65536});
  reader.required("cap_ms", value.cap_ms, {65536, 65536});
  reader.optional("textures", value.textures, {65536, 65536});
  reader.optional("model", value.model, {1024, 1024});
  reader.optional("timed_ms_max", value.timed_ms_max, {65536, 65536});
  reader.optional("time_launches", value.time_launches, {65536, 65536});
  reader.optional("loops", value.loops, {256, 65536});
  reader.optional("rival", value.rival, {65536, 65536});
  reader.optional("fresh", value.fresh, {65536, 65536});
  return reader.ok();
}
template <>
Result<Execute> from_json<Execute>(const nlohmann::json& json) {
  return read_value<Execute>(json);
}

nlohmann::json to_json(const Executed& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Executed::kKind;
  json["reply_to"] = write(value.reply_to);
  if (value.error) json["error"] = write(*value.error);
  json["create_ms"] = write(value.create_ms);
  json["first_ms"] = write(value.first_ms);
  json["run_ms"] = write(value.run_ms);
  json["kernel_ms"] = write(value.kernel_ms);
  json["clock_resolution_ns"] = write(value.clock_resolution_ns);
  if (value.launch_us) json["launch_us"] = write(*value.launch_us);
  if (value.quad_ms) json["quad_ms"] = write(*value.quad_ms);
  if (value.reference_us) json["reference_us"] = write(*value.reference_us);
  if (value.by_device_clock) json["by_device_clock"] = write(*value.by_device_clock);
  return json;
}
bool read_fields(const nlohmann::json& json, Executed& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.optional("error", value.error, {65536, 65536});
  reader.required("create_ms", value.create_ms, {65536, 65536});
  reader.required("first_ms", value.first_ms, {65536, 65536});
  reader.required("run_ms", value.run_ms, {65536, 65536});
  reader.required("kernel_ms", value.kernel_ms, {65536, 65536});
  reader.required("clock_resolution_ns", value.clock_resolution_ns, {65536, 65536});
  reader.optional("launch_us", value.launch_us, {65536, 65536});
  reader.optional("quad_ms", value.quad_ms, {256, 65536});
  reader.optional("reference_us", value.reference_us, {256, 65536});
  reader.optional("by_device_clock", value.by_device_clock, {65536, 65536});
  return reader.ok();
}
template <>
Result<Executed> from_json<Executed>(const nlohmann::json& json) {
  return read_value<Executed>(json);
}

nlohmann::json to_json(const FetchBlob& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = FetchBlob::kKind;
  json["id"] = write(value.id);
  json["sha256"] = write(value.sha256);
  json["offset"] = write(value.offset);
  return json;
}
bool read_fields(const nlohmann::json& json, FetchBlob& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("sha256", value.sha256, {64, 64});
  reader.required("offset", value.offset, {65536, 65536});
  return reader.ok();
}
template <>
Result<FetchBlob> from_json<FetchBlob>(const nlohmann::json& json) {
  return read_value<FetchBlob>(json);
}

nlohmann::json to_json(const BlobPiece& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = BlobPiece::kKind;
  json["reply_to"] = write(value.reply_to);
  return json;
}
bool read_fields(const nlohmann::json& json, BlobPiece& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  return reader.ok();
}
template <>
Result<BlobPiece> from_json<BlobPiece>(const nlohmann::json& json) {
  return read_value<BlobPiece>(json);
}

nlohmann::json to_json(const ClientHello& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ClientHello::kKind;
  json["id"] = write(value.id);
  json["token"] = write(value.token);
  json["version"] = write(value.version);
  json["user"] = write(value.user);
  if (value.enroll_code) json["enroll_code"] = write(*value.enroll_code);
  return json;
}
bool read_fields(const nlohmann::json& json, ClientHello& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("token", value.token, {128, 128});
  reader.required("version", value.version, {65536, 65536});
  reader.required("user", value.user, {256, 256});
  reader.optional("enroll_code", value.enroll_code, {64, 64});
  return reader.ok();
}
template <>
Result<ClientHello> from_json<ClientHello>(const nlohmann::json& json) {
  return read_value<ClientHello>(json);
}

nlohmann::json to_json(const ClientWelcome& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ClientWelcome::kKind;
  json["reply_to"] = write(value.reply_to);
  json["version"] = write(value.version);
  if (value.role) json["role"] = write(*value.role);
  if (value.token) json["token"] = write(*value.token);
  return json;
}
bool read_fields(const nlohmann::json& json, ClientWelcome& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("version", value.version, {65536, 65536});
  reader.optional("role", value.role, {65536, 65536});
  reader.optional("token", value.token, {128, 128});
  return reader.ok();
}
template <>
Result<ClientWelcome> from_json<ClientWelcome>(const nlohmann::json& json) {
  return read_value<ClientWelcome>(json);
}

nlohmann::json to_json(const ListDevices& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ListDevices::kKind;
  json["id"] = write(value.id);
  if (value.after) json["after"] = write(*value.after);
  return json;
}
bool read_fields(const nlohmann::json& json, ListDevices& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.optional("after", value.after, {64, 64});
  return reader.ok();
}
template <>
Result<ListDevices> from_json<ListDevices>(const nlohmann::json& json) {
  return read_value<ListDevices>(json);
}

nlohmann::json to_json(const Devices& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Devices::kKind;
  json["reply_to"] = write(value.reply_to);
  json["devices"] = write(value.devices);
  if (value.more) json["more"] = write(*value.more);
  return json;
}
bool read_fields(const nlohmann::json& json, Devices& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("devices", value.devices, {1024, 65536});
  reader.optional("more", value.more, {65536, 65536});
  return reader.ok();
}
template <>
Result<Devices> from_json<Devices>(const nlohmann::json& json) {
  return read_value<Devices>(json);
}

nlohmann::json to_json(const LabelDevice& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = LabelDevice::kKind;
  json["id"] = write(value.id);
  json["device_id"] = write(value.device_id);
  json["label"] = write(value.label);
  if (value.user) json["user"] = write(*value.user);
  return json;
}
bool read_fields(const nlohmann::json& json, LabelDevice& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("device_id", value.device_id, {64, 64});
  reader.required("label", value.label, {64, 64});
  reader.optional("user", value.user, {256, 256});
  return reader.ok();
}
template <>
Result<LabelDevice> from_json<LabelDevice>(const nlohmann::json& json) {
  return read_value<LabelDevice>(json);
}

nlohmann::json to_json(const DeviceLabelled& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = DeviceLabelled::kKind;
  json["reply_to"] = write(value.reply_to);
  if (value.physical_id) json["physical_id"] = write(*value.physical_id);
  return json;
}
bool read_fields(const nlohmann::json& json, DeviceLabelled& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.optional("physical_id", value.physical_id, {64, 64});
  return reader.ok();
}
template <>
Result<DeviceLabelled> from_json<DeviceLabelled>(const nlohmann::json& json) {
  return read_value<DeviceLabelled>(json);
}

nlohmann::json to_json(const ManageDevice& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ManageDevice::kKind;
  json["id"] = write(value.id);
  json["device_id"] = write(value.device_id);
  json["action"] = write(value.action);
  json["reason"] = write(value.reason);
  if (value.user) json["user"] = write(*value.user);
  return json;
}
bool read_fields(const nlohmann::json& json, ManageDevice& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("device_id", value.device_id, {64, 64});
  reader.required("action", value.action, {65536, 65536});
  reader.required("reason", value.reason, {256, 256});
  reader.optional("user", value.user, {256, 256});
  return reader.ok();
}
template <>
Result<ManageDevice> from_json<ManageDevice>(const nlohmann::json& json) {
  return read_value<ManageDevice>(json);
}

nlohmann::json to_json(const DeviceManaged& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = DeviceManaged::kKind;
  json["reply_to"] = write(value.reply_to);
  if (value.service_state) json["service_state"] = write(*value.service_state);
  return json;
}
bool read_fields(const nlohmann::json& json, DeviceManaged& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.optional("service_state", value.service_state, {65536, 65536});
  return reader.ok();
}
template <>
Result<DeviceManaged> from_json<DeviceManaged>(const nlohmann::json& json) {
  return read_value<DeviceManaged>(json);
}

nlohmann::json to_json(const ShowDevice& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ShowDevice::kKind;
  json["id"] = write(value.id);
  json["device_id"] = write(value.device_id);
  return json;
}
bool read_fields(const nlohmann::json& json, ShowDevice& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("device_id", value.device_id, {64, 64});
  return reader.ok();
}
template <>
Result<ShowDevice> from_json<ShowDevice>(const nlohmann::json& json) {
  return read_value<ShowDevice>(json);
}

nlohmann::json to_json(const DeviceShown& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = DeviceShown::kKind;
  json["reply_to"] = write(value.reply_to);
  json["device"] = write(value.device);
  json["leases"] = write(value.leases);
  json["events"] = write(value.events);
  return json;
}
bool read_fields(const nlohmann::json& json, DeviceShown& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("device", value.device, {65536, 65536});
  reader.required("leases", value.leases, {65536, 65536});
  reader.required("events", value.events, {1024, 65536});
  return reader.ok();
}
template <>
Result<DeviceShown> from_json<DeviceShown>(const nlohmann::json& json) {
  return read_value<DeviceShown>(json);
}

nlohmann::json to_json(const SubmitJob& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = SubmitJob::kKind;
  json["id"] = write(value.id);
  json["job"] = write(value.job);
  if (value.detached) json["detached"] = write(*value.detached);
  return json;
}
bool read_fields(const nlohmann::json& json, SubmitJob& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("job", value.job, {65536, 65536});
  reader.optional("detached", value.detached, {65536, 65536});
  return reader.ok();
}
template <>
Result<SubmitJob> from_json<SubmitJob>(const nlohmann::json& json) {
  return read_value<SubmitJob>(json);
}

nlohmann::json to_json(const JobAccepted& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = JobAccepted::kKind;
  json["reply_to"] = write(value.reply_to);
  json["job"] = write(value.job);
  return json;
}
bool read_fields(const nlohmann::json& json, JobAccepted& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("job", value.job, {256, 256});
  return reader.ok();
}
template <>
Result<JobAccepted> from_json<JobAccepted>(const nlohmann::json& json) {
  return read_value<JobAccepted>(json);
}

nlohmann::json to_json(const JobProgress& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = JobProgress::kKind;
  json["job"] = write(value.job);
  json["phase"] = write(value.phase);
  json["task"] = write(value.task);
  json["tasks_done"] = write(value.tasks_done);
  json["tasks_total"] = write(value.tasks_total);
  json["trials_done"] = write(value.trials_done);
  json["trials_total"] = write(value.trials_total);
  json["best_us"] = write(value.best_us);
  json["trials_per_second"] = write(value.trials_per_second);
  json["left_s"] = write(value.left_s);
  json["message"] = write(value.message);
  if (value.naive_us) json["naive_us"] = write(*value.naive_us);
  if (value.measured_us) json["measured_us"] = write(*value.measured_us);
  if (value.predicted_us) json["predicted_us"] = write(*value.predicted_us);
  if (value.errors) json["errors"] = write(*value.errors);
  if (value.waits_for) json["waits_for"] = write(*value.waits_for);
  if (value.waited_s) json["waited_s"] = write(*value.waited_s);
  return json;
}
bool read_fields(const nlohmann::json& json, JobProgress& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("job", value.job, {256, 256});
  reader.required("phase", value.phase, {65536, 65536});
  reader.required("task", value.task, {512, 512});
  reader.required("tasks_done", value.tasks_done, {65536, 65536});
  reader.required("tasks_total", value.tasks_total, {65536, 65536});
  reader.required("trials_done", value.trials_done, {65536, 65536});
  reader.required("trials_total", value.trials_total, {65536, 65536});
  reader.required("best_us", value.best_us, {65536, 65536});
  reader.required("trials_per_second", value.trials_per_second, {65536, 65536});
  reader.required("left_s", value.left_s, {65536, 65536});
  reader.required("message", value.message, {4096, 4096});
  reader.optional("naive_us", value.naive_us, {65536, 65536});
  reader.optional("measured_us", value.measured_us, {65536, 65536});
  reader.optional("predicted_us", value.predicted_us, {65536, 65536});
  reader.optional("errors", value.errors, {64, 65536});
  reader.optional("waits_for", value.waits_for, {512, 512});
  reader.optional("waited_s", value.waited_s, {65536, 65536});
  return reader.ok();
}
template <>
Result<JobProgress> from_json<JobProgress>(const nlohmann::json& json) {
  return read_value<JobProgress>(json);
}

nlohmann::json to_json(const JobDone& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = JobDone::kKind;
  json["job"] = write(value.job);
  json["result"] = write(value.result);
  return json;
}
bool read_fields(const nlohmann::json& json, JobDone& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("job", value.job, {256, 256});
  reader.required("result", value.result, {65536, 65536});
  return reader.ok();
}
template <>
Result<JobDone> from_json<JobDone>(const nlohmann::json& json) {
  return read_value<JobDone>(json);
}

nlohmann::json to_json(const JobFailed& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = JobFailed::kKind;
  json["job"] = write(value.job);
  json["code"] = write(value.code);
  json["message"] = write(value.message);
  return json;
}
bool read_fields(const nlohmann::json& json, JobFailed& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("job", value.job, {256, 256});
  reader.required("code", value.code, {65536, 65536});
  reader.required("message", value.message, {16384, 16384});
  return reader.ok();
}
template <>
Result<JobFailed> from_json<JobFailed>(const nlohmann::json& json) {
  return read_value<JobFailed>(json);
}

nlohmann::json to_json(const CancelJob& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = CancelJob::kKind;
  json["id"] = write(value.id);
  json["job"] = write(value.job);
  return json;
}
bool read_fields(const nlohmann::json& json, CancelJob& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("job", value.job, {256, 256});
  return reader.ok();
}
template <>
Result<CancelJob> from_json<CancelJob>(const nlohmann::json& json) {
  return read_value<CancelJob>(json);
}

nlohmann::json to_json(const AttachJob& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = AttachJob::kKind;
  json["id"] = write(value.id);
  json["job"] = write(value.job);
  return json;
}
bool read_fields(const nlohmann::json& json, AttachJob& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("job", value.job, {256, 256});
  return reader.ok();
}
template <>
Result<AttachJob> from_json<AttachJob>(const nlohmann::json& json) {
  return read_value<AttachJob>(json);
}

nlohmann::json to_json(const ListJobs& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ListJobs::kKind;
  json["id"] = write(value.id);
  if (value.before) json["before"] = write(*value.before);
  return json;
}
bool read_fields(const nlohmann::json& json, ListJobs& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.optional("before", value.before, {65536, 65536});
  return reader.ok();
}
template <>
Result<ListJobs> from_json<ListJobs>(const nlohmann::json& json) {
  return read_value<ListJobs>(json);
}

nlohmann::json to_json(const Jobs& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Jobs::kKind;
  json["reply_to"] = write(value.reply_to);
  json["jobs"] = write(value.jobs);
  if (value.next) json["next"] = write(*value.next);
  return json;
}
bool read_fields(const nlohmann::json& json, Jobs& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("jobs", value.jobs, {256, 65536});
  reader.optional("next", value.next, {65536, 65536});
  return reader.ok();
}
template <>
Result<Jobs> from_json<Jobs>(const nlohmann::json& json) {
  return read_value<Jobs>(json);
}

nlohmann::json to_json(const CancelAccepted& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = CancelAccepted::kKind;
  json["reply_to"] = write(value.reply_to);
  return json;
}
bool read_fields(const nlohmann::json& json, CancelAccepted& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  return reader.ok();
}
template <>
Result<CancelAccepted> from_json<CancelAccepted>(const nlohmann::json& json) {
  return read_value<CancelAccepted>(json);
}

nlohmann::json to_json(const ShowJob& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ShowJob::kKind;
  json["id"] = write(value.id);
  json["job"] = write(value.job);
  return json;
}
bool read_fields(const nlohmann::json& json, ShowJob& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("job", value.job, {256, 256});
  return reader.ok();
}
template <>
Result<ShowJob> from_json<ShowJob>(const nlohmann::json& json) {
  return read_value<ShowJob>(json);
}

nlohmann::json to_json(const JobShown& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = JobShown::kKind;
  json["reply_to"] = write(value.reply_to);
  json["job"] = write(value.job);
  if (value.result) json["result"] = write(*value.result);
  return json;
}
bool read_fields(const nlohmann::json& json, JobShown& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("job", value.job, {65536, 65536});
  reader.optional("result", value.result, {65536, 65536});
  return reader.ok();
}
template <>
Result<JobShown> from_json<JobShown>(const nlohmann::json& json) {
  return read_value<JobShown>(json);
}

nlohmann::json to_json(const WatchFleet& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = WatchFleet::kKind;
  json["id"] = write(value.id);
  return json;
}
bool read_fields(const nlohmann::json& json, WatchFleet& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  return reader.ok();
}
template <>
Result<WatchFleet> from_json<WatchFleet>(const nlohmann::json& json) {
  return read_value<WatchFleet>(json);
}

nlohmann::json to_json(const FleetWatched& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = FleetWatched::kKind;
  json["reply_to"] = write(value.reply_to);
  return json;
}
bool read_fields(const nlohmann::json& json, FleetWatched& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  return reader.ok();
}
template <>
Result<FleetWatched> from_json<FleetWatched>(const nlohmann::json& json) {
  return read_value<FleetWatched>(json);
}

nlohmann::json to_json(const DeviceChanged& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = DeviceChanged::kKind;
  json["event"] = write(value.event);
  return json;
}
bool read_fields(const nlohmann::json& json, DeviceChanged& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("event", value.event, {65536, 65536});
  return reader.ok();
}
template <>
Result<DeviceChanged> from_json<DeviceChanged>(const nlohmann::json& json) {
  return read_value<DeviceChanged>(json);
}

nlohmann::json to_json(const JobChanged& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = JobChanged::kKind;
  json["job"] = write(value.job);
  return json;
}
bool read_fields(const nlohmann::json& json, JobChanged& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("job", value.job, {65536, 65536});
  return reader.ok();
}
template <>
Result<JobChanged> from_json<JobChanged>(const nlohmann::json& json) {
  return read_value<JobChanged>(json);
}

nlohmann::json to_json(const WatchAgent& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = WatchAgent::kKind;
  json["id"] = write(value.id);
  json["launch_id"] = write(value.launch_id);
  return json;
}
bool read_fields(const nlohmann::json& json, WatchAgent& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("launch_id", value.launch_id, {64, 64});
  return reader.ok();
}
template <>
Result<WatchAgent> from_json<WatchAgent>(const nlohmann::json& json) {
  return read_value<WatchAgent>(json);
}

nlohmann::json to_json(const AgentState& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = AgentState::kKind;
  json["launch_id"] = write(value.launch_id);
  json["state"] = write(value.state);
  json["message"] = write(value.message);
  return json;
}
bool read_fields(const nlohmann::json& json, AgentState& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("launch_id", value.launch_id, {64, 64});
  reader.required("state", value.state, {65536, 65536});
  reader.required("message", value.message, {4096, 4096});
  return reader.ok();
}
template <>
Result<AgentState> from_json<AgentState>(const nlohmann::json& json) {
  return read_value<AgentState>(json);
}

nlohmann::json to_json(const FetchRecords& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = FetchRecords::kKind;
  json["id"] = write(value.id);
  json["part"] = write(value.part);
  if (value.tasks) json["tasks"] = write(*value.tasks);
  if (value.device_key) json["device_key"] = write(*value.device_key);
  if (value.job) json["job"] = write(*value.job);
  if (value.after) json["after"] = write(*value.after);
  return json;
}
bool read_fields(const nlohmann::json& json, FetchRecords& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("part", value.part, {65536, 65536});
  reader.optional("tasks", value.tasks, {1024, 32});
  reader.optional("device_key", value.device_key, {4096, 4096});
  reader.optional("job", value.job, {4096, 4096});
  reader.optional("after", value.after, {65536, 65536});
  return reader.ok();
}
template <>
Result<FetchRecords> from_json<FetchRecords>(const nlohmann::json& json) {
  return read_value<FetchRecords>(json);
}

nlohmann::json to_json(const Records& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Records::kKind;
  json["reply_to"] = write(value.reply_to);
  if (value.next) json["next"] = write(*value.next);
  json["left_out"] = write(value.left_out);
  return json;
}
bool read_fields(const nlohmann::json& json, Records& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.optional("next", value.next, {65536, 65536});
  reader.required("left_out", value.left_out, {65536, 65536});
  return reader.ok();
}
template <>
Result<Records> from_json<Records>(const nlohmann::json& json) {
  return read_value<Records>(json);
}

nlohmann::json to_json(const CreateEnrolment& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = CreateEnrolment::kKind;
  json["id"] = write(value.id);
  json["name"] = write(value.name);
  return json;
}
bool read_fields(const nlohmann::json& json, CreateEnrolment& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("name", value.name, {64, 64});
  return reader.ok();
}
template <>
Result<CreateEnrolment> from_json<CreateEnrolment>(const nlohmann::json& json) {
  return read_value<CreateEnrolment>(json);
}

nlohmann::json to_json(const Enrolment& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Enrolment::kKind;
  json["reply_to"] = write(value.reply_to);
  json["code"] = write(value.code);
  json["lifetime_ms"] = write(value.lifetime_ms);
  return json;
}
bool read_fields(const nlohmann::json& json, Enrolment& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("code", value.code, {64, 64});
  reader.required("lifetime_ms", value.lifetime_ms, {65536, 65536});
  return reader.ok();
}
template <>
Result<Enrolment> from_json<Enrolment>(const nlohmann::json& json) {
  return read_value<Enrolment>(json);
}

nlohmann::json to_json(const ListTokens& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ListTokens::kKind;
  json["id"] = write(value.id);
  if (value.after) json["after"] = write(*value.after);
  return json;
}
bool read_fields(const nlohmann::json& json, ListTokens& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.optional("after", value.after, {64, 64});
  return reader.ok();
}
template <>
Result<ListTokens> from_json<ListTokens>(const nlohmann::json& json) {
  return read_value<ListTokens>(json);
}

nlohmann::json to_json(const Tokens& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Tokens::kKind;
  json["reply_to"] = write(value.reply_to);
  json["tokens"] = write(value.tokens);
  json["more"] = write(value.more);
  return json;
}
bool read_fields(const nlohmann::json& json, Tokens& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("tokens", value.tokens, {1024, 65536});
  reader.required("more", value.more, {65536, 65536});
  return reader.ok();
}
template <>
Result<Tokens> from_json<Tokens>(const nlohmann::json& json) {
  return read_value<Tokens>(json);
}

nlohmann::json to_json(const CreateToken& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = CreateToken::kKind;
  json["id"] = write(value.id);
  json["role"] = write(value.role);
  json["name"] = write(value.name);
  json["lifetime_s"] = write(value.lifetime_s);
  if (value.quota) json["quota"] = write(*value.quota);
  return json;
}
bool read_fields(const nlohmann::json& json, CreateToken& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("role", value.role, {65536, 65536});
  reader.required("name", value.name, {64, 64});
  reader.required("lifetime_s", value.lifetime_s, {65536, 65536, 0, 315360000});
  reader.optional("quota", value.quota, {65536, 65536});
  return reader.ok();
}
template <>
Result<CreateToken> from_json<CreateToken>(const nlohmann::json& json) {
  return read_value<CreateToken>(json);
}

nlohmann::json to_json(const TokenCreated& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = TokenCreated::kKind;
  json["reply_to"] = write(value.reply_to);
  json["info"] = write(value.info);
  json["token"] = write(value.token);
  return json;
}
bool read_fields(const nlohmann::json& json, TokenCreated& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("info", value.info, {65536, 65536});
  reader.required("token", value.token, {128, 128});
  return reader.ok();
}
template <>
Result<TokenCreated> from_json<TokenCreated>(const nlohmann::json& json) {
  return read_value<TokenCreated>(json);
}

nlohmann::json to_json(const RevokeToken& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = RevokeToken::kKind;
  json["id"] = write(value.id);
  json["token_id"] = write(value.token_id);
  return json;
}
bool read_fields(const nlohmann::json& json, RevokeToken& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("token_id", value.token_id, {64, 64});
  return reader.ok();
}
template <>
Result<RevokeToken> from_json<RevokeToken>(const nlohmann::json& json) {
  return read_value<RevokeToken>(json);
}

nlohmann::json to_json(const TokenRevoked& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = TokenRevoked::kKind;
  json["reply_to"] = write(value.reply_to);
  return json;
}
bool read_fields(const nlohmann::json& json, TokenRevoked& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  return reader.ok();
}
template <>
Result<TokenRevoked> from_json<TokenRevoked>(const nlohmann::json& json) {
  return read_value<TokenRevoked>(json);
}

nlohmann::json to_json(const RotateToken& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = RotateToken::kKind;
  json["id"] = write(value.id);
  json["token_id"] = write(value.token_id);
  return json;
}
bool read_fields(const nlohmann::json& json, RotateToken& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("token_id", value.token_id, {64, 64});
  return reader.ok();
}
template <>
Result<RotateToken> from_json<RotateToken>(const nlohmann::json& json) {
  return read_value<RotateToken>(json);
}

nlohmann::json to_json(const ServerHello& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ServerHello::kKind;
  json["id"] = write(value.id);
  json["token"] = write(value.token);
  json["version"] = write(value.version);
  json["server_id"] = write(value.server_id);
  json["session_url"] = write(value.session_url);
  return json;
}
bool read_fields(const nlohmann::json& json, ServerHello& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("token", value.token, {128, 128});
  reader.required("version", value.version, {65536, 65536});
  reader.required("server_id", value.server_id, {64, 64});
  reader.required("session_url", value.session_url, {1024, 1024});
  return reader.ok();
}
template <>
Result<ServerHello> from_json<ServerHello>(const nlohmann::json& json) {
  return read_value<ServerHello>(json);
}

nlohmann::json to_json(const ServerWelcome& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ServerWelcome::kKind;
  json["reply_to"] = write(value.reply_to);
  json["version"] = write(value.version);
  json["beat_ms"] = write(value.beat_ms);
  json["lease_ms"] = write(value.lease_ms);
  if (value.trackers) json["trackers"] = write(*value.trackers);
  return json;
}
bool read_fields(const nlohmann::json& json, ServerWelcome& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("version", value.version, {65536, 65536});
  reader.required("beat_ms", value.beat_ms, {65536, 65536});
  reader.required("lease_ms", value.lease_ms, {65536, 65536});
  reader.optional("trackers", value.trackers, {64, 300});
  return reader.ok();
}
template <>
Result<ServerWelcome> from_json<ServerWelcome>(const nlohmann::json& json) {
  return read_value<ServerWelcome>(json);
}

nlohmann::json to_json(const ServerBeat& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ServerBeat::kKind;
  json["seq"] = write(value.seq);
  return json;
}
bool read_fields(const nlohmann::json& json, ServerBeat& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("seq", value.seq, {65536, 65536});
  return reader.ok();
}
template <>
Result<ServerBeat> from_json<ServerBeat>(const nlohmann::json& json) {
  return read_value<ServerBeat>(json);
}

nlohmann::json to_json(const ServerBeatAck& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ServerBeatAck::kKind;
  json["seq"] = write(value.seq);
  if (value.trackers) json["trackers"] = write(*value.trackers);
  return json;
}
bool read_fields(const nlohmann::json& json, ServerBeatAck& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("seq", value.seq, {65536, 65536});
  reader.optional("trackers", value.trackers, {64, 300});
  return reader.ok();
}
template <>
Result<ServerBeatAck> from_json<ServerBeatAck>(const nlohmann::json& json) {
  return read_value<ServerBeatAck>(json);
}

nlohmann::json to_json(const Reserve& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = Reserve::kKind;
  json["id"] = write(value.id);
  json["wish"] = write(value.wish);
  return json;
}
bool read_fields(const nlohmann::json& json, Reserve& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("wish", value.wish, {65536, 65536});
  return reader.ok();
}
template <>
Result<Reserve> from_json<Reserve>(const nlohmann::json& json) {
  return read_value<Reserve>(json);
}

nlohmann::json to_json(const LeasesGranted& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = LeasesGranted::kKind;
  json["reply_to"] = write(value.reply_to);
  json["leases"] = write(value.leases);
  return json;
}
bool read_fields(const nlohmann::json& json, LeasesGranted& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("leases", value.leases, {16, 65536});
  return reader.ok();
}
template <>
Result<LeasesGranted> from_json<LeasesGranted>(const nlohmann::json& json) {
  return read_value<LeasesGranted>(json);
}

nlohmann::json to_json(const CancelReservation& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = CancelReservation::kKind;
  json["request"] = write(value.request);
  return json;
}
bool read_fields(const nlohmann::json& json, CancelReservation& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("request", value.request, {65536, 65536});
  return reader.ok();
}
template <>
Result<CancelReservation> from_json<CancelReservation>(const nlohmann::json& json) {
  return read_value<CancelReservation>(json);
}

nlohmann::json to_json(const ReleaseLease& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ReleaseLease::kKind;
  json["lease_id"] = write(value.lease_id);
  return json;
}
bool read_fields(const nlohmann::json& json, ReleaseLease& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("lease_id", value.lease_id, {64, 64});
  return reader.ok();
}
template <>
Result<ReleaseLease> from_json<ReleaseLease>(const nlohmann::json& json) {
  return read_value<ReleaseLease>(json);
}

nlohmann::json to_json(const LeaseLost& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = LeaseLost::kKind;
  json["lease_id"] = write(value.lease_id);
  json["code"] = write(value.code);
  json["message"] = write(value.message);
  return json;
}
bool read_fields(const nlohmann::json& json, LeaseLost& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("lease_id", value.lease_id, {64, 64});
  reader.required("code", value.code, {65536, 65536});
  reader.required("message", value.message, {4096, 4096});
  return reader.ok();
}
template <>
Result<LeaseLost> from_json<LeaseLost>(const nlohmann::json& json) {
  return read_value<LeaseLost>(json);
}

nlohmann::json to_json(const LeaseProgress& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = LeaseProgress::kKind;
  json["lease_id"] = write(value.lease_id);
  json["work_ms"] = write(value.work_ms);
  return json;
}
bool read_fields(const nlohmann::json& json, LeaseProgress& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("lease_id", value.lease_id, {64, 64});
  reader.required("work_ms", value.work_ms, {65536, 65536, 0, 31536000000});
  return reader.ok();
}
template <>
Result<LeaseProgress> from_json<LeaseProgress>(const nlohmann::json& json) {
  return read_value<LeaseProgress>(json);
}

nlohmann::json to_json(const RedeemSession& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = RedeemSession::kKind;
  json["id"] = write(value.id);
  json["session_token"] = write(value.session_token);
  json["lease_id"] = write(value.lease_id);
  json["device_id"] = write(value.device_id);
  return json;
}
bool read_fields(const nlohmann::json& json, RedeemSession& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("session_token", value.session_token, {128, 128});
  reader.required("lease_id", value.lease_id, {64, 64});
  reader.required("device_id", value.device_id, {64, 64});
  return reader.ok();
}
template <>
Result<RedeemSession> from_json<RedeemSession>(const nlohmann::json& json) {
  return read_value<RedeemSession>(json);
}

nlohmann::json to_json(const SessionRedeemed& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = SessionRedeemed::kKind;
  json["reply_to"] = write(value.reply_to);
  json["lease"] = write(value.lease);
  return json;
}
bool read_fields(const nlohmann::json& json, SessionRedeemed& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("lease", value.lease, {65536, 65536});
  return reader.ok();
}
template <>
Result<SessionRedeemed> from_json<SessionRedeemed>(const nlohmann::json& json) {
  return read_value<SessionRedeemed>(json);
}

nlohmann::json to_json(const ReopenSession& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ReopenSession::kKind;
  json["lease_id"] = write(value.lease_id);
  return json;
}
bool read_fields(const nlohmann::json& json, ReopenSession& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("lease_id", value.lease_id, {64, 64});
  return reader.ok();
}
template <>
Result<ReopenSession> from_json<ReopenSession>(const nlohmann::json& json) {
  return read_value<ReopenSession>(json);
}

nlohmann::json to_json(const AskWhyNone& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = AskWhyNone::kKind;
  json["id"] = write(value.id);
  json["wish"] = write(value.wish);
  return json;
}
bool read_fields(const nlohmann::json& json, AskWhyNone& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("wish", value.wish, {65536, 65536});
  return reader.ok();
}
template <>
Result<AskWhyNone> from_json<AskWhyNone>(const nlohmann::json& json) {
  return read_value<AskWhyNone>(json);
}

nlohmann::json to_json(const WhyNone& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = WhyNone::kKind;
  json["reply_to"] = write(value.reply_to);
  json["why"] = write(value.why);
  json["one_fits"] = write(value.one_fits);
  return json;
}
bool read_fields(const nlohmann::json& json, WhyNone& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("why", value.why, {16384, 16384});
  reader.required("one_fits", value.one_fits, {65536, 65536});
  return reader.ok();
}
template <>
Result<WhyNone> from_json<WhyNone>(const nlohmann::json& json) {
  return read_value<WhyNone>(json);
}

nlohmann::json to_json(const AskWhyNotReady& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = AskWhyNotReady::kKind;
  json["id"] = write(value.id);
  json["device_id"] = write(value.device_id);
  return json;
}
bool read_fields(const nlohmann::json& json, AskWhyNotReady& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("device_id", value.device_id, {64, 64});
  return reader.ok();
}
template <>
Result<AskWhyNotReady> from_json<AskWhyNotReady>(const nlohmann::json& json) {
  return read_value<AskWhyNotReady>(json);
}

nlohmann::json to_json(const WhyNotReady& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = WhyNotReady::kKind;
  json["reply_to"] = write(value.reply_to);
  json["why"] = write(value.why);
  return json;
}
bool read_fields(const nlohmann::json& json, WhyNotReady& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("why", value.why, {8192, 8192});
  return reader.ok();
}
template <>
Result<WhyNotReady> from_json<WhyNotReady>(const nlohmann::json& json) {
  return read_value<WhyNotReady>(json);
}

nlohmann::json to_json(const AdmitToken& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = AdmitToken::kKind;
  json["id"] = write(value.id);
  json["token"] = write(value.token);
  return json;
}
bool read_fields(const nlohmann::json& json, AdmitToken& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("id", value.id, {});
  reader.required("token", value.token, {128, 128});
  return reader.ok();
}
template <>
Result<AdmitToken> from_json<AdmitToken>(const nlohmann::json& json) {
  return read_value<AdmitToken>(json);
}

nlohmann::json to_json(const TokenAdmitted& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = TokenAdmitted::kKind;
  json["reply_to"] = write(value.reply_to);
  json["token_id"] = write(value.token_id);
  json["role"] = write(value.role);
  json["name"] = write(value.name);
  json["quota"] = write(value.quota);
  return json;
}
bool read_fields(const nlohmann::json& json, TokenAdmitted& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("reply_to", value.reply_to, {});
  reader.required("token_id", value.token_id, {64, 64});
  reader.required("role", value.role, {65536, 65536});
  reader.required("name", value.name, {64, 64});
  reader.required("quota", value.quota, {65536, 65536});
  return reader.ok();
}
template <>
Result<TokenAdmitted> from_json<TokenAdmitted>(const nlohmann::json& json) {
  return read_value<TokenAdmitted>(json);
}

nlohmann::json to_json(const AttendToken& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = AttendToken::kKind;
  json["token_id"] = write(value.token_id);
  return json;
}
bool read_fields(const nlohmann::json& json, AttendToken& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("token_id", value.token_id, {64, 64});
  return reader.ok();
}
template <>
Result<AttendToken> from_json<AttendToken>(const nlohmann::json& json) {
  return read_value<AttendToken>(json);
}

nlohmann::json to_json(const LeaveToken& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = LeaveToken::kKind;
  json["token_id"] = write(value.token_id);
  return json;
}
bool read_fields(const nlohmann::json& json, LeaveToken& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("token_id", value.token_id, {64, 64});
  return reader.ok();
}
template <>
Result<LeaveToken> from_json<LeaveToken>(const nlohmann::json& json) {
  return read_value<LeaveToken>(json);
}

nlohmann::json to_json(const TokenEnded& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = TokenEnded::kKind;
  json["token_id"] = write(value.token_id);
  json["message"] = write(value.message);
  return json;
}
bool read_fields(const nlohmann::json& json, TokenEnded& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("token_id", value.token_id, {64, 64});
  reader.required("message", value.message, {4096, 4096});
  return reader.ok();
}
template <>
Result<TokenEnded> from_json<TokenEnded>(const nlohmann::json& json) {
  return read_value<TokenEnded>(json);
}

nlohmann::json to_json(const RelaySession& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = RelaySession::kKind;
  json["relay_id"] = write(value.relay_id);
  return json;
}
bool read_fields(const nlohmann::json& json, RelaySession& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("relay_id", value.relay_id, {64, 64});
  return reader.ok();
}
template <>
Result<RelaySession> from_json<RelaySession>(const nlohmann::json& json) {
  return read_value<RelaySession>(json);
}

nlohmann::json to_json(const RelayHello& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = RelayHello::kKind;
  json["relay_id"] = write(value.relay_id);
  return json;
}
bool read_fields(const nlohmann::json& json, RelayHello& value, std::string& error) {
  FieldReader reader(json, error);
  reader.required("relay_id", value.relay_id, {64, 64});
  return reader.ok();
}
template <>
Result<RelayHello> from_json<RelayHello>(const nlohmann::json& json) {
  return read_value<RelayHello>(json);
}

nlohmann::json to_json(const ErrorReply& value) {
  nlohmann::json json = nlohmann::json::object();
  json["kind"] = ErrorReply::kKind;
  if (value.reply_to) json["reply_to"] = write(*value.reply_to);
  json["code"] = write(value.code);
  json["message"] = write(value.message);
  if (value.tracker) json["tracker"] = write(*value.tracker);
  return json;
}
bool read_fields(const nlohmann::json& json, ErrorReply& value, std::string& error) {
  FieldReader reader(json, error);
  reader.optional("reply_to", value.reply_to, {65536, 65536});
  reader.required("code", value.code, {65536, 65536});
  reader.required("message", value.message, {16384, 16384});
  reader.optional("tracker", value.tracker, {1024, 1024});
  return reader.ok();
}
template <>
Result<ErrorReply> from_json<ErrorReply>(const nlohmann::json& json) {
  return read_value<ErrorReply>(json);
}

}  // namespace hone::protocol
