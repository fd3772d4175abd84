import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from './simulated/random.ts';
import { referenceRepeats } from './reference_repeats.ts';

// A device on which an execution takes each_ns, a wait wait_ns besides, which scatters; its clock steps.
function repeatsOf({ each_ns, wait_ns = 0, scatter_ns = 0, method, quantum_ns }: { each_ns: number; wait_ns?: number; scatter_ns?: number; method: string; quantum_ns: number }): Promise<number> {
  const random = new Random(1);
  let now_ns = 0;
  return referenceRepeats(async repeats => {
    const from_ns = now_ns;
    now_ns += repeats * each_ns + wait_ns + scatter_ns * random.normal();
    return Math.floor(now_ns / quantum_ns) * quantum_ns - Math.floor(from_ns / quantum_ns) * quantum_ns;
  }, { method, quantum_ns }, () => now_ns / 1e6);
}

const near = (value: number, wanted: number) => assert.ok(value > wanted / 1.4 && value < wanted * 1.4, `${value}, not ${wanted}`);

test('given clocks of small and great steps, when a reference kernel\'s repeats are set, then a run takes a millisecond or 40 steps', async () => {
  near(await repeatsOf({ each_ns: 10_000, method: 'timestamp', quantum_ns: 1 }), 100);
  near(await repeatsOf({ each_ns: 10_000, method: 'timestamp', quantum_ns: 65_536 }), 262);
  near(await repeatsOf({ each_ns: 5e6, method: 'timestamp', quantum_ns: 65_536 }), 1);
});

test('given wall times, when a reference kernel\'s repeats are set, then its work takes that long, whatever waiting takes', async () => {
  near(await repeatsOf({ each_ns: 10_000, wait_ns: 4e6, method: 'slope', quantum_ns: 5000 }), 100);
});

test('given waits that scatter, when a reference kernel\'s repeats are set, then its work is as long as a slope, up to 25 ms', async () => {
  near(await repeatsOf({ each_ns: 10_000, wait_ns: 1e6, scatter_ns: 200_000, method: 'slope', quantum_ns: 5000 }), 947);
  near(await repeatsOf({ each_ns: 10_000, wait_ns: 50e6, scatter_ns: 5e6, method: 'slope', quantum_ns: 5000 }), 2500);
});

test('given other work for a while, when a reference kernel\'s repeats are set, then there are as many as without it', async () => {
  for (let from_ms = 0; from_ms < 200; from_ms += 5) {
    let now_ns = 0;
    const isBusy = () => now_ns / 1e6 >= from_ms && now_ns / 1e6 < from_ms + 40;
    near(await referenceRepeats(async repeats => {
      const taken_ns = repeats * 10_000 * (isBusy() ? 2 : 1);
      now_ns += taken_ns;
      return taken_ns;
    }, { method: 'timestamp', quantum_ns: 1 }, () => now_ns / 1e6), 100);
  }
});
