// WebGlBackend: WebGL 2 behind the Backend contract. Kernels are fragment shaders over float and integer textures.
import { runsOnProcessor } from '../../core/calm.ts';
import { untold } from '../../core/cache_size.ts';
import { CopyPool } from '../../core/copy_pool.ts';
import { KeptCode } from '../../core/kept_code.ts';
import type { KnownDevice } from '../../core/known_device.ts';
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import { clocksAgree } from '../../core/reading.ts';
import { health_flops, type WorkSetting } from '../../core/reference_work.ts';
import { arithmeticOf, memoryOf } from '../../core/signature.ts';
import type { Candidate, Fingerprint, Timer } from '../../generated/protocol.ts';
import { TensorRuntime } from '../tensor_runtime.ts';
import type { Backend, ClockChoice, Comparison, Execution, Kernel, OnStep, PlanSpec, PreparedTask, Probe, TaskSpec } from '../backend.ts';
import { executed } from '../executed.ts';
import { IdleTextures } from '../idle_textures.ts';
import { processorCacheBytes, withCache } from '../processor_cache.ts';
import { makeTensors } from '../task_tensor.ts';
import { TaskArguments, type Argument } from './arguments.ts';
import { glMemory } from './cache_ladder.ts';
import { QueryClock, WallClock, type GlClock } from './clock.ts';
import { openContext } from '../../../../browser-runtime/src/device/webgl2/context.ts';
import { GlDevice } from '../../../../browser-runtime/src/device/webgl2/gl_device.ts';
import type { GpuTexture } from '../../../../browser-runtime/src/device/webgl2/texture.ts';
import { remedies } from '../remedies.ts';
import { WebGlKernel, type KernelContext } from './kernel.ts';
import { measureLaunchUs } from './launch_cost.ts';
import { openModel } from './plan_run.ts';
import { ReferenceKernel } from './reference_kernel.ts';

const idle_bytes_max = 256 << 20;
// Drivers give a texture 64 KiB at least: small ones then take no more than the bytes that rotate where nobody knows the cache's size.
const copies_max = 1024;

interface Parts {
  fingerprint: Fingerprint;
  device: GlDevice;
  runtime: TensorRuntime;
  clock: GlClock;
  reference: ReferenceKernel;
}

export class WebGlBackend implements Backend {
  readonly lost: Promise<string>;
  readonly #idle = new IdleTextures<Argument>(idle_bytes_max);
  readonly #copies = new CopyPool<GpuTexture[]>(textures => textures.forEach(texture => texture.dispose()), copies_max);

  readonly #programs: KeptCode<WebGLProgram>;

  private constructor(private readonly parts: Parts) {
    this.#programs = new KeptCode(program => parts.device.gl.deleteProgram(program));
    this.lost = parts.device.lost;
  }

  static async probe(runtime_url: URL, choice: ClockChoice, onStep: OnStep, known?: KnownDevice): Promise<Probe> {
    const found = openContext();
    if (!found.ok) return { ok: false, reason: found.reason, remedy: remedies[found.lack] };
    const { canvas, gl, fingerprint } = found, device = new GlDevice(canvas, gl), runtime = await TensorRuntime.load(runtime_url);
    const started = await device.checked(async () => {
      onStep('trying its clock');
      const reference = await ReferenceKernel.make(device);
      const { clock, note } = known?.work === undefined ? await makeClock(device, reference, choice) : clockAsBefore(device, reference, known.work, known);
      const health_us = await reference.healthUs(clock);
      if (known === undefined) onStep('measuring its launches');
      return { reference, clock, note, health_us, launch_us: known === undefined ? await measureLaunchUs(device) : undefined };
    });
    if (!started.ok) return { ok: false, reason: `The context does not run its first kernel: ${started.message}.`, remedy: 'Reload the page; if it stays so, restart the browser.' };
    const { reference, clock, note, health_us, launch_us } = started.value;
    const measure = async (): Promise<Fingerprint> => {
      onStep('measuring its caches');
      const { cache_bytes, gb_s } = runsOnProcessor(fingerprint) ? { ...untold, cache_bytes: processorCacheBytes() } : await glMemory(device, clock, () => reference.waitNs(clock));
      return withCache({ ...fingerprint, ...arithmeticOf(health_flops, health_us), ...memoryOf(gb_s), ...(launch_us !== undefined && { launch_us }) }, cache_bytes);
    };
    return { ok: true, backend: new WebGlBackend({ fingerprint: known === undefined ? await measure() : { ...fingerprint, ...known.signature }, device, runtime, clock, reference }), health_us, note };
  }

