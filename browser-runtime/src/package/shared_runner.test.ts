import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import copy_rows from '../../../browser-agent/dist/copy_rows.wasm';
import { withMemory } from '../device/wasm/memory_import.ts';
import { bytesOf, type Upload } from '../plan/plan.ts';
import type { Outputs } from './device.ts';
import { InputMemory } from './input_memory.ts';
import { SharedRunner } from './shared_runner.ts';
import type { Answer, Request } from './worker_messages.ts';

// The tests run in browser-agent's folder.
const runtime = new WebAssembly.Module(readFileSync('dist/package_runtime.wasm'));
const port = { buffer: 3, bytes: 16 };

// A worker that answers when it is told to, and what it was asked.
class FakeWorker {
  readonly asked: { readonly inputs: readonly Upload[] }[] = [];
  readonly #answers: { resolve: (answer: Answer) => void; reject: (error: Error) => void }[] = [];

  ask(request: Request): Promise<Answer> {
    this.asked.push(request as { inputs: readonly Upload[] } & Request);
    return new Promise((resolve, reject) => this.#answers.push({ resolve, reject }));
  }
  answer(answer?: Answer): void {
    this.#answers.shift()!.resolve(answer ?? { ran: { outputs: new ArrayBuffer(0), inputs: this.asked.at(-1)!.inputs } });
  }
  fail(): void {
    this.#answers.shift()!.reject(new Error('a kernel trapped'));
  }
}

function setUp(): { worker: FakeWorker; runner: SharedRunner; memory: InputMemory; shared: SharedArrayBuffer; pack: (first: number) => Upload } {
  const worker = new FakeWorker(), shared = new SharedArrayBuffer(256);
  const runner = new SharedRunner(worker, { memory: shared, inputs: [[3, 64]], outputs: [{ at: 128, bytes: 8 }] }, () => {}), memory = new InputMemory(runner.places);
  const pack = (first: number): Upload => {
    const bytes = memory.take(port);
    bytes[0] = first;
    return { buffer: 3, bytes };
  };
  return { worker, runner, memory, shared, pack };
}

const settled = (): Promise<void> => new Promise(done => setImmediate(done));
const first = (outputs: Outputs): number => (outputs as readonly Uint8Array[])[0]![0]!;

test('given no run under way, when inputs are packed, then they lie where the kernels read them, and none goes as a message', async () => {
  const { worker, runner, shared, pack } = setUp(), ran = runner.run([pack(7)]);
  await settled();
  assert.equal(new Uint8Array(shared)[64], 7);
  assert.deepEqual(worker.asked.map(({ inputs }) => inputs), [[]]);
  new Uint8Array(shared)[128] = 9;
  worker.answer();
  assert.equal(first((await ran).outputs), 9);
});

test('given a run under way, when the next one is packed, then its inputs are in memory of their own, and it begins once the outputs of the first are read', async () => {
  const { worker, runner, shared, pack } = setUp(), ran = runner.run([pack(1)]), second = pack(2), next = runner.run([second]);
  assert.notEqual(bytesOf(second).buffer as ArrayBufferLike, shared);
  assert.equal(new Uint8Array(shared)[64], 1);
  await settled();
  worker.answer();
  const { release } = await ran;
  await settled();
  assert.equal(worker.asked.length, 1);
  release!();
  await settled();
  assert.deepEqual(worker.asked[1]!.inputs, [second]);
  worker.answer();
  (await next).release!();
  assert.equal(pack(3).bytes instanceof Uint8Array && bytesOf(pack(3)).buffer as ArrayBufferLike, shared);
});

test('given a run that fails, when another one waits, then it has its turn', async () => {
  const { worker, runner, pack } = setUp(), failed = runner.run([pack(1)]), next = runner.run([pack(2)]);
  await settled();
  worker.fail();
  await assert.rejects(failed, /trapped/);
  await settled();
  assert.equal(worker.asked.length, 2);
  worker.answer();
  await next;
});

test('given a plan that the worker finds short, when run, then it runs here on inputs wherever they are, and the worker is not asked', async () => {
  const { worker, runner, shared, pack } = setUp(), memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536, shared: true });
  const settled = runner.settle([]);
  worker.answer({ page: { memory, runtime, modules: [], launches: [] } });
  await settled;
  const ran = runner.run([pack(4)]), next = runner.run([pack(5)]);
  const { release, inputs } = await ran;
  assert.deepEqual([new Uint8Array(shared)[64], inputs], [4, []]);
  release!();
  const second = await next;
  assert.equal(new Uint8Array(shared)[64], 5);
  assert.equal(second.inputs.length, 1);
  assert.equal(worker.asked.length, 1);   // to settle
  runner.dispose();
});

test('given a page with a stricter policy, which takes no code, when settled, then the worker runs it', async () => {
  const { worker, runner, pack } = setUp(), memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536, shared: true });
  const settling = runner.settle([]), no_kernel = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  worker.answer({ page: { memory, runtime, modules: [no_kernel], launches: [] } });
  await settling;
  const ran = runner.run([pack(1)]);
  await settled();
  worker.answer();
  (await ran).release!();
  assert.equal(worker.asked.length, 2);
});

test('given short runs of which one waits for the page, when the model is disposed, then the run fails with that', async () => {
  const { worker, runner, pack } = setUp(), memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536, shared: true });
  const settling = runner.settle([]), copying = new WebAssembly.Module(withMemory(copy_rows.slice(), true));
  new Int32Array(memory.buffer).set([1024, 2048, 20, 1, 1, 1, 1, 1]);
  worker.answer({ page: { memory, runtime, modules: [copying], launches: Array.from({ length: 1000 }, () => ({ module: 0, args: 0, extent: 2 })) } });
  await settling;
  for (const until = performance.now() + 50; performance.now() < until;) (await runner.run([pack(1)])).release!();
  const last = Array.from({ length: 200 }, async () => { (await runner.run([pack(1)])).release!(); });
  runner.dispose();
  await assert.rejects(Promise.all(last), /the model was disposed/);
});
