// ReferenceKernel: the agent's own small kernel, always the same work on one device, so that its time shows drift and nothing else.
import type { Attempt } from '../../core/outcome.ts';
import { credibleNs } from '../../core/reading.ts';
import { ReferenceWork, round_code, threads, type WorkSetting } from '../../core/reference_work.ts';
import type { GpuClock, TimedWork } from './clock.ts';

const workgroup = 64;

const code = `
@group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
@group(0) @binding(1) var<storage, read> rounds: u32;
@compute @workgroup_size(${workgroup}) fn main(@builtin(global_invocation_id) id: vec3u) {
  var a = vec4f(f32(id.x) * 1e-6);
  var b = a + 0.25;
  for (var i = 0u; i < rounds; i++) {${round_code}
  }
  out[id.x] = a + b;
}`;

export class ReferenceKernel {
  readonly #work: ReferenceWork;

  private constructor(
    device: GPUDevice,
    private readonly pipeline: GPUComputePipeline,
    private readonly bindings: GPUBindGroup,
    private readonly buffers: { out: GPUBuffer; rounds: GPUBuffer },
  ) {
    this.#work = new ReferenceWork(rounds => device.queue.writeBuffer(buffers.rounds, 0, new Uint32Array([rounds])), () => performance.now());
  }

  static async make(device: GPUDevice): Promise<ReferenceKernel> {
    const module = device.createShaderModule({ code });
    const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
    const out = device.createBuffer({ size: threads * 16, usage: GPUBufferUsage.STORAGE });
    const rounds = device.createBuffer({ size: 4, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST });
    const bindings = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0), entries: [out, rounds].map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    return new ReferenceKernel(device, pipeline, bindings, { out, rounds });
  }

  calibrate(clock: GpuClock): Promise<void> {
    return this.#work.calibrate(count => clock.read(this.#dispatches(count)), clock);
  }

  async calibrateRoughly(clock: GpuClock): Promise<void> {
    await this.#work.calibrateRoughly(count => clock.read(this.#dispatches(count)), clock);
  }

  get setting(): WorkSetting {
    return this.#work.setting;
  }

  use(setting: WorkSetting): void {
    this.#work.use(setting);
  }

  healthUs(clock: GpuClock): Promise<number> {
    return this.#work.healthUs(() => clock.read(this.work(1)));
  }

  get works(): number {
    return this.#work.works;
  }

  runNs(clock: GpuClock): Promise<Attempt<number>> {
    return credibleNs(() => clock.read(this.work(1)));
  }

  waitNs(clock: GpuClock): Promise<Attempt<number>> {
    return credibleNs(() => clock.read(this.#dispatches(1)));
  }

  work(times: number): TimedWork {
    return this.#dispatches(this.#work.repeats * times);
  }

  #dispatches(count: number): TimedWork {
    return {
      encodePass: pass => {
        pass.setPipeline(this.pipeline);
        pass.setBindGroup(0, this.bindings);
        for (let i = 0; i < count; i++) pass.dispatchWorkgroups(threads / workgroup);
      },
    };
  }

  dispose(): void {
    this.buffers.out.destroy();
    this.buffers.rounds.destroy();
  }
}