  get fingerprint(): Fingerprint {
    return this.parts.fingerprint;
  }

  get timer(): Timer {
    return { method: this.parts.clock.method, quantum_ns: this.parts.clock.quantum_ns };
  }

  // Textures come with the candidates, which say what they look like.
  async prepare(spec: TaskSpec): Promise<Attempt<PreparedTask>> {
    const { device, runtime, clock } = this.parts;
    const tensors = device.checkedNow(() => makeTensors(runtime, spec));
    if (!tensors.ok) return tensors;
    if (!tensors.value.ok) return tensors.value;
    for (const tensor of tensors.value.value) tensor.dispose();   // they were made to see that all fits together
    const outputs = spec.buffers.flatMap(({ role }, position) => (role === 'output' ? [position] : []));
    const task = new TaskArguments(device.gl, runtime, spec, this.#idle, this.#copies);
    return success(new WebGlTask({ device, clock, task, outputs, poison_bits: runtime.poison_bits, programs: this.#programs }, spec.tolerance));
  }

  execute(plan: PlanSpec): Promise<Attempt<Execution>> {
    const { device, clock, runtime } = this.parts;
    return executed(model => openModel({ device, clock, poison_bits: runtime.poison_bits }, model), plan, () => this.referenceUs());
  }

  get work(): WorkSetting {
    return this.parts.reference.setting;
  }

  get reference_works(): number {
    return this.parts.reference.works;
  }

  async referenceUs(): Promise<Attempt<number>> {
    const ns = await this.#checkedNs((reference, clock) => reference.runNs(clock));
    return ns.ok ? success(ns.value / 1000) : ns;
  }

  waitNs(): Promise<Attempt<number>> {
    return this.#checkedNs((reference, clock) => reference.waitNs(clock));
  }

  async #checkedNs(run: (reference: ReferenceKernel, clock: GlClock) => Promise<Attempt<number>>): Promise<Attempt<number>> {
    const { device, reference, clock } = this.parts, ran = await device.checked(() => run(reference, clock));
    return ran.ok ? ran.value : ran;
  }

  async idle(): Promise<void> {
    this.parts.device.checkedNow(() => this.parts.reference.wait());
  }

  dispose(): void {
    this.parts.reference.dispose();
    this.parts.device.dispose();
  }
}

class WebGlTask implements PreparedTask {
  constructor(private readonly context: KernelContext, readonly tolerance: number) {}

  build(candidate: Candidate): Promise<Attempt<Kernel>> {
    return WebGlKernel.build(this.context, candidate);
  }

  check(kernel: Kernel): Promise<Attempt<Comparison>> {
    return (kernel as WebGlKernel).checkOn(this.context);
  }

  dispose(): void {
    this.context.task.dispose();
  }
}

function clockAsBefore(device: GlDevice, reference: ReferenceKernel, work: WorkSetting, { timer, note }: KnownDevice): { clock: GlClock; note: string } {
  reference.use(work);
  const queries = timer.method === 'timestamp' ? QueryClock.make(device) : undefined;
  if (queries === undefined) return { clock: new WallClock(), note };
  queries.quantum_ns = timer.quantum_ns;
  return { clock: queries, note };
}

// Timer queries where they are there and tell the truth.
async function makeClock(device: GlDevice, reference: ReferenceKernel, choice: ClockChoice): Promise<{ clock: GlClock; note: string }> {
  const wall = new WallClock(), queries = choice === 'wall' ? undefined : QueryClock.make(device);
  if (queries !== undefined) await reference.calibrateRoughly(wall);
  const agrees = queries !== undefined && await clocksAgree(works => queries.read(reference.work(works)));
  if (agrees) await queries.measureQuantum(reference.work(1));
  const clock = agrees ? queries : wall;
  await reference.calibrate(clock);
  return { clock, note: queries === undefined || agrees ? '' : 'The GPU\'s timer queries do not agree with the wall clock, so times are slopes of wall times.' };
}
