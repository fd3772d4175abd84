// Generated from schema/protocol.json by scripts/gen_schema. Do not edit.
import { errorNames, type ErrorName } from "../../../browser-runtime/src/generated/errors.ts";

export const protocolName = "hone.v1";
export const protocolVersion = 4;
/** the JSON header of one frame [bytes] */
export const headerBytesMax = 8388608;
/** one whole frame: length word, header and payload, but that of a job [bytes] */
export const frameBytesMax = 268435456;
/** a frame that submits a job: the model and its inputs. A service whose memory is small takes less, but always frame_bytes_max [bytes] */
export const jobBytesMax = 2147483648;
/** one frame from a peer whose token was not checked yet [bytes] */
export const helloBytesMax = 65536;

/** What a device can do now. */
export const deviceStateKindNames = ["ready", "lost", "recovering", "gone", "stuck"] as const;
export type DeviceStateKind = (typeof deviceStateKindNames)[number];

/** What people let a device do, and whether a job uses it. Kept over restarts. */
export const serviceStateNames = ["idle", "leased", "draining", "maintenance", "quarantined"] as const;
export type ServiceState = (typeof serviceStateNames)[number];

/** What an admin does with a device. */
export const deviceActionNames = ["drain", "quarantine", "resume", "forget"] as const;
export type DeviceAction = (typeof deviceActionNames)[number];

/** What happened to a device. */
export const deviceEventKindNames = ["connected", "gone", "stuck", "lost", "leased", "lease_ended", "labelled", "drained", "quarantined", "resumed"] as const;
export type DeviceEventKind = (typeof deviceEventKindNames)[number];

/** What the tracker knows of an agent that a launcher started. */
export const agentStateKindNames = ["connected", "gone", "stuck"] as const;
export type AgentStateKind = (typeof agentStateKindNames)[number];

/** How a task uses a buffer. */
export const bufferRoleNames = ["input", "constant", "output"] as const;
export type BufferRole = (typeof bufferRoleNames)[number];

/** What the padding of a buffer's layout holds. */
export const padKindNames = ["any", "zero"] as const;
export type PadKind = (typeof padKindNames)[number];

/** What a binding of a launch refers to. */
export const bindingKindNames = ["arg", "temp"] as const;
export type BindingKind = (typeof bindingKindNames)[number];

/** What a job does. */
export const jobKindNames = ["tune", "bench", "run", "verify", "compare", "compare_builds"] as const;
export type JobKind = (typeof jobKindNames)[number];

/** Which schedule each task of a model has. */
export const scheduleChoiceNames = ["best", "seed", "naive"] as const;
export type ScheduleChoice = (typeof scheduleChoiceNames)[number];

/** What a timed execution finds of its buffers in the device's caches. */
export const cacheStateNames = ["hot", "cold", "model"] as const;
export type CacheState = (typeof cacheStateNames)[number];

/** Where a job is. */
export const jobPhaseNames = ["queued", "preparing", "waiting_for_device", "measuring", "finishing"] as const;
export type JobPhase = (typeof jobPhaseNames)[number];

/** How far a job has come. Kept over restarts. */
export const jobStateNames = ["queued", "running", "done", "failed", "cancelled", "lost"] as const;
export type JobState = (typeof jobStateNames)[number];

/** What a token lets its holder do. */
export const roleNames = ["agent", "submitter", "admin", "server"] as const;
export type Role = (typeof roleNames)[number];

/** What a line of the records says. */
export const recordPartNames = ["tasks", "devices", "jobs", "attempts"] as const;
export type RecordPart = (typeof recordPartNames)[number];

/** A place among the records. What is recorded meanwhile comes behind it. */
export interface RecordPlace {
  /** Of attempts the number of the trial; of the other parts how many lines came before. */
  readonly row: number;
  /** Of attempts the attempt's number; else 0. */
  readonly attempt: number;
}

/** What the agent observed of a device. What of it the speed of a kernel depends on, and does not change by itself, makes the device key (schema/device_key.h). */
export interface Fingerprint {
  /** The kind of kernels it runs: webgpu, webgl, wasm, native, opengl or opencl. */
  readonly target: string;
  /** The adapter's vendor, as the browser names it. */
  readonly vendor: string;
  /** The adapter's architecture, as the browser names it. */
  readonly architecture: string;
  /** The adapter's device id, as the browser names it. */
  readonly device: string;
  /** The adapter's description, for people; no part of the device key. */
  readonly description: string;
  /** The graphics interface below the browser's one (vulkan, metal, d3d12), or empty when unknown. */
  readonly backend: string;
  /** The browser or process in lower case: chromium, firefox, safari, node, native. */
  readonly browser: string;
  /** The browser's major version. */
  readonly browser_major: number;
  /** The operating system in lower case. */
  readonly os: string;
  /** The features that can be asked for; order does not matter. */
  readonly features: readonly string[];
  /** The device's limits by their names in the API, e.g. maxComputeInvocationsPerWorkgroup. */
  readonly limits: { readonly [name: string]: number };
  /** What one launch more costs a run, whatever it computes, as measured; no part of the device key. [us] */
  readonly launch_us?: number;
  /** The driver's version, where anything says it; no part of the device key. */
  readonly driver?: string;
  /** What a kernel of multiplications and additions alone reaches, as measured; no part of the device key. [GFLOP/s] */
  readonly arithmetic_gflops?: number;
  /** How fast it reads what lies in no cache, as measured; no part of the device key. [GB/s] */
  readonly memory_gb_s?: number;
  /** Up to which working set its reads are faster than its memory, as measured, a power of 2; absent where no such size was found; no part of the device key. [bytes] */
  readonly last_level_cache_bytes?: number;
}

/** How a device tells time. */
export interface Timer {
  /** timestamp, slope or clock. */
  readonly method: string;
  /** The smallest step of its clock, as measured. [ns] */
  readonly quantum_ns: number;
}

/** A device that an agent brings. */
export interface DeviceOffer {
  /** The agent's own name of the device, the same over reconnects. */
  readonly local_id: string;
  /** The kind of kernels it runs. */
  readonly target: string;
  /** What the agent observed. */
  readonly fingerprint: Fingerprint;
  /** How it tells time. */
  readonly timer: Timer;
  /** The browser's command line, when a launcher of hone started it. */
  readonly launch_flags?: readonly string[];
  /** The id of the device itself, 32 random hexadecimal digits, which its agent keeps over restarts of page, browser and service. */
  readonly physical_id?: string;
}

/** The tracker's names for an offered device. */
export interface DeviceGrant {
  /** As in the offer. */
  readonly local_id: string;
  /** This one device, the same when its agent comes back. */
  readonly device_id: string;
  /** The class of equal devices (schema/device_key.h), 32 hexadecimal digits. */
  readonly device_key: string;
}

/** An argument of a task (inputs, then outputs). The element at row-major index i of an input or constant is real_at([low, high, step], seed, i), of whole numbers whole_at([low, high], seed, i) (base/value_range.h). */
export interface Buffer {
  /** For people. */
  readonly name: string;
  /** How the task uses it. */
  readonly role: BufferRole;
  /** The element type: f32, i32 or u32. */
  readonly dtype: string;
  /** Logical extents, outermost first. */
  readonly shape: readonly number[];
  /** The layout, outermost first: each physical dimension is [axis, div, size], with index (logical[axis] / div) mod size; empty means row-major. */
  readonly dims: readonly (readonly [number, number, number])[];
  /** What the padding of the layout holds. */
  readonly pad: PadKind;
  /** The size of the buffer in its layout. [bytes] */
  readonly bytes: number;
  /** The generator's seed: hash_mix(hash_mix(0x686f6e65, task.id.lo), position). */
  readonly seed: bigint;
  /** The least number of an input or constant; 0 for an output. */
  readonly low: number;
  /** The greatest of whole numbers; floats lie below it. 0 for an output. */
  readonly high: number;
  /** Floats are multiples of it other than 0, up to high and down to low, which is -high. Absent: they are any. */
  readonly step?: number;
}

/** The reference of one output, in its element type and logical row-major order, to be fetched from /blob/<sha256>. An element whose 32 bits are 0x7fdea11e is not specified: any finite value is right. A NaN or an infinity must be one. */
export interface ExpectedOutput {
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** The size of the blob. [bytes] */
  readonly bytes: number;
  /** The largest magnitude of its finite elements, of f32. */
  readonly largest: number;
  /** The median magnitude of its finite elements other than 0, of f32. */
  readonly median: number;
}

/** The reference of a task. */
export interface Expected {
  /** One per output, in order. */
  readonly outputs: readonly ExpectedOutput[];
}

/** A task on other inputs. */
export interface InputSet {
  /** The task's, of other seeds. */
  readonly buffers: readonly Buffer[];
  /** The reference on these. */
  readonly expected: Expected;
}

/** What a buffer is where kernels read textures (target webgl): texels of four numbers. Its bytes fill them along x, then y, then the layers; the last texels may be beyond the buffer and hold anything. */
export interface Texture {
  /** At least 1, at most the device's MAX_TEXTURE_SIZE. [texels] */
  readonly width: number;
  /** Likewise. [texels] */
  readonly height: number;
  /** 1: a plain texture; more: an array of so many, at most the device's MAX_ARRAY_TEXTURE_LAYERS, or as many as it writes at once where a kernel writes it. */
  readonly layers: number;
  /** rgba32f, rgba32i, rgba32ui, or rgba16f, which only scratch buffers and constants are; its numbers go up as two bytes each, those of all others up and down as four. */
  readonly format: string;
}

/** Binding i of group 0 of a launch; on textures (target webgl) one that is read is the uniform sampler b<i>, and the layers of those that are written are, binding after binding, the colour outputs 0, 1, …. */
export interface Binding {
  /** A buffer of the task or a scratch buffer. */
  readonly kind: BindingKind;
  /** Its position among them. */
  readonly position: number;
  /** True when the kernel may write it. */
  readonly writes: boolean;
  /** The size that the kernel declares. [bytes] */
  readonly bytes: number;
  /** What it is bound as, on textures; all bindings of one scratch buffer say the same. Absent on other targets. */
  readonly texture?: Texture;
}

/** One dispatch; on textures one draw of a triangle over everything, whose viewport is grid[0] × grid[1]; for native devices the whole kernel; of a WebAssembly module one call of main(arguments, begin, end) for the iterations 0 to grid[0] of its parallel loop, in parts; arguments is the address of an array of addresses, one per binding. A module's reads whose values it drops may lie up to 16 MiB beside a buffer. */
export interface Launch {
  /** The kernel's source, with the entry point main (WGSL; on textures a fragment shader in GLSL ES 3.00); for native devices its loop IR, with all launches; empty where the kernel is a module. */
  readonly code: string;
  /** Workgroups along x, y and z; on textures fragments, and as large as each texture that it writes. [workgroups] */
  readonly grid: readonly [number, number, number];
  /** Threads of one workgroup along x, y and z. [threads] */
  readonly threads: readonly [number, number, number];
  /** In the order of their binding numbers. */
  readonly bindings: readonly Binding[];
  /** The size of its WebAssembly module in the frame's payload, which takes the place of the source; 0: code is the kernel. [bytes] */
  readonly module_bytes: number;
  /** Memory, aligned to 16, that each call of its module needs to itself; the address stands behind those of the bindings. 0: none. [bytes] */
  readonly scratch_bytes: number;
  /** True: all that it writes follows from constants, into scratch buffers that nobody else writes. An agent may run it but once, when it checks the candidate, and time the others alone. Absent: false. */
  readonly ahead?: boolean;
}

/** An argument of a task that a candidate wants in another layout or element type: a constant, packed ahead of time; on textures also an input or an output, which is then compared in that layout. */
export interface ArgLayout {
  /** Its position among the task's buffers. */
  readonly position: number;
  /** The layout, as in buffer. */
  readonly dims: readonly (readonly [number, number, number])[];
  /** The size of the buffer in this layout and element type. [bytes] */
  readonly bytes: number;
  /** f16: a constant of f32, each number rounded to the nearest half, ties to even, in half the bytes. Absent: the buffer's own type. */
  readonly dtype?: string;
}

