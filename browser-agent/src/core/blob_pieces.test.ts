import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobPieces } from './blob_pieces.ts';
import { failure, success } from './outcome.ts';
import type { FetchBlob } from '../generated/protocol.ts';

const whole = Uint8Array.from([1, 2, 3, 4, 5]);

function world(): { pieces: BlobPieces; asked: FetchBlob[] } {
  const asked: FetchBlob[] = [];
  return { pieces: new BlobPieces(ask => asked.push(ask)), asked };
}
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

test('given a blob of five bytes, when it comes in pieces of three, then each is asked for at its place, and the blob is whole', async () => {
  const { pieces, asked } = world();
  const fetched = pieces.fetch('ab', 5);
  for (const [offset, end] of [[0, 3], [3, 5]] as const) {
    await turn();
    const ask = asked.at(-1)!;
    assert.deepEqual([ask.sha256, ask.offset], ['ab', offset]);
    assert.ok(pieces.asked(ask.id));
    pieces.take(ask.id, success(whole.subarray(offset, end)));
  }
  const blob = await fetched;
  assert.ok(blob.ok);
  assert.deepEqual([...new Uint8Array(blob.value)], [1, 2, 3, 4, 5]);
  assert.equal(asked.length, 2);
});

test('given a blob, when a piece is refused, empty or too long, or the session ends, then it fails with the reason, and nothing waits', async () => {
  for (const [answer, code] of [
    [failure('not_found', 'no such blob'), 'not_found'], [success(new Uint8Array(0)), 'protocol_error'], [success(new Uint8Array(6)), 'protocol_error'],
  ] as const) {
    const { pieces, asked } = world();
    const fetched = pieces.fetch('ab', 5);
    await turn();
    pieces.take(asked[0]!.id, answer);
    const blob = await fetched;
    assert.equal(blob.ok ? 'ok' : blob.outcome, code);
  }
  const { pieces, asked } = world();
  const first = pieces.fetch('ab', 5);
  await turn();
  pieces.end();
  const later = await pieces.fetch('cd', 5), cut = await first;
  assert.equal(cut.ok ? 'ok' : cut.outcome, 'cancelled');
  assert.equal(later.ok ? 'ok' : later.outcome, 'cancelled');
  assert.equal(asked.length, 1);
});
