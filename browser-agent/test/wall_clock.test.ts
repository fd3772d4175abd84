// The other rung of the timing ladder: no timestamps, wall time and slope.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.ts';
import { FakeService } from './fake_service.ts';
import { candidate, policy } from './samples.ts';
import { SquareProduct } from './square_product.ts';
import { GlProduct } from './gl_product.ts';
import type { CandidateResult, Launch } from '../src/generated/protocol.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const task = 'ab'.repeat(16);
const product = new SquareProduct(64);
const gl_product = new GlProduct(64);

let chromium: Chromium;
before(async () => { chromium = await Chromium.launch(); }, { timeout: 60_000 });
after(async () => { await chromium.close(); });

async function measureWith(clock: string, target: string, launch: Launch): Promise<CandidateResult> {
  const service = await FakeService.start(dist);
  try {
    await chromium.open(`${service.pageOf(target)}&clock=${clock}`);
    await service.hello();
    await service.openSession();
    const expected = { outputs: [service.addBlob(Buffer.from(product.reference().buffer))] };
    await service.prepare({ kind: 'prepare_task', id: 1, task, buffers: product.buffers(), expected, tolerance: 1e-5 });
    const candidates = [1, 2, 3].map(trial => candidate(trial, { launches: [launch] }));
    const results = await service.measure({ kind: 'measure', batch: 1, fence: 1, task, policy: { ...policy, samples: 5 }, candidates });
    const [fastest] = results.filter(r => r.outcome === 'ok').sort((a, b) => a.latency_us_median - b.latency_us_median);
    assert.ok(fastest, results.map(r => r.message).join('\n'));
    return fastest;
  } finally {
    service.close();
    await chromium.closePage();
  }
}

const roundsMax = 3;

// In turns, the least of each: what else the machine does only adds to a time, and for seconds on end.
async function assertClocksAgree(target: string, launch: Launch): Promise<void> {
  let stamps_us = Infinity, slope_us = Infinity;
  const agree = () => slope_us > stamps_us / 3 && slope_us < 3 * stamps_us;
  for (let round = 0; round < roundsMax && !agree(); ++round) {
    const stamps = await measureWith('best', target, launch), slope = await measureWith('wall', target, launch);
    assert.equal(stamps.method, 'timestamp');
    assert.equal(slope.method, 'slope');
    assert.ok(slope.clock_resolution_ns >= 1000, `${slope.clock_resolution_ns}`);
    stamps_us = Math.min(stamps_us, stamps.latency_us_median);
    slope_us = Math.min(slope_us, slope.latency_us_median);
  }
  assert.ok(agree(), `slope ${slope_us} µs, timestamps ${stamps_us} µs`);
}

test('given one device, when a kernel is timed by timestamps and by the slope of wall times, then both give about the same', async () => {
  await assertClocksAgree('webgpu', product.launch());
});

test('given WebGL, when a kernel is timed by timer queries and by the slope of wall times, then both give about the same', async () => {
  await assertClocksAgree('webgl', gl_product.glLaunch());
});
