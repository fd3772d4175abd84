import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policy } from '../../test/samples.ts';
import { success } from './outcome.ts';
import { repeats_max, TimingLadder } from './timing_ladder.ts';

const stamps = { method: 'timestamp', quantum_ns: 1 }, slope = { method: 'slope', quantum_ns: 5000 };

// A kernel of `each_ns` whose run costs `overhead_ns` besides; the first run is `cold` times slower.
function kernel(each_ns: number, overhead_ns = 0, cold = 1): { time(n: number): Promise<ReturnType<typeof success<number>>>; runs: number[] } {
  const runs: number[] = [];
  return { runs, time: async n => success((runs.push(n) === 1 ? cold : 1) * n * each_ns + overhead_ns) };
}

test('given a kernel of 10 µs and timestamps, when climbed, then a sample lasts 3 ms at least and is one kernel\'s time', async () => {
  const k = kernel(10_000), ladder = new TimingLadder(k, stamps, policy, 10_000);
  assert.ok((await ladder.climb()).ok);
  assert.ok(ladder.repeats >= 300);
  assert.deepEqual(await ladder.sample(), success({ us: 10, repeats: ladder.repeats }));
});

test('given a cold first look 50 times too slow, when climbed, then the repeats still grow to a whole sample', async () => {
  const k = kernel(10_000), ladder = new TimingLadder(k, stamps, policy, 500_000);
  await ladder.climb();
  assert.ok(ladder.repeats * 10_000 >= 3e6);
});

test('given a clock that steps by 100 µs, when climbed, then a sample lasts 50 steps', async () => {
  const k = kernel(10_000), ladder = new TimingLadder(k, { method: 'timestamp', quantum_ns: 1e5 }, policy, 10_000);
  await ladder.climb();
  assert.ok(ladder.repeats * 10_000 >= 5e6);
});

test('given wall time with 2 ms of overhead, when sampled by slope, then the overhead is gone, and the sample tells its two runs', async () => {
  const k = kernel(10_000, 2e6), ladder = new TimingLadder(k, slope, policy, 2_010_000);
  await ladder.climb();
  const sample = await ladder.sample(), [short, long] = k.runs.slice(-2);
  assert.deepEqual(sample, success({ us: 10, repeats: ladder.repeats, runs: { short_ns: short! * 10_000 + 2e6, long_ns: long! * 10_000 + 2e6 } }));
});

test('given a kernel longer than a sample, when climbed by timestamps, then it does not run again before its first sample', async () => {
  const k = kernel(5e6), ladder = new TimingLadder(k, stamps, policy, 5e6);
  await ladder.climb();
  assert.deepEqual(k.runs, []);
  assert.deepEqual(await ladder.sample(), success({ us: 5000, repeats: ladder.repeats }));
  assert.deepEqual(k.runs, [1]);
});

test('given a clock around the kernel itself, when sampled, then a sample is N executions divided by N, as with timestamps, and none is of the climb', async () => {
  const k = kernel(10_000), ladder = new TimingLadder(k, { method: 'clock', quantum_ns: 5000 }, policy, 10_000);
  await ladder.climb();
  const climbed = k.runs.length;
  assert.deepEqual(await ladder.sample(), success({ us: 10, repeats: ladder.repeats }));
  assert.deepEqual(k.runs.slice(climbed), [ladder.repeats]);
});

// A clock of so great steps around a kernel of each_ns, which begins to count at some moment of a step.
function stepped(each_ns: number, step_ns: number, said: (ns: number, run: number) => number = ns => ns): { time(n: number): Promise<ReturnType<typeof success<number>>>; runs: number[] } {
  const runs: number[] = [];
  return {
    runs,
    time: async n => {
      const phase_ns = (runs.push(n) * 0.37 % 1) * step_ns;
      return success(said(Math.floor((phase_ns + n * each_ns) / step_ns) * step_ns, runs.length));
    },
  };
}

const coarse = { method: 'timestamp', quantum_ns: 65_536 };

test('given a clock that steps by 65,536 ns, when a first reading of it is 0 or a step, then the repeats grow until a reading is long, and no further', async () => {
  for (const [each_ns, first_ns] of [[10_000, 0], [10_000, 65_536], [50_000, 0], [50_000, 65_536], [400_000, 393_216]] as const) {
    const k = stepped(each_ns, 65_536), ladder = new TimingLadder(k, coarse, policy, first_ns);
    await ladder.climb();
    const long_ns = ladder.repeats * each_ns;
    assert.ok(long_ns > 49 * 65_536 && long_ns < 2.5 * 50 * 65_536, `${each_ns} ns, ${first_ns} ns at first: ${ladder.repeats} repeats`);
    assert.ok(k.runs.reduce((sum, runs) => sum + runs, 0) * each_ns < 25e6);
    const sample = await ladder.sample();
    assert.ok(sample.ok && Math.abs(sample.value.us * 1000 / each_ns - 1) < 0.03);
  }
});

test('given a clock that steps by 65,536 ns, when a later reading of the climb tells a time, then none of a whole sample follows before the first sample', async () => {
  for (const each_ns of [10_000, 50_000]) {
    const k = stepped(each_ns, 65_536), ladder = new TimingLadder(k, coarse, policy, 0);
    await ladder.climb();
    assert.ok(k.runs.length > 1 && Math.max(...k.runs) < ladder.repeats / 2, `${k.runs}, then ${ladder.repeats}`);
    assert.ok((await ladder.sample()).ok);
  }
});

