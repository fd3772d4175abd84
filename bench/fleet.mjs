// scripts/bench fleet: what a tracker takes that holds many agents. The tracker and the agents are processes of their own; agents are simulated, their
// sockets, the store and the tracker are real. First it knows many devices that are gone, and requests wait that nothing satisfies; then the agents
// come, beat once a second, and leases are given and taken back; then the tracker is killed and started again on its port, and blobs of 1 MiB are fetched. Last the store of records,
// full, takes results at a rate, alone and beside a process that forgets old ones and gives their space back.
//   --records N on disk (1000000)   --results N a second (10500; 5500 with --postgres)   --agents N (10000)   --known N devices that are gone (100000)   --waiters N (100)   --dispatch-hz N (100)   --seconds N (60; --long: 3600)   --tls   --json
//   --postgres: the fleet and the records are in a PostgreSQL server of this run's own, on its socket
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from './hone.mjs';

const PROGRAMS = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../build/release/bench/fleet');
const CLOCK_HZ = 100;      // of /proc's times: sysconf(_SC_CLK_TCK) on Linux
const ARRIVAL_S_MAX = 300, SETTLE_S = 5;
const RESULTS_S = 10;
const BLOBS_S = 5, BLOB_SOCKETS = 4, MB = 1e6;
const AT_LEAST = { acked_per_s: 10000, acked_per_s_compacting: 10000, blob_mb_per_s: 300 };
const bars = { ...AT_LEAST, ack_p99_ms: 20, ack_p99_ms_compacting: 20, kb_per_agent: 8, tracker_cores: 1, dispatch_p99_ms: 20, busy_ms_max: 20, reconnect_s: 30, first_dispatch_s: 2 };

const { values } = parseArgs({ options: { agents: { type: 'string', default: '10000' }, known: { type: 'string', default: '100000' },
  waiters: { type: 'string', default: '100' }, 'dispatch-hz': { type: 'string', default: '100' }, seconds: { type: 'string', default: '60' },
  records: { type: 'string', default: '1000000' }, results: { type: 'string' }, long: { type: 'boolean', default: false }, postgres: { type: 'boolean', default: false }, tls: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } });
const results_per_s = values.results ?? (values.postgres ? '5500' : '10500');
if (values.postgres) Object.assign(bars, { acked_per_s: 5000, acked_per_s_compacting: 5000 });
const agents = Number(values.agents), seconds = values.long ? 3600 : Number(values.seconds);
const token = 'bench-token', folder = temporaryFolder(), db = values.postgres ? startPostgres() : path.join(folder, 'fleet.db');
const tls = values.tls ? ['--tls-folder', path.join(folder, 'tls')] : [];
if (values.tls) {
  bars.kb_per_agent = 24;
  execFileSync(path.join(PROGRAMS, '../../hone'), ['tls', 'init', '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, HONE_TLS_DIR: tls[1] } });
}
// The URL of its database.
function startPostgres() {
  const script = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../scripts/scratch_postgres'), where = path.join(folder, 'postgres');
  fs.chmodSync(folder, 0o711);   // the server is another user's, where this one is root
  process.prependListener('exit', () => execFileSync(script, ['kill', where]));   // before its folder goes
  return execFileSync(script, ['start', where], { encoding: 'utf8' }).trim();
}

const log = text => console.error(`fleet: ${text}`);
const quantile = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(share * list.length))];

