import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gate } from './gate.ts';

test('given a gate that is shut, when several come, also while it opens, then they go through in the order in which they came', async () => {
  const gate = new Gate(), begun: number[] = [];
  const come = (i: number): Promise<void> => gate.pass(async () => { begun.push(i); });
  let open = (): void => {};
  const shut = gate.shutWhile(() => new Promise<void>(done => { open = done; }));
  const all = [come(1).then(() => come(4)), come(2), come(3)];
  await Promise.resolve();
  assert.deepEqual(begun, []);
  open();
  await Promise.all([shut, ...all]);
  assert.deepEqual(begun, [1, 2, 3, 4]);
  void come(5);
  assert.deepEqual(begun, [1, 2, 3, 4, 5], 'control: at once');
});

test('given what begins and does not end, or work that fails, when others come, then they go through nevertheless', async () => {
  const gate = new Gate();
  await assert.rejects(gate.shutWhile(() => Promise.reject(new Error('failed'))), /failed/);
  const shut = gate.shutWhile(() => Promise.resolve());
  void gate.pass(() => new Promise<void>(() => {}));
  assert.equal(await gate.pass(() => Promise.resolve(7)), 7);
  await shut;
});
