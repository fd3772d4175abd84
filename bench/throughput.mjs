// scripts/bench throughput: what a trial costs. MatMul 128³ is tuned from an empty store, several times; medians.
//   --trials N (96)   --runs N (3)   --json
import path from 'node:path';
import { parseArgs } from 'node:util';
import { hone, temporaryFolder } from './hone.mjs';
import { median } from './median.mjs';

const { values: options } = parseArgs({ options: { trials: { type: 'string', default: '96' }, runs: { type: 'string', default: '3' },
  json: { type: 'boolean', default: false } } });
const folder = temporaryFolder();
const reports = Array.from({ length: Number(options.runs) }, (_, run) => {
  console.error(`throughput: run ${run + 1} of ${options.runs}`);
  return hone('tune', '--op', 'matmul:128x128x128', '--trials', options.trials, '--db', path.join(folder, `${run}.db`), '--seed', String(run + 1));
});
const of = key => median(reports.map(report => report[key]));
const result = { trials: reports[0].trials, trials_per_second: of('trials_per_second'), server_ms_per_candidate: median(reports.map(report => report.stats.server_ms_per_candidate_median)),
  device_work_share: median(reports.map(report => report.stats.device_work_share)), wall_s: of('wall_s') };

if (options.json) {
  console.log(JSON.stringify(result));
} else {
  const line = (text, value, wanted) => console.log(`${text.padEnd(44)} ${value}   (target: ${wanted})`);
  console.log(`MatMul 128³, ${result.trials} trials, medians of ${reports.length} runs`);
  line('trials per second', result.trials_per_second.toFixed(1), '>= 6');
  line('server time per candidate, trace to frame, ms', result.server_ms_per_candidate.toFixed(2), '<= 15');
  line('share of the wall time that is device work', `${(100 * result.device_work_share).toFixed(0)} %`, '>= 60 %');
}
