// ReferenceKernel: the agent's own small kernel, always the same work on one device, so that its time shows drift and nothing else.
// A chain of multiply-adds in registers: no memory, so that it follows the clock of the shader units.
import type { Attempt } from '../../core/outcome.ts';
import { credibleNs, saidNs } from '../../core/reading.ts';
import { referenceRepeats } from '../../core/reference_repeats.ts';
import { WorkError, type GlDevice } from '../../../../browser-runtime/src/device/webgl2/gl_device.ts';
import type { GlClock, TimedWork } from './clock.ts';
import { createProgram } from '../../../../browser-runtime/src/device/webgl2/program.ts';
import { disposeStep, drawAll, makeStep, type Step } from '../../../../browser-runtime/src/device/webgl2/step.ts';
import { GpuTexture } from '../../../../browser-runtime/src/device/webgl2/texture.ts';

const code = `#version 300 es
precision highp float;
layout(location = 0) out vec4 result;
void main() {
  vec4 a = vec4(gl_FragCoord.x * 1e-6);
  vec4 b = a + 0.25;
  for (int i = 0; i < 64; i++) {
    a = a * 0.999 + b;
    b = b * 0.998 + 0.001;
    a = a * 0.997 - b;
    b = b * 0.996 + 0.002;
  }
  result = a + b;
}`;

const size = [64, 32] as const;
const health_runs = 5;

export class ReferenceKernel {
  #repeats = 1;

  private constructor(private readonly device: GlDevice, private readonly step: Step) {}

  static async make(device: GlDevice): Promise<ReferenceKernel> {
    const { gl } = device, [width, height] = size;
    const program = await createProgram(device, code, []);
    if (!program.ok) throw new WorkError(program.outcome, program.message);
    const texture = GpuTexture.make(gl, { width, height, layers: 1, format: 'rgba32f' });
    return new ReferenceKernel(device, makeStep(gl, program.value, [{ texture, writes: true }], size));
  }

  // Sets the repeats so that a run is long against the step of `clock`.
  async calibrate(clock: GlClock): Promise<void> {
    this.#repeats = await referenceRepeats(async repeats => saidNs(await clock.read(this.#draws(repeats))), clock, () => performance.now());
  }

  // The time of one draw: comparable between openings of one device, whose repeats may differ. The fastest of some runs, because the
  // question is whether the device is still busy with old work, not whether the machine is.
  async healthUs(clock: GlClock): Promise<number> {
    let fastest_ns = Infinity;
    for (let i = 0; i < health_runs; i++) fastest_ns = Math.min(fastest_ns, saidNs(await clock.read(this.work(1))));
    return fastest_ns / this.#repeats / 1000;
  }

  // Of the work of which healthUs tells the time, in a run.
  get works(): number {
    return this.#repeats;
  }

  runNs(clock: GlClock): Promise<Attempt<number>> {
    return credibleNs(() => clock.read(this.work(1)));
  }

  waitNs(clock: GlClock): Promise<Attempt<number>> {
    return credibleNs(() => clock.read(this.#draws(1)));
  }

  work(times: number): TimedWork {
    return this.#draws(this.#repeats * times);
  }

  #draws(count: number): TimedWork {
    return { draw: () => drawAll(this.device.gl, [this.step], count), finish: () => this.step.first_target.waitFor() };
  }

  // Waits for all that the context was given.
  wait(): void {
    drawAll(this.device.gl, [this.step], 1);
    this.step.first_target.waitFor();
  }

  dispose(): void {
    const { gl } = this.device;
    disposeStep(gl, this.step);
    gl.deleteProgram(this.step.program);
    this.step.first_target.dispose();
  }
}
