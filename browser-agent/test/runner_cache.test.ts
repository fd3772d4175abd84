// The reads by which a device's cache is told, in the runners that HONE_OPENCL_RUNNER names. Its device is one of software, of which they tell
// nothing sure: that they are legal, end, and give their memory back is what shows here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setEnvironmentData } from 'node:worker_threads';
import { clCacheBytes } from '../src/device/opencl/cache_ladder.ts';
import { Runner } from '../src/device/runner/runner.ts';
import { runner_path_key, startRunner } from '../src/node/runner_process.ts';

const opencl = process.env['HONE_OPENCL_RUNNER'] ?? '';
const bytes_max = 16 << 20;

// The answer, and how many requests were refused.
async function told(path: string, cacheBytes: (runner: Runner) => Promise<number>): Promise<{ bytes: number; refused: string[]; held: number }> {
  setEnvironmentData(runner_path_key, path);
  const runner = new Runner(startRunner, 0), refused: string[] = [], held = new Set<number>();
  const watched = new Proxy(runner, { get: (_, name: keyof Runner) => name === 'lost' ? runner.lost : async (...given: unknown[]) => {
    const answer = await (runner[name] as (...all: unknown[]) => Promise<{ ok: boolean; message?: string; value?: unknown } | undefined>).apply(runner, given);
    if (answer?.ok === false) refused.push(`${name}: ${answer.message}`);
    if (name === 'make') held.add(Number(answer?.value));
    if (name === 'free') held.delete(Number(given[0]));
    return answer;
  } });
  const bytes = await cacheBytes(watched);
  runner.dispose();
  await runner.lost;
  return { bytes, refused, held: held.size };
}

test('given a device of OpenCL, when working sets are read, then no read is refused, the answer is a size or nothing, and all memory is given back', { timeout: 60_000, skip: opencl === '' && 'HONE_OPENCL_RUNNER names no runner' }, async () => {
  const { bytes, refused, held } = await told(opencl, runner => clCacheBytes(runner, bytes_max, 1000));
  assert.deepEqual(refused, []);
  assert.ok(bytes === 0 || (bytes >= 1 << 20 && bytes <= bytes_max && Number.isInteger(Math.log2(bytes))), `${bytes}`);
  assert.equal(held, 0);
});