/** One kernel to check and to time. */
export interface Candidate {
  /** The server's number of the trial, echoed in the result. */
  readonly trial: number;
  /** 0 for the first try. */
  readonly attempt: number;
  /** The best known time for the task; 0 means none. [us] */
  readonly best_so_far_us: number;
  /** The predicted time, for the watchdog; 0 means unknown. [us] */
  readonly predicted_us: number;
  /** Sizes of its scratch buffers. [bytes] */
  readonly temps: readonly number[];
  /** In order of execution. */
  readonly launches: readonly Launch[];
  /** Arguments that it wants in another layout than the task's. */
  readonly layouts: readonly ArgLayout[];
}

/** How to time. */
export interface MeasurePolicy {
  /** Samples per candidate. */
  readonly samples: number;
  /** The least time of one sample. [ms] */
  readonly sample_ms_min: number;
  /** The least number of timer quanta in one sample. */
  readonly quanta_min: number;
  /** A candidate slower than the best by this factor stops after its first sample; 0 means never. */
  readonly race_factor: number;
  /** The watchdog's cap for one candidate. [ms] */
  readonly cap_ms: number;
  /** True: the batch's candidates are compared with each other; they give their samples in turns, in reversed order every second time. False: one candidate after the other. */
  readonly in_turns: boolean;
  /** The state of the caches that samples are taken in; hot when absent. A device that cannot make it measures in hot, and says so. */
  readonly cache?: CacheState;
  /** What a run of the model touches, for the state model; 0 when absent. [bytes] */
  readonly model_bytes?: number;
  /** True: a few samples are also taken in the other state: in cold where cache is hot, else in hot. Absent: false. */
  readonly both_caches?: boolean;
}

/** A kernel of a plan, to be fetched from /blob/<sha256>: source text as in launch, or a WebAssembly module that exports main. */
export interface PlanKernel {
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** The size of the blob. [bytes] */
  readonly bytes: number;
  /** Per binding of group 0: true when the kernel may write it. */
  readonly writes: readonly boolean[];
  /** As in launch; absent: none. [bytes] */
  readonly scratch_bytes?: number;
}

/** One dispatch of a plan. */
export interface PlanLaunch {
  /** Its position among the plan's kernels. */
  readonly kernel: number;
  /** Workgroups along x, y and z. [workgroups] */
  readonly grid: readonly [number, number, number];
  /** Per binding the buffer's position in the plan. */
  readonly buffers: readonly number[];
  /** Per binding the size that the kernel declares. [bytes] */
  readonly binding_bytes: readonly number[];
  /** True: all that it writes follows from constants, into buffers that nobody else writes; an agent may run it in the first run alone. Absent: false. */
  readonly ahead?: boolean;
}

/** Launches of a plan that run again and again. */
export interface PlanLoop {
  /** Position of the first one. */
  readonly first: number;
  /** Position behind the last one. */
  readonly last: number;
  /** How often they run; absent where a condition says it. [trips] */
  readonly trips?: number;
  /** Position of a buffer: before each trip its first word is read, and 0 ends the loop. Absent where trips says it. */
  readonly condition?: number;
}

/** The content of a buffer, to be fetched from /blob/<sha256>, in the buffer's own layout. */
export interface PlanUpload {
  /** Its position in the plan. */
  readonly buffer: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** The size of the blob, at most the buffer's. [bytes] */
  readonly bytes: number;
}

/** What is read back from a buffer. */
export interface PlanOutput {
  /** Its position in the plan. */
  readonly buffer: number;
  /** Bytes from the buffer's beginning; a multiple of 4. [bytes] */
  readonly bytes: number;
}

/** The plan of another build of the same model, which is timed against the first one. */
export interface RivalPlan {
  /** As in execute, and so are those that follow. [bytes] */
  readonly buffers: readonly number[];
  /** Likewise. */
  readonly kernels: readonly PlanKernel[];
  /** Likewise. */
  readonly launches: readonly PlanLaunch[];
  /** Likewise. */
  readonly constants: readonly PlanUpload[];
  /** The same values, in this plan's layouts. */
  readonly inputs: readonly PlanUpload[];
  /** The same values, likewise. */
  readonly outputs: readonly PlanOutput[];
  /** As in execute. */
  readonly textures?: readonly Texture[];
  /** As in execute. */
  readonly loops?: readonly PlanLoop[];
  /** Per quad of times whether it is rival, first, first, rival; else it is first, rival, rival, first. */
  readonly rival_first: readonly boolean[];
  /** A time is the mean of as many runs as take so long, one at least. [ms] */
  readonly sample_ms: number;
  /** Times are of the launches by the device's clock, where it has one; else from the inputs' upload until the outputs are there. */
  readonly kernels_alone: boolean;
}

/** Why something did not work. */
export interface Failure {
  /** A name of schema/errors.json. */
  readonly code: ErrorName;
  /** One clear sentence. */
  readonly message: string;
}

/** A lease, as people see it. */
export interface LeaseInfo {
  /** The lease. */
  readonly lease_id: string;
  /** Its fence. */
  readonly fence: number;
  /** The job that holds it. */
  readonly job: string;
  /** The person behind the job. */
  readonly user: string;
  /** When it ends unless a heartbeat renews it. [ms] */
  readonly expires_in_ms: number;
}

/** A device of the fleet. */
export interface DeviceInfo {
  /** This one device. */
  readonly device_id: string;
  /** The class of equal devices. */
  readonly device_key: string;
  /** Browser and target: chromium-webgpu. */
  readonly kind: string;
  /** The agent that brings it. */
  readonly agent_id: string;
  /** That agent's name, for people. */
  readonly agent_name: string;
  /** What it can do now. */
  readonly state: DeviceStateKind;
  /** Why, in one sentence; may be empty. */
  readonly message: string;
  /** False while its tab is hidden: timed work would be unstable. */
  readonly visible: boolean;
  /** What its agent observed. */
  readonly fingerprint: Fingerprint;
  /** How it tells time. */
  readonly timer: Timer;
  /** Who uses it; absent when free. */
  readonly lease?: LeaseInfo;
  /** Time since its agent's last heartbeat. [ms] */
  readonly seen_ago_ms: number;
  /** The id that its agent keeps; absent where it keeps none. */
  readonly physical_id?: string;
  /** What people call it. */
  readonly label?: string;
  /** What people let it do, and whether a job uses it. */
  readonly service_state: ServiceState;
  /** Why it was drained or quarantined, as somebody said; absent where nobody did. */
  readonly service_reason?: string;
}

/** One thing that happened to a device. */
export interface DeviceEvent {
  /** When, by the service's clock. [ms] */
  readonly unix_ms: number;
  /** To which: one physical device may have been known by several ids. */
  readonly device_id: string;
  /** What. */
  readonly kind: DeviceEventKind;
  /** Who did it, or for whom; empty: nobody. */
  readonly user: string;
  /** The job, the name or the reason; may be empty. */
  readonly text: string;
}

/** What the holder of a token may have at once; 0: as much as there is. */
export interface Quota {
  /** Devices leased to its user's jobs. Further jobs wait. */
  readonly devices_max: number;
  /** Jobs of its user that have not ended. Further ones are refused. */
  readonly jobs_max: number;
  /** Payloads of these jobs, together. What goes beyond is refused. [B] */
  readonly bytes_max: number;
}

/** A token, as lists show it: nothing in it lets anybody in. */
export interface TokenInfo {
  /** Its name in lists and in requests. Everybody may know it. */
  readonly token_id: string;
  /** What it lets its holder do. */
  readonly role: Role;
  /** Of a submitter or an admin the user that fairness counts; of an agent for people. Empty: nobody gave it one. */
  readonly name: string;
  /** When it was made. [ms] */
  readonly created_unix_ms: number;
  /** When it ends by itself; 0: never. That of an enrolled agent moves on as the token is used. [ms] */
  readonly expires_unix_ms: number;
  /** When it was taken back; 0: it was not. [ms] */
  readonly revoked_unix_ms: number;
  /** When it was last shown, to the hour; 0: never. [ms] */
  readonly used_unix_ms: number;
  /** What its holder may have at once; absent: as much as there is. */
  readonly quota?: Quota;
}

/** What a compile server wants of the tracker: leases on devices. */
export interface LeaseWish {
  /** A device id, a kind or a capability expression; empty: any. */
  readonly selector: string;
  /** The kind of kernels; empty: any. */
  readonly target: string;
  /** Only this class of devices; empty: any. */
  readonly device_key: string;
  /** Only devices of agents for which other tokens vouch. */
  readonly not_of: readonly string[];
  /** The job. */
  readonly job: string;
  /** The person behind it. */
  readonly user: string;
  /** Greater is served first. */
  readonly priority: number;
  /** That the user's jobs may hold at once; 0: any number. */
  readonly user_devices_max: number;
  /** So many devices of one class at once, or none. */
  readonly count: number;
  /** How long to wait for them. [ms] */
  readonly wait_ms: number;
}

/** A lease, as its holder is told it. */
export interface LeaseGrant {
  /** The lease. */
  readonly lease_id: string;
  /** Its fence, greater than every earlier one of the device. */
  readonly fence: number;
  /** The device. */
  readonly device: DeviceInfo;
  /** The agent was sent it. */
  readonly session_token: string;
  /** Who vouches for the agent: the id of the token that it has shown. */
  readonly enrolment: string;
  /** That token is a canary's. */
  readonly trusted: boolean;
}

/** What a job works on: exactly one of op and model_name. */
export interface JobSource {
  /** An operator in ONNX's terms, e.g. name:512x512x512. */
  readonly op?: string;
  /** The name of the ONNX model whose bytes are the frame's payload. */
  readonly model_name?: string;
  /** The payload is no ONNX model but an exported package, as an archive (package_archive); of runs and benches. False when absent. */
  readonly package?: boolean;
}

/** An input that a run is given; its elements, row-major and little-endian, lie in the payload. */
export interface RunInput {
  /** As the model names it. */
  readonly name: string;
  /** The type of the elements that are sent. */
  readonly dtype: string;
  /** Extents, outermost first; at most 67108864 elements in all. */
  readonly shape: readonly number[];
  /** It becomes a part of the model: shapes and index maps may follow from it; false when absent. */
  readonly constant?: boolean;
}

/** The options of a job that runs a model. */
export interface RunOptions {
  /** How much of the payload is the model; the inputs' elements follow in order. All of it when absent. [bytes] */
  readonly model_bytes?: number;
  /** The inputs that are given; the others are made up. */
  readonly inputs?: readonly RunInput[];
  /** Compare the outputs with the reference; false when absent. */
  readonly check?: boolean;
  /** Timed runs; 0 when absent. */
  readonly repeats?: number;
  /** A run takes the only one; a bench times each of them, in turns. The best when absent. */
  readonly schedules?: readonly ScheduleChoice[];
  /** The timed runs of one choice end after so long, and one that would take longer is left out of a bench; 20 when absent. [s] */
  readonly time_s?: number;
  /** A bench tells how long each task takes; false when absent. */
  readonly launches?: boolean;
  /** A run tells where each node of the model ran; false when absent. */
  readonly placements?: boolean;
}

/** The options of a compare. */
export interface CompareOptions {
  /** Each a record's source, or the beginning of it, best, seed or naive; those behind the first are compared with it. */
  readonly schedules: readonly string[];
  /** The task's id or the beginning of it, or a part of its name, where the source has several. */
  readonly task?: string;
  /** How often each is timed; when absent, as often as it takes to know which is faster than the first, 120 at most. */
  readonly rounds?: number;
  /** As of tune_options. */
  readonly cache?: CacheState;
}

