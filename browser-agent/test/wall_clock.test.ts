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

// The middle one of three alike, of those that were stable: other work on the machine adds to a time, but a slope, which is a difference of two, it makes shorter as well.
async function measureWith(clock: string, target: string, launch: Launch): Promise<CandidateResult | undefined> {
  const service = await FakeService.start(dist);
  try {
    await chromium.open(`${service.pageOf(target)}&clock=${clock}`);
    await service.hello();
    await service.openSession();
    const expected = service.expected(product.reference());
    await service.prepare({ kind: 'prepare_task', id: 1, task, buffers: product.buffers(), expected, tolerance: 1e-5 });
    const candidates = [1, 2, 3].map(trial => candidate(trial, { launches: [launch] }));
    const results = await service.measure({ kind: 'measure', batch: 1, fence: 1, task, policy: { ...policy, samples: 5 }, candidates });
    const right = results.filter(r => r.outcome === 'ok').sort((a, b) => a.latency_us_median - b.latency_us_median);
    assert.ok(results.every(r => r.outcome === 'ok' || r.outcome === 'unstable'), results.map(r => r.message).join('\n'));
    return right[Math.floor(right.length / 2)];
  } finally {
    service.close();
    await chromium.closePage();
  }
}

const roundsMax = 5;

// In a round one directly after the other: for minutes on end all may take twice as long.
async function assertClocksAgree(target: string, launch: Launch): Promise<void> {
  const seen: string[] = [];
  for (let round = 0; round < roundsMax; ++round) {
    const stamps = await measureWith('best', target, launch), slope = await measureWith('wall', target, launch);
    if (!stamps || !slope) {
      seen.push('too busy to time anything');
      continue;
    }
    if (stamps.method !== 'timestamp') {
      seen.push('the GPU\'s clock was not believed, which is tried against the wall clock when a device connects');   // other work may disturb that
      continue;
    }
    assert.equal(slope.method, 'slope');
    assert.ok(slope.clock_resolution_ns >= 1000, `${slope.clock_resolution_ns}`);
    const ratio = slope.latency_us_median / stamps.latency_us_median;
    if (ratio > 1 / 3 && ratio < 3) return;
    seen.push(`slope ${slope.latency_us_median} µs, timestamps ${stamps.latency_us_median} µs`);
  }
  assert.fail(seen.join('; '));
}

test('given one device, when a kernel is timed by timestamps and by the slope of wall times, then both give about the same', async () => {
  await assertClocksAgree('webgpu', product.launch());
});

test('given WebGL, when a kernel is timed by timer queries and by the slope of wall times, then both give about the same', async () => {
  await assertClocksAgree('webgl', gl_product.glLaunch());
});
