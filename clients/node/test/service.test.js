// The client against the real service with a native device. Needs HONE_BINARY and HONE_AGENT_DIR; skipped without.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { JobError, RefusedError } from '../index.js';
import { RunningService } from './running_service.js';

const skip = process.env.HONE_BINARY ? false : 'HONE_BINARY does not name the program';
const HERE = path.dirname(fileURLToPath(import.meta.url)), ROOT = path.resolve(HERE, '../../..');
let service, client, model;

before(async () => {
  if (skip) return;
  service = await RunningService.start();
  await service.startAgent();
  client = service.client();
  model = path.join(service.folder, 'encoder.onnx');
  execFileSync(path.join(ROOT, 'scripts/gen_model'), ['encoder', '--size', '16', '--out', model], { timeout: 60_000 });
});
after(() => service?.close());

const all = async items => {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
};

test('given a device, when it is named, drained and resumed, then the list and its history say so; a device that is not there is refused by its code', { skip }, async () => {
  const [{ device_id, kind, state }] = await all(client.devices());
  assert.deepEqual([kind, state], ['native', 'ready']);
  await client.labelDevice({ device_id, label: 'desk' });
  await client.manageDevice({ device_id, action: 'drain', reason: 'a test' });
  assert.deepEqual([await client.showDevice({ device_id })].map(({ device }) => [device.label, device.service_state, device.service_reason]), [['desk', 'maintenance', 'a test']]);
  await client.manageDevice({ device_id, action: 'resume', reason: '' });
  assert.deepEqual((await client.showDevice({ device_id })).events.slice(-3).map(event => event.kind), ['labelled', 'drained', 'resumed']);
  await assert.rejects(client.manageDevice({ device_id: 'none', action: 'forget', reason: '' }), { name: 'RefusedError', code: 'not_found', status: 404 });
});

test("given a listener, when an operator is tuned, then its progress comes as it goes, the fleet's events tell of the device and the job, and the records have a time each", { skip }, async () => {
  const events = await client.events();
  const job = await client.start({ kind: 'tune', op: 'matmul:48x40x56', target: 'native', trials: 6, options: { samples: 2 } });
  const told = await all(job);
  assert.equal(told.at(-1).trials_done, 6);
  assert.ok(job.result.tasks[0].best_ms > 0);
  const kinds = new Set();
  for await (const { name, data } of events) {
    if (name === 'device_changed') kinds.add(data.event.kind);
    else if (data.job.job === job.id && data.job.state === 'done') break;
  }
  assert.ok(kinds.has('leased'));
  const records = await all(client.records('attempts', { job: job.id }));
  assert.ok(records.some(record => ['seed', 'search'].includes(record.origin) && record.latency_us_median > 0));
  assert.ok((await all(client.records('tasks'))).some(task => task.task_name === 'matmul 48x40x56'));
  assert.deepEqual((await client.showJob({ job: job.id })).result, job.result);
});

test('given a search that is left with the service, when it is listed, followed and cancelled, then each shows it, and who follows hears its end, also later', { skip }, async () => {
  const id = await client.detach({ kind: 'tune', op: 'matmul:64x64x64', target: 'native', trials: 50_000 });
  assert.ok((await all(client.jobs())).find(job => job.job === id).detached);
  const followed = await client.follow(id);
  for (let said; !(said = await followed.next()).done;) if (said.value.phase === 'measuring' && said.value.trials_done > 0) break;
  await client.cancelJob({ job: id });
  assert.equal((await followed.wait()).cancelled, true);
  assert.equal((await (await client.follow(id)).wait()).cancelled, true);
});

test('given a search in work, when its loop is left, then the service ends it', { skip }, async () => {
  const events = await client.events(), job = await client.start({ kind: 'tune', op: 'matmul:80x80x80', target: 'native', trials: 50_000 });
  for await (const progress of job) if (progress.phase === 'measuring') break;
  for await (const { name, data } of events) {
    if (name !== 'job_changed' || data.job.job !== job.id || ['queued', 'running'].includes(data.job.state)) continue;
    assert.ok(['cancelled', 'done'].includes(data.job.state), data.job.state);
    break;
  }
});

test("given a model, when it is run, then its outputs come and are the reference's; when it is timed, then each schedule has a time", { skip }, async () => {
  const run = await client.start({ kind: 'run', model, target: 'native', options: { schedules: ['naive'], check: true } });
  assert.ok((await run.wait()).check.max_error < 1e-4);
  const [{ dtype, data }] = run.outputs();
  assert.deepEqual([dtype, new Float32Array(data.buffer).length], ['f32', 16 * 128]);
  const wrong = await client.start({ kind: 'run', model, target: 'native', inputs: [{ name: 'none', dtype: 'float32', shape: [1], data: new Uint8Array(4) }] });
  await assert.rejects(wrong.wait(), error => error instanceof JobError && error.code === 'invalid_argument' && error.job === wrong.id);
  const bench = await client.start({ kind: 'bench', model, target: 'native', options: { repeats: 3, schedules: ['seed', 'naive'] } });
  assert.deepEqual((await bench.wait()).variants.map(one => one.schedule), ['seed', 'naive']);
});

test("given a wrong token, a model that is none, an operator that is none, and no device, then each error has hone's code", { skip }, async () => {
  await assert.rejects(service.client('0'.repeat(32)).listDevices(), { name: 'RefusedError', code: 'unauthorized', status: 401 });
  for (const [asked, code] of [[{ model: Buffer.from('no model'), target: 'native' }, 'bad_model'], [{ op: 'nothing:1', target: 'native' }, 'invalid_argument'],
    [{ op: 'matmul:8x8x8', target: 'webgpu', device_wait_s: 0.1 }, 'no_device']]) await assert.rejects(client.start({ kind: 'tune', ...asked }).then(job => job.wait()), { code });
  await assert.rejects(client.start({ kind: 'tune', target: 'native' }), { code: 'invalid_argument' });
});

test("given a submitter's token, then it may submit but not drain, until it is revoked", { skip }, async () => {
  const { info, token } = await client.createToken({ role: 'submitter', name: 'ci', lifetime_s: 60 }), submitter = service.client(token);
  const [{ device_id }] = await all(submitter.devices());
  await assert.rejects(submitter.manageDevice({ device_id, action: 'drain', reason: '' }), RefusedError);
  await client.revokeToken({ token_id: info.token_id });
  await assert.rejects(submitter.listDevices(), RefusedError);
  assert.ok((await all(client.tokens())).find(one => one.name === 'ci').revoked_unix_ms > 0);
});

test('given a service with the certificate of its own authority, when NODE_EXTRA_CA_CERTS names that, then a client is let in; else it sends nothing and says why', { skip }, async () => {
  const secure = await RunningService.start('--tls');
  const program = `import { Client } from ${JSON.stringify(path.join(HERE, '../index.js'))};
    new Client(${JSON.stringify(secure.url)}).listDevices().then(said => console.log(said.devices.length), error => console.log(error.name, error.code));`;
  const says = async more => (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env: { ...process.env, HONE_TOKEN: secure.token, ...more } })).stdout;
  try {
    assert.equal(await says({ NODE_EXTRA_CA_CERTS: path.join(secure.folder, 'tls/ca.crt') }), '0\n');
    assert.equal(await says({}), 'UnreachableError bad_certificate\n');
  } finally {
    await secure.close();
  }
});
