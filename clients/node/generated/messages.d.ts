// Generated from schema/openapi.json by clients/generate. Do not edit.

/** A word that is known here, or one of a newer service. */
export type Open<Words extends string> = Words | (string & {});

/** A code of schema/errors.json. */
export type Outcome = 'ok' | 'compile_error' | 'validation_error' | 'out_of_memory' | 'device_lost' | 'timeout' | 'wrong_output' | 'not_written' | 'agent_gone' | 'unstable' | 'invalid_argument' | 'parse_error' | 'bad_model' | 'unsupported' | 'illegal_schedule' | 'limit_exceeded' | 'not_found' | 'io_error' | 'disk_full' | 'address_in_use' | 'unauthorized' | 'protocol_error' | 'no_device' | 'stale_fence' | 'cancelled' | 'busy' | 'version_mismatch' | 'bad_certificate' | 'internal';

/** A piece of the job's payload, in order, before its end is told. */
export interface Payload {
  /** Where it begins. [bytes] */
  offset: number;
  /** The bytes. */
  base64: string;
}

/** Why there is no other reply. */
export interface Problem {
  code: Open<Outcome>;
  /** One clear sentence. */
  message: string;
}

/** What a device can do now. */
export type DeviceStateKind = 'ready' | 'lost' | 'recovering' | 'gone' | 'stuck';

/** What people let a device do, and whether a job uses it. Kept over restarts. */
export type ServiceState = 'idle' | 'leased' | 'draining' | 'maintenance' | 'quarantined';

/** What an admin does with a device. */
export type DeviceAction = 'drain' | 'quarantine' | 'resume' | 'forget';

/** What happened to a device. */
export type DeviceEventKind = 'connected' | 'gone' | 'stuck' | 'lost' | 'leased' | 'lease_ended' | 'labelled' | 'drained' | 'quarantined' | 'resumed';

/** What a job does. */
export type JobKind = 'tune' | 'bench' | 'run' | 'verify' | 'compare' | 'compare_builds';

/** Where a job is. */
export type JobPhase = 'queued' | 'preparing' | 'waiting_for_device' | 'measuring' | 'finishing';

/** How far a job has come. Kept over restarts. */
export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'lost';

/** What a token lets its holder do. */
export type Role = 'agent' | 'submitter' | 'admin' | 'server';

/** What a line of the records says. */
export type RecordPart = 'tasks' | 'devices' | 'jobs' | 'attempts';

/** A place among the records. What is recorded meanwhile comes behind it. */
export interface RecordPlace {
  /** Of attempts the number of the trial; of the other parts how many lines came before. */
  row: number;
  /** Of attempts the attempt's number; else 0. */
  attempt: number;
}

/** What the agent observed of a device. What of it the speed of a kernel depends on, and does not change by itself, makes the device key (schema/device_key.h). */
export interface Fingerprint {
  /** The kind of kernels it runs: webgpu, webgl, wasm, native, opengl or opencl. */
  target: string;
  /** The adapter's vendor, as the browser names it. */
  vendor: string;
  /** The adapter's architecture, as the browser names it. */
  architecture: string;
  /** The adapter's device id, as the browser names it. */
  device: string;
  /** The adapter's description, for people; no part of the device key. */
  description: string;
  /** The graphics interface below the browser's one (vulkan, metal, d3d12), or empty when unknown. */
  backend: string;
  /** The browser or process in lower case: chromium, firefox, safari, node, native. */
  browser: string;
  /** The browser's major version. */
  browser_major: number;
  /** The operating system in lower case. */
  os: string;
  /** The features that can be asked for; order does not matter. */
  features: Array<string>;
  /** The device's limits by their names in the API, e.g. maxComputeInvocationsPerWorkgroup. */
  limits: Record<string, number>;
  /** What one launch more costs a run, whatever it computes, as measured; no part of the device key. [us] */
  launch_us?: number;
  /** The driver's version, where anything says it; no part of the device key. */
  driver?: string;
  /** What a kernel of multiplications and additions alone reaches, as measured; no part of the device key. [GFLOP/s] */
  arithmetic_gflops?: number;
  /** How fast it reads what lies in no cache, as measured; no part of the device key. [GB/s] */
  memory_gb_s?: number;
  /** Up to which working set its reads are faster than its memory, as measured, a power of 2; absent where no such size was found; no part of the device key. [bytes] */
  last_level_cache_bytes?: number;
}

/** How a device tells time. */
export interface Timer {
  /** timestamp, slope or clock. */
  method: string;
  /** The smallest step of its clock, as measured. [ns] */
  quantum_ns: number;
}

/** A lease, as people see it. */
export interface LeaseInfo {
  /** The lease. */
  lease_id: string;
  /** Its fence. */
  fence: number;
  /** The job that holds it. */
  job: string;
  /** The person behind the job. */
  user: string;
  /** When it ends unless a heartbeat renews it. [ms] */
  expires_in_ms: number;
}

