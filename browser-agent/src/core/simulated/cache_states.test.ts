// Which state of the caches is timed, where the truth is known.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint, launch } from '../../../test/samples.ts';
import { JobLoop } from '../job_loop.ts';
import type { Result } from '../result.ts';
import type { Binding, Buffer, MeasurePolicy } from '../../generated/protocol.ts';
import { SimulatedBackend } from './simulated_backend.ts';
import { SimulatedCache } from './simulated_cache.ts';
import { SimulatedGpu, steady, type Traits } from './simulated_gpu.ts';
import { policy } from './timing_trials.ts';

const mib = 1 << 20;
const memory = { cache_bytes: 4 * mib, ns_per_byte: 0.1 };
const buffer = (role: Buffer['role'], bytes: number): Buffer => ({ name: role, role, dtype: 'f32', shape: [bytes / 4], dims: [], pad: 'any', bytes, seed: 0n, low: -1, high: 1 });
const binding = (position: number): Binding => ({ kind: 'arg', position, writes: position === 2, bytes: 16 });

// The result of a kernel of 200 µs that reads an input and weights and writes an output.
async function measured(how: Partial<MeasurePolicy>, { weights = mib, activations = mib / 2, traits = {} as Partial<Traits> } = {}): Promise<Result> {
  const backend = await SimulatedBackend.connect(new SimulatedGpu({ ...steady, memory, ...traits }, 1), fingerprint, 'timestamp');
  backend.kernels_ns.set(1, 200_000);
  backend.buffers = [buffer('input', activations), buffer('constant', weights), buffer('output', activations)];
  const results: Result[] = [], loop = new JobLoop(backend, backend.scheduler, { onPhase: () => {}, onResult: (_, result) => results.push(result), onTiming: () => {}, isHidden: () => false });
  const candidate = { trial: 1, attempt: 0, best_so_far_us: 0, predicted_us: 0, temps: [], launches: [{ ...launch, bindings: [0, 1, 2].map(binding) }], layouts: [] };
  await loop.run([{ batch: 1, fence: 1, task: 't', policy: { ...policy, ...how }, modules: [], candidate }], () => backend.task);
  assert.equal(results[0]?.outcome, 'ok', results[0]?.message);
  return results[0]!;
}

const near = (value: number | undefined, wanted: number) => assert.ok(Math.abs((value ?? 0) / wanted - 1) < 0.03, `${value}, not ${wanted}`);
const miss_us = (bytes: number) => bytes * memory.ns_per_byte / 1000;

test('given buffers that fit the cache, when timed hot, cold and as in a model, then memory is paid for nothing, for all of them, and for the weights', async () => {
  near((await measured({})).latency_us_median, 200);
  const cold = await measured({ cache: 'cold' }), model = await measured({ cache: 'model', model_bytes: 64 * mib });
  near(cold.latency_us_median, 200 + miss_us(2 * mib));
  near(model.latency_us_median, 200 + miss_us(mib));
  assert.deepEqual([cold.cache, model.cache], ['cold', 'model']);
});

test('given a model that fits the cache as a whole, when timed as in a run of it, then its weights are found there', async () => {
  near((await measured({ cache: 'model', model_bytes: 2 * mib })).latency_us_median, 200);
});

test('given buffers larger than the cache, when timed hot and cold, then both pay for all of them', async () => {
  const large = { weights: 16 * mib, activations: 8 * mib };
  for (const cache of ['hot', 'cold'] as const) near((await measured({ cache }, large)).latency_us_median, 200 + miss_us(32 * mib));
});

test('given finalists whose times in both states are wanted, when timed hot or as in a model, then the cold or the hot median stands beside', async () => {
  const hot = await measured({ both_caches: true }), model = await measured({ cache: 'model', model_bytes: 64 * mib, both_caches: true });
  near(hot.latency_us_median, 200);
  near(hot.other_us, 200 + miss_us(2 * mib));
  near(model.latency_us_median, 200 + miss_us(mib));
  near(model.other_us, 200);
  assert.equal((await measured({})).other_us, undefined);
});

test('given caches of several sizes or none, when devices connect, then their fingerprints tell them', async () => {
  const found = async (cache_bytes: number) => (await SimulatedBackend.connect(new SimulatedGpu({ ...steady, memory: { ...memory, cache_bytes } }, 1), fingerprint, 'timestamp')).fingerprint.last_level_cache_bytes;
  assert.deepEqual(await Promise.all([2, 32, 64].map(size => found(size * mib))), [2 * mib, 32 * mib, 64 * mib]);
  assert.equal(await found(0), undefined);
});

test('given a cache, when buffers are touched, then what was touched longest ago comes from memory again', () => {
  const cache = new SimulatedCache(100);
  assert.deepEqual([cache.touch('a', 60), cache.touch('b', 40), cache.touch('a', 60), cache.touch('c', 30), cache.touch('a', 60), cache.touch('b', 40), cache.touch('d', 500)], [60, 40, 0, 30, 0, 40, 500]);
});
