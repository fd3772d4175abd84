// Each plan of a package that runs in this page, in turns: ms of a round trip. A plan is run alone by a manifest that names no other.
import { inputsOf } from './tensors.js';

const SAMPLE_MS = 50, RUNS_MAX = 50;
const plain = globalThis.fetch.bind(globalThis);
let only;

export function init() {
  globalThis.fetch = async (request, options) => {
    const answer = await plain(request, options);
    if (!new URL(request.url ?? request, location.href).pathname.endsWith('/manifest.json')) return answer;
    const manifest = await answer.json();
    return new Response(JSON.stringify({ ...manifest, plans: manifest.plans.filter(({ plan }) => plan.file === only) }));
  };
}

// The models by plan; a plan that asks for more than this device has is not there.
async function open({ package: folder, plans }) {
  const { load } = await import(`${folder}index.js`), models = {};
  for (const { plan, backend } of plans) {
    only = plan;
    const model = await load(undefined, { backend }).catch(() => undefined);
    if (model) models[plan] = model;
  }
  return models;
}

async function roundTrips(model, inputs, k) {
  const started = performance.now();
  for (let i = 0; i < k; i++) await model.run(inputs);
  return (performance.now() - started) / k;
}

// {file of the plan: ms of each round}
export async function measure(work, rounds) {
  const inputs = Object.fromEntries(inputsOf(work).map((values, i) => [work.inputs[i].name, values])), models = await open(work), samples = {}, runs = {};
  for (const [plan, model] of Object.entries(models)) {
    samples[plan] = [];
    runs[plan] = Math.max(1, Math.min(RUNS_MAX, Math.round(SAMPLE_MS / await roundTrips(model, inputs, 1))));
  }
  for (let round = 0; round < rounds; round++)
    for (const plan of round % 2 ? Object.keys(models).reverse() : Object.keys(models)) samples[plan].push(await roundTrips(models[plan], inputs, runs[plan]));
  for (const model of Object.values(models)) model.dispose();
  return samples;
}
