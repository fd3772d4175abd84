// Runs a whole model: its programs and textures once, then each run as uploads of the inputs, a draw for each launch, and the outputs read back.
import type { Attempt } from '../../core/outcome.ts';
import type { Execution, PlanSpec } from '../backend.ts';
import { timedRuns, whollyWritten, type Run, type RunnableModel } from '../timed_runs.ts';
import type { GlClock } from './clock.ts';
import { WorkError, type GlDevice } from './gl_device.ts';
import { createProgram, disposePrograms } from './program.ts';
import { disposeStep, drawAll, makeStep, samplersOf, settle, type Step } from './step.ts';
import { GpuTexture } from './texture.ts';

export interface PlanContext {
  device: GlDevice;
  clock: GlClock;
  poison_bits: number;
}

const text = new TextDecoder();

export async function executePlan(context: PlanContext, plan: PlanSpec): Promise<Attempt<Execution>> {
  const { device } = context, started = performance.now();
  const made = await Promise.all(plan.kernels.map(({ code, bindings }) => createProgram(device, text.decode(code), samplersOf(bindings))));
  const programs = made.flatMap(program => (program.ok ? [program.value] : []));
  const run = new PlanRun(context, plan, programs);
  try {
    for (const program of made) if (!program.ok) return program;
    const bound = device.checkedNow(() => run.make());
    if (!bound.ok) return bound;
    return await timedRuns(run, plan, performance.now() - started);
  } finally {
    run.dispose();
  }
}

// What is computed begins as poison: a launch that reads what nobody wrote shows in the outputs.
class PlanRun implements RunnableModel {
  readonly #textures: GpuTexture[] = [];
  readonly #steps: Step[] = [];

  constructor(private readonly context: PlanContext, private readonly plan: PlanSpec, private readonly programs: readonly WebGLProgram[]) {}

  // Call with the context's errors checked. Throws WorkError for a plan that does not fit together.
  make(): void {
    const { plan, context: { device: { gl }, poison_bits } } = this;
    const { buffers, textures } = plan;
    if (textures.length !== buffers.length) throw new WorkError('validation_error', `the plan has ${buffers.length} buffers and ${textures.length} textures; kernels of WebGL need one for each`);
    const constants = new Map(plan.constants.map(({ buffer, bytes }) => [buffer, bytes]));
    for (const shape of textures) this.#textures.push(GpuTexture.make(gl, shape));
    for (const launch of plan.launches) this.#steps.push(this.#stepOf(launch));
    settle(gl, this.#steps);
    for (const [position, texture] of this.#textures.entries()) {
      const constant = constants.get(position);
      if (constant === undefined) texture.poison(poison_bits);
      else this.#upload(texture, constant);
    }
  }

  get has_device_clock(): boolean {
    return this.context.clock.method === 'timestamp';
  }

  async first(): Promise<Attempt<Run>> {
    return whollyWritten(await this.once(), this.context.poison_bits);
  }

  once(): Promise<Attempt<Run>> {
    return this.context.device.checked(() => this.#once());
  }

  async #once(): Promise<Run> {
    const { plan, context: { device: { gl }, clock } } = this, started = performance.now();
    for (const { buffer, bytes } of plan.inputs) this.#upload(this.#at(buffer), bytes);
    let outputs = new ArrayBuffer(0), run_ms = 0;
    const kernel_ns = await clock.time({
      draw: () => drawAll(gl, this.#steps, 1),
      finish: () => {
        outputs = this.#read();
        run_ms = performance.now() - started;
      },
    });
    return { outputs, run_ms, kernel_ms: kernel_ns / 1e6 };
  }

  timeLaunch(launch: number, times: number): Promise<Attempt<number>> {
    const { device, clock } = this.context, steps = this.#steps.slice(launch, launch + 1);
    return device.checked(() => clock.time({ draw: () => drawAll(device.gl, steps, times), finish: () => steps[0]?.first_target.waitFor() }));
  }

  #read(): ArrayBuffer {
    const { outputs } = this.plan, all = new Uint8Array(outputs.reduce((sum, { bytes }) => sum + bytes, 0));
    let at = 0;
    for (const { buffer, bytes } of outputs) {
      const texture = this.#at(buffer);
      if (bytes > texture.bytes) throw new WorkError('validation_error', `the plan reads ${bytes} bytes of buffer ${buffer}, which has ${texture.bytes}`);
      all.set(texture.read().subarray(0, bytes), at);
      at += bytes;
    }
    return all.buffer;
  }

  #upload(texture: GpuTexture, bytes: ArrayBuffer): void {
    if (bytes.byteLength > texture.bytes) throw new WorkError('validation_error', `the plan puts ${bytes.byteLength} bytes into a texture of ${texture.bytes}`);
    texture.upload(new Uint8Array(bytes), this.context.poison_bits);
  }

  #stepOf({ kernel, buffers, grid }: PlanSpec['launches'][number]): Step {
    const program = this.programs[kernel], bindings = this.plan.kernels[kernel]?.bindings ?? [];
    if (program === undefined || bindings.length !== buffers.length) throw new WorkError('validation_error', `a launch binds ${buffers.length} buffers to kernel ${kernel}, which has ${bindings.length} bindings`);
    const bound = buffers.map((buffer, i) => ({ texture: this.#at(buffer), writes: bindings[i]?.writes === true }));
    return makeStep(this.context.device.gl, program, bound, grid);
  }

  #at(position: number): GpuTexture {
    const texture = this.#textures[position];
    if (texture === undefined) throw new WorkError('validation_error', `the plan names buffer ${position}, which does not exist`);
    return texture;
  }

  dispose(): void {
    const { gl } = this.context.device;
    for (const step of this.#steps) disposeStep(gl, step);
    for (const texture of this.#textures) texture.dispose();
    disposePrograms(gl, this.programs);
  }
}
