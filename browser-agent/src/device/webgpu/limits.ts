// A device's limits, as its kernels' times are held against them: multiply-adds out of registers, and copies beyond all caches. Timed as candidates
// are, by the same clock and the same ladder. What is timed has been found right.
import { runsOnProcessor } from '../../core/calm.ts';
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import { untilSteady } from '../../core/power.ts';
import { rotationFor } from '../../core/rotation.ts';
import { median } from '../../core/statistics.ts';
import { tellsKernelTime, TimingLadder } from '../../core/timing_ladder.ts';
import { WaitScatter } from '../../core/wait_scatter.ts';
import type { Fingerprint, MeasurePolicy } from '../../generated/protocol.ts';
import { openDevice } from '../../../../browser-runtime/src/device/webgpu/adapter.ts';
import { describe, scoped } from '../../../../browser-runtime/src/device/webgpu/error_scopes.ts';
import { GpuWait } from '../../../../browser-runtime/src/device/webgpu/wait.ts';
import { memoryBehind } from './cache_ladder.ts';
import { timePass, type GpuClock } from './clock.ts';
import { chooseClock } from './clock_choice.ts';
import { copy_code, fill_code, filled, flopsPerRound, multiplyAddCode, multiplyAddResult, threads, vector_bytes, waysOf, type FloatType, type MultiplyAdds } from './limit_kernels.ts';
import { ReferenceKernel } from './reference_kernel.ts';

export interface Limits {
  fingerprint: Fingerprint;
  software: boolean;               // the processor computes
  clock: { method: string; quantum_ns: number; over_wall?: number };
  f32: Rate | Failed;
  f16?: Rate | Failed;             // absent where the device has none
  copy: Bandwidth | Failed;
}
export interface Rate { gflops: number; samples_gflops: number[]; form: string; chains: number }
export interface Bandwidth { gb_s: number; samples_gb_s: number[]; bytes: number }   // read and written; bytes: of the original
export interface Failed { failed: string }

// Of the agent's own (tuner/measure), with the samples of finals.
const policy: MeasurePolicy = { samples: 9, sample_ms_min: 3, quanta_min: 50, race_factor: 0, cap_ms: 0, in_turns: false };
const dispatch_ns_min = 20e6;      // beginning, ending and writing what came of it are then nothing beside it
const workgroups_first = 256;
const workgroups_max = 16_384;     // some waves of threads on any GPU, so that the last one, which is not full, is little
const rounds_max = 65_536;
const copy_workgroups_max = 65_535;   // the default of maxComputeWorkgroupsPerDimension
const vectors_per_thread = 4;
const tried = { rounds: 3, factor: 0.75, addend: 0.5 };   // values that tell how many rounds there were,
const timed = { factor: -1, addend: 0.3 };                // and such as change for ever and never grow
const tolerance = { f32: 1e-4, f16: 2e-2 };               // some rounding steps, of 2⁻²⁴ and 2⁻¹¹

interface Pass { pipeline: GPUComputePipeline; bindings: GPUBindGroup }

class LimitsMeter {
  constructor(private readonly device: GPUDevice, private readonly clock: GpuClock, private readonly wait: GpuWait, private readonly scatter: WaitScatter) {}

  // The fastest way of those that are right.
  async rateOf(type: FloatType): Promise<Rate | Failed> {
    const rates: Rate[] = [], failures: string[] = [];
    for (const way of waysOf(type)) {
      const rate = await this.#held(() => this.#rateOfWay(way));
      if ('failed' in rate) failures.push(`${way.form}, ${way.chains} chains: ${rate.failed}`);
      else rates.push(rate);
    }
    return rates.sort((a, b) => b.gflops - a.gflops)[0] ?? { failed: failures.join('; ') };
  }

  copy(cache_bytes: number): Promise<Bandwidth | Failed> {
    return this.#held(() => this.#copy(cache_bytes));
  }

  async #rateOfWay(way: MultiplyAdds): Promise<Rate> {
    const out = this.#buffer(workgroups_max * threads * 4), work = this.#buffer(12);
    try {
      const pass = await this.#pass(multiplyAddCode(way), [out, work]);
      this.#set(work, tried);
      await this.#check(way, pass, out);
      const { workgroups, rounds } = await this.#longDispatch(pass, work);
      const flops = workgroups * threads * rounds * flopsPerRound(way), samples_gflops = (await this.#samplesNs(pass, workgroups)).map(ns => flops / ns);
      return { gflops: median(samples_gflops), samples_gflops, form: way.form, chains: way.chains };
    } finally {
      for (const buffer of [out, work]) buffer.destroy();
    }
  }

