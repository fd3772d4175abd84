// The reads by which a device's cache is told, in the runners that HONE_OPENCL_RUNNER and HONE_OPENGL_RUNNER name. Their devices are of software, of which
// they tell nothing sure: that they are legal, end, and give their memory back is what shows here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setEnvironmentData } from 'node:worker_threads';
import { textureBytes } from '../../browser-runtime/src/device/texture_bytes.ts';
import { failure, type Attempt } from '../src/core/outcome.ts';
import type { GpuMemory } from '../src/core/cache_size.ts';
import { clMemory } from '../src/device/opencl/cache_ladder.ts';
import { openGlMemory } from '../src/device/opengl/cache_ladder.ts';
import { Runner } from '../src/device/runner/runner.ts';
import { textureReads, walkTo } from '../src/device/texture_reads.ts';
import type { Texture } from '../src/generated/protocol.ts';
import { runner_path_key, startRunner } from '../src/node/runner_process.ts';

const bytes_max = 16 << 20, side_max = 1024;   // of 16 bytes each

const makers = { make: 'free', build: 'drop', bind: 'unbind' } as const;

// The answer, what was refused, how often something ran, and what was not given back.
async function told(path: string, memory: (runner: Runner) => Promise<GpuMemory>) {
  setEnvironmentData(runner_path_key, path);
  const runner = new Runner(startRunner, 0), refused: string[] = [], held = new Set<string>();
  let reads = 0;
  const watched = new Proxy(runner, { get: (_, name: keyof Runner) => async (...given: unknown[]) => {
    const answer = await (runner[name] as (...all: unknown[]) => Promise<{ ok: boolean; message: string; value: unknown } | undefined>).apply(runner, given);
    const back = Object.values(makers).find(one => one === name), maker = makers[name as keyof typeof makers];
    if (answer?.ok === false) refused.push(`${name}: ${answer.message}`);
    else if (maker !== undefined) held.add(`${maker} ${idOf(answer?.value)}`);
    if (back !== undefined) held.delete(`${back} ${String(given[0])}`);
    if (name === 'run') reads++;
    return answer;
  } });
  const { cache_bytes: bytes, gb_s } = await memory(watched);
  runner.dispose();
  await runner.lost;
  return { bytes, gb_s, refused, reads, held: [...held] };
}

const idOf = (value: unknown): number => (typeof value === 'object' ? (value as { kernel: number }).kernel : Number(value));

// Its third buffer does not fit.
function refusing(runner: Runner): Runner {
  let made = 0;
  return new Proxy(runner, { get: (_, name: keyof Runner) => (name === 'make' && ++made === 3 ? async () => failure('out_of_memory', 'no more') : runner[name]) });
}

const kinds = [
  { target: 'OpenCL', path: process.env['HONE_OPENCL_RUNNER'] ?? '', memory: (runner: Runner) => clMemory(runner, bytes_max, 1000) },
  { target: 'OpenGL', path: process.env['HONE_OPENGL_RUNNER'] ?? '', memory: (runner: Runner) => openGlMemory(runner, side_max, 1000) },
];

for (const { target, path, memory } of kinds) {
  test(`given a device of ${target}, when working sets are read, then no read is refused, the answer is a size or nothing, and all is given back`, { timeout: 60_000, skip: path === '' && 'no runner is named' }, async () => {
    const { bytes, gb_s, refused, reads, held } = await told(path, memory);
    assert.deepEqual(refused, []);
    assert.ok(reads >= 2, `${reads} reads`);
    assert.ok(bytes === 0 || (bytes >= 1 << 20 && bytes <= bytes_max && Number.isInteger(Math.log2(bytes))), `${bytes}`);
    assert.equal(gb_s > 0, bytes > 0, `${gb_s} GB/s`);
    assert.deepEqual(held, []);
  });

  test(`given a device of ${target}, when there is no such memory as is to be read, then nothing is told, and all is given back`, { timeout: 60_000, skip: path === '' && 'no runner is named' }, async () => {
    const { bytes, refused, held } = await told(path, runner => memory(refusing(runner)));
    assert.equal(bytes, 0);
    assert.deepEqual([refused, held], [[], []]);
  });
}

test('given a texture that was filled, when two parts of it are read in three rounds, then each fragment has the sum of what lies there', { skip: kinds[1]!.path === '' && 'no runner is named' }, async () => {
  setEnvironmentData(runner_path_key, kinds[1]!.path);
  const runner = new Runner(startRunner, 0), { data, walk, target, fill, read } = textureReads(512);
  const make = async (texture: Texture): Promise<number> => valueOf(await runner.make(textureBytes(texture), 0, texture));
  const draw = async (code: string, { width, height }: Texture, buffers: number[], writes: boolean[]): Promise<void> => {
    const { kernel } = valueOf(await runner.build(new TextEncoder().encode(code))), program = valueOf(await runner.bind([{ kernel, buffers, writes, grid: [width, height, 1] }]));
    valueOf(await runner.run(program, 1));
  };
  const floats = async (buffer: number, texture: Texture): Promise<Float32Array> => new Float32Array(valueOf(await runner.read(buffer, textureBytes(texture))).slice().buffer);
  const [from, by, to] = [await make(data), await make(walk), await make(target)];
  valueOf(await runner.write(by, new Uint8Array(walkTo(2 << 20, 3).buffer)));
  await draw(fill, data, [from], [true]);
  await draw(read, target, [from, by, to], [false, false, true]);
  const content = await floats(from, data), sums = await floats(to, target), { width, height } = target;
  assert.ok(new Set(content).size > content.length / 4);   // noise
  for (const [x, y] of [[0, 0], [300, 7], [511, 127]] as const) {
    const at = (column: number, row: number): number => content[4 * (row * width + column % width)]!;
    const expected = at(x, y) + at(x, y + height) + at(x + 39 * 8, y);
    assert.ok(Math.abs(sums[4 * (y * width + x)]! - expected) < 1e-5, `${x}, ${y}: ${sums[4 * (y * width + x)]}, not ${expected}`);
  }
  runner.dispose();
});

function valueOf<T>(attempt: Attempt<T>): T {
  assert.ok(attempt.ok, JSON.stringify(attempt));
  return attempt.value;
}