/** A device of the fleet. */
export interface DeviceInfo {
  /** This one device. */
  device_id: string;
  /** The class of equal devices. */
  device_key: string;
  /** Browser and target: chromium-webgpu. */
  kind: string;
  /** The agent that brings it. */
  agent_id: string;
  /** That agent's name, for people. */
  agent_name: string;
  /** What it can do now. */
  state: Open<DeviceStateKind>;
  /** Why, in one sentence; may be empty. */
  message: string;
  /** False while its tab is hidden: timed work would be unstable. */
  visible: boolean;
  /** What its agent observed. */
  fingerprint: Fingerprint;
  /** How it tells time. */
  timer: Timer;
  /** Time since its agent's last heartbeat. [ms] */
  seen_ago_ms: number;
  /** What people let it do, and whether a job uses it. */
  service_state: Open<ServiceState>;
  /** Who uses it; absent when free. */
  lease?: LeaseInfo;
  /** The id that its agent keeps; absent where it keeps none. */
  physical_id?: string;
  /** What people call it. */
  label?: string;
  /** Why it was drained or quarantined, as somebody said; absent where nobody did. */
  service_reason?: string;
}

/** One thing that happened to a device. */
export interface DeviceEvent {
  /** When, by the service's clock. [ms] */
  unix_ms: number;
  /** To which: one physical device may have been known by several ids. */
  device_id: string;
  /** What. */
  kind: Open<DeviceEventKind>;
  /** Who did it, or for whom; empty: nobody. */
  user: string;
  /** The job, the name or the reason; may be empty. */
  text: string;
}

/** What the holder of a token may have at once; 0: as much as there is. */
export interface Quota {
  /** Devices leased to its user's jobs. Further jobs wait. */
  devices_max: number;
  /** Jobs of its user that have not ended. Further ones are refused. */
  jobs_max: number;
  /** Payloads of these jobs, together. What goes beyond is refused. [B] */
  bytes_max: number;
}

/** A token, as lists show it: nothing in it lets anybody in. */
export interface TokenInfo {
  /** Its name in lists and in requests. Everybody may know it. */
  token_id: string;
  /** What it lets its holder do. */
  role: Open<Role>;
  /** Of a submitter or an admin the user that fairness counts; of an agent for people. Empty: nobody gave it one. */
  name: string;
  /** When it was made. [ms] */
  created_unix_ms: number;
  /** When it ends by itself; 0: never. That of an enrolled agent moves on as the token is used. [ms] */
  expires_unix_ms: number;
  /** When it was taken back; 0: it was not. [ms] */
  revoked_unix_ms: number;
  /** When it was last shown, to the hour; 0: never. [ms] */
  used_unix_ms: number;
  /** What its holder may have at once; absent: as much as there is. */
  quota?: Quota;
}

/** What a job works on: exactly one of op and model_name. */
export interface JobSource {
  /** An operator in ONNX's terms, e.g. name:512x512x512. */
  op?: string;
  /** The name of the ONNX model whose bytes are the frame's payload. */
  model_name?: string;
  /** The payload is no ONNX model but an exported package, as an archive (package_archive); of runs and benches. False when absent. */
  package?: boolean;
}

/** A job, as lists show it. */
export interface JobInfo {
  /** Its id. */
  job: string;
  /** What it does. */
  job_kind: Open<JobKind>;
  /** Whose it is. */
  user: string;
  /** How far it has come. */
  state: Open<JobState>;
  /** Why it ended so, in one sentence; empty where it ended well or has not. */
  message: string;
  /** The operator or the model's name, for people. */
  source: string;
  /** The kind of kernels. */
  target: string;
  /** Greater is served first. */
  priority: number;
  /** It does not end with its client, and goes on after a restart of the service. */
  detached: boolean;
  /** How often it was begun and neither ended nor put back by a service that stopped. */
  starts: number;
  /** When it was stored. [ms] */
  submitted_unix_ms: number;
  /** When it began last; 0: it has not. [ms] */
  started_unix_ms: number;
  /** When it ended; 0: it has not. [ms] */
  ended_unix_ms: number;
  /** How it ended; absent while it has not. */
  outcome?: Open<Outcome>;
}

/** What a person asks for. */
export interface JobRequest {
  /** What the job does. */
  kind: Open<JobKind>;
  /** What it works on. */
  source: JobSource;
  /** Values of the model's symbolic dimensions. */
  dims: Record<string, number>;
  /** The kind of kernels. */
  target: string;
  /** A device id, a kind or a capability expression; empty means any device of the target. */
  selector: string;
  /** Trials per task; 0 means the default. */
  trials: number;
  /** The most wall time of the job, the wait for its device left out; 0 means no limit. [s] */
  time_s: number;
  /** The seed of the search. */
  seed: string;
  /** Greater is served first; 0 when absent. Above 0 only of an admin: of others it counts as 0. */
  priority?: number;
  /** How long to wait for a matching device; the service's default when absent. [s] */
  device_wait_s?: number;
  /** Further options of the kind, an object: tune_options of a tune, run_options of a run or bench, compare_options of a compare, compare_builds_options of a compare_builds. */
  options?: unknown;
  /** The greatest error that kernels may have, as prepare_task's tolerance bounds it; absent: 1e-5 + 1e-6·√K of the longest reduction K. Greater ones permit narrower storage. */
  tolerance?: number;
  /** The most devices of one class that a tune uses side by side; 1 when absent. */
  devices?: number;
  /** What of time_s was used before the job was sent; 0 when absent. [s] */
  time_spent_s?: number;
  /** Passes over the model's graph that are left out, by name; none when absent. */
  without_passes?: Array<string>;
  /** So many devices of one class, all at once, with which a tune begins; 1 when absent. Until they are free together it takes none. */
  devices_min?: number;
}

