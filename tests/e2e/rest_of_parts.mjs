// node rest_of_parts.mjs TRACKER_ORIGIN SERVER_ORIGIN TOKEN: what a tracker and a compile server, as processes of their own, answer over HTTP. The server has to ask the tracker whose each token is.
import assert from 'node:assert/strict';

const [tracker, server, token] = process.argv.slice(2);

async function ask(origin, path, shown, options = {}) {
  const reply = await fetch(`${origin}/api/v1${path}`, { ...options, headers: { ...options.headers, authorization: `Bearer ${shown}` } });
  return { status: reply.status, text: await reply.text(), headers: reply.headers };
}

function parts(megabytes) {
  const job = { kind: 'tune', source: { model_name: 'm.onnx' }, dims: {}, target: 'native', selector: '', trials: 1, time_s: 0, seed: '0000000000000001' };
  const form = new FormData();
  form.append('ask', new Blob([JSON.stringify({ job })], { type: 'application/json' }));
  form.append('payload', new Blob([Buffer.alloc(megabytes << 20, 'no model')]), 'm.onnx');
  return { method: 'POST', body: form };
}

assert.equal(JSON.parse((await ask(tracker, '/devices', token)).text).devices.length, 1);
assert.equal(JSON.parse((await ask(server, '/devices', token)).text).devices.length, 1);
const none = await ask(tracker, '/jobs', token);
assert.equal(none.status, 422, none.text);
assert.match(none.text, /tracker/);
assert.deepEqual(JSON.parse((await ask(server, '/jobs', token)).text), { jobs: [] });
for (const origin of [tracker, server]) {
  const wrong = await ask(origin, '/devices', '0'.repeat(32));
  assert.equal(wrong.status, 401, wrong.text);
  assert.equal(wrong.headers.get('www-authenticate'), 'Bearer');
}
// A body is read when it is known whose it is.
for (const megabytes of [0, 32]) {
  const sent = await ask(server, '/jobs', token, parts(megabytes));
  assert.match(sent.text, /event: job_failed\ndata: \{"code":"bad_model"/);
  const refused = await ask(server, '/jobs', '0'.repeat(32), parts(megabytes)).catch(error => error);
  assert.ok(refused instanceof Error || refused.status === 401, `${refused.status} ${refused.text}`);
}