/** The options of a compare_builds: both builds are packages, as archives. */
export interface CompareBuildsOptions {
  /** How much of the payload is the old build; the new one follows. [bytes] */
  readonly model_bytes: number;
  /** Pairs of times after which it is not known which is faster; 120 when absent. */
  readonly pairs_max?: number;
  /** How long a time is measured, at least; 20 when absent. [ms] */
  readonly sample_ms?: number;
  /** As in rival_plan; false when absent. */
  readonly kernels_alone?: boolean;
  /** So many comparisons are judged together: one goes on until it is known with Bonferroni's correction for them, too. 1 when absent. */
  readonly family?: number;
  /** A share: what surely differs by less is the same; 0.01 when absent. */
  readonly same_within?: number;
}

/** The options of a tune. */
export interface TuneOptions {
  /** How the next candidates are found; evolutionary when absent. */
  readonly strategy?: string;
  /** Samples of one candidate; 3 when absent. */
  readonly samples?: number;
  /** The state of the caches that candidates are measured in; absent: model of a model's tasks, hot of an operator's. */
  readonly cache?: CacheState;
}

/** A job, as lists show it. */
export interface JobInfo {
  /** Its id. */
  readonly job: string;
  /** What it does. */
  readonly job_kind: JobKind;
  /** Whose it is. */
  readonly user: string;
  /** How far it has come. */
  readonly state: JobState;
  /** How it ended; absent while it has not. */
  readonly outcome?: ErrorName;
  /** Why it ended so, in one sentence; empty where it ended well or has not. */
  readonly message: string;
  /** The operator or the model's name, for people. */
  readonly source: string;
  /** The kind of kernels. */
  readonly target: string;
  /** Greater is served first. */
  readonly priority: number;
  /** It does not end with its client, and goes on after a restart of the service. */
  readonly detached: boolean;
  /** How often it was begun and neither ended nor put back by a service that stopped. */
  readonly starts: number;
  /** When it was stored. [ms] */
  readonly submitted_unix_ms: number;
  /** When it began last; 0: it has not. [ms] */
  readonly started_unix_ms: number;
  /** When it ended; 0: it has not. [ms] */
  readonly ended_unix_ms: number;
}

/** What a person asks for. */
export interface JobRequest {
  /** What the job does. */
  readonly kind: JobKind;
  /** What it works on. */
  readonly source: JobSource;
  /** Values of the model's symbolic dimensions. */
  readonly dims: { readonly [name: string]: number };
  /** The kind of kernels. */
  readonly target: string;
  /** A device id, a kind or a capability expression; empty means any device of the target. */
  readonly selector: string;
  /** Trials per task; 0 means the default. */
  readonly trials: number;
  /** The most wall time of the job, the wait for its device left out; 0 means no limit. [s] */
  readonly time_s: number;
  /** The seed of the search. */
  readonly seed: bigint;
  /** Greater is served first; 0 when absent. Above 0 only of an admin: of others it counts as 0. */
  readonly priority?: number;
  /** How long to wait for a matching device; the service's default when absent. [s] */
  readonly device_wait_s?: number;
  /** Further options of the kind, an object: tune_options of a tune, run_options of a run or bench, compare_options of a compare, compare_builds_options of a compare_builds. */
  readonly options?: unknown;
  /** The greatest error that kernels may have, as prepare_task's tolerance bounds it; absent: 1e-5 + 1e-6·√K of the longest reduction K. Greater ones permit narrower storage. */
  readonly tolerance?: number;
  /** The most devices of one class that a tune uses side by side; 1 when absent. */
  readonly devices?: number;
  /** What of time_s was used before the job was sent; 0 when absent. [s] */
  readonly time_spent_s?: number;
  /** Passes over the model's graph that are left out, by name; none when absent. */
  readonly without_passes?: readonly string[];
  /** So many devices of one class, all at once, with which a tune begins; 1 when absent. Until they are free together it takes none. */
  readonly devices_min?: number;
}

/** The first frame of a control socket: who the agent is and which devices it brings. */
export interface Hello {
  readonly kind: "hello";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** A token of the role agent or admin, 32 hexadecimal digits; empty where only an enroll_code is shown. */
  readonly token: string;
  /** The version of the protocol that the agent speaks. */
  readonly version: number;
  /** For people. */
  readonly agent_name: string;
  /** The launcher's name for this start, from the URL's fragment, when a launcher of hone opened the page; a secret between the two, which also lets the agent come back as itself. */
  readonly launch_id?: string;
  /** The agent_id of an earlier welcome, to keep agent and device ids; only with its resume_secret. */
  readonly resume_agent_id?: string;
  /** The devices. */
  readonly devices: readonly DeviceOffer[];
  /** Why there is no device and what to do, for people; absent when there is one. */
  readonly problem?: string;
  /** The resume_secret of the welcome that gave the agent_id. Without it, or with another one, the agent is a new one. */
  readonly resume_secret?: string;
  /** An enrolment's code, from the URL's fragment. It is exchanged for a token of the agent's own where the token that is shown lets nobody in. */
  readonly enroll_code?: string;
}

/** The agent is in. */
export interface Welcome {
  readonly kind: "welcome";
  /** The id of the request. */
  readonly reply_to: number;
  /** The agent's name from now on, also after a reconnect. Everybody may know it. */
  readonly agent_id: string;
  /** One per offer, in order. */
  readonly devices: readonly DeviceGrant[];
  /** How often to send a heartbeat. [ms] */
  readonly heartbeat_ms: number;
  /** Silence after which the tracker holds the agent for stuck and lets its leases run out. [ms] */
  readonly heartbeat_timeout_ms: number;
  /** What lets this agent come back as itself, to be kept and told nobody else; absent when the one that it has shown goes on. */
  readonly resume_secret?: string;
  /** The agent's own token, of the role agent, for its enroll_code: to be kept, shown from now on, and told nobody else. */
  readonly token?: string;
  /** The role of the token. */
  readonly role?: Role;
  /** Where the farm's trackers are, this one among them, as http: or https: origins: whichever has the farm lets the agent in. Absent where there is one. */
  readonly trackers?: readonly string[];
}

/** The agent lives. Only this renews its leases, never a ping of the socket. */
export interface Heartbeat {
  readonly kind: "heartbeat";
  /** Grows by one. */
  readonly seq: number;
  /** False while the tab is hidden. */
  readonly visible: boolean;
  /** False when the worker did not answer the page; leases are not renewed then. */
  readonly worker_alive: boolean;
  /** How long the worker has been on its current candidate; 0 when idle. [ms] */
  readonly busy_ms: number;
}

/** Seen. */
export interface HeartbeatAck {
  readonly kind: "heartbeat_ack";
  /** As in the heartbeat. */
  readonly seq: number;
  /** As in welcome, where they are others by now. */
  readonly trackers?: readonly string[];
}

/** A device changed. */
export interface DeviceState {
  readonly kind: "device_state";
  /** The device. */
  readonly device_id: string;
  /** What it can do now. */
  readonly state: DeviceStateKind;
  /** Why, in one sentence. */
  readonly message: string;
}

/** A job leased a device: the agent opens a session socket. */
export interface OpenSession {
  readonly kind: "open_session";
  /** The lease. */
  readonly lease_id: string;
  /** Its fence, greater than every earlier one of the device. */
  readonly fence: number;
  /** The device. */
  readonly device_id: string;
  /** Where: a path on the same origin, or a ws: or wss: URL. */
  readonly session_path: string;
  /** Lets one session socket in, once. */
  readonly session_token: string;
  /** A path on the same origin where the tracker hands the session on, for an agent that cannot open session_path. */
  readonly relay_path?: string;
}

/** The lease ended: the agent drops the session's work and closes its socket. */
export interface CloseSession {
  readonly kind: "close_session";
  /** The lease. */
  readonly lease_id: string;
  /** Why, in one sentence. */
  readonly reason: string;
}

/** The service stops: the agent finishes its candidate and tries to reconnect later. */
export interface Drain {
  readonly kind: "drain";
}

/** The first frame of a session socket. */
export interface SessionHello {
  readonly kind: "session_hello";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** From open_session; valid once. */
  readonly session_token: string;
  /** The device. */
  readonly device_id: string;
  /** The lease. */
  readonly lease_id: string;
}

/** The session is open. */
export interface SessionWelcome {
  readonly kind: "session_welcome";
  /** The id of the request. */
  readonly reply_to: number;
  /** The session. */
  readonly session_id: string;
  /** The most candidates that the server will have outstanding. */
  readonly credits: number;
  /** True: blobs are asked for here, with fetch_blob. Absent: the agent's own origin has them. */
  readonly blobs?: boolean;
}

/** The agent makes the task's buffers, fills its inputs and fetches the expected outputs. */
export interface PrepareTask {
  readonly kind: "prepare_task";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** The task's id, 32 hexadecimal digits. */
  readonly task: string;
  /** Inputs and constants, then outputs. */
  readonly buffers: readonly Buffer[];
  /** The reference. */
  readonly expected: Expected;
  /** The largest permitted error of an element: |y − r| / min(largest, 8·max(|r|, median)). */
  readonly tolerance: number;
  /** A kernel of the task that is timed in between, to see drift. */
  readonly reference_launches?: readonly Launch[];
  /** What the task computes, for people; a long one is cut. Absent: nobody gave it a name. */
  readonly name?: string;
  /** Further inputs on which a kernel is executed and compared, where its task is small. */
  readonly more_inputs?: readonly InputSet[];
}

/** The task's buffers are there, or why not. */
export interface TaskReady {
  readonly kind: "task_ready";
  /** The id of the request. */
  readonly reply_to: number;
  /** Absent when all went well. */
  readonly error?: Failure;
}

/** Candidates to check and to time. One result per candidate comes back as it ends, then batch_done. */
export interface Measure {
  readonly kind: "measure";
  /** The server's number of the batch. */
  readonly batch: number;
  /** The lease's fence, echoed in results. */
  readonly fence: number;
  /** A prepared task. */
  readonly task: string;
  /** How to time. */
  readonly policy: MeasurePolicy;
  /** In order of execution. */
  readonly candidates: readonly Candidate[];
}

/** What became of one candidate. Resent until acknowledged. */
export interface CandidateResult {
  readonly kind: "result";
  /** As in measure. */
  readonly batch: number;
  /** As in the candidate. */
  readonly trial: number;
  /** As in the candidate. */
  readonly attempt: number;
  /** As in measure. */
  readonly fence: number;
  /** ok, or why there is no time. */
  readonly outcome: ErrorName;
  /** The driver's words on failure; may be empty. */
  readonly message: string;
  /** One kernel's time per sample, in order of taking. [us] */
  readonly samples_us: readonly number[];
  /** Their median; 0 when there are none. [us] */
  readonly latency_us_median: number;
  /** timestamp, slope or clock; empty when nothing was timed. */
  readonly method: string;
  /** The step of the clock that was used. [ns] */
  readonly clock_resolution_ns: number;
  /** Kernels per sample. */
  readonly repeats: number;
  /** Creation of modules and pipelines, on GPUs with the first dispatch, at which drivers compile. 0 where they were kept from a kernel of the same text. [ms] */
  readonly create_ms: number;
  /** All of the device's work for this candidate, creation included. [ms] */
  readonly device_ms: number;
  /** The greatest error of an element, as prepare_task's tolerance bounds it. */
  readonly max_error: number;
  /** The interleaved reference kernel, one piece of work that is the same at each connection; 0 when none. [us] */
  readonly reference_us: number;
  /** The state of the caches that the samples were taken in; hot when absent. */
  readonly cache?: CacheState;
  /** The median in the other state: cold where cache is hot, else hot; absent: not taken. [us] */
  readonly other_us?: number;
}

/** The result is stored for good, or refused for good. */
export interface ResultAck {
  readonly kind: "result_ack";
  /** As in the result. */
  readonly trial: number;
  /** As in the result. */
  readonly attempt: number;
}

/** Every candidate of the batch has a result. */
export interface BatchDone {
  readonly kind: "batch_done";
  /** As in measure. */
  readonly batch: number;
}

/** Timed samples are being taken: a server on the same host pauses its workers. */
export interface Timing {
  readonly kind: "timing";
  /** True at the start, false at the end. */
  readonly active: boolean;
}

