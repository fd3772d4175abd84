// From a plan's name in the manifest to one that runs: its files are fetched, its code compiles and warms up while the weights come in,
// and it has run with them.
import type { Manifest, PlanFile, PlanHead } from '../generated/manifest.ts';
import { EventTurn } from '../device/event_turn.ts';
import type { PlanSpec, Upload } from '../plan/plan.ts';
import type { Device, Runner } from './device.ts';
import { fetchAsset, type Source } from './files.ts';
import { InputMemory } from './input_memory.ts';
import { fetchPlanFile } from './read_manifest.ts';
import { asRowMajor } from './row_major.ts';
import { packInputs, unpackOutputs, type Values } from './values.ts';
import { streamWeights, wantedChunks } from './weights.ts';

// total: bytes of all files. bytes: of them what has come, of which the warm-up holds the last part back: at the total all is ready.
export interface Progress {
  readonly bytes: number;
  readonly total: number;
  readonly stage: 'download' | 'warm-up' | 'ready';
}

export interface OpenPlan {
  readonly runner: Runner;
  readonly plan: PlanFile;
  readonly memory: InputMemory;
}

// Takes the inputs before it comes back, and gives the outputs.
export async function runOnArrays(manifest: Manifest, { runner, plan, memory }: OpenPlan, given: Readonly<Values>): Promise<Values> {
  const { outputs, inputs, release } = await runner.run(packInputs(manifest, plan, given, memory));
  try {
    memory.give(inputs);
    return unpackOutputs(manifest, plan, outputs);
  } finally {
    release?.();
  }
}

const download_share = 0.95;
const busy_ms_max = 4;         // at a time, of the page's thread; more than one part would take it

// All or nothing.
export async function openPlan(source: Source, manifest: Manifest, head: PlanHead, device: Device, onProgress: (progress: Progress) => void): Promise<OpenPlan> {
  const over = new AbortController(), signal = source.signal === undefined ? over.signal : either(source.signal, over);
  const files: Source = { ...source, signal };
  const count = counter(onProgress, head.plan.bytes + head.kernels.bytes + manifest.chunks.reduce((sum, { bytes }) => sum + bytes, 0));
  let runner: Runner | undefined;
  try {
    const [file, kernels] = await Promise.all([fetchPlanFile(files, manifest, head, count.add), fetchAsset(files, head.kernels, count.add)]);
    const { plan, borders } = device.takes_row_major ? asRowMajor(manifest, file) : { plan: file, borders: {} };
    count.total = head.plan.bytes + head.kernels.bytes + wantedChunks(manifest, plan).reduce((sum, { begin, end }) => sum + end - begin, 0);
    const opened = runner = await device.open({ ...specOf(file, kernels), ...borders });
    let is_whole = false;
    const written = writeWeights(files, manifest, plan, opened, count.add).then(() => { is_whole = true; count.say('warm-up', download_share); });
    const warmed = opened.compile().then(() => (is_whole ? undefined : opened.warmUp(zeros(plan))));
    await Promise.all([written, warmed]).catch(async (error: unknown) => {
      over.abort(error);
      await Promise.allSettled([written, warmed]);   // nothing may be written to what is disposed
      throw error;
    });
    await opened.settle(zeros(plan));
    source.signal?.throwIfAborted();
    count.say('ready', 1);
    return { runner: opened, plan, memory: new InputMemory(opened.places) };
  } catch (error) {
    runner?.dispose();
    throw error;
  } finally {
    over.abort();
  }
}

async function writeWeights(files: Source, manifest: Manifest, plan: PlanFile, runner: Runner, onBytes: (bytes: number) => void): Promise<void> {
  const turn = new EventTurn();
  let since = performance.now();
  const breathe = async (): Promise<void> => {
    if (performance.now() - since < busy_ms_max) return;
    await turn.take();
    since = performance.now();
  };
  try {
    await streamWeights(files, manifest, plan, { write: upload => runner.write(upload), breathe, onBytes });
  } finally {
    turn.dispose();
  }
}

function specOf({ buffers, textures, kernels, launches, loops = [], outputs }: PlanFile, code: Uint8Array<ArrayBuffer>): PlanSpec {
  return {
    buffers, textures, launches, loops, outputs,
    kernels: kernels.map(({ offset, bytes, writes, scratch_bytes }) => ({ code: code.subarray(offset, offset + bytes), bindings: writes.map(may => ({ writes: may })), scratch_bytes })),
  };
}

function zeros({ inputs }: PlanFile): Upload[] {
  return inputs.map(({ buffer, bytes }) => ({ buffer, bytes: new Uint8Array(bytes) }));
}

function counter(onProgress: (progress: Progress) => void, total: number): { total: number; add: (bytes: number) => void; say: (stage: Progress['stage'], done: number) => void } {
  let bytes = 0;
  const count = {
    total,
    add: (more: number): void => {
      bytes += more;
      count.say('download', download_share * bytes / Math.max(1, count.total));
    },
    say: (stage: Progress['stage'], done: number): void => onProgress({ bytes: Math.round(done * count.total), total: count.total, stage }),
  };
  return count;
}

// Aborts `over` with the outer signal.
function either(outer: AbortSignal, over: AbortController): AbortSignal {
  if (outer.aborted) over.abort(outer.reason);
  else outer.addEventListener('abort', () => over.abort(outer.reason), { once: true, signal: over.signal });
  return over.signal;
}
