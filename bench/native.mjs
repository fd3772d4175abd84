// scripts/bench native: hone's tuned kernels for this machine's CPU against OpenBLAS (a product of matrices of 1024²) and against the CPU's
// own multiply-adds (ResNet-18's 3×3 layers), in turns, with one thread and with all. Ratios are medians over the rounds. Tuning goes on
// from the records of the last run.
//   --threads 1,2 (1 and all)   --rounds N (5)   --time S of tuning for each operator (40; 0: none)   --db FILE (build/native.db)   --json
// Needs the Debian package libopenblas0-pthread. OpenBLAS chooses its kernels by the CPU, whatever OPENBLAS_CORETYPE says.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PROGRAM, temporaryFolder } from './hone.mjs';
import { median } from './median.mjs';
import { honeModel } from './peers/hone_model.mjs';
import { prepareWorks } from './peers/prepare.mjs';
import { geometricMean } from './peers/report.mjs';
import { OPERATORS } from './peers/works.mjs';
import { startService } from './service.mjs';

const BUILD = path.dirname(PROGRAM), TRIALS_MAX = '4096', RUNS = 10;
const PRODUCT = 'matmul_1024', LAYERS = /^conv_\d+_\d+_3x3$/;

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, time: { type: 'string', default: '40' },
  threads: { type: 'string', default: `1,${os.availableParallelism()}` }, json: { type: 'boolean', default: false },
  db: { type: 'string', default: path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../build/native.db') } } });
const log = text => console.error(text);
const works = OPERATORS.filter(({ name }) => name === PRODUCT || LAYERS.test(name));

// bench/cpu_limits.cc: one command, one number.
function startLimits(threads) {
  const { OPENBLAS_CORETYPE: _, ...env } = process.env;
  const limits = spawn(path.join(BUILD, 'bench/cpu_limits'), { stdio: ['pipe', 'pipe', 'inherit'], env: { ...env, OPENBLAS_NUM_THREADS: String(threads) } });
  const answers = readline.createInterface(limits.stdout)[Symbol.asyncIterator]();
  const ask = async (...words) => {
    limits.stdin.write(`${words.join(' ')}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error('cpu_limits ended; what it says is above');
    return Number(value);
  };
  return { ask, close: () => limits.stdin.end() };
}

// With one thread the agent has one processor.
function startAgent(url, threads) {
  const command = [PROGRAM, 'agent', '--browser', 'native', '--tracker', url, '--quiet'];
  const [program, ...args] = threads === 1 ? ['taskset', '-c', '0', ...command] : command;
  return spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function compare(work, { hone, limits, folder, threads }) {
  const peer = honeModel(hone, folder, () => 'kernel_ms_median'), rounds = [];
  await peer.call('prepare', work);
  for (let round = 0; round < Number(options.rounds); round++) {
    const ms = await peer.call('sample', RUNS), gflops = work.flops / ms / 1e6;
    const size = [...work.inputs[0].shape, work.inputs[1].shape[1]];
    rounds.push(work.name === PRODUCT
      ? { gflops, limit: work.flops / (await limits.ask('sgemm', ...size, RUNS)) / 1e6 }
      : { gflops, limit: await limits.ask('peak', threads) });
  }
  const of = read => median(rounds.map(read));
  const row = { name: work.name, gflops: of(r => r.gflops), limit: of(r => r.limit), share: of(r => r.gflops / r.limit) };
  log(`  ${row.name}: ${row.gflops.toFixed(1)} of ${row.limit.toFixed(1)} GFLOP/s, ${(100 * row.share).toFixed(0)} %`);
  return row;
}

async function pass(threads, folder) {
  log(`native: ${threads} thread${threads > 1 ? 's' : ''}`);
  const service = await startService(options.db), agent = startAgent(service.url, threads), limits = startLimits(threads);
  const hone = (...args) => service.hone(...args, '--target', 'native'), rows = [];
  try {
    for (const work of works) {
      if (Number(options.time) > 0) await hone('tune', work.path, '--trials', TRIALS_MAX, '--time', options.time);
      rows.push(await compare(work, { hone, limits, folder, threads }));
    }
  } finally {
    limits.close();
    agent.kill('SIGINT');
    await once(agent, 'exit');
    await service.close();
  }
  const layers = geometricMean(rows.filter(({ name }) => name !== PRODUCT).map(({ share }) => share));
  const bars = [{ text: 'MatMul 1024³ against OpenBLAS', value: rows.find(({ name }) => name === PRODUCT).share, bar: 0.7 },
    { text: "ResNet-18's 3×3 layers against the CPU's multiply-adds, geometric mean", value: layers, bar: 0.5 }];
  return { threads, rows, bars: bars.map(bar => ({ ...bar, met: bar.value >= bar.bar })) };
}

function markdown({ threads, rows, bars }) {
  const line = cells => `| ${cells.join(' | ')} |\n`, percent = share => `${(100 * share).toFixed(0)} %`;
  return `## ${threads === 1 ? 'One thread' : `${threads} threads`}\n${line(['', 'hone, GFLOP/s', 'limit, GFLOP/s', 'share'])}${line(Array(4).fill('---'))}`
    + rows.map(row => line([row.name, row.gflops.toFixed(1), row.limit.toFixed(1), percent(row.share)])).join('')
    + `\n${line(['', 'found', 'target', ''])}${line(Array(4).fill('---'))}`
    + bars.map(({ text, value, bar, met }) => line([text, percent(value), `≥ ${percent(bar)}`, met ? '' : 'not met'])).join('');
}

const folder = temporaryFolder();
prepareWorks(works, folder);
fs.mkdirSync(path.dirname(options.db), { recursive: true });
const passes = [];
for (const threads of new Set(options.threads.split(',').map(Number))) passes.push(await pass(threads, folder));
if (options.json) fs.writeSync(1, `${JSON.stringify({ rounds: Number(options.rounds), passes })}\n`);
else console.log(passes.map(markdown).join('\n'));