/** The agent skips the rest of a batch: the skipped candidates get the outcome cancelled. */
export interface Cancel {
  readonly kind: "cancel";
  /** The batch. */
  readonly batch: number;
}

/** The server is done: the agent frees the session's buffers and closes the socket. */
export interface Release {
  readonly kind: "release";
}

/** The agent runs a whole model: it makes the plan's buffers and pipelines, uploads, launches all in one submit, and reads the outputs back; then it does so again `repeats` times, timed. */
export interface Execute {
  readonly kind: "execute";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** Sizes of the plan's buffers. [bytes] */
  readonly buffers: readonly number[];
  /** The distinct kernels. */
  readonly kernels: readonly PlanKernel[];
  /** In order of execution. */
  readonly launches: readonly PlanLaunch[];
  /** Uploaded once. */
  readonly constants: readonly PlanUpload[];
  /** Uploaded before each run. */
  readonly inputs: readonly PlanUpload[];
  /** Read back after each run. */
  readonly outputs: readonly PlanOutput[];
  /** Timed runs after the first one; 0 for none. */
  readonly repeats: number;
  /** The watchdog's cap for the whole, downloads not counted. [ms] */
  readonly cap_ms: number;
  /** What each of the buffers is, where kernels read textures; kernels bind them as in measure. Absent on other targets. */
  readonly textures?: readonly Texture[];
  /** The model's name, for people; a long one is cut. Absent: nobody gave it a name. */
  readonly model?: string;
  /** No timed run begins later than so long after the first one began; 20000 when absent. [ms] */
  readonly timed_ms_max?: number;
  /** True: after the timed runs the device times each launch by itself, if its clock can. Absent: false. */
  readonly time_launches?: boolean;
  /** Launches that run again and again: each loop inside or outside of each other one, in the order in which they begin, outer ones first. Absent: none. */
  readonly loops?: readonly PlanLoop[];
  /** Instead of timed runs: both plans are made, each runs once, and then they are timed in turns. Absent: none. */
  readonly rival?: RivalPlan;
  /** True: on a device that was opened anew for this, in a worker of its own. Absent: false. */
  readonly fresh?: boolean;
}

/** The model ran, or why not. */
export interface Executed {
  readonly kind: "executed";
  /** The id of the request. */
  readonly reply_to: number;
  /** Absent when all went well; else there is no payload. */
  readonly error?: Failure;
  /** Pipelines, buffers and the upload of constants. [ms] */
  readonly create_ms: number;
  /** The first run. [ms] */
  readonly first_ms: number;
  /** Each timed run by the wall clock: inputs up, launches, outputs back. [ms] */
  readonly run_ms: readonly number[];
  /** The same runs by the device's clock, from the first launch to the end of the last; empty where the device has no such clock. [ms] */
  readonly kernel_ms: readonly number[];
  /** The step of the device's clock. [ns] */
  readonly clock_resolution_ns: number;
  /** Each launch of one run by the device's clock, 0 for those that run ahead; absent where it was not asked for, or the device cannot tell. [us] */
  readonly launch_us?: readonly number[];
  /** Where there is a rival, four of each quad: the first plan's and the rival's time of its first pair, and of its second pair. Times are of one run. [ms] */
  readonly quad_ms?: readonly number[];
  /** The agent's reference kernel, run behind each of these times, in the same order. [us] */
  readonly reference_us?: readonly number[];
  /** True: quad_ms is by the device's clock. Absent: false. */
  readonly by_device_clock?: boolean;
}

/** Asks for a piece of a blob, where session_welcome says that blobs come so. */
export interface FetchBlob {
  readonly kind: "fetch_blob";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** Where the piece begins. [bytes] */
  readonly offset: number;
}

/** A piece, of 4 MiB but at the blob's end. */
export interface BlobPiece {
  readonly kind: "blob";
  /** The id of the request. */
  readonly reply_to: number;
}

/** The first frame of a client socket. */
export interface ClientHello {
  readonly kind: "client_hello";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** A token of any role, 32 hexadecimal digits; empty where only an enroll_code is shown. */
  readonly token: string;
  /** The version of the protocol that the client speaks. */
  readonly version: number;
  /** The person, for fairness and for people, where the token names nobody. */
  readonly user: string;
  /** As of an agent's hello. */
  readonly enroll_code?: string;
}

/** The client is in. */
export interface ClientWelcome {
  readonly kind: "client_welcome";
  /** The id of the request. */
  readonly reply_to: number;
  /** The version of the protocol that the service speaks. */
  readonly version: number;
  /** The role of the token. */
  readonly role?: Role;
  /** As of an agent's welcome. */
  readonly token?: string;
}

/** Asks for the fleet, page by page. */
export interface ListDevices {
  readonly kind: "list_devices";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** The last device_id of the page before; absent for the first one. */
  readonly after?: string;
}

/** A page of the fleet. */
export interface Devices {
  readonly kind: "devices";
  /** The id of the request. */
  readonly reply_to: number;
  /** Known devices, ordered by id. */
  readonly devices: readonly DeviceInfo[];
  /** True: there are further ones. Absent: false. */
  readonly more?: boolean;
}

/** Gives a device a name. */
export interface LabelDevice {
  readonly kind: "label_device";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** The device. */
  readonly device_id: string;
  /** Its name; empty: none. */
  readonly label: string;
  /** Who does it, where a compile server passes it on. */
  readonly user?: string;
}

/** It has the name. */
export interface DeviceLabelled {
  readonly kind: "device_labelled";
  /** The id of the request. */
  readonly reply_to: number;
  /** The id of the device itself; absent where it has none. */
  readonly physical_id?: string;
}

/** Takes a device out of service, or back, or forgets it. All but forgetting holds for each id by which the same physical device is known. */
export interface ManageDevice {
  readonly kind: "manage_device";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** The device. */
  readonly device_id: string;
  /** What to do. */
  readonly action: DeviceAction;
  /** Why, for people; may be empty. Of drain and quarantine. */
  readonly reason: string;
  /** As of label_device. */
  readonly user?: string;
}

/** It is done, and on disk. */
export interface DeviceManaged {
  readonly kind: "device_managed";
  /** The id of the request. */
  readonly reply_to: number;
  /** What it is now; absent: forgotten. */
  readonly service_state?: ServiceState;
}

/** Asks for a device and its history. */
export interface ShowDevice {
  readonly kind: "show_device";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** The device. */
  readonly device_id: string;
}

/** A device and what happened to it. */
export interface DeviceShown {
  readonly kind: "device_shown";
  /** The id of the request. */
  readonly reply_to: number;
  /** The device. */
  readonly device: DeviceInfo;
  /** How often it was leased under this id. */
  readonly leases: number;
  /** The latest, oldest first, those of the same physical device under its other ids among them. */
  readonly events: readonly DeviceEvent[];
}

/** Starts a job. After job_accepted come job_progress frames, then job_done or job_failed. */
export interface SubmitJob {
  readonly kind: "submit_job";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** What to do. */
  readonly job: JobRequest;
  /** True, of a tune: the job is queued with its model, does not end with its client, and goes on after a restart of the service; nothing comes after job_accepted, but attach_job follows it. False when absent. */
  readonly detached?: boolean;
}

/** The job is stored. */
export interface JobAccepted {
  readonly kind: "job_accepted";
  /** The id of the request. */
  readonly reply_to: number;
  /** Its id. */
  readonly job: string;
}

/** Where a job is; a newer one replaces an older one. */
export interface JobProgress {
  readonly kind: "job_progress";
  /** The job. */
  readonly job: string;
  /** Where it is. */
  readonly phase: JobPhase;
  /** The task in work, for people; may be empty. */
  readonly task: string;
  /** Tasks that have a time. */
  readonly tasks_done: number;
  /** Distinct tasks of the job. */
  readonly tasks_total: number;
  /** Trials with a record. */
  readonly trials_done: number;
  /** Trials planned. */
  readonly trials_total: number;
  /** The best time of the task in work; 0 when none. [us] */
  readonly best_us: number;
  /** The rate of late. [1/s] */
  readonly trials_per_second: number;
  /** The estimated time left; 0 when unknown. [s] */
  readonly left_s: number;
  /** One sentence, e.g. what it waits for; may be empty. */
  readonly message: string;
  /** The yardstick's time of the task in work; absent when none. [us] */
  readonly naive_us?: number;
  /** The time of the last trial; absent when it has none. [us] */
  readonly measured_us?: number;
  /** What the search's model expected of the last trial; absent when nothing. [us] */
  readonly predicted_us?: number;
  /** How many candidates of this run have no time, by outcome. */
  readonly errors?: { readonly [name: string]: number };
  /** What has kept the job silent, for people; absent when something came. */
  readonly waits_for?: string;
  /** For how long it has been silent. [s] */
  readonly waited_s?: number;
}

/** The job ended well. */
export interface JobDone {
  readonly kind: "job_done";
  /** The job. */
  readonly job: string;
  /** Its result, an object whose form follows from the job's kind. */
  readonly result: unknown;
}

/** The job ended otherwise. Records made until then are kept. */
export interface JobFailed {
  readonly kind: "job_failed";
  /** The job. */
  readonly job: string;
  /** Why. */
  readonly code: ErrorName;
  /** Why, in one clear sentence. */
  readonly message: string;
}

/** Stops a job of the client's user, or of anybody where an admin asks: who submitted it or follows it hears its end. It ends with job_failed and the code cancelled, or, where a search has begun, with job_done and what is known by then. */
export interface CancelJob {
  readonly kind: "cancel_job";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** The job. */
  readonly job: string;
}

/** Follows a job of the client's user, or of anybody where an admin asks. After job_accepted come job_progress frames, as many as the client reads, then job_done or job_failed; of a job that has ended, that at once. The job does not end with this client. */
export interface AttachJob {
  readonly kind: "attach_job";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** The job. */
  readonly job: string;
}

/** Asks for the jobs of the client's user, or for everybody's where an admin asks, page by page, one page at a time. */
export interface ListJobs {
  readonly kind: "list_jobs";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** The `next` of the page before; absent for the first one. */
  readonly before?: number;
}

/** A page of the jobs. */
export interface Jobs {
  readonly kind: "jobs";
  /** The id of the request. */
  readonly reply_to: number;
  /** The latest first. */
  readonly jobs: readonly JobInfo[];
  /** Where the next page begins; absent: this is the last one. */
  readonly next?: number;
}

/** The job is told to end. Its end is told to whoever submitted or follows it. */
export interface CancelAccepted {
  readonly kind: "cancel_accepted";
  /** The id of the request. */
  readonly reply_to: number;
}

/** Asks for a job of the client's user, or of anybody where an admin asks. */
export interface ShowJob {
  readonly kind: "show_job";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** The job. */
  readonly job: string;
}

/** A job. */
export interface JobShown {
  readonly kind: "job_shown";
  /** The id of the request. */
  readonly reply_to: number;
  /** The job. */
  readonly job: JobInfo;
  /** Of a job that ended well: its result, an object whose form follows from the job's kind; absent where it is not kept. */
  readonly result?: unknown;
}

/** Asks to be told, from now on, what happens to devices and to the jobs of the client's user, or to everybody's where an admin asks. A client that reads slowly is told less. */
export interface WatchFleet {
  readonly kind: "watch_fleet";
  /** The request's number, chosen by the sender. */
  readonly id: number;
}

/** From here on everything is told. */
export interface FleetWatched {
  readonly kind: "fleet_watched";
  /** The id of the request. */
  readonly reply_to: number;
}

/** Something happened to a device. It is on disk. */
export interface DeviceChanged {
  readonly kind: "device_changed";
  /** What happened. */
  readonly event: DeviceEvent;
}

/** A job has another state. It is on disk. */
export interface JobChanged {
  readonly kind: "job_changed";
  /** The job. */
  readonly job: JobInfo;
}

/** Asks for the state of the agent with this launch_id, now and on each change. */
export interface WatchAgent {
  readonly kind: "watch_agent";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** As in hello. */
  readonly launch_id: string;
}

