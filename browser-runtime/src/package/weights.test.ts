// The weights of a package as they come out of its chunks, over a fetch that reads from memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Asset, Manifest, PlanFile } from '../generated/manifest.ts';
import { createHash } from 'node:crypto';
import { bytesOf } from '../plan/plan.ts';
import { FetchedAhead } from './fetched_ahead.ts';
import { streamWeights } from './weights.ts';

// Weights of so many floats, each holding its own number, in chunks of so many bytes.
function packageOf(sizes: readonly number[], chunk_bytes: number): { manifest: Manifest; contents: Map<string, Buffer> } {
  let offset = 0;
  const weights = sizes.map(size => {
    const weight = { dtype: 'f32', shape: [size], offset, bytes: size * 4 };
    offset += Math.ceil(size / 4) * 16;
    return weight;
  });
  const all = Buffer.alloc(offset), contents = new Map<string, Buffer>(), chunks: Asset[] = [];
  for (const [i, weight] of weights.entries()) Buffer.from(new Float32Array(weight.shape[0]!).fill(i + 1).buffer).copy(all, weight.offset);
  for (let at = 0; at < all.length; at += chunk_bytes) {
    const content = all.subarray(at, at + chunk_bytes), file = `chunk${chunks.length}`;
    contents.set(file, content);
    chunks.push({ file, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') });
  }
  return { manifest: { format: '', version: 1, made_by: '', model: '', inputs: [], outputs: [], plans: [], weights, chunks }, contents };
}

function planOf(used: readonly number[], { weights }: Manifest): PlanFile {
  const held = used.map((weight, buffer) => ({ weight, buffer, dtype: 'f32', dims: [], bytes: weights[weight]!.bytes }));
  return { buffers: [], textures: [], kernels: [], launches: [], weights: held, inputs: [], outputs: [] };
}

// What was fetched and written, in order.
async function stream(used: readonly number[], { manifest, contents }: ReturnType<typeof packageOf>, aheadOf: (manifest: Manifest) => Map<string, Asset> = () => new Map()): Promise<string[]> {
  const log: string[] = [], fetchBefore = globalThis.fetch;
  globalThis.fetch = async input => {
    const file = new URL(String(input)).pathname.slice(1);
    log.push(file);
    return new Response(new ReadableStream({ pull: controller => {
      log.push(`read ${file}`);
      controller.enqueue(new Uint8Array(contents.get(file)!));
      controller.close();
    } }, { highWaterMark: 0 }));
  };
  try {
    const source = { folder: new URL('http://package/'), signal: undefined };
    const ahead = new Map([...aheadOf(manifest)].map(([name, asset]) => [name, new FetchedAhead(source, asset)]));
    await streamWeights({ ...source, ahead }, manifest, planOf(used, manifest), {
      write: async upload => {
        await new Promise(setImmediate);   // who comes behind comes first
        const floats = [...new Float32Array(bytesOf(upload).slice().buffer)];
        assert.ok(floats.every(value => value === used[upload.buffer]! + 1), `buffer ${upload.buffer}: ${floats}`);
        assert.equal(floats.length, manifest.weights[used[upload.buffer]!]!.shape[0]);
        log.push(`buffer ${upload.buffer}`);
      },
      breathe: async () => {},
      onBytes: () => {},
    });
  } finally {
    globalThis.fetch = fetchBefore;
  }
  return log;
}

// The log without what is fetched, and how many chunks had been asked for when each buffer was written.
function written(log: readonly string[]): { buffers: string[]; asked: number[] } {
  const at = log.flatMap((entry, i) => (entry.startsWith('buffer') ? [i] : []));
  return { buffers: at.map(i => log[i]!), asked: at.map(i => log.slice(0, i).filter(entry => entry.startsWith('chunk')).length) };
}

test('given weights in several chunks, when streamed, then each is handed on with its chunk, while no more than the next one comes in', async () => {
  const log = await stream([0, 1, 2, 3], packageOf([4, 3, 10, 1], 40)), { buffers, asked } = written(log);
  assert.deepEqual(buffers, ['buffer 0', 'buffer 1', 'buffer 2', 'buffer 3']);
  const own = [1, 1, 2, 3];
  assert.ok(asked.every((count, i) => count >= own[i]! && count <= own[i]! + 1), `${asked}`);
});

test('given weights in several chunks, when streamed, then a chunk is asked for while the one before is written, and read behind it', async () => {
  const log = await stream([0, 1, 2], packageOf([4, 4, 4], 16));
  assert.deepEqual(log, ['chunk0', 'read chunk0', 'chunk1', 'buffer 0', 'read chunk1', 'chunk2', 'buffer 1', 'read chunk2', 'buffer 2']);
});

test('given a plan that uses some of the weights, one of them twice, when streamed, then only their chunks are fetched', async () => {
  const log = await stream([3, 0, 3], packageOf([4, 64, 64, 4], 64));
  assert.deepEqual(log.filter(entry => entry.startsWith('chunk')), ['chunk0', 'chunk8']);
  assert.deepEqual(written(log).buffers, ['buffer 1', 'buffer 0', 'buffer 2']);
});

test('given a weight that ends with its chunk, when streamed, then the next one begins with the next', async () => {
  assert.deepEqual(written(await stream([0, 1], packageOf([4, 4], 16))).buffers, ['buffer 0', 'buffer 1']);
});

test('given a chunk that was fetched ahead, when streamed, then it is not fetched again', async () => {
  const made = packageOf([4, 4], 16);
  const log = await stream([0, 1], made, manifest => new Map([['chunk0', manifest.chunks[0]!]]));
  assert.equal(log.filter(entry => entry === 'chunk0').length, 1);
  assert.deepEqual(written(log).buffers, ['buffer 0', 'buffer 1']);
});
