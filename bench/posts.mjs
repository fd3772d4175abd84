// scripts/bench posts: ResNet-18 and MobileNetV2 everywhere that hone runs a model on this machine, as the posts on TVM's WebGL and WebGPU backends had them: so many runs each, inputs
// up and outputs back, without loading. Medians, with the tenth and the ninetieth of a hundred runs.
//   --models a,b (resnet18, mobilenetv2)   --places a,b (all)   --runs N (100)   --time S: of each place at most (180)
//   --database FILE of records (build/posts.db)   --tune S: search so long for each model and place first, into it
//   --write FILE: its part of a document, e.g. docs/benchmarks.md   --json
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execFileSync } from 'node:child_process';
import { hone, temporaryFolder } from './hone.mjs';
import { PLACES, markdown, rowOf } from './posts/report.mjs';
import { writePart } from './peers/parts.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url)), MODELS = ['resnet18', 'mobilenetv2'];
const { values: options } = parseArgs({ options: { models: { type: 'string' }, places: { type: 'string' }, runs: { type: 'string', default: '100' },
  time: { type: 'string', default: '180' }, database: { type: 'string', default: path.join(HERE, '../build/posts.db') }, tune: { type: 'string' },
  write: { type: 'string' }, json: { type: 'boolean', default: false } } });

const chosen = (what, option, all) => {
  const names = option?.split(',') ?? all, unknown = names.find(name => !all.includes(name));
  if (unknown === undefined) return names;
  console.error(`posts: there is no ${what} "${unknown}"; there are: ${all.join(', ')}`);
  process.exit(2);
};
const models = chosen('model', options.models, MODELS), places = chosen('place', options.places, Object.keys(PLACES));
const folder = temporaryFolder(), database = path.resolve(options.database);

function modelFile(name) {
  const file = path.join(folder, `${name}.onnx`);
  execFileSync(path.join(HERE, '../scripts/gen_model'), [name, '--out', file]);
  return file;
}

// What the place took, or {failed} with the first line of what it said.
function measured(model, place) {
  const at = ['--target', PLACES[place].target, '--browser', PLACES[place].browser, '--db', database, '--quiet'];
  try {
    if (options.tune) hone('tune', model.file, ...at, '--time', options.tune);
    const schedule = fs.existsSync(database) ? 'best' : 'seed';
    return rowOf(hone('bench', model.file, ...at, '--schedule', schedule, '--runs', options.runs, '--time', options.time));
  } catch (error) {
    return { failed: String(error.message).split('\n')[0] };
  }
}

const rows = [];
for (const model of models.map(name => ({ name, file: modelFile(name) }))) {
  for (const place of places) {
    const row = { model: model.name, place, ...measured(model, place) };
    console.error(`posts: ${model.name}, ${PLACES[place].text}: ${row.failed ?? `${row.ms.toPrecision(3)} ms, ${row.runs} runs`}`);
    rows.push(row);
  }
}
const report = { runs: Number(options.runs), rows };
if (options.write) writePart(options.write, 'posts', markdown(report));
if (options.json) fs.writeSync(1, `${JSON.stringify(report)}\n`);
else if (!options.write) console.log(markdown(report));
