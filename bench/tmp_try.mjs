import { execFileSync } from 'node:child_process';
import { takeTurns } from './peers/turns.mjs';
import { WORKS } from './peers/works.mjs';
const [name, ...traces] = process.argv.slice(2);
const work = { ...WORKS.find(w => w.name === name), hone: {} };
const peers = {};
for (const t of traces) { work.hone[t] = JSON.parse(execFileSync('/tmp/dumpsrc', [work.spec, t === 'naive' ? t : `/tmp/tr/${t}.json`], { encoding: 'utf8', maxBuffer: 1 << 26 })); peers[t] = { module: 'hone', options: { schedule: t } }; }
if (work.op === 'matmul') { peers.hand_naive = { module: 'hand', options: { config: '8x8 t1x1 fix' } }; peers.hand_best = { module: 'hand', options: { config: '8x8 t8x2v4 k4 fix' } }; }
const r = await takeTurns({ works: [work], peers, rounds: 5, log: console.error });
for (const [p, x] of Object.entries(r.works[name])) console.log(p, x.failed ?? `${x.ms.toFixed(2)} ms ${x.gflops.toFixed(2)} GFLOP/s create ${x.create_ms.toFixed(0)} err ${x.error.toExponential(1)}`);
process.exit(0);
