// Backend: the only contract between the agent and a kind of device. The job loop (core/job_loop.ts) drives it; webgpu/, webgl2/, wasm/, native/, opengl/ and opencl/ implement it.
// One call at a time, but for PreparedTask.build, which may run several times at once.
// Failures are values with an outcome of schema/errors.json; nothing throws for a bad kernel.
import type { Modules } from '../core/measure_modules.ts';
import type { Attempt } from '../core/outcome.ts';
import type { WorkSetting } from '../core/reference_work.ts';
import type { Rotation } from '../core/rotation.ts';
import type { Buffer, Candidate, Fingerprint, Timer } from '../generated/protocol.ts';
import type { PlanSpec as ModelPlan } from '../../../browser-runtime/src/plan/plan.ts';

export interface TaskSpec {
  task: string;
  buffers: readonly Buffer[];          // inputs and constants, then outputs
  expected: Reference[];      // one per output
  tolerance: number;          // on max_error
  more_inputs?: readonly InputSet[];
}

// Other inputs of a task, on which a kernel is checked as well.
export interface InputSet {
  buffers: readonly Buffer[];
  expected: Reference[];
}

export interface Reference {
  content: ArrayBuffer;       // of the output's element type, logical row-major
  largest: number;            // magnitudes of its elements, as the protocol's expected_output
  median: number;
}

// One call at a time.
export interface Timed {
  // Executes `repeats` times in a row; nanoseconds in all: by timestamps or clock, exact; by slope, wall time with submit and sync.
  time(repeats: number): Promise<Attempt<number>>;
}

export interface TimedKernel extends Timed {
  // Poisons the outputs, and nothing else that earlier executions left; executes as `time` does, compares what the last execution wrote. Fails as
  // Kernel.check.
  recheck(repeats: number): Promise<Attempt<Comparison>>;
}

export interface Comparison {
  max_error: number;          // the largest of all outputs, as runtime/tensor_check.h defines it
  unwritten: number;          // elements that were never written
  finding: string;            // where the worst element lies, in words; empty when all is exact
}

export interface CheckReport extends Comparison {
  first_ns: number;           // one execution's time by the device's clock, that of the checked one unless it had to warm up; with a slope timer, wall time with submit and sync
}

export interface Kernel extends TimedKernel {
  readonly create_ms: number; // wall time of module and pipeline creation; 0 where they were kept from a kernel of the same text
  readonly compiles_late: boolean;   // drivers may leave a part of it to the first execution, which then counts as creation too
  // Poisons the outputs, executes once, compares. Fails with validation_error, out_of_memory or device_lost.
  check(): Promise<Attempt<CheckReport>>;
  // The same kernel, whose executions take copies of its buffers in turns, over all its times: see core/rotation.ts. It is the kernel's, and ends
  // with it. Asked for once the output was found right. Fails with out_of_memory.
  rotating(rotation: Rotation): Promise<Attempt<TimedKernel>>;
  dispose(again?: boolean): void;   // again: the same text may come once more, so that what was made of it is worth keeping
}

export interface PreparedTask {
  readonly tolerance: number;
  readonly sets?: number;     // of inputs, on all of which Kernel.check executes; 1 where absent
  // modules: one per launch, empty where the launch is text.
  build(candidate: Candidate, modules: Modules): Promise<Attempt<Kernel>>;
  // Executes a kernel that another task of this backend has built, with all its launches, once on this task's buffers, and compares: tasks that differ in
  // their inputs alone. Fails as Kernel.check.
  check(kernel: Kernel): Promise<Attempt<Comparison>>;
  dispose(): void;
}

// A whole model with its bytes.
export interface ModelSpec extends ModelPlan {
  constants: readonly { buffer: number; bytes: ArrayBuffer }[];
  inputs: readonly { buffer: number; bytes: ArrayBuffer }[];
}

// As an `execute` frame describes it.
export interface PlanSpec extends ModelSpec {
  repeats: number;
  timed_ms_max: number;         // no timed run begins later
  time_launches: boolean;
  cap_ms: number;
  fresh?: boolean;              // on a device that was opened for it alone
  rival?: Rival;
}

// Another build of the model, and how both are timed in turns.
export interface Rival {
  model: ModelSpec;
  rival_first: readonly boolean[];   // per quad: rival, first, first, rival; else first, rival, rival, first
  sample_ms: number;                 // a time is the mean of as many runs as take so long
  kernels_alone: boolean;            // by the device's clock, where it has one
}

export interface Execution {
  outputs: ArrayBuffer;        // of the first run, one after the other; then the rival's
  create_ms: number;
  first_ms: number;
  run_ms: number[];            // each timed run: inputs up, launches, outputs back
  kernel_ms: number[];         // the same runs by the device's clock; empty where there is none
  launch_us?: number[];        // each launch of the plan, where it was asked for and the device's clock can tell
  quads?: QuadTimes;           // where there is a rival
}

// Four of each quad: the first plan's and the rival's time of its first pair, and of its second one.
export interface QuadTimes {
  quad_ms: number[];
  reference_us: number[];      // the agent's reference kernel behind each of them
  by_device_clock: boolean;
}

export interface Backend {
  readonly fingerprint: Fingerprint;
  readonly timer: Timer;               // method: "timestamp", "clock" or "slope"
  readonly lost: Promise<string>;      // resolves once the device is lost, with the reason
  prepare(task: TaskSpec): Promise<Attempt<PreparedTask>>;
  // Runs a model once, and then `repeats` times for its times, or in turns with its rival. Fails with not_written where an output still holds poison, and as Kernel.check.
  execute(plan: PlanSpec): Promise<Attempt<Execution>>;
  // The agent's own small kernel, always the same work: its time shows the device's drift. Microseconds.
  referenceUs(): Promise<Attempt<number>>;
  // How many times the same work one run of it is, which was set when the device connected: records tell the time of one.
  readonly reference_works: number;
  readonly work?: WorkSetting;         // of it, where it is costly to set
  // Wall time of submitting next to nothing and waiting for it, nanoseconds; there where times are slopes.
  waitNs?(): Promise<Attempt<number>>;
  // Resolves when everything submitted so far has ended.
  idle(): Promise<void>;
  dispose(): void;
}

// 'best': timestamps where the device has them. 'wall': never, so that the other rung of the ladder can be tried anywhere. 'coarse': in the steps
// that users' browsers round them to, where the agent has a say in it (Node.js).
export type ClockChoice = 'best' | 'wall' | 'coarse';

// Which kind of device an agent brings. 'best': WebGPU where the browser gives one, else WebAssembly; WebGL comes only where it is asked for, so
// that a page goes on bringing what it brought. 'native', 'opengl', 'opencl': only without a browser.
export type TargetChoice = 'best' | 'webgpu' | 'webgl' | 'wasm' | 'native' | 'opengl' | 'opencl';

// Probing says why there is no device and what to do; it does not throw. health_us: the time of a fixed amount of work, the same for each
// opening of one device, by which a device that is still busy with something else is told. note: a sentence for people, or empty.
export type Probe = { ok: true; backend: Backend; health_us: number; note: string } | { ok: false; reason: string; remedy: string };

// Says that a step of opening a device is done, and what the next one does: whoever waits tells a slow device from one that hangs.
export type OnStep = (next: string) => void;

// Which device a page brings, and how it uses it.
export interface DeviceChoice {
  target: TargetChoice;
  clock: ClockChoice;
  threads_max: number;        // of a processor; 0: all that it has
  without: readonly string[]; // features of WebAssembly that it keeps to itself, to see what kernels reach where they are missing
}
