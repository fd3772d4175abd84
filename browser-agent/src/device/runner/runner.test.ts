import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame, FrameReader, type Frame } from './frames.ts';
import { bindPrograms } from './programs.ts';
import { Runner, type StartRunner } from './runner.ts';

// A runner's process that answers as told: undefined ends it.
function scripted(answer: (request: Frame) => { header: Record<string, unknown>; payload?: Uint8Array } | undefined): { start: StartRunner; requests: string[]; ended: () => boolean } {
  const requests: string[] = [];
  let ended = false;
  const start: StartRunner = (_, onBytes, onExit) => {
    const reader = new FrameReader();
    return {
      write: bytes => {
        for (const request of reader.take(bytes)) {
          requests.push(String(request.header['do']));
          const reply = answer(request);
          queueMicrotask(() => {
            if (reply === undefined) onExit('the runner ended (SIGSEGV)');
            else onBytes(encodeFrame(reply.header, reply.payload ?? new Uint8Array(0)));
          });
        }
      },
      end: () => { ended = true; },
    };
  };
  return { start, requests, ended: () => ended };
}

test('given several calls at once, when the runner answers, then one request is under way at a time and each call gets its own answer', async () => {
  let under_way = 0;
  const { start, requests } = scripted(({ header }) => {
    under_way++;
    queueMicrotask(() => { under_way--; });
    assert.equal(under_way, 1);
    return header['do'] === 'make' ? { header: { ok: true, buffer: Number(header['bytes']) + 1 } } : { header: { ok: true }, payload: Uint8Array.of(7, 8) };
  });
  const runner = new Runner(start, 0);
  const [made, content, made_too] = await Promise.all([runner.make(16, 0), runner.read(1, 2), runner.make(32, 0)]);
  assert.deepEqual(made, { ok: true, value: 17 });
  assert.deepEqual(content.ok && [...content.value], [7, 8]);
  assert.deepEqual(made_too, { ok: true, value: 33 });
  assert.deepEqual(requests, ['make', 'read', 'make']);
});

test('given a refusal, when a call gets it, then it fails with the runner\'s outcome and sentence', async () => {
  const { start } = scripted(() => ({ header: { ok: false, outcome: 'validation_error', message: 'the kernel is refused' } }));
  assert.deepEqual(await new Runner(start, 0).build(new Uint8Array(0)), { ok: false, outcome: 'validation_error', message: 'the kernel is refused' });
});

test('given a process that dies, when calls wait and others follow, then all fail as a lost device, and the reason is told', async () => {
  const { start } = scripted(({ header }) => (header['do'] === 'run' ? undefined : { header: { ok: true, ns: 1 } }));
  const runner = new Runner(start, 0);
  const results = await Promise.all([runner.run(1, 1), runner.settle(1)]);
  results.push(await runner.reference(1));
  for (const result of results) assert.deepEqual(result, { ok: false, outcome: 'device_lost', message: 'the runner ended (SIGSEGV)' });
  assert.equal(await runner.lost, 'the runner ended (SIGSEGV)');
});

test('given a launch that is ahead, when launches are bound, then there is a program without it; without one there is one program for both', async () => {
  const bound: unknown[] = [];
  const { start } = scripted(({ header }) => {
    bound.push((header['calls'] as { kernel: number }[]).map(({ kernel }) => kernel));
    return { header: { ok: true, program: bound.length } };
  });
  const runner = new Runner(start, 0);
  assert.deepEqual(await bindPrograms(runner, [{ kernel: 7, buffers: [], ahead: true }, { kernel: 8, buffers: [] }]), { ok: true, value: { all: 1, repeated: 2 } });
  assert.deepEqual(await bindPrograms(runner, [{ kernel: 9, buffers: [] }]), { ok: true, value: { all: 3, repeated: 3 } });
  assert.deepEqual(bound, [[7, 8], [8], [9]]);
});
