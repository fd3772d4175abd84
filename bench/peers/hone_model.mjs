// hone as a peer on whole models, as its users time it: `hone bench` against an agent's tab in the same browser. Each run uploads the
// inputs and reads the outputs back, which the others are spared.
import fs from 'node:fs';
import path from 'node:path';
import { dump, load } from 'npyjs';
import { count, inputsOf, toBase64 } from './page/tensors.js';
import { median } from '../median.mjs';

// `hone` runs one command of the program on the agent's service; `folder` holds the tensors. `time`: what a sample says of a work, by the name
// that hone bench gives it of its best schedules.
export function honeModel(hone, folder, time = () => 'model_ms_median') {
  let work, last;
  const shares = [];
  const inputFile = ({ name, shape }, position) => {
    const file = path.join(folder, `${work.name}.${name}.npy`);
    fs.writeFileSync(file, Buffer.from(dump(inputsOf(work)[position], shape)));
    return ['--input', `${name}=${file}`];
  };
  const run = () => hone('run', work.path, '--check', '--out', path.join(folder, work.name), ...work.inputs.flatMap((input, i) => (input.constant ? [] : inputFile(input, i))));
  const steps = {
    async prepare(next) {
      work = next;
      shares.length = 0;
      last = await run();
      return { create_ms: last.create_ms, first_ms: last.first_ms, check: last.check.max_error, launches: last.launches, schedules: last.schedules };
    },
    async output() {
      const file = path.join(folder, work.name, `${last.outputs[0].name}.npy`);
      const { data } = await load(fs.readFileSync(file).buffer.slice(0));
      if (data.length !== count(last.outputs[0].shape)) throw new Error(`${file} holds ${data.length} values`);
      return toBase64(data);
    },
    async sample(k) {
      const [best] = (await hone('bench', work.path, '--schedule', 'best', '--time', '20', '--runs', String(Math.max(3, k)))).variants;
      if (best.host_share !== null) shares.push(best.host_share);
      return best[time(work)];
    },
    dispose: async () => (shares.length > 0 ? { host_share: median(shares) } : {}),
  };
  steps.roundTrips = steps.sample;
  return { call: (name, ...args) => steps[name](...args) };
}
