// Generated from schema/protocol.json by scripts/gen_schema. Do not edit.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "schema/generated/error_code.h"

namespace hone::protocol {

inline constexpr std::string_view kProtocolName = "hone.v1";
inline constexpr uint32_t kProtocolVersion = 4;
inline constexpr size_t kHeaderBytesMax = 8388608;  // [bytes] the JSON header of one frame
inline constexpr size_t kFrameBytesMax = 268435456;  // [bytes] one whole frame: length word, header and payload, but that of a job
inline constexpr size_t kJobBytesMax = 2147483648;  // [bytes] a frame that submits a job: the model and its inputs. A service whose memory is small takes less, but always frame_bytes_max
inline constexpr size_t kHelloBytesMax = 65536;  // [bytes] one frame from a peer whose token was not checked yet

// What a device can do now.
enum class DeviceStateKind : uint8_t {
  kReady,  // takes work
  kLost,  // the browser lost it; work on it has ended
  kRecovering,  // the agent is making it again
  kGone,  // its agent is not connected
  kStuck,  // its agent's socket is open, but its heartbeats stopped or its worker does not answer; no agent says this of itself
};
std::string_view to_name(DeviceStateKind value);
bool from_name(std::string_view name, DeviceStateKind& value);

// What people let a device do, and whether a job uses it. Kept over restarts.
enum class ServiceState : uint8_t {
  kIdle,  // nobody uses it; it is leased to who asks, while it is ready
  kLeased,  // a job uses it
  kDraining,  // the job that uses it may end; it gets no other, and is in maintenance then
  kMaintenance,  // it gets no job until somebody resumes it
  kQuarantined,  // likewise, because somebody distrusts it; the lease that it had ended at once
};
std::string_view to_name(ServiceState value);
bool from_name(std::string_view name, ServiceState& value);

// What an admin does with a device.
enum class DeviceAction : uint8_t {
  kDrain,  // it ends its lease and gets no other
  kQuarantine,  // its lease ends now, and it gets no other
  kResume,  // it is leased again
  kForget,  // nothing is known of it any more; one that is connected, or leased, stays
};
std::string_view to_name(DeviceAction value);
bool from_name(std::string_view name, DeviceAction& value);

// What happened to a device.
enum class DeviceEventKind : uint8_t {
  kConnected,  // its agent said hello with it
  kGone,  // its agent's connection ended
  kStuck,  // its agent's heartbeats stopped, or its worker does not answer
  kLost,  // the browser lost it
  kLeased,  // a job of the user has it
  kLeaseEnded,  // why stands in the text
  kLabelled,  // the user gave it a name, or took it away
  kDrained,  // by the user
  kQuarantined,  // by the user
  kResumed,  // by the user
};
std::string_view to_name(DeviceEventKind value);
bool from_name(std::string_view name, DeviceEventKind& value);

// What the tracker knows of an agent that a launcher started.
enum class AgentStateKind : uint8_t {
  kConnected,  // it said hello and its heartbeats arrive
  kGone,  // its socket closed
  kStuck,  // its socket is open, but its heartbeats stopped or its worker does not answer
};
std::string_view to_name(AgentStateKind value);
bool from_name(std::string_view name, AgentStateKind& value);

// How a task uses a buffer.
enum class BufferRole : uint8_t {
  kInput,  // an activation, filled by the generator
  kConstant,  // a weight, filled by the generator; its layout may be packed ahead of time
  kOutput,  // written by the kernel and compared with the reference
};
std::string_view to_name(BufferRole value);
bool from_name(std::string_view name, BufferRole& value);

// What the padding of a buffer's layout holds.
enum class PadKind : uint8_t {
  kAny,  // anything; a kernel must not depend on it
  kZero,  // zeros, which a kernel may depend on and an output must hold
};
std::string_view to_name(PadKind value);
bool from_name(std::string_view name, PadKind& value);

// What a binding of a launch refers to.
enum class BindingKind : uint8_t {
  kArg,  // a buffer of the task, by position (inputs, then outputs)
  kTemp,  // a scratch buffer of the candidate, by position in its temps
};
std::string_view to_name(BindingKind value);
bool from_name(std::string_view name, BindingKind& value);

// What a job does.
enum class JobKind : uint8_t {
  kTune,  // searches for the best schedule of each task
  kBench,  // times known schedules
  kRun,  // runs a model once
  kVerify,  // compares a model's outputs with the reference
  kCompare,  // times schedules of one task in turns
  kCompareBuilds,  // times two builds of one model in turns, until it is known which is faster
};
std::string_view to_name(JobKind value);
bool from_name(std::string_view name, JobKind& value);

// Which schedule each task of a model has.
enum class ScheduleChoice : uint8_t {
  kBest,  // the best that the records know for the device; else the seed, else the plain one
  kSeed,  // the one that it has without tuning; else the plain one
  kNaive,  // the plain one
};
std::string_view to_name(ScheduleChoice value);
bool from_name(std::string_view name, ScheduleChoice& value);

// What a timed execution finds of its buffers in the device's caches.
enum class CacheState : uint8_t {
  kHot,  // what the execution before it left there, on the same buffers: all of them where they fit
  kCold,  // nothing: executions take copies of all buffers in turns, larger together than the last-level cache
  kModel,  // what it would find in a run of the model: constants are copies in turns, as large together as what the model touches between two of its runs; the others are hot, as if they had just been written
};
std::string_view to_name(CacheState value);
bool from_name(std::string_view name, CacheState& value);

// Where a job is.
enum class JobPhase : uint8_t {
  kQueued,  // accepted, not begun
  kPreparing,  // imports the model and makes references
  kWaitingForDevice,  // no matching device is free
  kMeasuring,  // candidates are on the device
  kFinishing,  // writes the last records
};
std::string_view to_name(JobPhase value);
bool from_name(std::string_view name, JobPhase& value);

// How far a job has come. Kept over restarts.
enum class JobState : uint8_t {
  kQueued,  // stored; it begins when its turn comes
  kRunning,  // the service works on it, or waits for its device
  kDone,  // it ended well
  kFailed,  // it ended otherwise; the outcome says why
  kCancelled,  // somebody cancelled it, its client went away, or the service stopped
  kLost,  // the service ended before the job did, and nobody waits for it any more
};
std::string_view to_name(JobState value);
bool from_name(std::string_view name, JobState& value);

// What a token lets its holder do.
enum class Role : uint8_t {
  kAgent,  // bring devices: the control socket, blobs, and on the client socket watch_agent alone
  kSubmitter,  // submit jobs, see, follow and cancel its user's own, list devices, fetch records
  kAdmin,  // all that the others may, label devices, and hand out and take back tokens
  kServer,  // be a compile server of the tracker: lease devices, and ask who shows a token
};
std::string_view to_name(Role value);
bool from_name(std::string_view name, Role& value);

// What a line of the records says.
enum class RecordPart : uint8_t {
  kTasks,  // what is tuned: task, task_name, task_text, flops
  kDevices,  // a fingerprint of a class of devices: device_key, target, fingerprint
  kJobs,  // what a person started: job, kind, state, device_key, request, message, started_unix_ms, ended_unix_ms
  kAttempts,  // one measurement, as hone records export writes it
};
std::string_view to_name(RecordPart value);
bool from_name(std::string_view name, RecordPart& value);

// A place among the records. What is recorded meanwhile comes behind it.
struct RecordPlace {
  static constexpr std::string_view kKind = "record_place";
  uint64_t row = 0;  // Of attempts the number of the trial; of the other parts how many lines came before.
  uint32_t attempt = 0;  // Of attempts the attempt's number; else 0.
};

// What the agent observed of a device. What of it the speed of a kernel depends on, and does not change by itself, makes the device key (schema/device_key.h).
struct Fingerprint {
  static constexpr std::string_view kKind = "fingerprint";
  std::string target;  // The kind of kernels it runs: webgpu, webgl, wasm, native, opengl or opencl.
  std::string vendor;  // The adapter's vendor, as the browser names it.
  std::string architecture;  // The adapter's architecture, as the browser names it.
  std::string device;  // The adapter's device id, as the browser names it.
  std::string description;  // The adapter's description, for people; no part of the device key.
  std::string backend;  // The graphics interface below the browser's one (vulkan, metal, d3d12), or empty when unknown.
  std::string browser;  // The browser or process in lower case: chromium, firefox, safari, node, native.
  uint32_t browser_major = 0;  // The browser's major version.
  std::string os;  // The operating system in lower case.
  std::vector<std::string> features{};  // The features that can be asked for; order does not matter.
  std::map<std::string, double> limits{};  // The device's limits by their names in the API, e.g. maxComputeInvocationsPerWorkgroup.
  std::optional<double> launch_us;  // [us] What one launch more costs a run, whatever it computes, as measured; no part of the device key.
  std::optional<std::string> driver;  // The driver's version, where anything says it; no part of the device key.
  std::optional<double> arithmetic_gflops;  // [GFLOP/s] What a kernel of multiplications and additions alone reaches, as measured; no part of the device key.
  std::optional<double> memory_gb_s;  // [GB/s] How fast it reads what lies in no cache, as measured; no part of the device key.
  std::optional<uint64_t> last_level_cache_bytes;  // [bytes] Up to which working set its reads are faster than its memory, as measured, a power of 2; absent where no such size was found; no part of the device key.
};

// How a device tells time.
struct Timer {
  static constexpr std::string_view kKind = "timer";
  std::string method;  // timestamp, slope or clock.
  double quantum_ns = 0;  // [ns] The smallest step of its clock, as measured.
};

// A device that an agent brings.
struct DeviceOffer {
  static constexpr std::string_view kKind = "device_offer";
  std::string local_id;  // The agent's own name of the device, the same over reconnects.
  std::string target;  // The kind of kernels it runs.
  Fingerprint fingerprint{};  // What the agent observed.
  Timer timer{};  // How it tells time.
  std::optional<std::vector<std::string>> launch_flags;  // The browser's command line, when a launcher of hone started it.
  std::optional<std::string> physical_id;  // The id of the device itself, 32 random hexadecimal digits, which its agent keeps over restarts of page, browser and service.
};

// The tracker's names for an offered device.
struct DeviceGrant {
  static constexpr std::string_view kKind = "device_grant";
  std::string local_id;  // As in the offer.
  std::string device_id;  // This one device, the same when its agent comes back.
  std::string device_key;  // The class of equal devices (schema/device_key.h), 32 hexadecimal digits.
};

// An argument of a task (inputs, then outputs). The element at row-major index i of an input or constant is real_at([low, high, step], seed, i), of whole numbers whole_at([low, high], seed, i) (base/value_range.h).
struct Buffer {
  static constexpr std::string_view kKind = "buffer";
  std::string name;  // For people.
  BufferRole role{};  // How the task uses it.
  std::string dtype;  // The element type: f32, i32 or u32.
  std::vector<int64_t> shape{};  // Logical extents, outermost first.
  std::vector<std::array<int64_t, 3>> dims{};  // The layout, outermost first: each physical dimension is [axis, div, size], with index (logical[axis] / div) mod size; empty means row-major.
  PadKind pad{};  // What the padding of the layout holds.
  uint64_t bytes = 0;  // [bytes] The size of the buffer in its layout.
  uint64_t seed = 0;  // The generator's seed: hash_mix(hash_mix(0x686f6e65, task.id.lo), position).
  double low = 0;  // The least number of an input or constant; 0 for an output.
  double high = 0;  // The greatest of whole numbers; floats lie below it. 0 for an output.
  std::optional<double> step;  // Floats are multiples of it other than 0, up to high and down to low, which is -high. Absent: they are any.
};

// The reference of one output, in its element type and logical row-major order, to be fetched from /blob/<sha256>. An element whose 32 bits are 0x7fdea11e is not specified: any finite value is right. A NaN or an infinity must be one.
struct ExpectedOutput {
  static constexpr std::string_view kKind = "expected_output";
  std::string sha256;  // 64 hexadecimal digits.
  uint64_t bytes = 0;  // [bytes] The size of the blob.
  double largest = 0;  // The largest magnitude of its finite elements, of f32.
  double median = 0;  // The median magnitude of its finite elements other than 0, of f32.
};

// The reference of a task.
struct Expected {
  static constexpr std::string_view kKind = "expected";
  std::vector<ExpectedOutput> outputs{};  // One per output, in order.
};

// A task on other inputs.
struct InputSet {
  static constexpr std::string_view kKind = "input_set";
  std::vector<Buffer> buffers{};  // The task's, of other seeds.
  Expected expected{};  // The reference on these.
};

// What a buffer is where kernels read textures (target webgl): texels of four numbers. Its bytes fill them along x, then y, then the layers; the last texels may be beyond the buffer and hold anything.
struct Texture {
  static constexpr std::string_view kKind = "texture";
  uint32_t width = 0;  // [texels] At least 1, at most the device's MAX_TEXTURE_SIZE.
  uint32_t height = 0;  // [texels] Likewise.
  uint32_t layers = 0;  // 1: a plain texture; more: an array of so many, at most the device's MAX_ARRAY_TEXTURE_LAYERS, or as many as it writes at once where a kernel writes it.
  std::string format;  // rgba32f, rgba32i, rgba32ui, or rgba16f, which only scratch buffers and constants are; its numbers go up as two bytes each, those of all others up and down as four.
};

// Binding i of group 0 of a launch; on textures (target webgl) one that is read is the uniform sampler b<i>, and the layers of those that are written are, binding after binding, the colour outputs 0, 1, ….
struct Binding {
  static constexpr std::string_view kKind = "binding";
  BindingKind kind{};  // A buffer of the task or a scratch buffer.
  uint32_t position = 0;  // Its position among them.
  bool writes = false;  // True when the kernel may write it.
  uint64_t bytes = 0;  // [bytes] The size that the kernel declares.
  std::optional<Texture> texture;  // What it is bound as, on textures; all bindings of one scratch buffer say the same. Absent on other targets.
};

// One dispatch; on textures one draw of a triangle over everything, whose viewport is grid[0] × grid[1]; for native devices the whole kernel; of a WebAssembly module one call of main(arguments, begin, end) for the iterations 0 to grid[0] of its parallel loop, in parts; arguments is the address of an array of addresses, one per binding. A module's reads whose values it drops may lie up to 16 MiB beside a buffer.
struct Launch {
  static constexpr std::string_view kKind = "launch";
  std::string code;  // The kernel's source, with the entry point main (WGSL; on textures a fragment shader in GLSL ES 3.00); for native devices its loop IR, with all launches; empty where the kernel is a module.
  std::array<uint32_t, 3> grid{};  // [workgroups] Workgroups along x, y and z; on textures fragments, and as large as each texture that it writes.
  std::array<uint32_t, 3> threads{};  // [threads] Threads of one workgroup along x, y and z.
  std::vector<Binding> bindings{};  // In the order of their binding numbers.
  uint32_t module_bytes = 0;  // [bytes] The size of its WebAssembly module in the frame's payload, which takes the place of the source; 0: code is the kernel.
  uint32_t scratch_bytes = 0;  // [bytes] Memory, aligned to 16, that each call of its module needs to itself; the address stands behind those of the bindings. 0: none.
  std::optional<bool> ahead;  // True: all that it writes follows from constants, into scratch buffers that nobody else writes. An agent may run it but once, when it checks the candidate, and time the others alone. Absent: false.
};

// An argument of a task that a candidate wants in another layout or element type: a constant, packed ahead of time; on textures also an input or an output, which is then compared in that layout.
struct ArgLayout {
  static constexpr std::string_view kKind = "arg_layout";
  uint32_t position = 0;  // Its position among the task's buffers.
  std::vector<std::array<int64_t, 3>> dims{};  // The layout, as in buffer.
  uint64_t bytes = 0;  // [bytes] The size of the buffer in this layout and element type.
  std::optional<std::string> dtype;  // f16: a constant of f32, each number rounded to the nearest half, ties to even, in half the bytes. Absent: the buffer's own type.
};

// One kernel to check and to time.
struct Candidate {
  static constexpr std::string_view kKind = "candidate";
  uint64_t trial = 0;  // The server's number of the trial, echoed in the result.
  uint32_t attempt = 0;  // 0 for the first try.
  double best_so_far_us = 0;  // [us] The best known time for the task; 0 means none.
  double predicted_us = 0;  // [us] The predicted time, for the watchdog; 0 means unknown.
  std::vector<uint64_t> temps{};  // [bytes] Sizes of its scratch buffers.
  std::vector<Launch> launches{};  // In order of execution.
  std::vector<ArgLayout> layouts{};  // Arguments that it wants in another layout than the task's.
};

// How to time.
struct MeasurePolicy {
  static constexpr std::string_view kKind = "measure_policy";
  uint32_t samples = 0;  // Samples per candidate.
  double sample_ms_min = 0;  // [ms] The least time of one sample.
  uint32_t quanta_min = 0;  // The least number of timer quanta in one sample.
  double race_factor = 0;  // A candidate slower than the best by this factor stops after its first sample; 0 means never.
  double cap_ms = 0;  // [ms] The watchdog's cap for one candidate.
  bool in_turns = false;  // True: the batch's candidates are compared with each other; they give their samples in turns, in reversed order every second time. False: one candidate after the other.
  std::optional<CacheState> cache;  // The state of the caches that samples are taken in; hot when absent. A device that cannot make it measures in hot, and says so.
  std::optional<uint64_t> model_bytes;  // [bytes] What a run of the model touches, for the state model; 0 when absent.
  std::optional<bool> both_caches;  // True: a few samples are also taken in the other state: in cold where cache is hot, else in hot. Absent: false.
};

// A kernel of a plan, to be fetched from /blob/<sha256>: source text as in launch, or a WebAssembly module that exports main.
struct PlanKernel {
  static constexpr std::string_view kKind = "plan_kernel";
  std::string sha256;  // 64 hexadecimal digits.
  uint64_t bytes = 0;  // [bytes] The size of the blob.
  std::vector<bool> writes{};  // Per binding of group 0: true when the kernel may write it.
  std::optional<uint32_t> scratch_bytes;  // [bytes] As in launch; absent: none.
};

// One dispatch of a plan.
struct PlanLaunch {
  static constexpr std::string_view kKind = "plan_launch";
  uint32_t kernel = 0;  // Its position among the plan's kernels.
  std::array<uint32_t, 3> grid{};  // [workgroups] Workgroups along x, y and z.
  std::vector<uint32_t> buffers{};  // Per binding the buffer's position in the plan.
  std::vector<uint64_t> binding_bytes{};  // [bytes] Per binding the size that the kernel declares.
  std::optional<bool> ahead;  // True: all that it writes follows from constants, into buffers that nobody else writes; an agent may run it in the first run alone. Absent: false.
};

// Launches of a plan that run again and again.
struct PlanLoop {
  static constexpr std::string_view kKind = "plan_loop";
  uint32_t first = 0;  // Position of the first one.
  uint32_t last = 0;  // Position behind the last one.
  std::optional<uint64_t> trips;  // [trips] How often they run; absent where a condition says it.
  std::optional<uint32_t> condition;  // Position of a buffer: before each trip its first word is read, and 0 ends the loop. Absent where trips says it.
};

// The content of a buffer, to be fetched from /blob/<sha256>, in the buffer's own layout.
struct PlanUpload {
  static constexpr std::string_view kKind = "plan_upload";
  uint32_t buffer = 0;  // Its position in the plan.
  std::string sha256;  // 64 hexadecimal digits.
  uint64_t bytes = 0;  // [bytes] The size of the blob, at most the buffer's.
};

// What is read back from a buffer.
struct PlanOutput {
  static constexpr std::string_view kKind = "plan_output";
  uint32_t buffer = 0;  // Its position in the plan.
  uint64_t bytes = 0;  // [bytes] Bytes from the buffer's beginning; a multiple of 4.
};

// The plan of another build of the same model, which is timed against the first one.
struct RivalPlan {
  static constexpr std::string_view kKind = "rival_plan";
  std::vector<uint64_t> buffers{};  // [bytes] As in execute, and so are those that follow.
  std::vector<PlanKernel> kernels{};  // Likewise.
  std::vector<PlanLaunch> launches{};  // Likewise.
  std::vector<PlanUpload> constants{};  // Likewise.
  std::vector<PlanUpload> inputs{};  // The same values, in this plan's layouts.
  std::vector<PlanOutput> outputs{};  // The same values, likewise.
  std::optional<std::vector<Texture>> textures;  // As in execute.
  std::optional<std::vector<PlanLoop>> loops;  // As in execute.
  std::vector<bool> rival_first{};  // Per quad of times whether it is rival, first, first, rival; else it is first, rival, rival, first.
  double sample_ms = 0;  // [ms] A time is the mean of as many runs as take so long, one at least.
  bool kernels_alone = false;  // Times are of the launches by the device's clock, where it has one; else from the inputs' upload until the outputs are there.
};

// Why something did not work.
struct Failure {
  static constexpr std::string_view kKind = "failure";
  ErrorCode code = ErrorCode::kOk;  // A name of schema/errors.json.
  std::string message;  // One clear sentence.
};

// A lease, as people see it.
struct LeaseInfo {
  static constexpr std::string_view kKind = "lease_info";
  std::string lease_id;  // The lease.
  uint64_t fence = 0;  // Its fence.
  std::string job;  // The job that holds it.
  std::string user;  // The person behind the job.
  double expires_in_ms = 0;  // [ms] When it ends unless a heartbeat renews it.
};

// A device of the fleet.
struct DeviceInfo {
  static constexpr std::string_view kKind = "device_info";
  std::string device_id;  // This one device.
  std::string device_key;  // The class of equal devices.
  std::string kind;  // Browser and target: chromium-webgpu.
  std::string agent_id;  // The agent that brings it.
  std::string agent_name;  // That agent's name, for people.
  DeviceStateKind state{};  // What it can do now.
  std::string message;  // Why, in one sentence; may be empty.
  bool visible = false;  // False while its tab is hidden: timed work would be unstable.
  Fingerprint fingerprint{};  // What its agent observed.
  Timer timer{};  // How it tells time.
  std::optional<LeaseInfo> lease;  // Who uses it; absent when free.
  double seen_ago_ms = 0;  // [ms] Time since its agent's last heartbeat.
  std::optional<std::string> physical_id;  // The id that its agent keeps; absent where it keeps none.
  std::optional<std::string> label;  // What people call it.
  ServiceState service_state{};  // What people let it do, and whether a job uses it.
  std::optional<std::string> service_reason;  // Why it was drained or quarantined, as somebody said; absent where nobody did.
};

// One thing that happened to a device.
struct DeviceEvent {
  static constexpr std::string_view kKind = "device_event";
  uint64_t unix_ms = 0;  // [ms] When, by the service's clock.
  std::string device_id;  // To which: one physical device may have been known by several ids.
  DeviceEventKind kind{};  // What.
  std::string user;  // Who did it, or for whom; empty: nobody.
  std::string text;  // The job, the name or the reason; may be empty.
};

// What the holder of a token may have at once; 0: as much as there is.
struct Quota {
  static constexpr std::string_view kKind = "quota";
  uint64_t devices_max = 0;  // Devices leased to its user's jobs. Further jobs wait.
  uint64_t jobs_max = 0;  // Jobs of its user that have not ended. Further ones are refused.
  uint64_t bytes_max = 0;  // [B] Payloads of these jobs, together. What goes beyond is refused.
};

// A token, as lists show it: nothing in it lets anybody in.
struct TokenInfo {
  static constexpr std::string_view kKind = "token_info";
  std::string token_id;  // Its name in lists and in requests. Everybody may know it.
  Role role{};  // What it lets its holder do.
  std::string name;  // Of a submitter or an admin the user that fairness counts; of an agent for people. Empty: nobody gave it one.
  uint64_t created_unix_ms = 0;  // [ms] When it was made.
  uint64_t expires_unix_ms = 0;  // [ms] When it ends by itself; 0: never. That of an enrolled agent moves on as the token is used.
  uint64_t revoked_unix_ms = 0;  // [ms] When it was taken back; 0: it was not.
  uint64_t used_unix_ms = 0;  // [ms] When it was last shown, to the hour; 0: never.
  std::optional<Quota> quota;  // What its holder may have at once; absent: as much as there is.
};

// What a compile server wants of the tracker: leases on devices.
struct LeaseWish {
  static constexpr std::string_view kKind = "lease_wish";
  std::string selector;  // A device id, a kind or a capability expression; empty: any.
  std::string target;  // The kind of kernels; empty: any.
  std::string device_key;  // Only this class of devices; empty: any.
  std::vector<std::string> not_of{};  // Only devices of agents for which other tokens vouch.
  std::string job;  // The job.
  std::string user;  // The person behind it.
  int64_t priority = 0;  // Greater is served first.
  uint64_t user_devices_max = 0;  // That the user's jobs may hold at once; 0: any number.
  uint32_t count = 0;  // So many devices of one class at once, or none.
  double wait_ms = 0;  // [ms] How long to wait for them.
};

// A lease, as its holder is told it.
struct LeaseGrant {
  static constexpr std::string_view kKind = "lease_grant";
  std::string lease_id;  // The lease.
  uint64_t fence = 0;  // Its fence, greater than every earlier one of the device.
  DeviceInfo device{};  // The device.
  std::string session_token;  // The agent was sent it.
  std::string enrolment;  // Who vouches for the agent: the id of the token that it has shown.
  bool trusted = false;  // That token is a canary's.
};

// What a job works on: exactly one of op and model_name.
struct JobSource {
  static constexpr std::string_view kKind = "job_source";
  std::optional<std::string> op;  // An operator in ONNX's terms, e.g. name:512x512x512.
  std::optional<std::string> model_name;  // The name of the ONNX model whose bytes are the frame's payload.
  std::optional<bool> package;  // The payload is no ONNX model but an exported package, as an archive (package_archive); of runs and benches. False when absent.
};

// An input that a run is given; its elements, row-major and little-endian, lie in the payload.
struct RunInput {
  static constexpr std::string_view kKind = "run_input";
  std::string name;  // As the model names it.
  std::string dtype;  // The type of the elements that are sent.
  std::vector<int64_t> shape{};  // Extents, outermost first; at most 67108864 elements in all.
  std::optional<bool> constant;  // It becomes a part of the model: shapes and index maps may follow from it; false when absent.
};

// The options of a job that runs a model.
struct RunOptions {
  static constexpr std::string_view kKind = "run_options";
  std::optional<uint64_t> model_bytes;  // [bytes] How much of the payload is the model; the inputs' elements follow in order. All of it when absent.
  std::optional<std::vector<RunInput>> inputs;  // The inputs that are given; the others are made up.
  std::optional<bool> check;  // Compare the outputs with the reference; false when absent.
  std::optional<uint32_t> repeats;  // Timed runs; 0 when absent.
  std::optional<std::vector<ScheduleChoice>> schedules;  // A run takes the only one; a bench times each of them, in turns. The best when absent.
  std::optional<double> time_s;  // [s] The timed runs of one choice end after so long, and one that would take longer is left out of a bench; 20 when absent.
  std::optional<bool> launches;  // A bench tells how long each task takes; false when absent.
  std::optional<bool> placements;  // A run tells where each node of the model ran; false when absent.
};

// The options of a compare.
struct CompareOptions {
  static constexpr std::string_view kKind = "compare_options";
  std::vector<std::string> schedules{};  // Each a record's source, or the beginning of it, best, seed or naive; those behind the first are compared with it.
  std::optional<std::string> task;  // The task's id or the beginning of it, or a part of its name, where the source has several.
  std::optional<uint32_t> rounds;  // How often each is timed; when absent, as often as it takes to know which is faster than the first, 120 at most.
  std::optional<CacheState> cache;  // As of tune_options.
};

// The options of a compare_builds: both builds are packages, as archives.
struct CompareBuildsOptions {
  static constexpr std::string_view kKind = "compare_builds_options";
  uint64_t model_bytes = 0;  // [bytes] How much of the payload is the old build; the new one follows.
  std::optional<uint32_t> pairs_max;  // Pairs of times after which it is not known which is faster; 120 when absent.
  std::optional<double> sample_ms;  // [ms] How long a time is measured, at least; 20 when absent.
  std::optional<bool> kernels_alone;  // As in rival_plan; false when absent.
  std::optional<uint32_t> family;  // So many comparisons are judged together: one goes on until it is known with Bonferroni's correction for them, too. 1 when absent.
  std::optional<double> same_within;  // A share: what surely differs by less is the same; 0.01 when absent.
};

// The options of a tune.
struct TuneOptions {
  static constexpr std::string_view kKind = "tune_options";
  std::optional<std::string> strategy;  // How the next candidates are found; evolutionary when absent.
  std::optional<uint32_t> samples;  // Samples of one candidate; 3 when absent.
  std::optional<CacheState> cache;  // The state of the caches that candidates are measured in; absent: model of a model's tasks, hot of an operator's.
};

// A job, as lists show it.
struct JobInfo {
  static constexpr std::string_view kKind = "job_info";
  std::string job;  // Its id.
  JobKind job_kind{};  // What it does.
  std::string user;  // Whose it is.
  JobState state{};  // How far it has come.
  std::optional<ErrorCode> outcome;  // How it ended; absent while it has not.
  std::string message;  // Why it ended so, in one sentence; empty where it ended well or has not.
  std::string source;  // The operator or the model's name, for people.
  std::string target;  // The kind of kernels.
  int64_t priority = 0;  // Greater is served first.
  bool detached = false;  // It does not end with its client, and goes on after a restart of the service.
  uint32_t starts = 0;  // How often it was begun and neither ended nor put back by a service that stopped.
  uint64_t submitted_unix_ms = 0;  // [ms] When it was stored.
  uint64_t started_unix_ms = 0;  // [ms] When it began last; 0: it has not.
  uint64_t ended_unix_ms = 0;  // [ms] When it ended; 0: it has not.
};

// What a person asks for.
struct JobRequest {
  static constexpr std::string_view kKind = "job_request";
  JobKind kind{};  // What the job does.
  JobSource source{};  // What it works on.
  std::map<std::string, int64_t> dims{};  // Values of the model's symbolic dimensions.
  std::string target;  // The kind of kernels.
  std::string selector;  // A device id, a kind or a capability expression; empty means any device of the target.
  uint32_t trials = 0;  // Trials per task; 0 means the default.
  double time_s = 0;  // [s] The most wall time of the job, the wait for its device left out; 0 means no limit.
  uint64_t seed = 0;  // The seed of the search.
  std::optional<int64_t> priority;  // Greater is served first; 0 when absent. Above 0 only of an admin: of others it counts as 0.
  std::optional<double> device_wait_s;  // [s] How long to wait for a matching device; the service's default when absent.
  std::optional<nlohmann::json> options;  // Further options of the kind, an object: tune_options of a tune, run_options of a run or bench, compare_options of a compare, compare_builds_options of a compare_builds.
  std::optional<double> tolerance;  // The greatest error that kernels may have, as prepare_task's tolerance bounds it; absent: 1e-5 + 1e-6·√K of the longest reduction K. Greater ones permit narrower storage.
  std::optional<uint32_t> devices;  // The most devices of one class that a tune uses side by side; 1 when absent.
  std::optional<double> time_spent_s;  // [s] What of time_s was used before the job was sent; 0 when absent.
  std::optional<std::vector<std::string>> without_passes;  // Passes over the model's graph that are left out, by name; none when absent.
  std::optional<uint32_t> devices_min;  // So many devices of one class, all at once, with which a tune begins; 1 when absent. Until they are free together it takes none.
};

// The first frame of a control socket: who the agent is and which devices it brings. Control socket, agent to tracker.
struct Hello {
  static constexpr std::string_view kKind = "hello";
  static constexpr size_t kBytesMax = 65536;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string token;  // A token of the role agent or admin, 32 hexadecimal digits; empty where only an enroll_code is shown.
  uint32_t version = 0;  // The version of the protocol that the agent speaks.
  std::string agent_name;  // For people.
  std::optional<std::string> launch_id;  // The launcher's name for this start, from the URL's fragment, when a launcher of hone opened the page; a secret between the two, which also lets the agent come back as itself.
  std::optional<std::string> resume_agent_id;  // The agent_id of an earlier welcome, to keep agent and device ids; only with its resume_secret.
  std::vector<DeviceOffer> devices{};  // The devices.
  std::optional<std::string> problem;  // Why there is no device and what to do, for people; absent when there is one.
  std::optional<std::string> resume_secret;  // The resume_secret of the welcome that gave the agent_id. Without it, or with another one, the agent is a new one.
  std::optional<std::string> enroll_code;  // An enrolment's code, from the URL's fragment. It is exchanged for a token of the agent's own where the token that is shown lets nobody in.
};

// The agent is in. Control socket, tracker to agent.
struct Welcome {
  static constexpr std::string_view kKind = "welcome";
  static constexpr size_t kBytesMax = 65536;
  uint64_t reply_to = 0;  // The id of the request.
  std::string agent_id;  // The agent's name from now on, also after a reconnect. Everybody may know it.
  std::vector<DeviceGrant> devices{};  // One per offer, in order.
  double heartbeat_ms = 0;  // [ms] How often to send a heartbeat.
  double heartbeat_timeout_ms = 0;  // [ms] Silence after which the tracker holds the agent for stuck and lets its leases run out.
  std::optional<std::string> resume_secret;  // What lets this agent come back as itself, to be kept and told nobody else; absent when the one that it has shown goes on.
  std::optional<std::string> token;  // The agent's own token, of the role agent, for its enroll_code: to be kept, shown from now on, and told nobody else.
  std::optional<Role> role;  // The role of the token.
  std::optional<std::vector<std::string>> trackers;  // Where the farm's trackers are, this one among them, as http: or https: origins: whichever has the farm lets the agent in. Absent where there is one.
};

// The agent lives. Only this renews its leases, never a ping of the socket. Control socket, agent to tracker.
struct Heartbeat {
  static constexpr std::string_view kKind = "heartbeat";
  static constexpr size_t kBytesMax = 4096;
  uint64_t seq = 0;  // Grows by one.
  bool visible = false;  // False while the tab is hidden.
  bool worker_alive = false;  // False when the worker did not answer the page; leases are not renewed then.
  double busy_ms = 0;  // [ms] How long the worker has been on its current candidate; 0 when idle.
};

// Seen. Control socket, tracker to agent.
struct HeartbeatAck {
  static constexpr std::string_view kKind = "heartbeat_ack";
  static constexpr size_t kBytesMax = 32768;
  uint64_t seq = 0;  // As in the heartbeat.
  std::optional<std::vector<std::string>> trackers;  // As in welcome, where they are others by now.
};

// A device changed. Control socket, agent to tracker.
struct DeviceState {
  static constexpr std::string_view kKind = "device_state";
  static constexpr size_t kBytesMax = 16384;
  std::string device_id;  // The device.
  DeviceStateKind state{};  // What it can do now.
  std::string message;  // Why, in one sentence.
};

// A job leased a device: the agent opens a session socket. Control socket, tracker to agent.
struct OpenSession {
  static constexpr std::string_view kKind = "open_session";
  static constexpr size_t kBytesMax = 16384;
  std::string lease_id;  // The lease.
  uint64_t fence = 0;  // Its fence, greater than every earlier one of the device.
  std::string device_id;  // The device.
  std::string session_path;  // Where: a path on the same origin, or a ws: or wss: URL.
  std::string session_token;  // Lets one session socket in, once.
  std::optional<std::string> relay_path;  // A path on the same origin where the tracker hands the session on, for an agent that cannot open session_path.
};

// The lease ended: the agent drops the session's work and closes its socket. Control socket, tracker to agent.
struct CloseSession {
  static constexpr std::string_view kKind = "close_session";
  static constexpr size_t kBytesMax = 16384;
  std::string lease_id;  // The lease.
  std::string reason;  // Why, in one sentence.
};

// The service stops: the agent finishes its candidate and tries to reconnect later. Control socket, tracker to agent.
struct Drain {
  static constexpr std::string_view kKind = "drain";
  static constexpr size_t kBytesMax = 4096;
};

// The first frame of a session socket. Session socket, agent to server.
struct SessionHello {
  static constexpr std::string_view kKind = "session_hello";
  static constexpr size_t kBytesMax = 16384;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string session_token;  // From open_session; valid once.
  std::string device_id;  // The device.
  std::string lease_id;  // The lease.
};

// The session is open. Session socket, server to agent.
struct SessionWelcome {
  static constexpr std::string_view kKind = "session_welcome";
  static constexpr size_t kBytesMax = 16384;
  uint64_t reply_to = 0;  // The id of the request.
  std::string session_id;  // The session.
  uint32_t credits = 0;  // The most candidates that the server will have outstanding.
  std::optional<bool> blobs;  // True: blobs are asked for here, with fetch_blob. Absent: the agent's own origin has them.
};

// The agent makes the task's buffers, fills its inputs and fetches the expected outputs. Session socket, server to agent.
struct PrepareTask {
  static constexpr std::string_view kKind = "prepare_task";
  static constexpr size_t kBytesMax = 8388608;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string task;  // The task's id, 32 hexadecimal digits.
  std::vector<Buffer> buffers{};  // Inputs and constants, then outputs.
  Expected expected{};  // The reference.
  double tolerance = 0;  // The largest permitted error of an element: |y − r| / min(largest, 8·max(|r|, median)).
  std::optional<std::vector<Launch>> reference_launches;  // A kernel of the task that is timed in between, to see drift.
  std::optional<std::string> name;  // What the task computes, for people; a long one is cut. Absent: nobody gave it a name.
  std::optional<std::vector<InputSet>> more_inputs;  // Further inputs on which a kernel is executed and compared, where its task is small.
};

// The task's buffers are there, or why not. Session socket, agent to server.
struct TaskReady {
  static constexpr std::string_view kKind = "task_ready";
  static constexpr size_t kBytesMax = 65536;
  uint64_t reply_to = 0;  // The id of the request.
  std::optional<Failure> error;  // Absent when all went well.
};

// Candidates to check and to time. One result per candidate comes back as it ends, then batch_done. Session socket, server to agent.
struct Measure {
  static constexpr std::string_view kKind = "measure";
  static constexpr size_t kBytesMax = 8388608;
  uint64_t batch = 0;  // The server's number of the batch.
  uint64_t fence = 0;  // The lease's fence, echoed in results.
  std::string task;  // A prepared task.
  MeasurePolicy policy{};  // How to time.
  std::vector<Candidate> candidates{};  // In order of execution.
};

// What became of one candidate. Resent until acknowledged. Session socket, agent to server.
struct CandidateResult {
  static constexpr std::string_view kKind = "result";
  static constexpr size_t kBytesMax = 1048576;
  uint64_t batch = 0;  // As in measure.
  uint64_t trial = 0;  // As in the candidate.
  uint32_t attempt = 0;  // As in the candidate.
  uint64_t fence = 0;  // As in measure.
  ErrorCode outcome = ErrorCode::kOk;  // ok, or why there is no time.
  std::string message;  // The driver's words on failure; may be empty.
  std::vector<double> samples_us{};  // [us] One kernel's time per sample, in order of taking.
  double latency_us_median = 0;  // [us] Their median; 0 when there are none.
  std::string method;  // timestamp, slope or clock; empty when nothing was timed.
  double clock_resolution_ns = 0;  // [ns] The step of the clock that was used.
  uint32_t repeats = 0;  // Kernels per sample.
  double create_ms = 0;  // [ms] Creation of modules and pipelines, on GPUs with the first dispatch, at which drivers compile. 0 where they were kept from a kernel of the same text.
  double device_ms = 0;  // [ms] All of the device's work for this candidate, creation included.
  double max_error = 0;  // The greatest error of an element, as prepare_task's tolerance bounds it.
  double reference_us = 0;  // [us] The interleaved reference kernel, one piece of work that is the same at each connection; 0 when none.
  std::optional<CacheState> cache;  // The state of the caches that the samples were taken in; hot when absent.
  std::optional<double> other_us;  // [us] The median in the other state: cold where cache is hot, else hot; absent: not taken.
};

// The result is stored for good, or refused for good. Session socket, server to agent.
struct ResultAck {
  static constexpr std::string_view kKind = "result_ack";
  static constexpr size_t kBytesMax = 4096;
  uint64_t trial = 0;  // As in the result.
  uint32_t attempt = 0;  // As in the result.
};

// Every candidate of the batch has a result. Session socket, agent to server.
struct BatchDone {
  static constexpr std::string_view kKind = "batch_done";
  static constexpr size_t kBytesMax = 4096;
  uint64_t batch = 0;  // As in measure.
};

// Timed samples are being taken: a server on the same host pauses its workers. Session socket, agent to server.
struct Timing {
  static constexpr std::string_view kKind = "timing";
  static constexpr size_t kBytesMax = 4096;
  bool active = false;  // True at the start, false at the end.
};

// The agent skips the rest of a batch: the skipped candidates get the outcome cancelled. Session socket, server to agent.
struct Cancel {
  static constexpr std::string_view kKind = "cancel";
  static constexpr size_t kBytesMax = 4096;
  uint64_t batch = 0;  // The batch.
};

// The server is done: the agent frees the session's buffers and closes the socket. Session socket, server to agent.
struct Release {
  static constexpr std::string_view kKind = "release";
  static constexpr size_t kBytesMax = 4096;
};

// The agent runs a whole model: it makes the plan's buffers and pipelines, uploads, launches all in one submit, and reads the outputs back; then it does so again `repeats` times, timed. Session socket, server to agent.
struct Execute {
  static constexpr std::string_view kKind = "execute";
  static constexpr size_t kBytesMax = 8388608;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::vector<uint64_t> buffers{};  // [bytes] Sizes of the plan's buffers.
  std::vector<PlanKernel> kernels{};  // The distinct kernels.
  std::vector<PlanLaunch> launches{};  // In order of execution.
  std::vector<PlanUpload> constants{};  // Uploaded once.
  std::vector<PlanUpload> inputs{};  // Uploaded before each run.
  std::vector<PlanOutput> outputs{};  // Read back after each run.
  uint32_t repeats = 0;  // Timed runs after the first one; 0 for none.
  double cap_ms = 0;  // [ms] The watchdog's cap for the whole, downloads not counted.
  std::optional<std::vector<Texture>> textures;  // What each of the buffers is, where kernels read textures; kernels bind them as in measure. Absent on other targets.
  std::optional<std::string> model;  // The model's name, for people; a long one is cut. Absent: nobody gave it a name.
  std::optional<double> timed_ms_max;  // [ms] No timed run begins later than so long after the first one began; 20000 when absent.
  std::optional<bool> time_launches;  // True: after the timed runs the device times each launch by itself, if its clock can. Absent: false.
  std::optional<std::vector<PlanLoop>> loops;  // Launches that run again and again: each loop inside or outside of each other one, in the order in which they begin, outer ones first. Absent: none.
  std::optional<RivalPlan> rival;  // Instead of timed runs: both plans are made, each runs once, and then they are timed in turns. Absent: none.
  std::optional<bool> fresh;  // True: on a device that was opened anew for this, in a worker of its own. Absent: false.
};

// The model ran, or why not. Session socket, agent to server.
struct Executed {
  static constexpr std::string_view kKind = "executed";
  static constexpr size_t kBytesMax = 268435456;
  uint64_t reply_to = 0;  // The id of the request.
  std::optional<Failure> error;  // Absent when all went well; else there is no payload.
  double create_ms = 0;  // [ms] Pipelines, buffers and the upload of constants.
  double first_ms = 0;  // [ms] The first run.
  std::vector<double> run_ms{};  // [ms] Each timed run by the wall clock: inputs up, launches, outputs back.
  std::vector<double> kernel_ms{};  // [ms] The same runs by the device's clock, from the first launch to the end of the last; empty where the device has no such clock.
  double clock_resolution_ns = 0;  // [ns] The step of the device's clock.
  std::optional<std::vector<double>> launch_us;  // [us] Each launch of one run by the device's clock, 0 for those that run ahead; absent where it was not asked for, or the device cannot tell.
  std::optional<std::vector<double>> quad_ms;  // [ms] Where there is a rival, four of each quad: the first plan's and the rival's time of its first pair, and of its second pair. Times are of one run.
  std::optional<std::vector<double>> reference_us;  // [us] The agent's reference kernel, run behind each of these times, in the same order.
  std::optional<bool> by_device_clock;  // True: quad_ms is by the device's clock. Absent: false.
};

// Asks for a piece of a blob, where session_welcome says that blobs come so. Session socket, agent to server.
struct FetchBlob {
  static constexpr std::string_view kKind = "fetch_blob";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string sha256;  // 64 hexadecimal digits.
  uint64_t offset = 0;  // [bytes] Where the piece begins.
};

// A piece, of 4 MiB but at the blob's end. Session socket, server to agent.
struct BlobPiece {
  static constexpr std::string_view kKind = "blob";
  static constexpr size_t kBytesMax = 8388608;
  uint64_t reply_to = 0;  // The id of the request.
};

// The first frame of a client socket. Client socket, client to service.
struct ClientHello {
  static constexpr std::string_view kKind = "client_hello";
  static constexpr size_t kBytesMax = 16384;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string token;  // A token of any role, 32 hexadecimal digits; empty where only an enroll_code is shown.
  uint32_t version = 0;  // The version of the protocol that the client speaks.
  std::string user;  // The person, for fairness and for people, where the token names nobody.
  std::optional<std::string> enroll_code;  // As of an agent's hello.
};

// The client is in. Client socket, service to client.
struct ClientWelcome {
  static constexpr std::string_view kKind = "client_welcome";
  static constexpr size_t kBytesMax = 16384;
  uint64_t reply_to = 0;  // The id of the request.
  uint32_t version = 0;  // The version of the protocol that the service speaks.
  std::optional<Role> role;  // The role of the token.
  std::optional<std::string> token;  // As of an agent's welcome.
};

// Asks for the fleet, page by page. Client socket, client to service.
struct ListDevices {
  static constexpr std::string_view kKind = "list_devices";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::optional<std::string> after;  // The last device_id of the page before; absent for the first one.
};

// A page of the fleet. Client socket, service to client.
struct Devices {
  static constexpr std::string_view kKind = "devices";
  static constexpr size_t kBytesMax = 1048576;
  uint64_t reply_to = 0;  // The id of the request.
  std::vector<DeviceInfo> devices{};  // Known devices, ordered by id.
  std::optional<bool> more;  // True: there are further ones. Absent: false.
};

// Gives a device a name. Client socket, client to service.
struct LabelDevice {
  static constexpr std::string_view kKind = "label_device";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string device_id;  // The device.
  std::string label;  // Its name; empty: none.
  std::optional<std::string> user;  // Who does it, where a compile server passes it on.
};

// It has the name. Client socket, service to client.
struct DeviceLabelled {
  static constexpr std::string_view kKind = "device_labelled";
  static constexpr size_t kBytesMax = 4096;
  uint64_t reply_to = 0;  // The id of the request.
  std::optional<std::string> physical_id;  // The id of the device itself; absent where it has none.
};

// Takes a device out of service, or back, or forgets it. All but forgetting holds for each id by which the same physical device is known. Client socket, client to service.
struct ManageDevice {
  static constexpr std::string_view kKind = "manage_device";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string device_id;  // The device.
  DeviceAction action{};  // What to do.
  std::string reason;  // Why, for people; may be empty. Of drain and quarantine.
  std::optional<std::string> user;  // As of label_device.
};

// It is done, and on disk. Client socket, service to client.
struct DeviceManaged {
  static constexpr std::string_view kKind = "device_managed";
  static constexpr size_t kBytesMax = 4096;
  uint64_t reply_to = 0;  // The id of the request.
  std::optional<ServiceState> service_state;  // What it is now; absent: forgotten.
};

// Asks for a device and its history. Client socket, client to service.
struct ShowDevice {
  static constexpr std::string_view kKind = "show_device";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string device_id;  // The device.
};

// A device and what happened to it. Client socket, service to client.
struct DeviceShown {
  static constexpr std::string_view kKind = "device_shown";
  static constexpr size_t kBytesMax = 1048576;
  uint64_t reply_to = 0;  // The id of the request.
  DeviceInfo device{};  // The device.
  uint64_t leases = 0;  // How often it was leased under this id.
  std::vector<DeviceEvent> events{};  // The latest, oldest first, those of the same physical device under its other ids among them.
};

// Starts a job. After job_accepted come job_progress frames, then job_done or job_failed. Client socket, client to service.
struct SubmitJob {
  static constexpr std::string_view kKind = "submit_job";
  static constexpr size_t kBytesMax = 2147483648;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  JobRequest job{};  // What to do.
  std::optional<bool> detached;  // True, of a tune: the job is queued with its model, does not end with its client, and goes on after a restart of the service; nothing comes after job_accepted, but attach_job follows it. False when absent.
};

// The job is stored. Client socket, service to client.
struct JobAccepted {
  static constexpr std::string_view kKind = "job_accepted";
  static constexpr size_t kBytesMax = 4096;
  uint64_t reply_to = 0;  // The id of the request.
  std::string job;  // Its id.
};

// Where a job is; a newer one replaces an older one. Client socket, service to client.
struct JobProgress {
  static constexpr std::string_view kKind = "job_progress";
  static constexpr size_t kBytesMax = 65536;
  std::string job;  // The job.
  JobPhase phase{};  // Where it is.
  std::string task;  // The task in work, for people; may be empty.
  uint32_t tasks_done = 0;  // Tasks that have a time.
  uint32_t tasks_total = 0;  // Distinct tasks of the job.
  uint32_t trials_done = 0;  // Trials with a record.
  uint32_t trials_total = 0;  // Trials planned.
  double best_us = 0;  // [us] The best time of the task in work; 0 when none.
  double trials_per_second = 0;  // [1/s] The rate of late.
  double left_s = 0;  // [s] The estimated time left; 0 when unknown.
  std::string message;  // One sentence, e.g. what it waits for; may be empty.
  std::optional<double> naive_us;  // [us] The yardstick's time of the task in work; absent when none.
  std::optional<double> measured_us;  // [us] The time of the last trial; absent when it has none.
  std::optional<double> predicted_us;  // [us] What the search's model expected of the last trial; absent when nothing.
  std::optional<std::map<std::string, uint32_t>> errors;  // How many candidates of this run have no time, by outcome.
  std::optional<std::string> waits_for;  // What has kept the job silent, for people; absent when something came.
  std::optional<double> waited_s;  // [s] For how long it has been silent.
};

// The job ended well. Client socket, service to client.
struct JobDone {
  static constexpr std::string_view kKind = "job_done";
  static constexpr size_t kBytesMax = 268435456;
  std::string job;  // The job.
  nlohmann::json result{};  // Its result, an object whose form follows from the job's kind.
};

// The job ended otherwise. Records made until then are kept. Client socket, service to client.
struct JobFailed {
  static constexpr std::string_view kKind = "job_failed";
  static constexpr size_t kBytesMax = 65536;
  std::string job;  // The job.
  ErrorCode code = ErrorCode::kOk;  // Why.
  std::string message;  // Why, in one clear sentence.
};

// Stops a job of the client's user, or of anybody where an admin asks: who submitted it or follows it hears its end. It ends with job_failed and the code cancelled, or, where a search has begun, with job_done and what is known by then. Client socket, client to service.
struct CancelJob {
  static constexpr std::string_view kKind = "cancel_job";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string job;  // The job.
};

// Follows a job of the client's user, or of anybody where an admin asks. After job_accepted come job_progress frames, as many as the client reads, then job_done or job_failed; of a job that has ended, that at once. The job does not end with this client. Client socket, client to service.
struct AttachJob {
  static constexpr std::string_view kKind = "attach_job";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string job;  // The job.
};

// Asks for the jobs of the client's user, or for everybody's where an admin asks, page by page, one page at a time. Client socket, client to service.
struct ListJobs {
  static constexpr std::string_view kKind = "list_jobs";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::optional<uint64_t> before;  // The `next` of the page before; absent for the first one.
};

// A page of the jobs. Client socket, service to client.
struct Jobs {
  static constexpr std::string_view kKind = "jobs";
  static constexpr size_t kBytesMax = 1048576;
  uint64_t reply_to = 0;  // The id of the request.
  std::vector<JobInfo> jobs{};  // The latest first.
  std::optional<uint64_t> next;  // Where the next page begins; absent: this is the last one.
};

// The job is told to end. Its end is told to whoever submitted or follows it. Client socket, service to client.
struct CancelAccepted {
  static constexpr std::string_view kKind = "cancel_accepted";
  static constexpr size_t kBytesMax = 4096;
  uint64_t reply_to = 0;  // The id of the request.
};

// Asks for a job of the client's user, or of anybody where an admin asks. Client socket, client to service.
struct ShowJob {
  static constexpr std::string_view kKind = "show_job";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string job;  // The job.
};

// A job. Client socket, service to client.
struct JobShown {
  static constexpr std::string_view kKind = "job_shown";
  static constexpr size_t kBytesMax = 8388608;
  uint64_t reply_to = 0;  // The id of the request.
  JobInfo job{};  // The job.
  std::optional<nlohmann::json> result;  // Of a job that ended well: its result, an object whose form follows from the job's kind; absent where it is not kept.
};

// Asks to be told, from now on, what happens to devices and to the jobs of the client's user, or to everybody's where an admin asks. A client that reads slowly is told less. Client socket, client to service.
struct WatchFleet {
  static constexpr std::string_view kKind = "watch_fleet";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
};

// From here on everything is told. Client socket, service to client.
struct FleetWatched {
  static constexpr std::string_view kKind = "fleet_watched";
  static constexpr size_t kBytesMax = 4096;
  uint64_t reply_to = 0;  // The id of the request.
};

// Something happened to a device. It is on disk. Client socket, service to client.
struct DeviceChanged {
  static constexpr std::string_view kKind = "device_changed";
  static constexpr size_t kBytesMax = 65536;
  DeviceEvent event{};  // What happened.
};

// A job has another state. It is on disk. Client socket, service to client.
struct JobChanged {
  static constexpr std::string_view kKind = "job_changed";
  static constexpr size_t kBytesMax = 65536;
  JobInfo job{};  // The job.
};

// Asks for the state of the agent with this launch_id, now and on each change. Client socket, client to service.
struct WatchAgent {
  static constexpr std::string_view kKind = "watch_agent";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string launch_id;  // As in hello.
};

// The state of a watched agent. Client socket, service to client.
struct AgentState {
  static constexpr std::string_view kKind = "agent_state";
  static constexpr size_t kBytesMax = 16384;
  std::string launch_id;  // As in hello.
  AgentStateKind state{};  // Its state; gone while it never said hello.
  std::string message;  // Why, in one sentence.
};

// Asks for records, page by page, one page at a time. tasks, device_key and job say which attempts; without them, all. Client socket, client to service.
struct FetchRecords {
  static constexpr std::string_view kKind = "fetch_records";
  static constexpr size_t kBytesMax = 65536;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  RecordPart part{};  // Which lines.
  std::optional<std::vector<std::string>> tasks;  // Ids of tasks, 32 hexadecimal digits each.
  std::optional<std::string> device_key;  // A class of devices.
  std::optional<std::string> job;  // What this job measured, and with it what others did of the same tasks on the same device key, so that times can be judged beside each other.
  std::optional<RecordPlace> after;  // The place that the page before said; absent for the first one.
};

// A page of the records. Client socket, service to client.
struct Records {
  static constexpr std::string_view kKind = "records";
  static constexpr size_t kBytesMax = 8388608;
  uint64_t reply_to = 0;  // The id of the request.
  std::optional<RecordPlace> next;  // Behind which place the next page begins; absent: this is the last one.
  uint64_t left_out = 0;  // How many records the service knows of that are damaged, or too long for a line; they are in no page.
};

// Asks for a code that lets one agent in, once. Client socket, client to service.
struct CreateEnrolment {
  static constexpr std::string_view kKind = "create_enrolment";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string name;  // The name of the token that the code is exchanged for, for people; may be empty.
};

// The code. Client socket, service to client.
struct Enrolment {
  static constexpr std::string_view kKind = "enrolment";
  static constexpr size_t kBytesMax = 4096;
  uint64_t reply_to = 0;  // The id of the request.
  std::string code;  // 32 hexadecimal digits, for the fragment of the page's URL.
  double lifetime_ms = 0;  // [ms] How long it is good for, unless the service is started anew before.
};

// Asks for the tokens, page by page. Client socket, client to service.
struct ListTokens {
  static constexpr std::string_view kKind = "list_tokens";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::optional<std::string> after;  // The last token_id of the page before; absent for the first one.
};

// A page of the tokens. Client socket, service to client.
struct Tokens {
  static constexpr std::string_view kKind = "tokens";
  static constexpr size_t kBytesMax = 1048576;
  uint64_t reply_to = 0;  // The id of the request.
  std::vector<TokenInfo> tokens{};  // Known tokens, ordered by id, those among them that ended.
  bool more = false;  // True: there are further ones.
};

// Makes a token. Client socket, client to service.
struct CreateToken {
  static constexpr std::string_view kKind = "create_token";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  Role role{};  // What it lets its holder do.
  std::string name;  // As of token_info; a submitter has one.
  double lifetime_s = 0;  // [s] How long it is good for; 0: until it is revoked.
  std::optional<Quota> quota;  // What its holder may have at once; absent: as much as there is.
};

// The token, on disk. The service keeps its hash alone: nobody is told it again. Client socket, service to client.
struct TokenCreated {
  static constexpr std::string_view kKind = "token_created";
  static constexpr size_t kBytesMax = 4096;
  uint64_t reply_to = 0;  // The id of the request.
  TokenInfo info{};  // What lists show of it.
  std::string token;  // What lets in, 32 hexadecimal digits.
};

// Takes a token back: who is connected with it is closed, with the code 4003. Client socket, client to service.
struct RevokeToken {
  static constexpr std::string_view kKind = "revoke_token";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string token_id;  // As of token_info.
};

// It lets nobody in any more. Client socket, service to client.
struct TokenRevoked {
  static constexpr std::string_view kKind = "token_revoked";
  static constexpr size_t kBytesMax = 4096;
  uint64_t reply_to = 0;  // The id of the request.
};

// Gives a token's id, role and name another secret; the earlier one ends as by revoke_token. Client socket, client to service.
struct RotateToken {
  static constexpr std::string_view kKind = "rotate_token";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string token_id;  // As of token_info.
};

// The first frame of a compile server at its tracker. Server socket, server to tracker.
struct ServerHello {
  static constexpr std::string_view kKind = "server_hello";
  static constexpr size_t kBytesMax = 16384;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string token;  // A token of the role server or admin, 32 hexadecimal digits.
  uint32_t version = 0;  // The version of the protocol that the server speaks.
  std::string server_id;  // This start of the server, a secret between the two, the same at each of its connections.
  std::string session_url;  // Where agents open their sessions: a ws: or wss: URL.
};

// The server is in. Leases of an earlier connection of this start have ended. Server socket, tracker to server.
struct ServerWelcome {
  static constexpr std::string_view kKind = "server_welcome";
  static constexpr size_t kBytesMax = 32768;
  uint64_t reply_to = 0;  // The id of the request.
  uint32_t version = 0;  // The version of the protocol that the tracker speaks.
  double beat_ms = 0;  // [ms] How often to send a server_beat.
  double lease_ms = 0;  // [ms] The server's leases end so long after its last server_beat came; for the server, after the last one that was acknowledged was sent.
  std::optional<std::vector<std::string>> trackers;  // As in welcome.
};

// The server lives, and holds its leases. Server socket, server to tracker.
struct ServerBeat {
  static constexpr std::string_view kKind = "server_beat";
  static constexpr size_t kBytesMax = 4096;
  uint64_t seq = 0;  // Grows by one.
};

// Seen. Server socket, tracker to server.
struct ServerBeatAck {
  static constexpr std::string_view kKind = "server_beat_ack";
  static constexpr size_t kBytesMax = 32768;
  uint64_t seq = 0;  // As in the beat.
  std::optional<std::vector<std::string>> trackers;  // As in welcome, where they are others by now.
};

// Waits for devices, and leases them. Server socket, server to tracker.
struct Reserve {
  static constexpr std::string_view kKind = "reserve";
  static constexpr size_t kBytesMax = 131072;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  LeaseWish wish{};  // Which.
};

// The leases, all at once, on disk. Server socket, tracker to server.
struct LeasesGranted {
  static constexpr std::string_view kKind = "leases_granted";
  static constexpr size_t kBytesMax = 2097152;
  uint64_t reply_to = 0;  // The id of the request.
  std::vector<LeaseGrant> leases{};  // As many as were asked for.
};

// The request is not waited for any more; leases that it was granted are released. Server socket, server to tracker.
struct CancelReservation {
  static constexpr std::string_view kKind = "cancel_reservation";
  static constexpr size_t kBytesMax = 4096;
  uint64_t request = 0;  // The id of the reserve.
};

// The job is done with it. Server socket, server to tracker.
struct ReleaseLease {
  static constexpr std::string_view kKind = "release_lease";
  static constexpr size_t kBytesMax = 4096;
  std::string lease_id;  // The lease.
};

// A lease ended other than by release. Server socket, tracker to server.
struct LeaseLost {
  static constexpr std::string_view kKind = "lease_lost";
  static constexpr size_t kBytesMax = 16384;
  std::string lease_id;  // The lease.
  ErrorCode code = ErrorCode::kOk;  // stale_fence: the device is away, another one or quarantined; timeout: its session answered nothing; busy: another job waits, and this one may ask again.
  std::string message;  // Why, in one sentence.
};

// The lease's session answered something, or was given work. Server socket, server to tracker.
struct LeaseProgress {
  static constexpr std::string_view kKind = "lease_progress";
  static constexpr size_t kBytesMax = 4096;
  std::string lease_id;  // The lease.
  double work_ms = 0;  // [ms] How long the work may take.
};

// Asks whether a session_hello may open its session. Server socket, server to tracker.
struct RedeemSession {
  static constexpr std::string_view kKind = "redeem_session";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string session_token;  // As in session_hello; valid once.
  std::string lease_id;  // The lease.
  std::string device_id;  // The device.
};

// It may. Server socket, tracker to server.
struct SessionRedeemed {
  static constexpr std::string_view kKind = "session_redeemed";
  static constexpr size_t kBytesMax = 131072;
  uint64_t reply_to = 0;  // The id of the request.
  LeaseGrant lease{};  // Its lease.
};

// The lease's session broke: its agent is asked to open another one. Server socket, server to tracker.
struct ReopenSession {
  static constexpr std::string_view kKind = "reopen_session";
  static constexpr size_t kBytesMax = 4096;
  std::string lease_id;  // The lease.
};

// Asks why no device can be leased to such a request now. Server socket, server to tracker.
struct AskWhyNone {
  static constexpr std::string_view kKind = "ask_why_none";
  static constexpr size_t kBytesMax = 131072;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  LeaseWish wish{};  // The request.
};

// Why. Server socket, tracker to server.
struct WhyNone {
  static constexpr std::string_view kKind = "why_none";
  static constexpr size_t kBytesMax = 65536;
  uint64_t reply_to = 0;  // The id of the request.
  std::string why;  // For people; empty: one can.
  bool one_fits = false;  // A connected one would do: it is in use, not ready, or held back by people.
};

// Asks what keeps a connected device from working. Server socket, server to tracker.
struct AskWhyNotReady {
  static constexpr std::string_view kKind = "ask_why_not_ready";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string device_id;  // The device.
};

// What. Server socket, tracker to server.
struct WhyNotReady {
  static constexpr std::string_view kKind = "why_not_ready";
  static constexpr size_t kBytesMax = 16384;
  uint64_t reply_to = 0;  // The id of the request.
  std::string why;  // For people; empty: nothing does.
};

// Asks who shows a token. The server hears when it ends, until it leaves it. Server socket, server to tracker.
struct AdmitToken {
  static constexpr std::string_view kKind = "admit_token";
  static constexpr size_t kBytesMax = 4096;
  uint64_t id = 0;  // The request's number, chosen by the sender.
  std::string token;  // What was shown.
};

// Who. Server socket, tracker to server.
struct TokenAdmitted {
  static constexpr std::string_view kKind = "token_admitted";
  static constexpr size_t kBytesMax = 4096;
  uint64_t reply_to = 0;  // The id of the request.
  std::string token_id;  // As of token_info.
  Role role{};  // What it lets its holder do.
  std::string name;  // As of token_info.
  Quota quota{};  // What its holder may have at once.
};

// Somebody is still connected who has shown this token: to be sent at each new connection to the tracker. Server socket, server to tracker.
struct AttendToken {
  static constexpr std::string_view kKind = "attend_token";
  static constexpr size_t kBytesMax = 4096;
  std::string token_id;  // The token.
};

// Nobody is connected any more who has shown it. Server socket, server to tracker.
struct LeaveToken {
  static constexpr std::string_view kKind = "leave_token";
  static constexpr size_t kBytesMax = 4096;
  std::string token_id;  // The token.
};

// An admitted token lets nobody in any more: who is connected with it is closed. Server socket, tracker to server.
struct TokenEnded {
  static constexpr std::string_view kKind = "token_ended";
  static constexpr size_t kBytesMax = 16384;
  std::string token_id;  // The token.
  std::string message;  // Why, in one sentence.
};

// An agent cannot dial this server: the server opens a socket to /ws/relay, says relay_hello, and takes what follows as a session socket of that agent. Server socket, tracker to server.
struct RelaySession {
  static constexpr std::string_view kKind = "relay_session";
  static constexpr size_t kBytesMax = 4096;
  std::string relay_id;  // A secret of the tracker and this server.
};

// The first frame of a compile server on a relay socket. Before it and after it the frames are those of a session, from its session_hello on; the tracker hands them on as they are. Relay socket, server to tracker.
struct RelayHello {
  static constexpr std::string_view kKind = "relay_hello";
  static constexpr size_t kBytesMax = 4096;
  std::string relay_id;  // As in relay_session.
};

// A request, or the whole connection, failed.
struct ErrorReply {
  static constexpr std::string_view kKind = "error";
  static constexpr size_t kBytesMax = 65536;
  std::optional<uint64_t> reply_to;  // The id of the request; absent when the connection is meant and closes.
  ErrorCode code = ErrorCode::kOk;  // A name of schema/errors.json.
  std::string message;  // One clear sentence.
  std::optional<std::string> tracker;  // The origin (http: or https:) of the tracker that has the farm, from one that stands by.
};

// What one side may send on one socket.
using ControlFromAgent = std::variant<Hello, Heartbeat, DeviceState, ErrorReply>;
using ControlFromTracker = std::variant<Welcome, HeartbeatAck, OpenSession, CloseSession, Drain, ErrorReply>;
using SessionFromAgent = std::variant<SessionHello, TaskReady, CandidateResult, BatchDone, Timing, Executed, FetchBlob, ErrorReply>;
using SessionFromServer = std::variant<SessionWelcome, PrepareTask, Measure, ResultAck, Cancel, Release, Execute, BlobPiece, ErrorReply>;
using ClientFromClient = std::variant<ClientHello, ListDevices, LabelDevice, ManageDevice, ShowDevice, SubmitJob, CancelJob, AttachJob, ListJobs, ShowJob, WatchFleet, WatchAgent, FetchRecords, CreateEnrolment, ListTokens, CreateToken, RevokeToken, RotateToken, ErrorReply>;
using ClientFromService = std::variant<ClientWelcome, Devices, DeviceLabelled, DeviceManaged, DeviceShown, JobAccepted, JobProgress, JobDone, JobFailed, Jobs, CancelAccepted, JobShown, FleetWatched, DeviceChanged, JobChanged, AgentState, Records, Enrolment, Tokens, TokenCreated, TokenRevoked, ErrorReply>;
using ServerFromServer = std::variant<ServerHello, ServerBeat, Reserve, CancelReservation, ReleaseLease, LeaseProgress, RedeemSession, ReopenSession, AskWhyNone, AskWhyNotReady, AdmitToken, AttendToken, LeaveToken, ListDevices, LabelDevice, ManageDevice, ShowDevice, ErrorReply>;
using ServerFromTracker = std::variant<ServerWelcome, ServerBeatAck, LeasesGranted, LeaseLost, SessionRedeemed, WhyNone, WhyNotReady, TokenAdmitted, TokenEnded, RelaySession, Devices, DeviceLabelled, DeviceManaged, DeviceShown, ErrorReply>;
using RelayFromServer = std::variant<RelayHello, ErrorReply>;

// The JSON form. A double that is not finite is written as 1e308 with its sign (NaN: without), for JSON has no such number.
nlohmann::json to_json(const RecordPlace& value);
nlohmann::json to_json(const Fingerprint& value);
nlohmann::json to_json(const Timer& value);
nlohmann::json to_json(const DeviceOffer& value);
nlohmann::json to_json(const DeviceGrant& value);
nlohmann::json to_json(const Buffer& value);
nlohmann::json to_json(const ExpectedOutput& value);
nlohmann::json to_json(const Expected& value);
nlohmann::json to_json(const InputSet& value);
nlohmann::json to_json(const Texture& value);
nlohmann::json to_json(const Binding& value);
nlohmann::json to_json(const Launch& value);
nlohmann::json to_json(const ArgLayout& value);
nlohmann::json to_json(const Candidate& value);
nlohmann::json to_json(const MeasurePolicy& value);
nlohmann::json to_json(const PlanKernel& value);
nlohmann::json to_json(const PlanLaunch& value);
nlohmann::json to_json(const PlanLoop& value);
nlohmann::json to_json(const PlanUpload& value);
nlohmann::json to_json(const PlanOutput& value);
nlohmann::json to_json(const RivalPlan& value);
nlohmann::json to_json(const Failure& value);
nlohmann::json to_json(const LeaseInfo& value);
nlohmann::json to_json(const DeviceInfo& value);
nlohmann::json to_json(const DeviceEvent& value);
nlohmann::json to_json(const Quota& value);
nlohmann::json to_json(const TokenInfo& value);
nlohmann::json to_json(const LeaseWish& value);
nlohmann::json to_json(const LeaseGrant& value);
nlohmann::json to_json(const JobSource& value);
nlohmann::json to_json(const RunInput& value);
nlohmann::json to_json(const RunOptions& value);
nlohmann::json to_json(const CompareOptions& value);
nlohmann::json to_json(const CompareBuildsOptions& value);
nlohmann::json to_json(const TuneOptions& value);
nlohmann::json to_json(const JobInfo& value);
nlohmann::json to_json(const JobRequest& value);
nlohmann::json to_json(const Hello& value);
nlohmann::json to_json(const Welcome& value);
nlohmann::json to_json(const Heartbeat& value);
nlohmann::json to_json(const HeartbeatAck& value);
nlohmann::json to_json(const DeviceState& value);
nlohmann::json to_json(const OpenSession& value);
nlohmann::json to_json(const CloseSession& value);
nlohmann::json to_json(const Drain& value);
nlohmann::json to_json(const SessionHello& value);
nlohmann::json to_json(const SessionWelcome& value);
nlohmann::json to_json(const PrepareTask& value);
nlohmann::json to_json(const TaskReady& value);
nlohmann::json to_json(const Measure& value);
nlohmann::json to_json(const CandidateResult& value);
nlohmann::json to_json(const ResultAck& value);
nlohmann::json to_json(const BatchDone& value);
nlohmann::json to_json(const Timing& value);
nlohmann::json to_json(const Cancel& value);
nlohmann::json to_json(const Release& value);
nlohmann::json to_json(const Execute& value);
nlohmann::json to_json(const Executed& value);
nlohmann::json to_json(const FetchBlob& value);
nlohmann::json to_json(const BlobPiece& value);
nlohmann::json to_json(const ClientHello& value);
nlohmann::json to_json(const ClientWelcome& value);
nlohmann::json to_json(const ListDevices& value);
nlohmann::json to_json(const Devices& value);
nlohmann::json to_json(const LabelDevice& value);
nlohmann::json to_json(const DeviceLabelled& value);
nlohmann::json to_json(const ManageDevice& value);
nlohmann::json to_json(const DeviceManaged& value);
nlohmann::json to_json(const ShowDevice& value);
nlohmann::json to_json(const DeviceShown& value);
nlohmann::json to_json(const SubmitJob& value);
nlohmann::json to_json(const JobAccepted& value);
nlohmann::json to_json(const JobProgress& value);
nlohmann::json to_json(const JobDone& value);
nlohmann::json to_json(const JobFailed& value);
nlohmann::json to_json(const CancelJob& value);
nlohmann::json to_json(const AttachJob& value);
nlohmann::json to_json(const ListJobs& value);
nlohmann::json to_json(const Jobs& value);
nlohmann::json to_json(const CancelAccepted& value);
nlohmann::json to_json(const ShowJob& value);
nlohmann::json to_json(const JobShown& value);
nlohmann::json to_json(const WatchFleet& value);
nlohmann::json to_json(const FleetWatched& value);
nlohmann::json to_json(const DeviceChanged& value);
nlohmann::json to_json(const JobChanged& value);
nlohmann::json to_json(const WatchAgent& value);
nlohmann::json to_json(const AgentState& value);
nlohmann::json to_json(const FetchRecords& value);
nlohmann::json to_json(const Records& value);
nlohmann::json to_json(const CreateEnrolment& value);
nlohmann::json to_json(const Enrolment& value);
nlohmann::json to_json(const ListTokens& value);
nlohmann::json to_json(const Tokens& value);
nlohmann::json to_json(const CreateToken& value);
nlohmann::json to_json(const TokenCreated& value);
nlohmann::json to_json(const RevokeToken& value);
nlohmann::json to_json(const TokenRevoked& value);
nlohmann::json to_json(const RotateToken& value);
nlohmann::json to_json(const ServerHello& value);
nlohmann::json to_json(const ServerWelcome& value);
nlohmann::json to_json(const ServerBeat& value);
nlohmann::json to_json(const ServerBeatAck& value);
nlohmann::json to_json(const Reserve& value);
nlohmann::json to_json(const LeasesGranted& value);
nlohmann::json to_json(const CancelReservation& value);
nlohmann::json to_json(const ReleaseLease& value);
nlohmann::json to_json(const LeaseLost& value);
nlohmann::json to_json(const LeaseProgress& value);
nlohmann::json to_json(const RedeemSession& value);
nlohmann::json to_json(const SessionRedeemed& value);
nlohmann::json to_json(const ReopenSession& value);
nlohmann::json to_json(const AskWhyNone& value);
nlohmann::json to_json(const WhyNone& value);
nlohmann::json to_json(const AskWhyNotReady& value);
nlohmann::json to_json(const WhyNotReady& value);
nlohmann::json to_json(const AdmitToken& value);
nlohmann::json to_json(const TokenAdmitted& value);
nlohmann::json to_json(const AttendToken& value);
nlohmann::json to_json(const LeaveToken& value);
nlohmann::json to_json(const TokenEnded& value);
nlohmann::json to_json(const RelaySession& value);
nlohmann::json to_json(const RelayHello& value);
nlohmann::json to_json(const ErrorReply& value);

// The value of a JSON form; kProtocolError names the field that is missing, of a wrong type or beyond its limit. Unknown fields are ignored.
template <class T>
Result<T> from_json(const nlohmann::json& json);
template <>
Result<RecordPlace> from_json<RecordPlace>(const nlohmann::json& json);
template <>
Result<Fingerprint> from_json<Fingerprint>(const nlohmann::json& json);
template <>
Result<Timer> from_json<Timer>(const nlohmann::json& json);
template <>
Result<DeviceOffer> from_json<DeviceOffer>(const nlohmann::json& json);
template <>
Result<DeviceGrant> from_json<DeviceGrant>(const nlohmann::json& json);
template <>
Result<Buffer> from_json<Buffer>(const nlohmann::json& json);
template <>
Result<ExpectedOutput> from_json<ExpectedOutput>(const nlohmann::json& json);
template <>
Result<Expected> from_json<Expected>(const nlohmann::json& json);
template <>
Result<InputSet> from_json<InputSet>(const nlohmann::json& json);
template <>
Result<Texture> from_json<Texture>(const nlohmann::json& json);
template <>
Result<Binding> from_json<Binding>(const nlohmann::json& json);
template <>
Result<Launch> from_json<Launch>(const nlohmann::json& json);
template <>
Result<ArgLayout> from_json<ArgLayout>(const nlohmann::json& json);
template <>
Result<Candidate> from_json<Candidate>(const nlohmann::json& json);
template <>
Result<MeasurePolicy> from_json<MeasurePolicy>(const nlohmann::json& json);
template <>
Result<PlanKernel> from_json<PlanKernel>(const nlohmann::json& json);
template <>
Result<PlanLaunch> from_json<PlanLaunch>(const nlohmann::json& json);
template <>
Result<PlanLoop> from_json<PlanLoop>(const nlohmann::json& json);
template <>
Result<PlanUpload> from_json<PlanUpload>(const nlohmann::json& json);
template <>
Result<PlanOutput> from_json<PlanOutput>(const nlohmann::json& json);
template <>
Result<RivalPlan> from_json<RivalPlan>(const nlohmann::json& json);
template <>
Result<Failure> from_json<Failure>(const nlohmann::json& json);
template <>
Result<LeaseInfo> from_json<LeaseInfo>(const nlohmann::json& json);
template <>
Result<DeviceInfo> from_json<DeviceInfo>(const nlohmann::json& json);
template <>
Result<DeviceEvent> from_json<DeviceEvent>(const nlohmann::json& json);
template <>
Result<Quota> from_json<Quota>(const nlohmann::json& json);
template <>
Result<TokenInfo> from_json<TokenInfo>(const nlohmann::json& json);
template <>
Result<LeaseWish> from_json<LeaseWish>(const nlohmann::json& json);
template <>
Result<LeaseGrant> from_json<LeaseGrant>(const nlohmann::json& json);
template <>
Result<JobSource> from_json<JobSource>(const nlohmann::json& json);
template <>
Result<RunInput> from_json<RunInput>(const nlohmann::json& json);
template <>
Result<RunOptions> from_json<RunOptions>(const nlohmann::json& json);
template <>
Result<CompareOptions> from_json<CompareOptions>(const nlohmann::json& json);
template <>
Result<CompareBuildsOptions> from_json<CompareBuildsOptions>(const nlohmann::json& json);
template <>
Result<TuneOptions> from_json<TuneOptions>(const nlohmann::json& json);
template <>
Result<JobInfo> from_json<JobInfo>(const nlohmann::json& json);
template <>
Result<JobRequest> from_json<JobRequest>(const nlohmann::json& json);
template <>
Result<Hello> from_json<Hello>(const nlohmann::json& json);
template <>
Result<Welcome> from_json<Welcome>(const nlohmann::json& json);
template <>
Result<Heartbeat> from_json<Heartbeat>(const nlohmann::json& json);
template <>
Result<HeartbeatAck> from_json<HeartbeatAck>(const nlohmann::json& json);
template <>
Result<DeviceState> from_json<DeviceState>(const nlohmann::json& json);
template <>
Result<OpenSession> from_json<OpenSession>(const nlohmann::json& json);
template <>
Result<CloseSession> from_json<CloseSession>(const nlohmann::json& json);
template <>
Result<Drain> from_json<Drain>(const nlohmann::json& json);
template <>
Result<SessionHello> from_json<SessionHello>(const nlohmann::json& json);
template <>
Result<SessionWelcome> from_json<SessionWelcome>(const nlohmann::json& json);
template <>
Result<PrepareTask> from_json<PrepareTask>(const nlohmann::json& json);
template <>
Result<TaskReady> from_json<TaskReady>(const nlohmann::json& json);
template <>
Result<Measure> from_json<Measure>(const nlohmann::json& json);
template <>
Result<CandidateResult> from_json<CandidateResult>(const nlohmann::json& json);
template <>
Result<ResultAck> from_json<ResultAck>(const nlohmann::json& json);
template <>
Result<BatchDone> from_json<BatchDone>(const nlohmann::json& json);
template <>
Result<Timing> from_json<Timing>(const nlohmann::json& json);
template <>
Result<Cancel> from_json<Cancel>(const nlohmann::json& json);
template <>
Result<Release> from_json<Release>(const nlohmann::json& json);
template <>
Result<Execute> from_json<Execute>(const nlohmann::json& json);
template <>
Result<Executed> from_json<Executed>(const nlohmann::json& json);
template <>
Result<FetchBlob> from_json<FetchBlob>(const nlohmann::json& json);
template <>
Result<BlobPiece> from_json<BlobPiece>(const nlohmann::json& json);
template <>
Result<ClientHello> from_json<ClientHello>(const nlohmann::json& json);
template <>
Result<ClientWelcome> from_json<ClientWelcome>(const nlohmann::json& json);
template <>
Result<ListDevices> from_json<ListDevices>(const nlohmann::json& json);
template <>
Result<Devices> from_json<Devices>(const nlohmann::json& json);
template <>
Result<LabelDevice> from_json<LabelDevice>(const nlohmann::json& json);
template <>
Result<DeviceLabelled> from_json<DeviceLabelled>(const nlohmann::json& json);
template <>
Result<ManageDevice> from_json<ManageDevice>(const nlohmann::json& json);
template <>
Result<DeviceManaged> from_json<DeviceManaged>(const nlohmann::json& json);
template <>
Result<ShowDevice> from_json<ShowDevice>(const nlohmann::json& json);
template <>
Result<DeviceShown> from_json<DeviceShown>(const nlohmann::json& json);
template <>
Result<SubmitJob> from_json<SubmitJob>(const nlohmann::json& json);
template <>
Result<JobAccepted> from_json<JobAccepted>(const nlohmann::json& json);
template <>
Result<JobProgress> from_json<JobProgress>(const nlohmann::json& json);
template <>
Result<JobDone> from_json<JobDone>(const nlohmann::json& json);
template <>
Result<JobFailed> from_json<JobFailed>(const nlohmann::json& json);
template <>
Result<CancelJob> from_json<CancelJob>(const nlohmann::json& json);
template <>
Result<AttachJob> from_json<AttachJob>(const nlohmann::json& json);
template <>
Result<ListJobs> from_json<ListJobs>(const nlohmann::json& json);
template <>
Result<Jobs> from_json<Jobs>(const nlohmann::json& json);
template <>
Result<CancelAccepted> from_json<CancelAccepted>(const nlohmann::json& json);
template <>
Result<ShowJob> from_json<ShowJob>(const nlohmann::json& json);
template <>
Result<JobShown> from_json<JobShown>(const nlohmann::json& json);
template <>
Result<WatchFleet> from_json<WatchFleet>(const nlohmann::json& json);
template <>
Result<FleetWatched> from_json<FleetWatched>(const nlohmann::json& json);
template <>
Result<DeviceChanged> from_json<DeviceChanged>(const nlohmann::json& json);
template <>
Result<JobChanged> from_json<JobChanged>(const nlohmann::json& json);
template <>
Result<WatchAgent> from_json<WatchAgent>(const nlohmann::json& json);
template <>
Result<AgentState> from_json<AgentState>(const nlohmann::json& json);
template <>
Result<FetchRecords> from_json<FetchRecords>(const nlohmann::json& json);
template <>
Result<Records> from_json<Records>(const nlohmann::json& json);
template <>
Result<CreateEnrolment> from_json<CreateEnrolment>(const nlohmann::json& json);
template <>
Result<Enrolment> from_json<Enrolment>(const nlohmann::json& json);
template <>
Result<ListTokens> from_json<ListTokens>(const nlohmann::json& json);
template <>
Result<Tokens> from_json<Tokens>(const nlohmann::json& json);
template <>
Result<CreateToken> from_json<CreateToken>(const nlohmann::json& json);
template <>
Result<TokenCreated> from_json<TokenCreated>(const nlohmann::json& json);
template <>
Result<RevokeToken> from_json<RevokeToken>(const nlohmann::json& json);
template <>
Result<TokenRevoked> from_json<TokenRevoked>(const nlohmann::json& json);
template <>
Result<RotateToken> from_json<RotateToken>(const nlohmann::json& json);
template <>
Result<ServerHello> from_json<ServerHello>(const nlohmann::json& json);
template <>
Result<ServerWelcome> from_json<ServerWelcome>(const nlohmann::json& json);
template <>
Result<ServerBeat> from_json<ServerBeat>(const nlohmann::json& json);
template <>
Result<ServerBeatAck> from_json<ServerBeatAck>(const nlohmann::json& json);
template <>
Result<Reserve> from_json<Reserve>(const nlohmann::json& json);
template <>
Result<LeasesGranted> from_json<LeasesGranted>(const nlohmann::json& json);
template <>
Result<CancelReservation> from_json<CancelReservation>(const nlohmann::json& json);
template <>
Result<ReleaseLease> from_json<ReleaseLease>(const nlohmann::json& json);
template <>
Result<LeaseLost> from_json<LeaseLost>(const nlohmann::json& json);
template <>
Result<LeaseProgress> from_json<LeaseProgress>(const nlohmann::json& json);
template <>
Result<RedeemSession> from_json<RedeemSession>(const nlohmann::json& json);
template <>
Result<SessionRedeemed> from_json<SessionRedeemed>(const nlohmann::json& json);
template <>
Result<ReopenSession> from_json<ReopenSession>(const nlohmann::json& json);
template <>
Result<AskWhyNone> from_json<AskWhyNone>(const nlohmann::json& json);
template <>
Result<WhyNone> from_json<WhyNone>(const nlohmann::json& json);
template <>
Result<AskWhyNotReady> from_json<AskWhyNotReady>(const nlohmann::json& json);
template <>
Result<WhyNotReady> from_json<WhyNotReady>(const nlohmann::json& json);
template <>
Result<AdmitToken> from_json<AdmitToken>(const nlohmann::json& json);
template <>
Result<TokenAdmitted> from_json<TokenAdmitted>(const nlohmann::json& json);
template <>
Result<AttendToken> from_json<AttendToken>(const nlohmann::json& json);
template <>
Result<LeaveToken> from_json<LeaveToken>(const nlohmann::json& json);
template <>
Result<TokenEnded> from_json<TokenEnded>(const nlohmann::json& json);
template <>
Result<RelaySession> from_json<RelaySession>(const nlohmann::json& json);
template <>
Result<RelayHello> from_json<RelayHello>(const nlohmann::json& json);
template <>
Result<ErrorReply> from_json<ErrorReply>(const nlohmann::json& json);

}  // namespace hone::protocol
