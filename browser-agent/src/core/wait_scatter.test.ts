import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure, success } from './outcome.ts';
import { Random } from './simulated/random.ts';
import { WaitScatter } from './wait_scatter.ts';

// Waits of 5 ms, normal with this deviation, and 50 ms longer in so many of them.
function waits(deviation_ns: number, long_share = 0): { scatter: WaitScatter; runs(): number } {
  const random = new Random(1);
  let runs = 0;
  const waitNs = async () => success((runs++, 5e6 + deviation_ns * random.normal() + (random.chance(long_share) ? 50e6 : 0)));
  return { scatter: new WaitScatter(waitNs), runs: () => runs };
}

const near = (value: number, wanted: number) => assert.ok(Math.abs(value / wanted - 1) < 0.4, `${value}, not ${wanted}`);

test('given waits that scatter, when looked at, then the usual one is told, a difference of two has their deviation by √2, and rare long ones change little', async () => {
  for (const long_share of [0, 0.04]) {
    const { scatter } = waits(100_000, long_share);
    assert.deepEqual([scatter.deviation_ns, scatter.wait_ns], [0, 0]);
    await scatter.look();
    assert.ok(Math.abs(scatter.wait_ns - 5e6) < 0.1e6, `${scatter.wait_ns}`);
    near(scatter.deviation_ns, 141_000);
  }
});

test('given slopes of the length that the scatter asks for, when a million medians of three are drawn, then hardly one is off by more than a tenth', async () => {
  const { scatter } = waits(100_000), random = new Random(2), truth_ns = 3.35 * 10 * 100_000 * Math.SQRT2;
  await scatter.look();
  near(scatter.slope_ns_min, truth_ns);
  const slope = () => truth_ns + 100_000 * (random.normal() - random.normal());
  let off = 0;
  for (let i = 0; i < 1e6; i++) {
    const [a, b, c] = [slope(), slope(), slope()], middle = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    off += Number(Math.abs(middle / truth_ns - 1) > 0.1);
  }
  assert.ok(off <= 6, `${off}`);
});

test('given a scatter that is known, when it is looked at again, then that is a few runs, and waits that scatter more soon count', async () => {
  let deviation_ns = 10_000;
  const random = new Random(3);
  let runs = 0;
  const scatter = new WaitScatter(async () => success((runs++, 1e6 + deviation_ns * random.normal())));
  await scatter.look();
  const known = runs;
  deviation_ns = 1e6;
  for (let look = 0; look < 15; look++) await scatter.look();
  assert.equal(runs - known, 45);
  assert.ok(scatter.deviation_ns > 100_000, `${scatter.deviation_ns}`);
});

test('given waits of 100 ms, when looked at for the first time, then that ends after a second', async () => {
  let runs = 0;
  await new WaitScatter(async () => success((runs++, 100e6))).look();
  assert.equal(runs, 10);
});

test('given a device that is lost, when its waits are looked at, then that is the outcome', async () => {
  const looked = await new WaitScatter(async () => failure('device_lost', 'gone')).look();
  assert.equal(looked.ok ? 'ok' : looked.outcome, 'device_lost');
});
