// ReferenceKernel: the agent's own small kernel, always the same work on one device, so that its time shows drift and nothing else.
// A chain of multiply-adds in registers: no memory, so that it follows the clock of the shader units; on all of them, and in few dispatches, so
// that it times them and not what lies between dispatches.
import type { Attempt } from '../../core/outcome.ts';
import { credibleNs, saidNs } from '../../core/reading.ts';
import { referenceRepeats } from '../../core/reference_repeats.ts';
import type { GpuClock, TimedWork } from './clock.ts';

const code = `
@group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
@group(0) @binding(1) var<storage, read> rounds: u32;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  var a = vec4f(f32(id.x) * 1e-6);
  var b = a + 0.25;
  for (var i = 0u; i < rounds; i++) {
    a = a * 0.999 + b;
    b = b * 0.998 + 0.001;
    a = a * 0.997 - b;
    b = b * 0.996 + 0.002;
  }
  out[id.x] = a + b;
}`;

const workgroups = 256;
const rounds_first = 8;
const rounds_max = 65_536;
const dispatches_max = 32;     // of a run
const health_runs = 5;
const flops_per_round = 4 * 4 * 2;   // of an invocation: vectors of four, in four lines of a multiplication and an addition
export const health_flops = workgroups * 64 * rounds_first * flops_per_round;   // of the work that healthUs times

export class ReferenceKernel {
  #repeats = 1;
  #rounds = 0;

  private constructor(
    private readonly device: GPUDevice,
    private readonly pipeline: GPUComputePipeline,
    private readonly bindings: GPUBindGroup,
    private readonly buffers: { out: GPUBuffer; rounds: GPUBuffer },
  ) {
    this.#setRounds(rounds_first);
  }

  static async make(device: GPUDevice): Promise<ReferenceKernel> {
    const module = device.createShaderModule({ code });
    const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
    const out = device.createBuffer({ size: workgroups * 64 * 16, usage: GPUBufferUsage.STORAGE });
    const rounds = device.createBuffer({ size: 4, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST });
    const bindings = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0), entries: [out, rounds].map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    return new ReferenceKernel(device, pipeline, bindings, { out, rounds });
  }

  // Sets the work so that a run is long against the step of `clock`: rounds until a few dispatches suffice, then their number.
  async calibrate(clock: GpuClock): Promise<void> {
    const repeats = (): Promise<number> => referenceRepeats(async count => saidNs(await clock.read(this.#dispatches(count))), clock, () => performance.now());
    this.#repeats = await repeats();
    while (this.#repeats > dispatches_max && this.#rounds < rounds_max) {
      this.#setRounds(Math.min(rounds_max, Math.ceil(this.#rounds * 2 * this.#repeats / dispatches_max)));
      this.#repeats = await repeats();
    }
  }

  // The time of the first work's dispatch: comparable between openings of one device, whose work may differ. The fastest of some runs, because
  // the question is whether the device is still busy with old work, not whether the machine is.
  async healthUs(clock: GpuClock): Promise<number> {
    let fastest_ns = Infinity;
    for (let i = 0; i < health_runs; i++) fastest_ns = Math.min(fastest_ns, saidNs(await clock.read(this.work(1))));
    return fastest_ns / this.#repeats / (this.#rounds / rounds_first) / 1000;
  }

  // Of the work of which healthUs tells the time, in a run.
  get works(): number {
    return this.#repeats * this.#rounds / rounds_first;
  }

  runNs(clock: GpuClock): Promise<Attempt<number>> {
    return credibleNs(() => clock.read(this.work(1)));
  }

  waitNs(clock: GpuClock): Promise<Attempt<number>> {
    return credibleNs(() => clock.read(this.#dispatches(1)));
  }

  work(times: number): TimedWork {
    return this.#dispatches(this.#repeats * times);
  }

  #dispatches(count: number): TimedWork {
    return {
      encodePass: pass => {
        pass.setPipeline(this.pipeline);
        pass.setBindGroup(0, this.bindings);
        for (let i = 0; i < count; i++) pass.dispatchWorkgroups(workgroups);
      },
    };
  }

  #setRounds(rounds: number): void {
    this.#rounds = rounds;
    this.device.queue.writeBuffer(this.buffers.rounds, 0, new Uint32Array([rounds]));
  }

  dispose(): void {
    this.buffers.out.destroy();
    this.buffers.rounds.destroy();
  }
}