/** The state of a watched agent. */
export interface AgentState {
  readonly kind: "agent_state";
  /** As in hello. */
  readonly launch_id: string;
  /** Its state; gone while it never said hello. */
  readonly state: AgentStateKind;
  /** Why, in one sentence. */
  readonly message: string;
}

/** Asks for records, page by page, one page at a time. tasks, device_key and job say which attempts; without them, all. */
export interface FetchRecords {
  readonly kind: "fetch_records";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** Which lines. */
  readonly part: RecordPart;
  /** Ids of tasks, 32 hexadecimal digits each. */
  readonly tasks?: readonly string[];
  /** A class of devices. */
  readonly device_key?: string;
  /** What this job measured, and with it what others did of the same tasks on the same device key, so that times can be judged beside each other. */
  readonly job?: string;
  /** The place that the page before said; absent for the first one. */
  readonly after?: RecordPlace;
}

/** A page of the records. */
export interface Records {
  readonly kind: "records";
  /** The id of the request. */
  readonly reply_to: number;
  /** Behind which place the next page begins; absent: this is the last one. */
  readonly next?: RecordPlace;
  /** How many records the service knows of that are damaged, or too long for a line; they are in no page. */
  readonly left_out: number;
}

/** Asks for a code that lets one agent in, once. */
export interface CreateEnrolment {
  readonly kind: "create_enrolment";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** The name of the token that the code is exchanged for, for people; may be empty. */
  readonly name: string;
}

/** The code. */
export interface Enrolment {
  readonly kind: "enrolment";
  /** The id of the request. */
  readonly reply_to: number;
  /** 32 hexadecimal digits, for the fragment of the page's URL. */
  readonly code: string;
  /** How long it is good for, unless the service is started anew before. [ms] */
  readonly lifetime_ms: number;
}

/** Asks for the tokens, page by page. */
export interface ListTokens {
  readonly kind: "list_tokens";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** The last token_id of the page before; absent for the first one. */
  readonly after?: string;
}

/** A page of the tokens. */
export interface Tokens {
  readonly kind: "tokens";
  /** The id of the request. */
  readonly reply_to: number;
  /** Known tokens, ordered by id, those among them that ended. */
  readonly tokens: readonly TokenInfo[];
  /** True: there are further ones. */
  readonly more: boolean;
}

/** Makes a token. */
export interface CreateToken {
  readonly kind: "create_token";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** What it lets its holder do. */
  readonly role: Role;
  /** As of token_info; a submitter has one. */
  readonly name: string;
  /** How long it is good for; 0: until it is revoked. [s] */
  readonly lifetime_s: number;
  /** What its holder may have at once; absent: as much as there is. */
  readonly quota?: Quota;
}

/** The token, on disk. The service keeps its hash alone: nobody is told it again. */
export interface TokenCreated {
  readonly kind: "token_created";
  /** The id of the request. */
  readonly reply_to: number;
  /** What lists show of it. */
  readonly info: TokenInfo;
  /** What lets in, 32 hexadecimal digits. */
  readonly token: string;
}

/** Takes a token back: who is connected with it is closed, with the code 4003. */
export interface RevokeToken {
  readonly kind: "revoke_token";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** As of token_info. */
  readonly token_id: string;
}

/** It lets nobody in any more. */
export interface TokenRevoked {
  readonly kind: "token_revoked";
  /** The id of the request. */
  readonly reply_to: number;
}

/** Gives a token's id, role and name another secret; the earlier one ends as by revoke_token. */
export interface RotateToken {
  readonly kind: "rotate_token";
  /** The request's number, chosen by the sender. */
  readonly id: number;
  /** As of token_info. */
  readonly token_id: string;
}

/** A request, or the whole connection, failed. */
export interface ErrorReply {
  readonly kind: "error";
  /** The id of the request; absent when the connection is meant and closes. */
  readonly reply_to?: number;
  /** A name of schema/errors.json. */
  readonly code: ErrorName;
  /** One clear sentence. */
  readonly message: string;
  /** The origin (http: or https:) of the tracker that has the farm, from one that stands by. */
  readonly tracker?: string;
}

export type Message =
  | Hello
  | Welcome
  | Heartbeat
  | HeartbeatAck
  | DeviceState
  | OpenSession
  | CloseSession
  | Drain
  | SessionHello
  | SessionWelcome
  | PrepareTask
  | TaskReady
  | Measure
  | CandidateResult
  | ResultAck
  | BatchDone
  | Timing
  | Cancel
  | Release
  | Execute
  | Executed
  | FetchBlob
  | BlobPiece
  | ClientHello
  | ClientWelcome
  | ListDevices
  | Devices
  | LabelDevice
  | DeviceLabelled
  | ManageDevice
  | DeviceManaged
  | ShowDevice
  | DeviceShown
  | SubmitJob
  | JobAccepted
  | JobProgress
  | JobDone
  | JobFailed
  | CancelJob
  | AttachJob
  | ListJobs
  | Jobs
  | CancelAccepted
  | ShowJob
  | JobShown
  | WatchFleet
  | FleetWatched
  | DeviceChanged
  | JobChanged
  | WatchAgent
  | AgentState
  | FetchRecords
  | Records
  | CreateEnrolment
  | Enrolment
  | ListTokens
  | Tokens
  | CreateToken
  | TokenCreated
  | RevokeToken
  | TokenRevoked
  | RotateToken
  | ErrorReply;

// ---- What one side may send on one socket. ----

export type ControlFromAgent = Hello | Heartbeat | DeviceState | ErrorReply;
export const controlFromAgent: readonly ControlFromAgent["kind"][] = [
  "hello",
  "heartbeat",
  "device_state",
  "error",
];

export type ControlFromTracker = Welcome | HeartbeatAck | OpenSession | CloseSession | Drain | ErrorReply;
export const controlFromTracker: readonly ControlFromTracker["kind"][] = [
  "welcome",
  "heartbeat_ack",
  "open_session",
  "close_session",
  "drain",
  "error",
];

export type SessionFromAgent = SessionHello | TaskReady | CandidateResult | BatchDone | Timing | Executed | FetchBlob | ErrorReply;
export const sessionFromAgent: readonly SessionFromAgent["kind"][] = [
  "session_hello",
  "task_ready",
  "result",
  "batch_done",
  "timing",
  "executed",
  "fetch_blob",
  "error",
];

export type SessionFromServer = SessionWelcome | PrepareTask | Measure | ResultAck | Cancel | Release | Execute | BlobPiece | ErrorReply;
export const sessionFromServer: readonly SessionFromServer["kind"][] = [
  "session_welcome",
  "prepare_task",
  "measure",
  "result_ack",
  "cancel",
  "release",
  "execute",
  "blob",
  "error",
];

export type ClientFromClient = ClientHello | ListDevices | LabelDevice | ManageDevice | ShowDevice | SubmitJob | CancelJob | AttachJob | ListJobs | ShowJob | WatchFleet | WatchAgent | FetchRecords | CreateEnrolment | ListTokens | CreateToken | RevokeToken | RotateToken | ErrorReply;
export const clientFromClient: readonly ClientFromClient["kind"][] = [
  "client_hello",
  "list_devices",
  "label_device",
  "manage_device",
  "show_device",
  "submit_job",
  "cancel_job",
  "attach_job",
  "list_jobs",
  "show_job",
  "watch_fleet",
  "watch_agent",
  "fetch_records",
  "create_enrolment",
  "list_tokens",
  "create_token",
  "revoke_token",
  "rotate_token",
  "error",
];

export type ClientFromService = ClientWelcome | Devices | DeviceLabelled | DeviceManaged | DeviceShown | JobAccepted | JobProgress | JobDone | JobFailed | Jobs | CancelAccepted | JobShown | FleetWatched | DeviceChanged | JobChanged | AgentState | Records | Enrolment | Tokens | TokenCreated | TokenRevoked | ErrorReply;
export const clientFromService: readonly ClientFromService["kind"][] = [
  "client_welcome",
  "devices",
  "device_labelled",
  "device_managed",
  "device_shown",
  "job_accepted",
  "job_progress",
  "job_done",
  "job_failed",
  "jobs",
  "cancel_accepted",
  "job_shown",
  "fleet_watched",
  "device_changed",
  "job_changed",
  "agent_state",
  "records",
  "enrolment",
  "tokens",
  "token_created",
  "token_revoked",
  "error",
];

// ---- Tables for the checks. ----

type Type =
  | { readonly kind: "bool" | "u64" | "outcome" | "json" }
  | { readonly kind: "u32" | "u53" | "i53" | "f64"; readonly low?: number; readonly high?: number }  // both or none
  | { readonly kind: "string"; readonly max: number }
  | { readonly kind: "enum"; readonly names: readonly string[] }
  | { readonly kind: "struct"; readonly fields: () => readonly Field[] }
  | { readonly kind: "list" | "map"; readonly max: number; readonly of: Type }
  | { readonly kind: "array"; readonly size: number; readonly of: Type };
interface Field {
  readonly name: string;
  readonly optional?: true;
  readonly type: Type;
}

