import assert from 'node:assert/strict';
import test from 'node:test';
import { Link } from './link.mjs';

function fakeClock() {
  const clock = { ms: 0, now: () => clock.ms, sleep: async ms => { clock.ms += ms; } };
  return clock;
}

async function received(chunks) {
  const all = [];
  for await (const chunk of chunks) all.push(...chunk);
  return all;
}

test('bytes come as they were, as late as the link makes them', async () => {
  // Given a link of a byte per microsecond, when 100,000 bytes go through, then all are there, 100 ms later.
  const clock = fakeClock(), bytes = Uint8Array.from({ length: 100000 }, (_, i) => i % 251);
  assert.deepEqual(await received(new Link(8e6, clock).through([bytes.subarray(0, 70000), bytes.subarray(70000)])), [...bytes]);
  assert.ok(Math.abs(clock.ms - 100) < 1, `${clock.ms} ms`);
});

test('who uses a link at once shares it', async () => {
  // Given a link of a byte per microsecond, when two send 50,000 bytes each at once, then both are through after 100 ms.
  const clock = fakeClock(), link = new Link(8e6, clock), bytes = new Uint8Array(50000);
  await Promise.all([received(link.through([bytes])), received(link.through([bytes]))]);
  assert.ok(clock.ms >= 99, `${clock.ms} ms`);
});
