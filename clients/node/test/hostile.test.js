// Answers that no hone service gives: each ends in an error of this package, soon, and without taking memory without bound.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BrokenReplyError, JobError, RefusedError, TimedOutError, UnreachableError } from '../index.js';
import { LIMITS } from '../src/limits.js';
import { TOKEN, event, reply, silence, stream, withService } from './scripted_service.js';

const ACCEPTED = event('job_accepted', { job: 'tune-1' }), DONE = event('job_done', { job: 'tune-1', result: { cancelled: false } });
const PIECE = Buffer.alloc(1 << 20, 'x'), MIB = 1 << 20;
const listDevices = client => client.listDevices();
const tune = async client => (await client.start({ kind: 'tune', op: 'matmul:8x8x8', target: 'native' })).wait();

async function fails(kind, said, ask, text = /./) {
  const pieces = Buffer.isBuffer(said) ? () => [said] : said;
  await withService(pieces, client => assert.rejects(ask(client), error => {
    assert.ok(error instanceof kind, error.stack);
    assert.match(error.message, text);
    return true;
  }));
}

function* endless(head, piece = PIECE) {
  yield head;
  for (;;) yield piece;
}

async function withLimits(limits, act) {
  const before = { ...LIMITS };
  try {
    await act(Object.assign(LIMITS, limits));
  } finally {
    Object.assign(LIMITS, before);
  }
}