const recordPlaceFields: readonly Field[] = [
  { name: "row", type: { kind: "u53" } },
  { name: "attempt", type: { kind: "u32" } },
];
const fingerprintFields: readonly Field[] = [
  { name: "target", type: { kind: "string", max: 32 } },
  { name: "vendor", type: { kind: "string", max: 256 } },
  { name: "architecture", type: { kind: "string", max: 256 } },
  { name: "device", type: { kind: "string", max: 256 } },
  { name: "description", type: { kind: "string", max: 1024 } },
  { name: "backend", type: { kind: "string", max: 256 } },
  { name: "browser", type: { kind: "string", max: 64 } },
  { name: "browser_major", type: { kind: "u32" } },
  { name: "os", type: { kind: "string", max: 64 } },
  { name: "features", type: { kind: "list", max: 256, of: { kind: "string", max: 128 } } },
  { name: "limits", type: { kind: "map", max: 256, of: { kind: "f64" } } },
  { name: "launch_us", optional: true, type: { kind: "f64" } },
  { name: "driver", optional: true, type: { kind: "string", max: 256 } },
  { name: "arithmetic_gflops", optional: true, type: { kind: "f64" } },
  { name: "memory_gb_s", optional: true, type: { kind: "f64" } },
  { name: "last_level_cache_bytes", optional: true, type: { kind: "u53" } },
];
const timerFields: readonly Field[] = [
  { name: "method", type: { kind: "string", max: 64 } },
  { name: "quantum_ns", type: { kind: "f64" } },
];
const deviceOfferFields: readonly Field[] = [
  { name: "local_id", type: { kind: "string", max: 64 } },
  { name: "target", type: { kind: "string", max: 32 } },
  { name: "fingerprint", type: { kind: "struct", fields: () => fingerprintFields } },
  { name: "timer", type: { kind: "struct", fields: () => timerFields } },
  { name: "launch_flags", optional: true, type: { kind: "list", max: 128, of: { kind: "string", max: 1024 } } },
  { name: "physical_id", optional: true, type: { kind: "string", max: 64 } },
];
const deviceGrantFields: readonly Field[] = [
  { name: "local_id", type: { kind: "string", max: 64 } },
  { name: "device_id", type: { kind: "string", max: 64 } },
  { name: "device_key", type: { kind: "string", max: 64 } },
];
const bufferFields: readonly Field[] = [
  { name: "name", type: { kind: "string", max: 256 } },
  { name: "role", type: { kind: "enum", names: bufferRoleNames } },
  { name: "dtype", type: { kind: "string", max: 16 } },
  { name: "shape", type: { kind: "list", max: 16, of: { kind: "i53" } } },
  { name: "dims", type: { kind: "list", max: 32, of: { kind: "array", size: 3, of: { kind: "i53" } } } },
  { name: "pad", type: { kind: "enum", names: padKindNames } },
  { name: "bytes", type: { kind: "u53" } },
  { name: "seed", type: { kind: "u64" } },
  { name: "low", type: { kind: "f64" } },
  { name: "high", type: { kind: "f64" } },
  { name: "step", optional: true, type: { kind: "f64", low: 0, high: 1000000 } },
];
const expectedOutputFields: readonly Field[] = [
  { name: "sha256", type: { kind: "string", max: 64 } },
  { name: "bytes", type: { kind: "u53" } },
  { name: "largest", type: { kind: "f64" } },
  { name: "median", type: { kind: "f64" } },
];
const expectedFields: readonly Field[] = [
  { name: "outputs", type: { kind: "list", max: 16, of: { kind: "struct", fields: () => expectedOutputFields } } },
];
const inputSetFields: readonly Field[] = [
  { name: "buffers", type: { kind: "list", max: 64, of: { kind: "struct", fields: () => bufferFields } } },
  { name: "expected", type: { kind: "struct", fields: () => expectedFields } },
];
const textureFields: readonly Field[] = [
  { name: "width", type: { kind: "u32" } },
  { name: "height", type: { kind: "u32" } },
  { name: "layers", type: { kind: "u32" } },
  { name: "format", type: { kind: "string", max: 16 } },
];
const bindingFields: readonly Field[] = [
  { name: "kind", type: { kind: "enum", names: bindingKindNames } },
  { name: "position", type: { kind: "u32" } },
  { name: "writes", type: { kind: "bool" } },
  { name: "bytes", type: { kind: "u53" } },
  { name: "texture", optional: true, type: { kind: "struct", fields: () => textureFields } },
];
const launchFields: readonly Field[] = [
  { name: "code", type: { kind: "string", max: 4194304 } },
  { name: "grid", type: { kind: "array", size: 3, of: { kind: "u32" } } },
  { name: "threads", type: { kind: "array", size: 3, of: { kind: "u32" } } },
  { name: "bindings", type: { kind: "list", max: 64, of: { kind: "struct", fields: () => bindingFields } } },
  { name: "module_bytes", type: { kind: "u32" } },
  { name: "scratch_bytes", type: { kind: "u32" } },
  { name: "ahead", optional: true, type: { kind: "bool" } },
];
const argLayoutFields: readonly Field[] = [
  { name: "position", type: { kind: "u32" } },
  { name: "dims", type: { kind: "list", max: 32, of: { kind: "array", size: 3, of: { kind: "i53" } } } },
  { name: "bytes", type: { kind: "u53" } },
  { name: "dtype", optional: true, type: { kind: "string", max: 16 } },
];
const candidateFields: readonly Field[] = [
  { name: "trial", type: { kind: "u53" } },
  { name: "attempt", type: { kind: "u32" } },
  { name: "best_so_far_us", type: { kind: "f64" } },
  { name: "predicted_us", type: { kind: "f64" } },
  { name: "temps", type: { kind: "list", max: 64, of: { kind: "u53" } } },
  { name: "launches", type: { kind: "list", max: 64, of: { kind: "struct", fields: () => launchFields } } },
  { name: "layouts", type: { kind: "list", max: 64, of: { kind: "struct", fields: () => argLayoutFields } } },
];
const measurePolicyFields: readonly Field[] = [
  { name: "samples", type: { kind: "u32" } },
  { name: "sample_ms_min", type: { kind: "f64" } },
  { name: "quanta_min", type: { kind: "u32" } },
  { name: "race_factor", type: { kind: "f64" } },
  { name: "cap_ms", type: { kind: "f64" } },
  { name: "in_turns", type: { kind: "bool" } },
  { name: "cache", optional: true, type: { kind: "enum", names: cacheStateNames } },
  { name: "model_bytes", optional: true, type: { kind: "u53" } },
  { name: "both_caches", optional: true, type: { kind: "bool" } },
];
const planKernelFields: readonly Field[] = [
  { name: "sha256", type: { kind: "string", max: 64 } },
  { name: "bytes", type: { kind: "u53" } },
  { name: "writes", type: { kind: "list", max: 64, of: { kind: "bool" } } },
  { name: "scratch_bytes", optional: true, type: { kind: "u32" } },
];
const planLaunchFields: readonly Field[] = [
  { name: "kernel", type: { kind: "u32" } },
  { name: "grid", type: { kind: "array", size: 3, of: { kind: "u32" } } },
  { name: "buffers", type: { kind: "list", max: 64, of: { kind: "u32" } } },
  { name: "binding_bytes", type: { kind: "list", max: 64, of: { kind: "u53" } } },
  { name: "ahead", optional: true, type: { kind: "bool" } },
];
const planLoopFields: readonly Field[] = [
  { name: "first", type: { kind: "u32" } },
  { name: "last", type: { kind: "u32" } },
  { name: "trips", optional: true, type: { kind: "u53" } },
  { name: "condition", optional: true, type: { kind: "u32" } },
];
const planUploadFields: readonly Field[] = [
  { name: "buffer", type: { kind: "u32" } },
  { name: "sha256", type: { kind: "string", max: 64 } },
  { name: "bytes", type: { kind: "u53" } },
];
const planOutputFields: readonly Field[] = [
  { name: "buffer", type: { kind: "u32" } },
  { name: "bytes", type: { kind: "u53" } },
];
const rivalPlanFields: readonly Field[] = [
  { name: "buffers", type: { kind: "list", max: 65536, of: { kind: "u53" } } },
  { name: "kernels", type: { kind: "list", max: 16384, of: { kind: "struct", fields: () => planKernelFields } } },
  { name: "launches", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => planLaunchFields } } },
  { name: "constants", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => planUploadFields } } },
  { name: "inputs", type: { kind: "list", max: 256, of: { kind: "struct", fields: () => planUploadFields } } },
  { name: "outputs", type: { kind: "list", max: 256, of: { kind: "struct", fields: () => planOutputFields } } },
  { name: "textures", optional: true, type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => textureFields } } },
  { name: "loops", optional: true, type: { kind: "list", max: 256, of: { kind: "struct", fields: () => planLoopFields } } },
  { name: "rival_first", type: { kind: "list", max: 64, of: { kind: "bool" } } },
  { name: "sample_ms", type: { kind: "f64", low: 0, high: 10000 } },
  { name: "kernels_alone", type: { kind: "bool" } },
];
const failureFields: readonly Field[] = [
  { name: "code", type: { kind: "outcome" } },
  { name: "message", type: { kind: "string", max: 16384 } },
];
const leaseInfoFields: readonly Field[] = [
  { name: "lease_id", type: { kind: "string", max: 64 } },
  { name: "fence", type: { kind: "u53" } },
  { name: "job", type: { kind: "string", max: 256 } },
  { name: "user", type: { kind: "string", max: 256 } },
  { name: "expires_in_ms", type: { kind: "f64" } },
];
const deviceInfoFields: readonly Field[] = [
  { name: "device_id", type: { kind: "string", max: 64 } },
  { name: "device_key", type: { kind: "string", max: 64 } },
  { name: "kind", type: { kind: "string", max: 128 } },
  { name: "agent_id", type: { kind: "string", max: 64 } },
  { name: "agent_name", type: { kind: "string", max: 256 } },
  { name: "state", type: { kind: "enum", names: deviceStateKindNames } },
  { name: "message", type: { kind: "string", max: 4096 } },
  { name: "visible", type: { kind: "bool" } },
  { name: "fingerprint", type: { kind: "struct", fields: () => fingerprintFields } },
  { name: "timer", type: { kind: "struct", fields: () => timerFields } },
  { name: "lease", optional: true, type: { kind: "struct", fields: () => leaseInfoFields } },
  { name: "seen_ago_ms", type: { kind: "f64" } },
  { name: "physical_id", optional: true, type: { kind: "string", max: 64 } },
  { name: "label", optional: true, type: { kind: "string", max: 64 } },
  { name: "service_state", type: { kind: "enum", names: serviceStateNames } },
  { name: "service_reason", optional: true, type: { kind: "string", max: 256 } },
];
const deviceEventFields: readonly Field[] = [
  { name: "unix_ms", type: { kind: "u53" } },
  { name: "device_id", type: { kind: "string", max: 64 } },
  { name: "kind", type: { kind: "enum", names: deviceEventKindNames } },
  { name: "user", type: { kind: "string", max: 256 } },
  { name: "text", type: { kind: "string", max: 4096 } },
];
const quotaFields: readonly Field[] = [
  { name: "devices_max", type: { kind: "u53" } },
  { name: "jobs_max", type: { kind: "u53" } },
  { name: "bytes_max", type: { kind: "u53" } },
];
const tokenInfoFields: readonly Field[] = [
  { name: "token_id", type: { kind: "string", max: 64 } },
  { name: "role", type: { kind: "enum", names: roleNames } },
  { name: "name", type: { kind: "string", max: 64 } },
  { name: "created_unix_ms", type: { kind: "u53" } },
  { name: "expires_unix_ms", type: { kind: "u53" } },
  { name: "revoked_unix_ms", type: { kind: "u53" } },
  { name: "used_unix_ms", type: { kind: "u53" } },
  { name: "quota", optional: true, type: { kind: "struct", fields: () => quotaFields } },
];
const jobSourceFields: readonly Field[] = [
  { name: "op", optional: true, type: { kind: "string", max: 4096 } },
  { name: "model_name", optional: true, type: { kind: "string", max: 4096 } },
  { name: "package", optional: true, type: { kind: "bool" } },
];
const jobInfoFields: readonly Field[] = [
  { name: "job", type: { kind: "string", max: 256 } },
  { name: "job_kind", type: { kind: "enum", names: jobKindNames } },
  { name: "user", type: { kind: "string", max: 256 } },
  { name: "state", type: { kind: "enum", names: jobStateNames } },
  { name: "outcome", optional: true, type: { kind: "outcome" } },
  { name: "message", type: { kind: "string", max: 4096 } },
  { name: "source", type: { kind: "string", max: 512 } },
  { name: "target", type: { kind: "string", max: 32 } },
  { name: "priority", type: { kind: "i53" } },
  { name: "detached", type: { kind: "bool" } },
  { name: "starts", type: { kind: "u32" } },
  { name: "submitted_unix_ms", type: { kind: "u53" } },
  { name: "started_unix_ms", type: { kind: "u53" } },
  { name: "ended_unix_ms", type: { kind: "u53" } },
];
const jobRequestFields: readonly Field[] = [
  { name: "kind", type: { kind: "enum", names: jobKindNames } },
  { name: "source", type: { kind: "struct", fields: () => jobSourceFields } },
  { name: "dims", type: { kind: "map", max: 64, of: { kind: "i53" } } },
  { name: "target", type: { kind: "string", max: 32 } },
  { name: "selector", type: { kind: "string", max: 1024 } },
  { name: "trials", type: { kind: "u32" } },
  { name: "time_s", type: { kind: "f64", low: 0, high: 31536000 } },
  { name: "seed", type: { kind: "u64" } },
  { name: "priority", optional: true, type: { kind: "i53" } },
  { name: "device_wait_s", optional: true, type: { kind: "f64", low: 0, high: 31536000 } },
  { name: "options", optional: true, type: { kind: "json" } },
  { name: "tolerance", optional: true, type: { kind: "f64", low: 0, high: 1 } },
  { name: "devices", optional: true, type: { kind: "u32" } },
  { name: "time_spent_s", optional: true, type: { kind: "f64", low: 0, high: 31536000 } },
  { name: "without_passes", optional: true, type: { kind: "list", max: 16, of: { kind: "string", max: 64 } } },
  { name: "devices_min", optional: true, type: { kind: "u32" } },
];