// A program whose lines are JSON. line(): the next one that it writes, as an object; what it wrote while nobody asked is gone.
function start(program, ...args) {
  const child = spawn(path.join(PROGRAMS, program), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = readline.createInterface(child.stdout);
  const line = async () => {
    const ended = new AbortController();
    const [text] = await Promise.race([once(lines, 'line', ended), once(child, 'exit', ended).then(() => { throw new Error(`${program} ended`); })]);
    ended.abort();
    return JSON.parse(text);
  };
  const kill = async () => { child.kill('SIGKILL'); await once(child, 'exit'); };
  process.on('exit', () => child.kill('SIGKILL'));
  return { pid: child.pid, line, kill };
}

const resident_kb = pid => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
function cpu_s(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_HZ;
}

async function startTracker(port) {
  const tracker = start('fleet_tracker', '--db', db, '--token', token, '--port', String(port), '--waiters', values.waiters, '--dispatch-hz', values['dispatch-hz'], ...tls);
  return { ...tracker, port: (await tracker.line()).port };
}

// Until all agents are in; the seconds that it took since `since`.
async function allIn(crowd, since) {
  for (;;) {
    const { welcomed } = await crowd.line(), passed_s = (performance.now() - since) / 1000;
    if (welcomed === agents) return passed_s;
    if (passed_s > ARRIVAL_S_MAX) throw new Error(`after ${ARRIVAL_S_MAX} s, ${welcomed} of ${agents} agents are in`);
  }
}

// What the tracker says of so many seconds.
async function watch(tracker, seconds) {
  const all = { dispatch_ms: [], late_ms_max: 0, busy_ms_max: 0 };
  for (let second = 0; second < seconds; ++second) {
    const line = await tracker.line();
    all.dispatch_ms.push(...line.dispatch_ms);
    for (const key of ['late_ms_max', 'busy_ms_max']) all[key] = Math.max(all[key], line[key]);
  }
  return all;
}

async function firstDispatch(tracker, since) {
  for (;;) if ((await tracker.line()).dispatch_ms.length > 0) return (performance.now() - since) / 1000;
}

// MB a second over loopback, by keep-alive connections that ask for the next blob when they have one.
async function fetchBlobs(port) {
  const { request, Agent } = values.tls ? await import('node:https') : await import('node:http');
  const agent = new Agent({ keepAlive: true, maxSockets: BLOB_SOCKETS }), until = performance.now() + 1000 * BLOBS_S;
  let bytes = 0;
  const fetchOne = () => new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, agent, path: '/blob', rejectUnauthorized: false }, answer => {
      answer.on('data', piece => { bytes += piece.length; });
      answer.on('end', resolve).on('error', reject);
    });
    asked.on('error', reject).end();
  });
  await Promise.all(Array.from({ length: BLOB_SOCKETS }, async () => { while (performance.now() < until) await fetchOne(); }));
  agent.destroy();
  return bytes / MB / BLOBS_S;
}

log(`writing ${values.known} devices that are gone`);
execFileSync(path.join(PROGRAMS, 'fleet_tracker'), ['--db', db, '--known', values.known], { stdio: 'inherit' });
let tracker = await startTracker(0);
await watch(tracker, SETTLE_S);
const empty_kb = resident_kb(tracker.pid);
log(`${agents} agents come`);
const crowd = start('fleet_agents', '--port', String(tracker.port), '--agents', String(agents), '--token', token, ...tls);
const arrival_s = await allIn(crowd, performance.now());
await watch(tracker, SETTLE_S);
log(`they are in after ${arrival_s.toFixed(1)} s; ${seconds} s of work`);
const kb_per_agent = (resident_kb(tracker.pid) - empty_kb) / agents, cpu_before_s = cpu_s(tracker.pid), began = performance.now();
const work = await watch(tracker, seconds);
const tracker_cores = (cpu_s(tracker.pid) - cpu_before_s) / ((performance.now() - began) / 1000);
log('kill -9, and a new tracker on the port');
await tracker.kill();
const killed = performance.now();
tracker = await startTracker(tracker.port);
const [first_dispatch_s, reconnect_s] = await Promise.all([firstDispatch(tracker, killed), allIn(crowd, killed)]);
await crowd.kill();
const blob_mb_per_s = await fetchBlobs(tracker.port);
await tracker.kill();

const records = values.postgres ? db : path.join(folder, 'records.db');

function recordsUnderLoad(...how) {
  const { acked_per_s, failed, ack_ms } = JSON.parse(execFileSync(path.join(PROGRAMS, 'record_load'), ['--db', records, ...how], { stdio: ['ignore', 'pipe', 'inherit'] }));
  if (failed > 0) throw new Error(`${failed} results were not stored`);
  return { acked_per_s, ack_p99_ms: ack_ms.p99 };
}

function recordResults() {
  log(`writing ${values.records} records`);
  execFileSync(path.join(PROGRAMS, 'record_load'), ['--db', records, '--fill', values.records], { stdio: 'inherit' });
  const load = ['--per-s', results_per_s, '--seconds', String(RESULTS_S)], alone = recordsUnderLoad(...load), compacting = recordsUnderLoad(...load, '--compact');
  return { records: Number(values.records), ...alone, acked_per_s_compacting: compacting.acked_per_s, ack_p99_ms_compacting: compacting.ack_p99_ms };
}

const results = recordResults();

const reaches = (name, value) => (AT_LEAST[name] ? value >= bars[name] : value <= bars[name]);
const result = { agents, known: Number(values.known), waiters: Number(values.waiters), seconds, kb_per_agent, tracker_cores, dispatches: work.dispatch_ms.length,
  dispatch_median_ms: quantile(work.dispatch_ms, 0.5), dispatch_p99_ms: quantile(work.dispatch_ms, 0.99), late_ms_max: work.late_ms_max, busy_ms_max: work.busy_ms_max, arrival_s, first_dispatch_s, reconnect_s, blob_mb_per_s, ...results };
if (values.json) console.log(JSON.stringify(result));
else for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(24)} ${typeof value === 'number' ? Number(value.toFixed(2)) : value}${bars[name] ? `   (${reaches(name, value) ? 'reaches' : 'misses'} ${bars[name]})` : ''}`);
process.exit(0);
