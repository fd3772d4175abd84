import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureLaunchUs } from './runner_launch_cost.ts';
import type { Runner } from './runner.ts';

const refused = { ok: false, outcome: 'compile_error', message: 'the driver refuses the kernel' };
const smallest = { code: (addend: number) => `add ${addend}`, bytes: 16 };

// A runner of which one request is refused; `held` counts what was made and not given back, `calls` what was bound.
function scripted(refusal = ''): { runner: Runner; held: () => number; calls: () => unknown[]; runs: () => number[] } {
  let held = 0, ids = 0, calls: unknown[] = [];
  const runs: number[] = [];
  const made = (what: string, value: unknown) => async () => (what === refusal ? refused : (held++, { ok: true, value }));
  const give = () => { held--; };
  const runner = {
    make: () => made('make', ++ids)(), build: () => made('build', { kernel: ++ids })(), free: give, drop: give, unbind: give,
    bind: (all: unknown[]) => { calls = all; return made('bind', 9)(); },
    run: async (_program: number, repeats: number) => { runs.push(repeats); return refusal === 'run' ? refused : { ok: true, value: 1 }; },
  };
  return { runner: runner as unknown as Runner, held: () => held, calls: () => calls, runs: () => runs };
}

test('given a runner, when a launch is measured, then two launches that read each other\'s buffer run, and nothing of them stays', async () => {
  const { runner, held, calls, runs } = scripted();
  await measureLaunchUs(runner, smallest);
  assert.deepEqual(calls().map(call => (call as { buffers: number[] }).buffers), [[1, 3], [3, 1]]);
  assert.ok(runs().includes(32) && runs().includes(160), String(runs()));   // of two launches each
  assert.equal(held(), 0);
});

test('given a runner that refuses at any point, when a launch is measured, then there is no cost, and nothing stays', async () => {
  for (const what of ['make', 'build', 'bind', 'run']) {
    const { runner, held } = scripted(what);
    assert.equal(await measureLaunchUs(runner, smallest), undefined, what);
    assert.equal(held(), 0, what);
  }
});
