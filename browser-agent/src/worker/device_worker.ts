// The device's worker: owns the GPU, or runs WebAssembly itself. It may hang or die; the agent's worker (agent_worker.ts) watches and replaces it.
import { JobLoop } from '../core/job_loop.ts';
import type { FromDevice, ToDevice } from '../core/device_link.ts';
import { failure } from '../core/outcome.ts';
import type { Backend, DeviceChoice, PlanSpec, PreparedTask, Probe } from '../device/backend.ts';
import type { FromHelper } from '../device/wasm/helper.ts';
import type { SpawnHelper } from '../device/wasm/team.ts';
import { WasmBackend } from '../device/wasm/wasm_backend.ts';
import { WebGpuBackend } from '../device/webgpu/webgpu_backend.ts';
import { browserScheduler } from './browser_scheduler.ts';

declare const self: DedicatedWorkerGlobalScope;

let backend: Backend | undefined;
let loop: JobLoop | undefined;
let visible = true;
const tasks = new Map<string, PreparedTask>();

function say(message: FromDevice): void {
  self.postMessage(message);
}

const spawnHelper: SpawnHelper = (onMessage, onCrash) => {
  const worker = new Worker(new URL('helper_worker.js', self.location.href), { type: 'module', name: 'helper' });
  worker.onmessage = ({ data }: MessageEvent<FromHelper>) => onMessage(data);
  worker.onerror = event => {
    event.preventDefault();
    onCrash(event.message || 'it could not be loaded');
  };
  return { post: message => worker.postMessage(message), terminate: () => worker.terminate() };
};

async function probeDevice({ target, clock, threads_max }: DeviceChoice): Promise<Probe> {
  const runtime = new URL('runtime.wasm', self.location.href);
  if (target === 'wasm') return WasmBackend.probe(runtime, threads_max, spawnHelper);
  const gpu = await WebGpuBackend.probe(runtime, clock);
  if (gpu.ok || target === 'webgpu') return gpu;
  const wasm = await WasmBackend.probe(runtime, threads_max, spawnHelper);
  return wasm.ok ? { ...wasm, note: `${gpu.reason} So this page brings WebAssembly. ${wasm.note}`.trim() } : gpu;
}

async function open(choice: DeviceChoice): Promise<void> {
  const probe = await probeDevice(choice);
  if (!probe.ok) return say({ kind: 'unavailable', reason: probe.reason, remedy: probe.remedy });
  backend = probe.backend;
  void backend.lost.then(reason => say({ kind: 'lost', reason }));
  loop = new JobLoop(backend, browserScheduler, {
    onPhase: (items, cap_ms) => say({ kind: 'phase', cap_ms, trials: items.map(({ candidate }) => ({ trial: candidate.trial, attempt: candidate.attempt })) }),
    onResult: (_, result) => say({ kind: 'result', result }),
    onTiming: active => say({ kind: 'timing', active }),
    isHidden: () => !visible,
  });
  say({ kind: 'opened', fingerprint: backend.fingerprint, timer: backend.timer, reference_us: probe.health_us, note: probe.note });
}

async function prepare(spec: Extract<ToDevice, { kind: 'prepare' }>['spec']): Promise<void> {
  tasks.get(spec.task)?.dispose();
  tasks.delete(spec.task);
  const prepared = await backend?.prepare(spec);
  if (prepared?.ok) {
    tasks.set(spec.task, prepared.value);
    return say({ kind: 'prepared', task: spec.task });
  }
  say({ kind: 'prepared', task: spec.task, error: prepared ?? { outcome: 'no_device', message: 'the device is not open' } });
}

async function execute(id: number, plan: PlanSpec): Promise<void> {
  const execution = await backend?.execute(plan) ?? failure('no_device', 'the device is not open');
  say({ kind: 'executed', id, execution });
}

async function handle(message: ToDevice): Promise<void> {
  switch (message.kind) {
    case 'open': return open(message.choice);
    case 'prepare': return prepare(message.spec);
    case 'run':
      await loop?.run(message.items, task => tasks.get(task));
      return say({ kind: 'done' });
    case 'execute':
      return execute(message.id, message.plan);
    case 'release':
      for (const task of tasks.values()) task.dispose();
      tasks.clear();
      return;
    case 'visible':
      visible = message.visible;
      return;
    default: message satisfies never;
  }
}

// One message after another: a prepare that comes while candidates run must not touch the queue's timing.
let last: Promise<void> = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<ToDevice>) => {
  if (data.kind === 'visible') visible = data.visible;
  last = last.then(() => handle(data)).catch((error: unknown) => {
    // Whatever escapes the outcome values is our bug: end the worker loudly, the supervisor replaces it.
    setTimeout(() => { throw error; });
  });
};
