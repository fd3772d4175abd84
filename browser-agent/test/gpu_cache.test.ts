// The reads by which a GPU's cache is told, on Dawn in Node.js. Its device is one of software, of which they tell nothing sure: that they are legal, end
// in time, and give their memory back is what shows here.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { GpuWait } from '../../browser-runtime/src/device/webgpu/wait.ts';
import { gpuMemory } from '../src/device/webgpu/cache_ladder.ts';
import { TimestampClock } from '../src/device/webgpu/clock.ts';
import { openDawn } from '../src/node/dawn.ts';
import { swiftshader } from './node_process.ts';

// Dawn keeps its process alive as long as anything holds its GPU object.
after(() => { setImmediate(() => process.exit()); });

test('given a device with timestamps, when working sets are read, then no read is illegal, and the answer is a size or nothing', { timeout: 60_000 }, async () => {
  if (!('navigator' in globalThis)) Object.defineProperty(globalThis, 'navigator', { value: {} });
  process.env['VK_ICD_FILENAMES'] = swiftshader;
  const opened = await openDawn({ coarse: false });
  assert.ok(opened.ok, JSON.stringify(opened));
  const adapter = await navigator.gpu?.requestAdapter();
  assert.ok(adapter);
  const device = await adapter.requestDevice({ requiredFeatures: ['timestamp-query'] }), uncaptured: string[] = [];
  device.addEventListener('uncapturederror', event => uncaptured.push(event.error.message));
  const clock = new TimestampClock(device, new GpuWait(device.queue));
  const { cache_bytes: bytes, gb_s } = await gpuMemory(device, clock);
  await device.queue.onSubmittedWorkDone();
  assert.deepEqual(uncaptured, []);
  assert.ok(bytes === 0 || (bytes >= 1 << 20 && Number.isInteger(Math.log2(bytes))), `${bytes}`);
  assert.equal(gb_s > 0, bytes > 0);
  clock.dispose();
  device.destroy();
});