test('given repeats that came out far too many, when sampled, then the samples stand and the next ones are shorter', async () => {
  const k = stepped(10_000, 65_536, (ns, run) => (run === 1 ? 700_000 : ns)), ladder = new TimingLadder(k, coarse, policy, 65_536);
  const slow = stepped(100_000, 65_536);   // the same kernel on a device whose clock fell
  await ladder.climb();
  const before = ladder.repeats;
  k.time = slow.time;
  const sample = await ladder.sample();
  assert.ok(sample.ok && Math.abs(sample.value.us / 100 - 1) < 0.03);
  assert.ok(ladder.repeats < before / 5, `${before}, then ${ladder.repeats}`);
});

test('given a reading that is far too short, when sampled, then it is taken again', async () => {
  let whim = false;
  const k = stepped(10_000, 65_536, ns => (whim ? 0 : ns)), ladder = new TimingLadder({ time: async n => { const read = await k.time(n); whim = false; return read; } }, coarse, policy, 10_000);
  await ladder.climb();
  whim = true;
  const sample = await ladder.sample();
  assert.ok(sample.ok && Math.abs(sample.value.us / 10 - 1) < 0.03);
});

test('given a kernel that the clock cannot tell, when sampled, then the outcome is unstable and says why', async () => {
  const ladder = new TimingLadder(stepped(1, 65_536), coarse, policy, 0);
  await ladder.climb();
  const sample = await ladder.sample();
  assert.equal(sample.ok ? 'ok' : sample.outcome, 'unstable');
  assert.match(sample.ok ? '' : sample.message, /10000 executions .* steps by 65536 ns/);
});

test('given wall times with 3 ms of overhead, when a kernel of 50 µs is climbed by slope, then the difference is a sample, not the overhead', async () => {
  let run = 0;
  const scatter_ns = [0, 150_000, -150_000, 80_000, -60_000, 20_000];
  const k = { time: async (n: number) => success(n * 50_000 + 3e6 + scatter_ns[run++ % scatter_ns.length]!) };
  const ladder = new TimingLadder(k, slope, policy, 3_050_000, 6e6);
  await ladder.climb();
  assert.ok(ladder.repeats >= 120, `${ladder.repeats}`);
  const sample = await ladder.sample();
  assert.ok(sample.ok && Math.abs(sample.value.us / 50 - 1) < 0.1, `${sample.ok && sample.value.us}`);
});

test('given a kernel of a second and wall times, when climbed and sampled by slope, then it runs seven times at most', async () => {
  const k = kernel(1e9, 2e6), ladder = new TimingLadder(k, slope, policy, 1e9);
  await ladder.climb();
  await ladder.sample();
  assert.ok(k.runs.reduce((sum, runs) => sum + runs, 0) <= 7, `${k.runs}`);
});

test('given wall times, when sampled by slope, then the shorter run is a quarter of the longer one, as little as tells nothing', async () => {
  const k = kernel(10_000, 2e6), ladder = new TimingLadder(k, slope, policy, 2_010_000);
  await ladder.climb();
  const climbed = k.runs.length;
  await ladder.sample();
  const [short, long] = k.runs.slice(climbed);
  assert.ok(Math.abs(long! / short! - 4) < 0.1, `${short}, ${long}`);
  assert.equal(long! - short!, ladder.repeats);
});

test('given waits that scatter beyond what a run may take, when sampled by slope, then the outcome is unstable, in words, after few runs', async () => {
  const k = kernel(10_000, 2e6), ladder = new TimingLadder(k, slope, policy, 2_010_000, 400e6);
  const climbed = await ladder.climb(), sample = await ladder.sample();
  assert.ok(climbed.ok);
  assert.equal(sample.ok ? 'ok' : sample.outcome, 'unstable');
  assert.match(sample.ok ? '' : sample.message, /scatter .* only a difference of 400 ms /);
  assert.ok(k.runs.reduce((sum, runs) => sum + runs, 0) * 10_000 < 2e9, `${k.runs}`);
});

test('given a slope that comes out too short, when sampled, then the next one has more repeats: read again as it was, only its scatter would make it long', async () => {
  const k = kernel(10_000, 2e6), late_ns = [5e6, 0, 0, 0];   // of the runs of a sample: the shorter one of the first slope ends late
  let sampling = false;
  const scattering = { time: async (n: number) => { const read = await k.time(n); return success((read.ok ? read.value : NaN) + (sampling ? late_ns.shift() ?? 0 : 0)); } };
  const ladder = new TimingLadder(scattering, slope, policy, 2_010_000, 6e6);
  await ladder.climb();
  const before = ladder.repeats;
  sampling = true;
  const sample = await ladder.sample();
  assert.ok(sample.ok && Math.abs(sample.value.us - 10) < 1e-9 && sample.value.repeats > before, `${before}, then ${JSON.stringify(sample)}`);
  assert.equal(late_ns.length, 0);
});

test('given a kernel of a few nanoseconds and waits that scatter, when sampled by slope at the most repeats, then no time is made of the scatter', async () => {
  const ladder = new TimingLadder(kernel(100, 2e6), slope, policy, 2_000_100, 5e6);
  await ladder.climb();
  const sample = await ladder.sample();
  assert.equal(sample.ok ? 'ok' : sample.outcome, 'unstable');
});

test('given a kernel that takes no time, when climbed, then the repeats end at their limit', async () => {
  const ladder = new TimingLadder(kernel(0), stamps, policy, 0);
  assert.ok((await ladder.climb()).ok);
  assert.equal(ladder.repeats, repeats_max);
});

test('given wall times that fall when the work doubles, when sampled by slope, then the outcome is unstable', async () => {
  let next = 10e6;
  const ladder = new TimingLadder({ time: async () => success(next -= 1000) }, slope, policy, 1e6);
  const sample = await ladder.sample();
  assert.equal(sample.ok ? 'ok' : sample.outcome, 'unstable');
});