const messages: { readonly [kind in Message["kind"]]: { readonly bytesMax: number; readonly fields: readonly Field[] } } = {
  hello: { bytesMax: 65536, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "token", type: { kind: "string", max: 128 } },
    { name: "version", type: { kind: "u32" } },
    { name: "agent_name", type: { kind: "string", max: 256 } },
    { name: "launch_id", optional: true, type: { kind: "string", max: 64 } },
    { name: "resume_agent_id", optional: true, type: { kind: "string", max: 64 } },
    { name: "devices", type: { kind: "list", max: 16, of: { kind: "struct", fields: () => deviceOfferFields } } },
    { name: "problem", optional: true, type: { kind: "string", max: 4096 } },
    { name: "resume_secret", optional: true, type: { kind: "string", max: 64 } },
    { name: "enroll_code", optional: true, type: { kind: "string", max: 64 } },
  ] },
  welcome: { bytesMax: 65536, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "agent_id", type: { kind: "string", max: 64 } },
    { name: "devices", type: { kind: "list", max: 16, of: { kind: "struct", fields: () => deviceGrantFields } } },
    { name: "heartbeat_ms", type: { kind: "f64" } },
    { name: "heartbeat_timeout_ms", type: { kind: "f64" } },
    { name: "resume_secret", optional: true, type: { kind: "string", max: 64 } },
    { name: "token", optional: true, type: { kind: "string", max: 128 } },
    { name: "role", optional: true, type: { kind: "enum", names: roleNames } },
    { name: "trackers", optional: true, type: { kind: "list", max: 64, of: { kind: "string", max: 300 } } },
  ] },
  heartbeat: { bytesMax: 4096, fields: [
    { name: "seq", type: { kind: "u53" } },
    { name: "visible", type: { kind: "bool" } },
    { name: "worker_alive", type: { kind: "bool" } },
    { name: "busy_ms", type: { kind: "f64" } },
  ] },
  heartbeat_ack: { bytesMax: 32768, fields: [
    { name: "seq", type: { kind: "u53" } },
    { name: "trackers", optional: true, type: { kind: "list", max: 64, of: { kind: "string", max: 300 } } },
  ] },
  device_state: { bytesMax: 16384, fields: [
    { name: "device_id", type: { kind: "string", max: 64 } },
    { name: "state", type: { kind: "enum", names: deviceStateKindNames } },
    { name: "message", type: { kind: "string", max: 4096 } },
  ] },
  open_session: { bytesMax: 16384, fields: [
    { name: "lease_id", type: { kind: "string", max: 64 } },
    { name: "fence", type: { kind: "u53" } },
    { name: "device_id", type: { kind: "string", max: 64 } },
    { name: "session_path", type: { kind: "string", max: 1024 } },
    { name: "session_token", type: { kind: "string", max: 128 } },
    { name: "relay_path", optional: true, type: { kind: "string", max: 1024 } },
  ] },
  close_session: { bytesMax: 16384, fields: [
    { name: "lease_id", type: { kind: "string", max: 64 } },
    { name: "reason", type: { kind: "string", max: 4096 } },
  ] },
  drain: { bytesMax: 4096, fields: [] },
  session_hello: { bytesMax: 16384, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "session_token", type: { kind: "string", max: 128 } },
    { name: "device_id", type: { kind: "string", max: 64 } },
    { name: "lease_id", type: { kind: "string", max: 64 } },
  ] },
  session_welcome: { bytesMax: 16384, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "session_id", type: { kind: "string", max: 64 } },
    { name: "credits", type: { kind: "u32" } },
    { name: "blobs", optional: true, type: { kind: "bool" } },
  ] },
  prepare_task: { bytesMax: 8388608, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "task", type: { kind: "string", max: 64 } },
    { name: "buffers", type: { kind: "list", max: 64, of: { kind: "struct", fields: () => bufferFields } } },
    { name: "expected", type: { kind: "struct", fields: () => expectedFields } },
    { name: "tolerance", type: { kind: "f64" } },
    { name: "reference_launches", optional: true, type: { kind: "list", max: 8, of: { kind: "struct", fields: () => launchFields } } },
    { name: "name", optional: true, type: { kind: "string", max: 1024 } },
    { name: "more_inputs", optional: true, type: { kind: "list", max: 127, of: { kind: "struct", fields: () => inputSetFields } } },
  ] },
  task_ready: { bytesMax: 65536, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "error", optional: true, type: { kind: "struct", fields: () => failureFields } },
  ] },
  measure: { bytesMax: 8388608, fields: [
    { name: "batch", type: { kind: "u53" } },
    { name: "fence", type: { kind: "u53" } },
    { name: "task", type: { kind: "string", max: 64 } },
    { name: "policy", type: { kind: "struct", fields: () => measurePolicyFields } },
    { name: "candidates", type: { kind: "list", max: 1024, of: { kind: "struct", fields: () => candidateFields } } },
  ] },
  result: { bytesMax: 1048576, fields: [
    { name: "batch", type: { kind: "u53" } },
    { name: "trial", type: { kind: "u53" } },
    { name: "attempt", type: { kind: "u32" } },
    { name: "fence", type: { kind: "u53" } },
    { name: "outcome", type: { kind: "outcome" } },
    { name: "message", type: { kind: "string", max: 65536 } },
    { name: "samples_us", type: { kind: "list", max: 4096, of: { kind: "f64" } } },
    { name: "latency_us_median", type: { kind: "f64" } },
    { name: "method", type: { kind: "string", max: 64 } },
    { name: "clock_resolution_ns", type: { kind: "f64" } },
    { name: "repeats", type: { kind: "u32" } },
    { name: "create_ms", type: { kind: "f64" } },
    { name: "device_ms", type: { kind: "f64" } },
    { name: "max_error", type: { kind: "f64" } },
    { name: "reference_us", type: { kind: "f64" } },
    { name: "cache", optional: true, type: { kind: "enum", names: cacheStateNames } },
    { name: "other_us", optional: true, type: { kind: "f64" } },
  ] },
  result_ack: { bytesMax: 4096, fields: [
    { name: "trial", type: { kind: "u53" } },
    { name: "attempt", type: { kind: "u32" } },
  ] },
  batch_done: { bytesMax: 4096, fields: [
    { name: "batch", type: { kind: "u53" } },
  ] },
  timing: { bytesMax: 4096, fields: [
    { name: "active", type: { kind: "bool" } },
  ] },
  cancel: { bytesMax: 4096, fields: [
    { name: "batch", type: { kind: "u53" } },
  ] },
  release: { bytesMax: 4096, fields: [] },
  execute: { bytesMax: 8388608, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "buffers", type: { kind: "list", max: 65536, of: { kind: "u53" } } },
    { name: "kernels", type: { kind: "list", max: 16384, of: { kind: "struct", fields: () => planKernelFields } } },
    { name: "launches", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => planLaunchFields } } },
    { name: "constants", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => planUploadFields } } },
    { name: "inputs", type: { kind: "list", max: 256, of: { kind: "struct", fields: () => planUploadFields } } },
    { name: "outputs", type: { kind: "list", max: 256, of: { kind: "struct", fields: () => planOutputFields } } },
    { name: "repeats", type: { kind: "u32" } },
    { name: "cap_ms", type: { kind: "f64" } },
    { name: "textures", optional: true, type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => textureFields } } },
    { name: "model", optional: true, type: { kind: "string", max: 1024 } },
    { name: "timed_ms_max", optional: true, type: { kind: "f64" } },
    { name: "time_launches", optional: true, type: { kind: "bool" } },
    { name: "loops", optional: true, type: { kind: "list", max: 256, of: { kind: "struct", fields: () => planLoopFields } } },
    { name: "rival", optional: true, type: { kind: "struct", fields: () => rivalPlanFields } },
    { name: "fresh", optional: true, type: { kind: "bool" } },
  ] },
  executed: { bytesMax: 268435456, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "error", optional: true, type: { kind: "struct", fields: () => failureFields } },
    { name: "create_ms", type: { kind: "f64" } },
    { name: "first_ms", type: { kind: "f64" } },
    { name: "run_ms", type: { kind: "list", max: 65536, of: { kind: "f64" } } },
    { name: "kernel_ms", type: { kind: "list", max: 65536, of: { kind: "f64" } } },
    { name: "clock_resolution_ns", type: { kind: "f64" } },
    { name: "launch_us", optional: true, type: { kind: "list", max: 65536, of: { kind: "f64" } } },
    { name: "quad_ms", optional: true, type: { kind: "list", max: 256, of: { kind: "f64" } } },
    { name: "reference_us", optional: true, type: { kind: "list", max: 256, of: { kind: "f64" } } },
    { name: "by_device_clock", optional: true, type: { kind: "bool" } },
  ] },
  fetch_blob: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "sha256", type: { kind: "string", max: 64 } },
    { name: "offset", type: { kind: "u53" } },
  ] },
  blob: { bytesMax: 8388608, fields: [
    { name: "reply_to", type: { kind: "u53" } },
  ] },
  client_hello: { bytesMax: 16384, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "token", type: { kind: "string", max: 128 } },
    { name: "version", type: { kind: "u32" } },
    { name: "user", type: { kind: "string", max: 256 } },
    { name: "enroll_code", optional: true, type: { kind: "string", max: 64 } },
  ] },
  client_welcome: { bytesMax: 16384, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "version", type: { kind: "u32" } },
    { name: "role", optional: true, type: { kind: "enum", names: roleNames } },
    { name: "token", optional: true, type: { kind: "string", max: 128 } },
  ] },
  list_devices: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "after", optional: true, type: { kind: "string", max: 64 } },
  ] },
  devices: { bytesMax: 1048576, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "devices", type: { kind: "list", max: 1024, of: { kind: "struct", fields: () => deviceInfoFields } } },
    { name: "more", optional: true, type: { kind: "bool" } },
  ] },
  label_device: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "device_id", type: { kind: "string", max: 64 } },
    { name: "label", type: { kind: "string", max: 64 } },
    { name: "user", optional: true, type: { kind: "string", max: 256 } },
  ] },
  device_labelled: { bytesMax: 4096, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "physical_id", optional: true, type: { kind: "string", max: 64 } },
  ] },
  manage_device: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "device_id", type: { kind: "string", max: 64 } },
    { name: "action", type: { kind: "enum", names: deviceActionNames } },
    { name: "reason", type: { kind: "string", max: 256 } },
    { name: "user", optional: true, type: { kind: "string", max: 256 } },
  ] },
  device_managed: { bytesMax: 4096, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "service_state", optional: true, type: { kind: "enum", names: serviceStateNames } },
  ] },
  show_device: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "device_id", type: { kind: "string", max: 64 } },
  ] },
  device_shown: { bytesMax: 1048576, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "device", type: { kind: "struct", fields: () => deviceInfoFields } },
    { name: "leases", type: { kind: "u53" } },
    { name: "events", type: { kind: "list", max: 1024, of: { kind: "struct", fields: () => deviceEventFields } } },
  ] },
  submit_job: { bytesMax: 2147483648, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "job", type: { kind: "struct", fields: () => jobRequestFields } },
    { name: "detached", optional: true, type: { kind: "bool" } },
  ] },
  job_accepted: { bytesMax: 4096, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "job", type: { kind: "string", max: 256 } },
  ] },
  job_progress: { bytesMax: 65536, fields: [
    { name: "job", type: { kind: "string", max: 256 } },
    { name: "phase", type: { kind: "enum", names: jobPhaseNames } },
    { name: "task", type: { kind: "string", max: 512 } },
    { name: "tasks_done", type: { kind: "u32" } },
    { name: "tasks_total", type: { kind: "u32" } },
    { name: "trials_done", type: { kind: "u32" } },
    { name: "trials_total", type: { kind: "u32" } },
    { name: "best_us", type: { kind: "f64" } },
    { name: "trials_per_second", type: { kind: "f64" } },
    { name: "left_s", type: { kind: "f64" } },
    { name: "message", type: { kind: "string", max: 4096 } },
    { name: "naive_us", optional: true, type: { kind: "f64" } },
    { name: "measured_us", optional: true, type: { kind: "f64" } },
    { name: "predicted_us", optional: true, type: { kind: "f64" } },
    { name: "errors", optional: true, type: { kind: "map", max: 64, of: { kind: "u32" } } },
    { name: "waits_for", optional: true, type: { kind: "string", max: 512 } },
    { name: "waited_s", optional: true, type: { kind: "f64" } },
  ] },
  job_done: { bytesMax: 268435456, fields: [
    { name: "job", type: { kind: "string", max: 256 } },
    { name: "result", type: { kind: "json" } },
  ] },
  job_failed: { bytesMax: 65536, fields: [
    { name: "job", type: { kind: "string", max: 256 } },
    { name: "code", type: { kind: "outcome" } },
    { name: "message", type: { kind: "string", max: 16384 } },
  ] },
  cancel_job: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "job", type: { kind: "string", max: 256 } },
  ] },
  attach_job: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "job", type: { kind: "string", max: 256 } },
  ] },
  list_jobs: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "before", optional: true, type: { kind: "u53" } },
  ] },
  jobs: { bytesMax: 1048576, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "jobs", type: { kind: "list", max: 256, of: { kind: "struct", fields: () => jobInfoFields } } },
    { name: "next", optional: true, type: { kind: "u53" } },
  ] },
  cancel_accepted: { bytesMax: 4096, fields: [
    { name: "reply_to", type: { kind: "u53" } },
  ] },
  show_job: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "job", type: { kind: "string", max: 256 } },
  ] },
  job_shown: { bytesMax: 8388608, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "job", type: { kind: "struct", fields: () => jobInfoFields } },
    { name: "result", optional: true, type: { kind: "json" } },
  ] },
  watch_fleet: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
  ] },
  fleet_watched: { bytesMax: 4096, fields: [
    { name: "reply_to", type: { kind: "u53" } },
  ] },
  device_changed: { bytesMax: 65536, fields: [
    { name: "event", type: { kind: "struct", fields: () => deviceEventFields } },
  ] },
  job_changed: { bytesMax: 65536, fields: [
    { name: "job", type: { kind: "struct", fields: () => jobInfoFields } },
  ] },
  watch_agent: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "launch_id", type: { kind: "string", max: 64 } },
  ] },
  agent_state: { bytesMax: 16384, fields: [
    { name: "launch_id", type: { kind: "string", max: 64 } },
    { name: "state", type: { kind: "enum", names: agentStateKindNames } },
    { name: "message", type: { kind: "string", max: 4096 } },
  ] },
  fetch_records: { bytesMax: 65536, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "part", type: { kind: "enum", names: recordPartNames } },
    { name: "tasks", optional: true, type: { kind: "list", max: 1024, of: { kind: "string", max: 32 } } },
    { name: "device_key", optional: true, type: { kind: "string", max: 4096 } },
    { name: "job", optional: true, type: { kind: "string", max: 4096 } },
    { name: "after", optional: true, type: { kind: "struct", fields: () => recordPlaceFields } },
  ] },
  records: { bytesMax: 8388608, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "next", optional: true, type: { kind: "struct", fields: () => recordPlaceFields } },
    { name: "left_out", type: { kind: "u53" } },
  ] },
  create_enrolment: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "name", type: { kind: "string", max: 64 } },
  ] },
  enrolment: { bytesMax: 4096, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "code", type: { kind: "string", max: 64 } },
    { name: "lifetime_ms", type: { kind: "f64" } },
  ] },
  list_tokens: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "after", optional: true, type: { kind: "string", max: 64 } },
  ] },
  tokens: { bytesMax: 1048576, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "tokens", type: { kind: "list", max: 1024, of: { kind: "struct", fields: () => tokenInfoFields } } },
    { name: "more", type: { kind: "bool" } },
  ] },
  create_token: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "role", type: { kind: "enum", names: roleNames } },
    { name: "name", type: { kind: "string", max: 64 } },
    { name: "lifetime_s", type: { kind: "f64", low: 0, high: 315360000 } },
    { name: "quota", optional: true, type: { kind: "struct", fields: () => quotaFields } },
  ] },
  token_created: { bytesMax: 4096, fields: [
    { name: "reply_to", type: { kind: "u53" } },
    { name: "info", type: { kind: "struct", fields: () => tokenInfoFields } },
    { name: "token", type: { kind: "string", max: 128 } },
  ] },
  revoke_token: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "token_id", type: { kind: "string", max: 64 } },
  ] },
  token_revoked: { bytesMax: 4096, fields: [
    { name: "reply_to", type: { kind: "u53" } },
  ] },
  rotate_token: { bytesMax: 4096, fields: [
    { name: "id", type: { kind: "u53" } },
    { name: "token_id", type: { kind: "string", max: 64 } },
  ] },
  error: { bytesMax: 65536, fields: [
    { name: "reply_to", optional: true, type: { kind: "u53" } },
    { name: "code", type: { kind: "outcome" } },
    { name: "message", type: { kind: "string", max: 16384 } },
    { name: "tracker", optional: true, type: { kind: "string", max: 1024 } },
  ] },
};

