import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batch, candidate, launch } from '../../test/samples.ts';
import { measureModules } from './measure_modules.ts';

const launches = (...sizes: number[]) => sizes.map(module_bytes => ({ ...launch, module_bytes }));

test('given candidates of modules and of text, when the payload is cut, then each launch gets its own bytes', () => {
  const frame = batch(1, [], { candidates: [candidate(1, { launches: launches(2, 0, 1) }), candidate(2, { launches: launches(3) })] });
  const modules = measureModules(frame, Uint8Array.of(9, 1, 2, 3, 4, 5, 6).subarray(1));
  assert.ok(modules.ok);
  assert.deepEqual(modules.value.map(of => of.map(bytes => [...bytes])), [[[1, 2], [], [3]], [[4, 5, 6]]]);
});

test('given a payload that is shorter or longer than its launches say, when it is cut, then the frame is refused', () => {
  const frame = batch(1, [], { candidates: [candidate(1, { launches: launches(2) })] });
  for (const bytes of [0, 1, 3]) {
    const modules = measureModules(frame, new Uint8Array(bytes));
    assert.ok(!modules.ok && modules.outcome === 'protocol_error', String(bytes));
  }
});
