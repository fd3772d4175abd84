// What a device's worker does: it opens the device that `probe` finds and does with it what the agent's worker asks for.
import { JobLoop } from '../core/job_loop.ts';
import type { FromDevice, ToDevice } from '../core/device_link.ts';
import { InputSets } from '../core/input_sets.ts';
import type { KnownDevice } from '../core/known_device.ts';
import { failure } from '../core/outcome.ts';
import type { Backend, DeviceChoice, OnStep, PlanSpec, PreparedTask, Probe } from '../device/backend.ts';
import { browserScheduler } from './browser_scheduler.ts';

declare const self: DedicatedWorkerGlobalScope;

export type ProbeDevice = (choice: DeviceChoice, onStep: OnStep, known: KnownDevice | undefined) => Promise<Probe>;

let backend: Backend | undefined;
let input_sets: InputSets | undefined;
let loop: JobLoop | undefined;
let visible = true;
const tasks = new Map<string, PreparedTask>();

function say(message: FromDevice): void {
  self.postMessage(message);
}

async function open({ choice, known }: Extract<ToDevice, { kind: 'open' }>, probeDevice: ProbeDevice): Promise<void> {
  const probe = await probeDevice(choice, next => say({ kind: 'opening', next }), known);
  if (!probe.ok) return say({ kind: 'unavailable', reason: probe.reason, remedy: probe.remedy });
  backend = probe.backend;
  input_sets = new InputSets(backend);
  void backend.lost.then(reason => say({ kind: 'lost', reason }));
  loop = new JobLoop(backend, browserScheduler, {
    onPhase: (items, cap_ms) => say({ kind: 'phase', cap_ms, trials: items.map(({ candidate }) => ({ trial: candidate.trial, attempt: candidate.attempt })) }),
    onResult: (_, result) => say({ kind: 'result', result }),
    onTiming: active => say({ kind: 'timing', active }),
    isHidden: () => !visible,
  });
  say({ kind: 'opened', fingerprint: backend.fingerprint, timer: backend.timer, reference_us: probe.health_us, note: probe.note, ...(backend.work && { work: backend.work }) });
}

async function prepare(spec: Extract<ToDevice, { kind: 'prepare' }>['spec']): Promise<void> {
  tasks.get(spec.task)?.dispose();
  tasks.delete(spec.task);
  const prepared = await input_sets?.prepare(spec);
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

async function handle(message: ToDevice, probeDevice: ProbeDevice): Promise<void> {
  switch (message.kind) {
    case 'open': return open(message, probeDevice);
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

// Once, at the worker's start.
export function hostDevice(probeDevice: ProbeDevice): void {
  // One message after another: a prepare that comes while candidates run must not touch the queue's timing.
  let last: Promise<void> = Promise.resolve();
  self.onmessage = ({ data }: MessageEvent<ToDevice>) => {
    if (data.kind === 'visible') visible = data.visible;
    last = last.then(() => handle(data, probeDevice)).catch((error: unknown) => {
      // Whatever escapes the outcome values is our bug: end the worker loudly, the supervisor replaces it.
      setTimeout(() => { throw error; });
    });
  };
}