// ---- Checking; the tables above say what is checked. Independent of the DOM. ----

declare const TextEncoder: new () => { encode(text: string): Uint8Array };

type JsonObject = { readonly [name: string]: unknown };

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const utf8Encoder = new TextEncoder();

// A checked copy of a value, or throws a Mismatch, which never leaves decodeHeader.
class Mismatch extends Error {}

function expected(where: string, what: string, value: unknown): Mismatch {
  const found = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  return new Mismatch(`${where}: expected ${what}, found ${found}`);
}

function checkWhole(value: unknown, low: number, high: number, where: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high) return value;
  throw expected(where, `a whole number from ${low} to ${high}`, value);
}

function checkString(value: unknown, bytesMax: number, where: string): string {
  if (typeof value !== "string") throw expected(where, "a string", value);
  // UTF-8 needs at most 3 bytes per UTF-16 unit, so most strings need no encoding to be measured.
  const bytes = value.length * 3 <= bytesMax ? 0 : utf8Encoder.encode(value).length;
  if (bytes > bytesMax) throw new Mismatch(`${where}: ${bytes} bytes exceed the limit of ${bytesMax}`);
  return value;
}

function checkList(value: unknown, countMax: number, item: Type, where: string): unknown[] {
  if (!Array.isArray(value)) throw expected(where, "a list", value);
  if (value.length > countMax) throw new Mismatch(`${where}: ${value.length} items exceed the limit of ${countMax}`);
  return value.map((entry: unknown, i) => checkType(entry, item, `${where}[${i}]`));
}

function checkMap(value: unknown, countMax: number, item: Type, where: string): JsonObject {
  if (!isObject(value)) throw expected(where, "an object", value);
  const entries = Object.entries(value);
  if (entries.length > countMax) throw new Mismatch(`${where}: ${entries.length} items exceed the limit of ${countMax}`);
  return Object.fromEntries(entries.map(([key, entry]) => [key, checkType(entry, item, `${where}.${key}`)]));
}

function checkName(value: unknown, names: readonly string[], where: string): string {
  if (typeof value === "string" && names.includes(value)) return value;
  throw expected(where, `one of ${names.slice(0, 8).join(", ")}`, value);
}

function checkFields(value: unknown, fields: readonly Field[], where: string): JsonObject {
  if (!isObject(value)) throw expected(where, "an object", value);
  const out: { [name: string]: unknown } = {};
  for (const field of fields) {
    const entry = value[field.name];
    if (entry === undefined && field.optional === true) continue;
    if (entry === undefined) throw new Mismatch(`${where}.${field.name}: is missing`);
    out[field.name] = checkType(entry, field.type, `${where}.${field.name}`);
  }
  return out;
}

function checkType(value: unknown, type: Type, where: string): unknown {
  switch (type.kind) {
    case "string": return checkString(value, type.max, where);
    case "bool":
      if (typeof value !== "boolean") throw expected(where, "true or false", value);
      return value;
    case "f64":
      if (typeof value !== "number") throw expected(where, "a number", value);
      if (value < (type.low ?? value) || value > (type.high ?? value)) throw new Mismatch(`${where}: ${value} is not in ${type.low} to ${type.high}`);
      return value;
    case "u32": return checkWhole(value, type.low ?? 0, type.high ?? 4294967295, where);
    case "u53": return checkWhole(value, type.low ?? 0, type.high ?? Number.MAX_SAFE_INTEGER, where);
    case "i53": return checkWhole(value, type.low ?? -Number.MAX_SAFE_INTEGER, type.high ?? Number.MAX_SAFE_INTEGER, where);
    case "u64":
      if (typeof value !== "string" || !/^[0-9a-f]{16}$/.test(value)) throw expected(where, "16 lower-case hexadecimal digits", value);
      return BigInt(`0x${value}`);
    case "outcome": return checkName(value, errorNames, where);
    case "json": return value;
    case "enum": return checkName(value, type.names, where);
    case "struct": return checkFields(value, type.fields(), where);
    case "list": return checkList(value, type.max, type.of, where);
    case "map": return checkMap(value, type.max, type.of, where);
    case "array": {
      const list = checkList(value, type.size, type.of, where);
      if (list.length !== type.size) throw new Mismatch(`${where}: expected exactly ${type.size} items, found ${list.length}`);
      return list;
    }
    default: return type satisfies never;
  }
}

// ---- Framing. ----

declare const TextDecoder: new (label: string, options: { fatal: boolean }) => { decode(bytes: Uint8Array): string };

export type Decoded<T> =
  | { readonly ok: true; readonly message: T; readonly payload: Uint8Array }
  | { readonly ok: false; readonly code: ErrorName; readonly message: string };

const refused = (message: string): { readonly ok: false; readonly code: ErrorName; readonly message: string } =>
  ({ ok: false, code: "protocol_error", message });

/** The message of a parsed header. `kinds` is what the peer may send: one of the lists above, e.g. sessionFromServer. */
export function decodeHeader<M extends Message>(header: unknown, payload: Uint8Array, frameBytes: number, kinds: readonly M["kind"][]): Decoded<M> {
  const kind = isObject(header) ? header["kind"] : undefined;
  if (typeof kind !== "string") return refused("the frame's header has no kind");
  const known = kinds.find((name) => name === kind);
  if (known === undefined) return refused(`a message of the kind '${kind.slice(0, 64)}' is not expected here`);
  const table = messages[known];
  if (frameBytes > table.bytesMax) return refused(`${kind}: a frame of ${frameBytes} bytes exceeds the limit of ${table.bytesMax}`);
  try {
    // checkFields has made exactly the fields that the kind's interface names.
    return { ok: true, message: { kind: known, ...checkFields(header, table.fields, kind) } as unknown as M, payload };
  } catch (error) {
    if (error instanceof Mismatch) return refused(error.message);
    throw error;
  }
}

/** The message of a whole frame. The payload is a view of `bytes`, not a copy. */
export function decodeFrame<M extends Message>(bytes: Uint8Array, kinds: readonly M["kind"][]): Decoded<M> {
  if (bytes.length < 4) return refused(`a frame of ${bytes.length} bytes is too short`);
  const headerBytes = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  if (headerBytes > headerBytesMax) return refused(`a header of ${headerBytes} bytes exceeds the limit of ${headerBytesMax}`);
  if (headerBytes > bytes.length - 4) return refused(`a header of ${headerBytes} bytes does not fit into a frame of ${bytes.length}`);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(4, 4 + headerBytes)));
  } catch {
    return refused("the frame's header is not JSON in UTF-8");
  }
  return decodeHeader(header, bytes.subarray(4 + headerBytes), bytes.length, kinds);
}

// JSON has no number that is not finite, and none beyond 2^53.
function toJson(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString(16).padStart(16, "0");
  if (typeof value === "number" && !Number.isFinite(value)) return value < 0 ? -1e308 : 1e308;
  return value;
}

/** A whole frame, ready for WebSocket.send. */
export function encodeFrame(message: Message, payload: Uint8Array = new Uint8Array(0)): Uint8Array<ArrayBuffer> {
  const header = utf8Encoder.encode(JSON.stringify(message, toJson));
  const frame = new Uint8Array(4 + header.length + payload.length);
  new DataView(frame.buffer).setUint32(0, header.length, true);
  frame.set(header, 4);
  frame.set(payload, 4 + header.length);
  return frame;
}