  #set(work: GPUBuffer, { rounds, factor, addend }: typeof tried): void {
    this.device.queue.writeBuffer(work, 0, new Uint32Array([rounds]));
    this.device.queue.writeBuffer(work, 4, new Float32Array([factor, addend]));
  }

  // Workgroups first, so that the device is full, then rounds, which are left set.
  async #longDispatch(pass: Pass, work: GPUBuffer): Promise<{ workgroups: number; rounds: number }> {
    let rounds = 1, workgroups = workgroups_first;
    this.#set(work, { rounds, ...timed });
    while (await this.#timeNs(pass, workgroups) < dispatch_ns_min && rounds < rounds_max) {
      if (workgroups < workgroups_max) workgroups *= 2;
      else this.#set(work, { rounds: rounds *= 2, ...timed });
    }
    return { workgroups, rounds };
  }

  async #check(way: MultiplyAdds, pass: Pass, out: GPUBuffer): Promise<void> {
    await this.#timeNs(pass, 1);
    for (const [id, found] of new Float32Array(await this.#read(out, threads * 4)).entries()) {
      const expected = multiplyAddResult(way, id, tried);
      if (!(Math.abs(found - expected) <= tolerance[way.type] * expected)) throw new Error(`wrong result: thread ${id} found ${found} instead of ${expected}`);
    }
  }

  // Each side is as large as twice the last cache, and no smaller than where nobody knows its size: on a busy machine it may be told too small.
  async #copy(cache_bytes: number): Promise<Bandwidth> {
    const { maxStorageBufferBindingSize, maxBufferSize } = this.device.limits;
    const beyond = Math.max(...[0, cache_bytes].map(cache => rotationFor('cold', 0, cache)!.bytes));
    const bytes = Math.floor(Math.min(beyond, maxStorageBufferBindingSize, maxBufferSize) / vector_bytes) * vector_bytes;
    const sides = [this.#buffer(bytes), this.#buffer(bytes)], workgroups = Math.min(copy_workgroups_max, Math.ceil(bytes / vector_bytes / threads / vectors_per_thread));
    try {
      await this.#timeNs(await this.#pass(fill_code, sides), workgroups);
      const pass = await this.#pass(copy_code, sides);
      await this.#timeNs(pass, workgroups);
      const last = bytes - threads * vector_bytes;
      for (const [at, found] of new Uint32Array(await this.#read(sides[1]!, threads * vector_bytes, last)).entries())
        if (found !== filled(last / vector_bytes + (at >> 2), at % 4)) throw new Error(`wrong result: the copy differs ${bytes - last - 4 * at} bytes before its end`);
      const samples_gb_s = (await this.#samplesNs(pass, workgroups)).map(ns => 2 * bytes / ns);
      return { gb_s: median(samples_gb_s), samples_gb_s, bytes };
    } finally {
      for (const side of sides) side.destroy();
    }
  }

  // Of one dispatch, once the device has its working clock.
  async #samplesNs(pass: Pass, workgroups: number): Promise<number[]> {
    const time = (repeats: number): Promise<Attempt<number>> => this.#time(pass, workgroups, repeats);
    await untilSteady(async () => { const once = await time(1); return once.ok ? success(once.value / 1000) : once; }, () => performance.now());
    const ladder = new TimingLadder({ time }, this.clock, policy, valueOf(await time(1)), await this.#slopeNsMin()), samples: number[] = [];
    valueOf(await ladder.climb());
    while (samples.length < policy.samples) samples.push(valueOf(await ladder.sample()).us * 1000);
    return samples;
  }

  async #slopeNsMin(): Promise<number> {
    if (tellsKernelTime(this.clock)) return 0;
    valueOf(await this.scatter.look());
    return this.scatter.slope_ns_min;
  }

  #time({ pipeline, bindings }: Pass, workgroups: number, repeats: number): Promise<Attempt<number>> {
    return timePass(this.clock, pass => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindings);
      for (let i = 0; i < repeats; i++) pass.dispatchWorkgroups(workgroups);
    });
  }

  async #timeNs(pass: Pass, workgroups: number): Promise<number> {
    return valueOf(await this.#time(pass, workgroups, 1));
  }

  async #pass(code: string, buffers: readonly GPUBuffer[]): Promise<Pass> {
    const pipeline = await this.device.createComputePipelineAsync({ layout: 'auto', compute: { module: this.device.createShaderModule({ code }), entryPoint: 'main' } });
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    return { pipeline, bindings: this.device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }) };
  }

  #buffer(size: number): GPUBuffer {
    return this.device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
  }

  async #read(from: GPUBuffer, bytes: number, offset = 0): Promise<ArrayBuffer> {
    const mapped = this.device.createBuffer({ size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }), encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(from, offset, mapped, 0, bytes);
    this.device.queue.submit([encoder.finish()]);
    await this.wait.until(mapped.mapAsync(GPUMapMode.READ));
    const copy = mapped.getMappedRange().slice(0);
    mapped.destroy();
    return copy;
  }

  // The driver's refusals and what is thrown, as values.
  async #held<T>(measure: () => Promise<T>): Promise<T | Failed> {
    const done = await scoped(this.device, measure);
    return done.ok ? done.value : { failed: done.message };
  }
}

function valueOf<T>(attempt: Attempt<T>): T {
  if (!attempt.ok) throw new Error(attempt.message);
  return attempt.value;
}

// Takes the page's device for itself, some seconds on a GPU. Throws where there is none.
export async function measureLimits(): Promise<Limits> {
  const found = await openDevice({ subgroups: false });
  if (!found.ok) throw new Error(found.reason);
  const { device, fingerprint } = found, wait = new GpuWait(device.queue);
  try {
    await wait.detectPolling();
    const reference = await ReferenceKernel.make(device), { clock, over_wall } = await chooseClock(device, wait, reference, 'best');
    const scatter = new WaitScatter(() => reference.waitNs(clock)), meter = new LimitsMeter(device, clock, wait, scatter), { cache_bytes } = await memoryBehind(fingerprint, device, clock);
    return {
      fingerprint, software: runsOnProcessor(fingerprint), clock: { method: clock.method, quantum_ns: clock.quantum_ns, ...(over_wall !== undefined && { over_wall }) },
      f32: await meter.rateOf('f32'), ...(device.features.has('shader-f16') && { f16: await meter.rateOf('f16') }), copy: await meter.copy(cache_bytes),
    };
  } catch (error) {
    throw new Error(describe(error));
  } finally {
    wait.dispose();
    device.destroy();
  }
}
