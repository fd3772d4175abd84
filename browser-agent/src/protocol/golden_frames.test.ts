import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import {
  clientFromClient, clientFromService, controlFromAgent, controlFromTracker, decodeFrame, encodeFrame, sessionFromAgent, sessionFromServer, type Message,
} from '../generated/protocol.js';

const frames = fileURLToPath(new URL('../../../schema/frames', import.meta.url));  // from dist-test/unit
const unions: { readonly [name: string]: readonly Message['kind'][] } = {
  ControlFromAgent: controlFromAgent, ControlFromTracker: controlFromTracker, SessionFromAgent: sessionFromAgent,
  SessionFromServer: sessionFromServer, ClientFromClient: clientFromClient, ClientFromService: clientFromService,
};

interface Golden {
  readonly union: string;
  readonly valid: boolean;
  readonly header?: unknown;
  readonly payload_hex?: string;
  readonly error?: string;
}

// Given the golden frames that C++ decodes too, when each is decoded and encoded again, then a valid one keeps header and payload and a bad one is refused with its reason.
test('golden frames', () => {
  let valid = 0;
  let refused = 0;
  for (const file of readdirSync(frames).filter(name => name.endsWith('.json'))) {
    const golden = JSON.parse(readFileSync(path.join(frames, file), 'utf8')) as Golden;
    if (golden.union.startsWith('Server')) continue;   // agents have no part in it
    const bytes = new Uint8Array(readFileSync(path.join(frames, file.replace(/json$/, 'bin'))));
    const decoded = decodeFrame<Message>(bytes, unions[golden.union] ?? []);
    if (!golden.valid) {
      assert.equal(decoded.ok, false, file);
      assert.ok(!decoded.ok && decoded.code === 'protocol_error' && decoded.message.includes(golden.error ?? '?'), `${file}: ${decoded.ok ? 'decoded' : decoded.message}`);
      refused++;
      continue;
    }
    assert.ok(decoded.ok, `${file}: ${decoded.ok ? '' : decoded.message}`);
    assert.equal(Buffer.from(decoded.payload).toString('hex'), golden.payload_hex ?? '', file);
    const again = encodeFrame(decoded.message, decoded.payload);
    const header = new TextDecoder().decode(again.subarray(4, 4 + new DataView(again.buffer).getUint32(0, true)));
    assert.deepEqual(JSON.parse(header), golden.header, file);
    valid++;
  }
  assert.ok(valid >= 8 && refused >= 8);
});

// Given a result with an infinite error, when it is encoded, then the other side reads 1e308; a wrong type is named with its path.
test('what JSON cannot say, and what is wrong', () => {
  const done = decodeFrame<Message>(encodeFrame({ kind: 'job_done', job: 'j', result: { error: Infinity } }), clientFromService);
  assert.ok(done.ok && done.message.kind === 'job_done');
  assert.deepEqual(done.message.result, { error: 1e308 });
  const header = new TextEncoder().encode('{"kind":"open_session","lease_id":"l","fence":-1,"device_id":"d","session_path":"/","session_token":"t"}');
  const bytes = new Uint8Array(4 + header.length);
  new DataView(bytes.buffer).setUint32(0, header.length, true);
  bytes.set(header, 4);
  const wrong = decodeFrame<Message>(bytes, controlFromTracker);
  assert.ok(!wrong.ok && wrong.message.startsWith('open_session.fence: expected a whole number'), wrong.ok ? 'decoded' : wrong.message);
});