/** A page of the fleet. */
export interface Devices {
  /** Known devices, ordered by id. */
  devices: Array<DeviceInfo>;
  /** True: there are further ones. Absent: false. */
  more?: boolean;
}

/** It has the name. */
export interface DeviceLabelled {
  /** The id of the device itself; absent where it has none. */
  physical_id?: string;
}

/** It is done, and on disk. */
export interface DeviceManaged {
  /** What it is now; absent: forgotten. */
  service_state?: Open<ServiceState>;
}

/** A device and what happened to it. */
export interface DeviceShown {
  /** The device. */
  device: DeviceInfo;
  /** How often it was leased under this id. */
  leases: number;
  /** The latest, oldest first, those of the same physical device under its other ids among them. */
  events: Array<DeviceEvent>;
}

/** The job is stored. */
export interface JobAccepted {
  /** Its id. */
  job: string;
}

/** Where a job is; a newer one replaces an older one. */
export interface JobProgress {
  /** The job. */
  job: string;
  /** Where it is. */
  phase: Open<JobPhase>;
  /** The task in work, for people; may be empty. */
  task: string;
  /** Tasks that have a time. */
  tasks_done: number;
  /** Distinct tasks of the job. */
  tasks_total: number;
  /** Trials with a record. */
  trials_done: number;
  /** Trials planned. */
  trials_total: number;
  /** The best time of the task in work; 0 when none. [us] */
  best_us: number;
  /** The rate of late. [1/s] */
  trials_per_second: number;
  /** The estimated time left; 0 when unknown. [s] */
  left_s: number;
  /** One sentence, e.g. what it waits for; may be empty. */
  message: string;
  /** The yardstick's time of the task in work; absent when none. [us] */
  naive_us?: number;
  /** The time of the last trial; absent when it has none. [us] */
  measured_us?: number;
  /** What the search's model expected of the last trial; absent when nothing. [us] */
  predicted_us?: number;
  /** How many candidates of this run have no time, by outcome. */
  errors?: Record<string, number>;
  /** What has kept the job silent, for people; absent when something came. */
  waits_for?: string;
  /** For how long it has been silent. [s] */
  waited_s?: number;
}

/** The job ended well. */
export interface JobDone {
  /** The job. */
  job: string;
  /** Its result, an object whose form follows from the job's kind. */
  result: unknown;
}

/** The job ended otherwise. Records made until then are kept. */
export interface JobFailed {
  /** The job. */
  job: string;
  /** Why. */
  code: Open<Outcome>;
  /** Why, in one clear sentence. */
  message: string;
}

/** The job is told to end. Its end is told to whoever submitted or follows it. */
export interface CancelAccepted {}

/** A page of the jobs. */
export interface Jobs {
  /** The latest first. */
  jobs: Array<JobInfo>;
  /** Where the next page begins; absent: this is the last one. */
  next?: number;
}

/** A job. */
export interface JobShown {
  /** The job. */
  job: JobInfo;
  /** Of a job that ended well: its result, an object whose form follows from the job's kind; absent where it is not kept. */
  result?: unknown;
}

/** From here on everything is told. */
export interface FleetWatched {}

/** Something happened to a device. It is on disk. */
export interface DeviceChanged {
  /** What happened. */
  event: DeviceEvent;
}

/** A job has another state. It is on disk. */
export interface JobChanged {
  /** The job. */
  job: JobInfo;
}

/** A page of the records. */
export interface Records {
  /** How many records the service knows of that are damaged, or too long for a line; they are in no page. */
  left_out: number;
  /** The records. */
  lines: Array<Record<string, unknown>>;
  /** Behind which place the next page begins; absent: this is the last one. */
  next?: RecordPlace;
}

/** The code. */
export interface Enrolment {
  /** 32 hexadecimal digits, for the fragment of the page's URL. */
  code: string;
  /** How long it is good for, unless the service is started anew before. [ms] */
  lifetime_ms: number;
}

/** A page of the tokens. */
export interface Tokens {
  /** Known tokens, ordered by id, those among them that ended. */
  tokens: Array<TokenInfo>;
  /** True: there are further ones. */
  more: boolean;
}

/** The token, on disk. The service keeps its hash alone: nobody is told it again. */
export interface TokenCreated {
  /** What lists show of it. */
  info: TokenInfo;
  /** What lets in, 32 hexadecimal digits. */
  token: string;
}

/** It lets nobody in any more. */
export interface TokenRevoked {}
