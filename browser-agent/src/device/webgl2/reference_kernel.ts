// ReferenceKernel: the agent's own small kernel, always the same work on one device, so that its time shows drift and nothing else.
import type { Attempt } from '../../core/outcome.ts';
import { credibleNs } from '../../core/reading.ts';
import { ReferenceWork, round_code, threads, type WorkSetting } from '../../core/reference_work.ts';
import { WorkError, type GlDevice } from '../../../../browser-runtime/src/device/webgl2/gl_device.ts';
import type { GlClock, TimedWork } from './clock.ts';
import { createProgram } from '../../../../browser-runtime/src/device/webgl2/program.ts';
import { disposeStep, drawAll, makeStep, type Step } from '../../../../browser-runtime/src/device/webgl2/step.ts';
import { GpuTexture } from '../../../../browser-runtime/src/device/webgl2/texture.ts';

const code = `#version 300 es
precision highp float;
uniform int rounds;
layout(location = 0) out vec4 result;
void main() {
  vec4 a = vec4(gl_FragCoord.x * 1e-6);
  vec4 b = a + 0.25;
  for (int i = 0; i < rounds; i++) {${round_code}
  }
  result = a + b;
}`;

const width = 128, size = [width, threads / width] as const;

export class ReferenceKernel {
  readonly #work: ReferenceWork;

  private constructor(private readonly device: GlDevice, private readonly step: Step) {
    const { gl } = device, place = gl.getUniformLocation(step.program, 'rounds');
    this.#work = new ReferenceWork(rounds => {
      gl.useProgram(step.program);
      gl.uniform1i(place, rounds);
    }, () => performance.now());
  }

  static async make(device: GlDevice): Promise<ReferenceKernel> {
    const { gl } = device, [, height] = size;
    const program = await createProgram(device, code, []);
    if (!program.ok) throw new WorkError(program.outcome, program.message);
    const texture = GpuTexture.make(gl, { width, height, layers: 1, format: 'rgba32f' });
    return new ReferenceKernel(device, makeStep(gl, program.value, [{ texture, writes: true }], size));
  }

  calibrate(clock: GlClock): Promise<void> {
    return this.#work.calibrate(count => clock.read(this.#draws(count)), clock);
  }

  async calibrateRoughly(clock: GlClock): Promise<void> {
    await this.#work.calibrateRoughly(count => clock.read(this.#draws(count)), clock);
  }

  get setting(): WorkSetting {
    return this.#work.setting;
  }

  use(setting: WorkSetting): void {
    this.#work.use(setting);
  }

  healthUs(clock: GlClock): Promise<number> {
    return this.#work.healthUs(() => clock.read(this.work(1)));
  }

  get works(): number {
    return this.#work.works;
  }

  runNs(clock: GlClock): Promise<Attempt<number>> {
    return credibleNs(() => clock.read(this.work(1)));
  }

  waitNs(clock: GlClock): Promise<Attempt<number>> {
    return credibleNs(() => clock.read(this.#draws(1)));
  }

  work(times: number): TimedWork {
    return this.#draws(this.#work.repeats * times);
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
