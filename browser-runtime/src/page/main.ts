// The page of a package: what the model is, at once; then it loads, and runs on generated numbers or on a picture.
import type { Description, Model, ModelValue, Progress, TypedArray, Values } from '../package/load.ts';
import { element } from './element.ts';
import { generatedInputs } from './generated_input.ts';
import { offerPictures } from './picture_chooser.ts';

const runs = 10;
const shown_max = 5;

const show = (id: string, text: string): void => { element(id).textContent = text; };

function describe({ model, inputs, outputs }: Description): void {
  document.title = model;
  show('model', model);
  list('inputs', inputs.map(textOf));
  list('outputs', outputs.map(textOf));
}

function list(id: string, lines: readonly string[]): void {
  element(id).replaceChildren(...lines.map(text => {
    const item = document.createElement('li'), code = document.createElement('code');
    code.textContent = text;
    item.append(code);
    return item;
  }));
}

const textOf = ({ name, dtype, shape }: ModelValue): string => `${name}: ${dtype} [${shape.join(', ')}]`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function showProgress({ bytes, total, stage }: Progress): void {
  element<HTMLProgressElement>('progress').value = bytes / total;
  show('status', stage === 'download' ? `${megabytes(bytes)} of ${megabytes(total)}` : stage === 'warm-up' ? 'Warming up…' : 'Ready.');
}

function showUsed({ used: { backend, plan, why } }: Pick<Model, 'used'>): void {
  element('facts').hidden = false;
  show('backend', backend);
  show('plan', plan);
  show('why', why);
}

function fail(error: unknown): void {
  element('status').className = 'failed';
  show('status', error instanceof Error ? error.message : String(error));
}

const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

async function measure(model: Model, given: Values): Promise<void> {
  const inputs = { ...generatedInputs(model.inputs), ...given }, times: number[] = [];
  let outputs: Values = {};
  for (let i = 0; i < runs; i++) {
    show('status', `Run ${i + 1} of ${runs}…`);
    const started = performance.now();
    outputs = await model.run(inputs);
    times.push(performance.now() - started);
  }
  show('time', `${median(times).toPrecision(3)} ms, median of ${runs}`);
  list('results', Object.entries(outputs).map(([name, value]) => `${name}: ${firstOf(value)}`));
  showUsed(model);
  show('status', 'Ready.');
}

function firstOf(value: TypedArray): string {
  const first = Array.from(value.subarray(0, shown_max) as ArrayLike<number | bigint>, number => (typeof number === 'bigint' ? String(number) : Number(number.toPrecision(4))));
  return `${first.join(', ')}${value.length > shown_max ? ', …' : ''}`;
}

// A browser that refuses an altered file says no more than that.
const runtime = (): Promise<typeof import('../package/load.ts')> => import('../package/load.ts').catch((error: unknown) => {
  throw new Error(`index.js of the package could not be loaded, or is not the file that was exported: copy the whole package again (${error instanceof Error ? error.message : String(error)}).`);
});

async function start(): Promise<void> {
  const run = element<HTMLButtonElement>('run'), { load } = await runtime();
  const model = await load(new URL('./', import.meta.url), { onManifest: describe, onProgress: showProgress, onUsed: used => showUsed({ used }) });
  showUsed(model);
  let given: Values = {};
  run.disabled = false;
  // Again for a picture that comes meanwhile.
  const measureGiven = async (): Promise<void> => {
    run.disabled = true;
    element('status').className = '';
    for (let measured: Values | undefined; measured !== given;) await measure(model, measured = given);
  };
  run.onclick = () => void measureGiven().catch(fail).finally(() => { run.disabled = false; });
  offerPictures(model, picture => {
    given = picture;
    run.click();   // nothing while a run is under way
  }, fail);
}

start().catch(fail);
