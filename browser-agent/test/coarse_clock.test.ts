// The clock that users' browsers have: Dawn itself rounds its stamps to 65,536 ns, in Node.js on Chromium's software driver.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakeService } from './fake_service.ts';
import { NodeProcess } from './node_process.ts';
import { candidate, policy } from './samples.ts';
import { SquareProduct } from './square_product.ts';
import type { CandidateResult } from '../src/generated/protocol.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const task = 'ab'.repeat(16);
const product = new SquareProduct(8);   // far shorter than a step

async function measureWith(clock: string): Promise<CandidateResult[]> {
  const service = await FakeService.start(dist), agent = new NodeProcess(dist, `${service.pageOf('webgpu')}&clock=${clock}`);
  try {
    await service.hello();
    await service.openSession();
    const expected = service.expected(product.reference());
    await service.prepare({ kind: 'prepare_task', id: 1, task, buffers: product.buffers(), expected, tolerance: 1e-5 });
    // The race's best is so slow that this kernel has won, but so fast that a single reading of one step has lost.
    const candidates = [1, 2, 3, 4, 5, 6, 7, 8].map(trial => candidate(trial, { launches: [product.launch()], best_so_far_us: 20 }));
    return await service.measure({ kind: 'measure', batch: 1, fence: 1, task, policy, candidates });
  } finally {
    await agent.close();
    service.close();
  }
}

test('given stamps in steps of 65,536 ns, when a kernel of some µs is measured and races, then what decides is 50 steps long', { timeout: 120_000 }, async () => {
  for (const r of await measureWith('coarse')) {
    assert.equal(r.outcome, 'ok', r.message);
    assert.equal(r.method, 'timestamp');
    assert.equal(r.clock_resolution_ns, 65_536);
    assert.ok(r.latency_us_median * r.repeats > 0.8 * 50 * 65.536, `${r.repeats} executions of ${r.latency_us_median} µs`);
  }
});
