// ReferenceKernel: the agent's own small kernel, always the same work on one device, so that its time shows drift and nothing else.
// A chain of multiply-adds in registers: no memory, so that it follows the clock of the shader units.
import type { GpuClock, TimedWork } from './clock.ts';

const code = (rounds: number): string => `
@group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  var a = vec4f(f32(id.x) * 1e-6);
  var b = a + 0.25;
  for (var i = 0u; i < ${rounds}u; i++) {
    a = a * 0.999 + b;
    b = b * 0.998 + 0.001;
    a = a * 0.997 - b;
    b = b * 0.996 + 0.002;
  }
  out[id.x] = a + b;
}`;

const workgroups = 32;
const aim_ns = 1.0e6;
const rounds_first = 64;
const repeats_max = 1000;
const health_runs = 5;

export class ReferenceKernel {
  #repeats = 1;
  readonly #clock: GpuClock;
  readonly #pipeline: GPUComputePipeline;
  readonly #bindings: GPUBindGroup;
  readonly #out: GPUBuffer;

  private constructor(clock: GpuClock, pipeline: GPUComputePipeline, bindings: GPUBindGroup, out: GPUBuffer) {
    this.#clock = clock;
    this.#pipeline = pipeline;
    this.#bindings = bindings;
    this.#out = out;
  }

  static async make(device: GPUDevice, clock: GpuClock): Promise<ReferenceKernel> {
    const module = device.createShaderModule({ code: code(rounds_first) });
    const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
    const out = device.createBuffer({ size: workgroups * 64 * 16, usage: GPUBufferUsage.STORAGE });
    const bindings = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer: out } }] });
    return new ReferenceKernel(clock, pipeline, bindings, out);
  }

  // Sets the repeats so that a run takes about a millisecond, long against the clock's step. Called once the clock's step is known.
  async calibrate(): Promise<void> {
    const aim = Math.max(aim_ns, 20 * this.#clock.quantum_ns);
    await this.runNs();
    for (let step = 0; step < 3; step++) {
      const elapsed = Math.max(1, await this.runNs());
      this.#repeats = Math.max(1, Math.min(repeats_max, Math.round(this.#repeats * aim / elapsed)));
    }
  }

  // The time of one dispatch: comparable between openings of one device, whose repeats may differ. The fastest of some runs, because
  // the question is whether the device is still busy with old work, not whether the machine is.
  async healthUs(): Promise<number> {
    let fastest_ns = Infinity;
    for (let i = 0; i < health_runs; i++) fastest_ns = Math.min(fastest_ns, await this.runNs());
    return fastest_ns / this.#repeats / 1000;
  }

  runNs(): Promise<number> {
    return this.#clock.time(this.work());
  }

  work(): TimedWork {
    return {
      encodePass: pass => {
        pass.setPipeline(this.#pipeline);
        pass.setBindGroup(0, this.#bindings);
        for (let i = 0; i < this.#repeats; i++) pass.dispatchWorkgroups(workgroups);
      },
    };
  }

  dispose(): void {
    this.#out.destroy();
  }
}