test('given answers that are no reply of a service, then each is refused with what is wrong; one that is right is taken', async () => {
  for (const [said, text] of [
    [reply('{}'), /Devices\.devices is missing/], [reply('[]'), /expected an object/], [reply('{"devices":3}'), /expected a list/],
    [reply('{"devices":[{"device_id":7}]}'), /Devices\.devices\[0\]\.device_id is number, expected string/], [reply('{"devices":[],"more":1}'), /expected boolean/],
    [reply('{'), /no JSON/], [reply(Buffer.from([0xff, 0xfe])), /no JSON/], [reply('{"devices":NaN}'), /no JSON/], [reply('['.repeat(200_000)), /no JSON/],
    [reply('<html>', { type: 'text/html' }), /expected application\/json/], [reply('<html>', { type: 'text/html', status: '502 Bad Gateway' }), /status 502/],
    [reply('', { status: '302 Found\r\nLocation: http://127.0.0.1:1/' }), /status 302/], [Buffer.from('SSH-2.0\r\n'), /no HTTP/], [Buffer.from(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}\r\n`), /no HTTP/],
  ]) await fails(BrokenReplyError, said, listDevices, text);
  for (const said of [reply('{"devices":[]}', { length: 1000 }), Buffer.alloc(0)]) await fails(UnreachableError, said, listDevices);
  await withService(() => [reply('{"devices":[],"of_a_newer_service":1}')], async client => assert.deepEqual((await client.listDevices()).devices, []));
});

test('given heads, bodies, lines and events without end, and a list whose pages have none, then the client stops reading, and has not taken much memory', async () => {
  const head = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n'), before = process.memoryUsage().rss;
  await withLimits({ replyBytesMax: 4 * MIB, eventBytesMax: 4 * MIB }, async () => {
    await fails(BrokenReplyError, () => endless('HTTP/1.1 200 OK\r\na: '), listDevices, /no HTTP/);
    await fails(BrokenReplyError, () => endless(head), listDevices, /more than 4 MiB/);
    await fails(BrokenReplyError, () => endless(stream(ACCEPTED)), tune, /a line of more than 4 MiB/);
    await fails(BrokenReplyError, () => endless(stream(ACCEPTED, ': ')), tune, /a line of more than 4 MiB/);
    await fails(BrokenReplyError, () => endless(stream(ACCEPTED), `data: ${'x'.repeat(1000)}\n`.repeat(100)), tune, /an event of the service has more than 4 MiB/);
    const page = reply('{"lines":[],"left_out":0,"next":{"row":1,"attempt":0}}');
    await fails(BrokenReplyError, page, async client => { for await (const record of client.records()) assert.fail(record); }, /has no end/);
  });
  assert.ok(process.memoryUsage().rss - before < 256 * MIB);
});

test("given a job's stream that ends before the job, that says what is no event of it, or outputs that do not fit, then that is an error; a stream that is right gives the result", async () => {
  const piece = (offset, base64) => event('payload', { offset, base64 });
  for (const [said, text] of [
    [stream(), /did not say which job/], [stream(DONE), /did not say which job/], [stream(ACCEPTED), /before the job's end/], [stream(ACCEPTED, DONE.slice(0, -1)), /before the job's end/],
    [stream(ACCEPTED, event('job_done', { job: 'tune-1' })), /job_done\.result is missing/], [stream(ACCEPTED, event('job_done', { job: 'tune-1', result: [] })), /no object/],
    [stream(ACCEPTED, event('job_progress', '{')), /no JSON/], [stream(ACCEPTED, Buffer.from('event: job_progress\ndata: \xff\n\n', 'latin1')), /no JSON/],
    [stream(ACCEPTED, event('job_progress', { job: 'tune-1', phase: 'x' })), /job_progress\.task is missing/],
    [stream(ACCEPTED, piece(0, 'AAAA'), piece(4, 'AAAA')), /begins at 4, expected 3/], [stream(ACCEPTED, piece(0, '????')), /no base64/], [reply('{"job":"tune-1"}'), /does not tell its progress/],
  ]) await fails(BrokenReplyError, said, tune, text);
  await withService(() => [stream(': \n\n', ACCEPTED, event('of_a_newer_service', '?'), 'retry: 5\r\n\r\n', DONE)], async client => assert.deepEqual(await tune(client), { cancelled: false }));
});

test('given a stream whose bytes come one by one, with both ends of lines, comments and data in several lines, then its events are the same', async () => {
  const progress = JSON.stringify({ job: 'tune-1', phase: 'of_a_newer_service', task: '', tasks_done: 0, tasks_total: 1, trials_done: 3, trials_total: 8, best_us: 1, trials_per_second: 0.5, left_s: 0, message: '' });
  const said = stream(ACCEPTED, `: a comment\r\n\r\nevent:job_progress\ndata: ${progress.replace(',', ',\ndata:')}\n\n`, DONE.replaceAll('\n', '\r\n'));
  await withService(() => [...said].map(byte => Buffer.from([byte])), async client => {
    const job = await client.start({ kind: 'tune', op: 'matmul:8x8x8', target: 'native' }), told = [];
    for await (const { phase, trials_done } of job) told.push([phase, trials_done]);
    assert.deepEqual(told, [['of_a_newer_service', 3]]);
    assert.deepEqual(job.result, { cancelled: false });
  });
});

test('given refusals before a stream and in it, and a job that fails, then each has its code and message', async () => {
  await withService(() => [reply('{"code":"unauthorized","message":"the token is wrong"}', { status: '401 Unauthorized' })],
    client => assert.rejects(tune(client), { name: 'RefusedError', code: 'unauthorized', message: 'the token is wrong', status: 401 }));
  await withService(() => [stream(ACCEPTED, event('error', { code: 'busy', message: 'it stops' }))], client => assert.rejects(tune(client), { name: 'RefusedError', code: 'busy', status: 0 }));
  await fails(JobError, stream(ACCEPTED, event('job_failed', { job: 'tune-1', code: 'no_device', message: 'none came' })), tune, /^none came$/);
  await fails(RefusedError, reply('{"code":"not_found","message":"no"}', { status: '404 Not Found' }), client => client.showJob({ job: 'a/b' }), /^no$/);
});

test('given a run whose result describes other outputs than came, then they are refused', async () => {
  for (const outputs of [[{ name: 'y', dtype: 'f32', shape: [2] }], [{ name: 'y', dtype: 'f32', shape: [-1] }], [{ name: 'y', dtype: '?', shape: [1] }], [3], 3, [{ name: 'y', dtype: 'f32', shape: ['a'] }]]) {
    await withService(() => [stream(ACCEPTED, event('job_done', { job: 'run-1', result: { outputs } }))], async client => {
      const job = await client.start({ kind: 'tune', op: 'matmul:8x8x8', target: 'native' });
      await job.wait();
      assert.throws(() => job.outputs(), BrokenReplyError);
    });
  }
});

test('given a service that says nothing, one whose bytes come slowly, and a stream that falls silent, then the client waits no longer than it was told, or than its signal', async () => {
  async function* drip() {
    for (const byte of reply('{"devices":[]}', { length: 1000 })) {
      yield Buffer.from([byte]);
      await delay(20);
    }
  }
  const times = { replyTimeMs: 300, quietTimeMs: 300 };
  for (const [said, ask] of [[() => [silence], listDevices], [() => ['HTTP/1.1 200 OK\r\n', silence], listDevices], [drip, listDevices], [() => [stream(ACCEPTED), silence], tune]]) {
    const began = performance.now();
    await withService(said, client => assert.rejects(ask(client), error => error instanceof TimedOutError && error.code === 'timeout'), times);
    assert.ok(performance.now() - began < 5000);
  }
  await withService(() => [stream(ACCEPTED), silence], async client => {
    const ending = new AbortController(), job = await client.start({ kind: 'tune', op: 'matmul:8x8x8', target: 'native' }, { signal: ending.signal });
    const waits = job.wait();
    ending.abort(new Error('enough'));
    await assert.rejects(waits);
  });
});

test('given a service that refuses by the head alone, when a large model is sent, then the refusal is heard, or at least that the connection ended', async () => {
  const refusal = reply('{"code":"unauthorized","message":"no"}', { status: '401 Unauthorized' });
  await withService(() => [refusal], client => assert.rejects(client.detach({ kind: 'tune', model: new Uint8Array(64 * MIB), target: 'native' }), error => error instanceof RefusedError || error instanceof UnreachableError));
});

test('given a port that nobody listens on, then the error says so', async () => {
  const client = await withService(() => [], async one => one);
  await assert.rejects(client.listDevices(), { name: 'UnreachableError', code: 'io_error' });
});

test('given a client with a token, when it asks, then the token stands in the header, once, and not in what the client prints of itself', async () => {
  await withService(() => [reply('{"devices":[]}')], async (client, heads) => {
    await client.listDevices({ after: 'a b&c' });
    assert.match(heads[0], /^GET \/api\/v1\/devices\?after=a\+b%26c HTTP/);
    assert.match(heads[0], new RegExp(`authorization: Bearer ${TOKEN}\r\n`));
    assert.equal(heads[0].split(TOKEN).length, 2);
    assert.doesNotMatch(`${(await import('node:util')).inspect(client, { showHidden: true })}${JSON.stringify(client)}`, new RegExp(TOKEN));
  });
});
