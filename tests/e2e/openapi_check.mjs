// node openapi_check.mjs ORIGIN TOKEN MODEL.onnx: asks a running service, with one native device, for each operation of its OpenAPI document, and holds the document and every reply against their schemas.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const require = createRequire(path.join(ROOT, 'browser-agent/package.json'));
const Ajv = require('ajv/dist/2020.js').default;
const { Validator } = await import(require.resolve('@seriousme/openapi-schema-validator'));

const [origin, token, model] = process.argv.slice(2);
const api = `${origin}/api/v1`, headers = { authorization: `Bearer ${token}` };
const document = await (await fetch(`${api}/openapi.json`)).json();

assert.deepEqual(document, JSON.parse(fs.readFileSync(path.join(ROOT, 'schema/openapi.json'))), 'the service serves the file');
const verdict = await new Validator().validate(structuredClone(document));
assert.ok(verdict.valid, JSON.stringify(verdict.errors));

const ajv = new Ajv({ strict: false });
ajv.addSchema({ $id: 'doc', ...document });
// Also what no schema says must not come: each property is one that the document names.
function check(schema, value, what) {
  const validate = ajv.compile(schema.$ref ? { $ref: `doc${schema.$ref}` } : schema);
  assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value).slice(0, 500)}`);
  const named = schema.$ref && document.components.schemas[schema.$ref.split('/').at(-1)].properties;
  if (named) for (const key of Object.keys(value)) assert.ok(key in named, `${what}: ${key} is not in the document`);
}

function* eventsOf(text) {
  for (const block of text.split('\n\n').filter(b => b.startsWith('event: '))) {
    const [name, data] = block.split('\n');
    yield { name: name.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
  }
}

const asked = new Set();
const fill = (route, variables) => route.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(variables[name]));

async function request(method, route, { variables = {}, query = '', body, signal } = {}) {
  asked.add(`${method.toLowerCase()} ${route}`);
  const json = body && !(body instanceof FormData);
  return fetch(`${api}${fill(route, variables)}${query}`, {
    method, signal, body: json ? JSON.stringify(body) : body, headers: json ? { ...headers, 'content-type': 'application/json' } : headers,
  });
}

// A plain reply, checked.
async function ask(method, route, more) {
  const reply = await request(method, route, more), value = await reply.json();
  assert.equal(reply.status, 200, `${method} ${route}: ${JSON.stringify(value)}`);
  check(document.paths[route][method.toLowerCase()].responses[200].content['application/json'].schema, value, `${method} ${route}`);
  return value;
}

const streamed = (method, route) => document.paths[route][method.toLowerCase()].responses[200].content['text/event-stream']['x-hone-events'];
function checkEvents(method, route, events) {
  for (const { name, data } of events) check(streamed(method, route)[name] ?? assert.fail(`${route}: ${name} is not in the document`), data, `${route}: ${name}`);
  return events;
}

async function stream(method, route, more) {
  const reply = await request(method, route, more);
  assert.equal(reply.headers.get('content-type'), 'text/event-stream', await reply.clone().text());
  return checkEvents(method, route, [...eventsOf(await reply.text())]);
}

async function refused(status, method, route, more) {
  const reply = await request(method, route, more), value = await reply.json();
  assert.equal(reply.status, status, JSON.stringify(value));
  check({ $ref: '#/components/schemas/Problem' }, value, route);
}

// Keeps what the fleet tells while the rest runs.
async function listen(stop) {
  const reply = await request('GET', '/events', { signal: stop.signal });
  let text = '';
  const reading = (async () => {
    try {
      for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) text += piece;
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
    }
  })();
  return async () => {
    stop.abort();
    await reading;
    return checkEvents('GET', '/events', [...eventsOf(text)]);
  };
}

const jobOf = source => ({ kind: 'tune', source, dims: {}, target: 'native', selector: '', trials: 2, time_s: 0, seed: '0000000000000001' });
const formOf = (wanted, file) => {
  const form = new FormData();
  form.append('ask', new Blob([JSON.stringify(wanted)], { type: 'application/json' }));
  form.append('payload', new Blob([fs.readFileSync(file)]), path.basename(file));
  return form;
};

const heard = await listen(new AbortController());
const device = (await ask('GET', '/devices')).devices.find(d => d.kind.endsWith('native')), variables = { device_id: device.device_id };
await ask('PUT', '/devices/{device_id}/label', { variables, body: { label: 'bench' } });
assert.equal((await ask('GET', '/devices/{device_id}', { variables })).device.label, 'bench');
await ask('POST', '/devices/{device_id}/actions', { variables, body: { action: 'drain', reason: 'a test' } });
await ask('POST', '/devices/{device_id}/actions', { variables, body: { action: 'resume', reason: '' } });

const tuned = await stream('POST', '/jobs', { body: { job: jobOf({ op: 'matmul:32x32x32' }) } });
assert.deepEqual([tuned[0].name, tuned.at(-1).name], ['job_accepted', 'job_done']);
const tunedId = tuned[0].data.job;
assert.equal((await ask('GET', '/jobs/{job}', { variables: { job: tunedId } })).job.state, 'done');
const { lines } = await ask('GET', '/records', { query: `?part=attempts&job=${tunedId}` });
assert.ok(lines.length >= 2);

// A model as a part, run: its outputs come as pieces before the end.
const run = await stream('POST', '/jobs', { body: formOf({ job: { ...jobOf({ model_name: path.basename(model) }), kind: 'run', options: { schedules: ['naive'] } } }, model) });
assert.equal(run.at(-1).name, 'job_done', JSON.stringify(run.at(-1)));
const pieces = run.filter(e => e.name === 'payload').map(e => Buffer.from(e.data.base64, 'base64'));
const outputs = run.at(-1).data.result.outputs, elements = outputs.reduce((sum, o) => sum + o.shape.reduce((a, b) => a * b, 1), 0);
assert.equal(Buffer.concat(pieces).length, 4 * elements, JSON.stringify(outputs));
assert.ok(elements > 0);

const detached = await ask('POST', '/jobs', { body: formOf({ job: { ...jobOf({ model_name: path.basename(model) }), trials: 50_000 }, detached: true }, model) });
assert.ok((await ask('GET', '/jobs')).jobs.some(j => j.job === detached.job));
await ask('POST', '/jobs/{job}/cancel', { variables: detached });
const end = await stream('GET', '/jobs/{job}/events', { variables: detached });
assert.ok(['job_failed', 'job_done'].includes(end.at(-1).name));

const code = await ask('POST', '/enrolments', { body: { name: 'a phone' } });
assert.match(code.code, /^[0-9a-f]{32}$/);
const made = await ask('POST', '/tokens', { body: { role: 'submitter', name: 'ci', lifetime_s: 60, quota: { devices_max: 1, jobs_max: 2, bytes_max: 0 } } });
const rotated = await ask('POST', '/tokens/{token_id}/rotate', { variables: made.info });
assert.notEqual(rotated.token, made.token);
assert.ok((await ask('GET', '/tokens')).tokens.some(t => t.name === 'ci'));
await ask('DELETE', '/tokens/{token_id}', { variables: made.info });

await refused(404, 'GET', '/jobs/{job}', { variables: { job: 'none' } });
await refused(400, 'GET', '/jobs', { query: '?before=soon' });
await refused(404, 'DELETE', '/tokens/{token_id}', { variables: { token_id: 'none' } });

const told = await heard();
for (const [name, what] of [['device_changed', e => e.data.event?.kind === 'leased'], ['device_changed', e => e.data.event?.kind === 'labelled'], ['job_changed', e => e.data.job?.state === 'done']])
  assert.ok(told.some(e => e.name === name && what(e)), `${name}: ${JSON.stringify(told)}`);

const all = Object.entries(document.paths).flatMap(([route, methods]) => Object.keys(methods).map(method => `${method} ${route}`));
assert.deepEqual(all.filter(one => !asked.has(one)), [], 'operations that nobody asked for');
console.log(`${all.length} operations`);
