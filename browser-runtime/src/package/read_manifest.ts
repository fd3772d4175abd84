// Reads and checks what a package says of itself: behind here its numbers fit together.
import { manifestBytesMax, manifestFormat, manifestVersion, readManifest, readPlanFile, type Manifest, type PlanFile, type PlanHead, type PlanPort, type PlanWeight } from '../generated/manifest.ts';
import { fetchAsset, fetchText, parseJson, type Source } from './files.ts';
import { Layout } from './layout.ts';
import { elementsOf, sizeOf } from './pack.ts';
import { PackageError } from './package_error.ts';

export const manifest_file = 'manifest.json';
const file_name = /^\w[\w.-]*$/;
const weight_dtypes = ['f32', 'f16', 'i32', 'u32'];

export type Dims = Readonly<Record<string, number>>;

// A package's manifest for some sizes of its model's inputs, and the texts that it was read from, by file: what a later start without a network needs.
export interface FetchedManifest {
  readonly manifest: Manifest;
  readonly texts: ReadonlyMap<string, string>;
}

export async function fetchManifest(source: Source, dims: Dims = {}): Promise<FetchedManifest> {
  const texts = new Map<string, string>(), first = await readOne(source, manifest_file, texts);
  if (haveAll(first.dims ?? {}, dims)) return { manifest: first, texts };
  const other = first.sizes?.find(({ dims: has }) => haveAll(has, dims));
  if (other === undefined) throw new PackageError(`The package was not made for ${textOf(dims)}. It has ${[first, ...first.sizes?.slice(1) ?? []].map(({ dims: has = {} }) => textOf(has)).join('; ')}.`);
  check(file_name.test(other.file), manifest_file, `names the file ${JSON.stringify(other.file)}, which cannot be beside it`);
  const manifest = await readOne(source, other.file, texts);
  check(haveAll(manifest.dims ?? {}, other.dims), other.file, `is for ${textOf(manifest.dims ?? {})}, and ${manifest_file} names it for ${textOf(other.dims)}`);
  return { manifest, texts };
}

async function readOne(source: Source, file: string, texts: Map<string, string>): Promise<Manifest> {
  const text = await fetchText(source, file, manifestBytesMax);
  texts.set(file, text);
  return checkManifest(parseJson(file, text));
}

const haveAll = (has: Dims, wanted: Dims): boolean => Object.entries(wanted).every(([name, size]) => has[name] === size);
const textOf = (dims: Dims): string => Object.entries(dims).map(([name, size]) => `${name}=${size}`).join(', ') || 'no sizes to choose';

export function checkManifest(json: unknown): Manifest {
  const { format, version } = (typeof json === 'object' && json !== null ? json : {}) as { format?: unknown; version?: unknown };
  if (format !== manifestFormat) throw new PackageError(`${manifest_file} is not that of a package: its format is ${JSON.stringify(format) ?? 'missing'}, not ${manifestFormat}.`);
  if (version !== manifestVersion) throw new PackageError(`The package has version ${JSON.stringify(version) ?? 'none'} of its format, this runtime reads version ${manifestVersion}: use the index.js that was exported with it.`);
  const manifest = read(manifest_file, () => readManifest(json));
  for (const { file } of [...manifest.chunks, ...manifest.plans.flatMap(({ plan, kernels }) => [plan, kernels])]) check(file_name.test(file), manifest_file, `names the file ${JSON.stringify(file)}, which cannot be beside it`);
  for (const { name, shape, lengths = [] } of manifest.outputs) checkLengths(manifest, name, shape, lengths);
  for (const [i, { name, shape, watched }] of manifest.outputs.entries()) check(watched === undefined || (watched.length > 0 && i + 1 === manifest.outputs.length && elementsOf(shape) === 1), manifest_file, `has the output ${name}, which tells nothing of others`);
  const total = manifest.chunks.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const [i, { dtype, shape, offset, bytes }] of manifest.weights.entries()) {
    check(weight_dtypes.includes(dtype) && bytes === elementsOf(shape) * sizeOf(dtype), manifest_file, `says that weight ${i} of ${dtype} [${shape}] has ${bytes} bytes`);
    check(offset + bytes <= total, manifest_file, `puts weight ${i} behind the end of its chunks`);
  }
  return manifest;
}

function checkLengths({ outputs }: Manifest, name: string, shape: readonly number[], lengths: readonly number[]): void {
  check(lengths.length === 0 || lengths.length === shape.length, manifest_file, `gives the output ${name} lengths for other dimensions`);
  for (const position of lengths) {
    const said = outputs[position - 1];
    check(position === 0 || (said !== undefined && said.lengths === undefined && elementsOf(said.shape) === 1), manifest_file, `gives the output ${name} a length that is none`);
  }
}

export async function fetchPlanFile(source: Source, manifest: Manifest, { plan, kernels }: PlanHead, onBytes: (bytes: number) => void): Promise<PlanFile> {
  const text = new TextDecoder().decode(await fetchAsset(source, plan, onBytes));
  return checkPlanFile(manifest, read(plan.file, () => readPlanFile(parseJson(plan.file, text))), plan.file, kernels.bytes);
}

// Launches are checked by the executors, which know what their devices take.
export function checkPlanFile(manifest: Manifest, plan: PlanFile, file: string, kernels_bytes: number): PlanFile {
  for (const [i, { offset, bytes }] of plan.kernels.entries()) check(offset + bytes <= kernels_bytes, file, `puts kernel ${i} behind the end of its file`);
  for (const held of plan.weights) checkHeld(plan, file, manifest.weights[held.weight]?.shape, held);
  for (const port of plan.inputs) checkHeld(plan, file, manifest.inputs[port.value]?.shape, port);
  for (const port of plan.outputs) {
    checkHeld(plan, file, manifest.outputs[port.value]?.shape, port);
    check(port.dtype !== 'f16' && port.bytes % 4 === 0, file, `gives an output as ${port.dtype} in ${port.bytes} bytes; outputs are whole words`);
  }
  for (const [i, { name }] of manifest.outputs.entries()) check(plan.outputs.some(({ value }) => value === i), file, `never gives the output ${name}`);
  return plan;
}

function checkHeld({ buffers }: PlanFile, file: string, shape: readonly number[] | undefined, { buffer, dtype, dims, bytes }: PlanWeight | PlanPort): void {
  check(shape !== undefined, file, 'names a tensor that the manifest has not');
  const layout = new Layout(shape, dims);
  check(layout.valid && weight_dtypes.includes(dtype), file, `has a tensor of ${dtype} [${shape}] in a layout that does not hold it`);
  check(layout.elements * sizeOf(dtype) <= bytes, file, `gives ${bytes} bytes to a tensor that needs ${layout.elements * sizeOf(dtype)}`);
  check(bytes <= (buffers[buffer] ?? -1), file, `puts ${bytes} bytes into buffer ${buffer}, which has ${buffers[buffer] ?? 'no place'}`);
}

function read<T>(file: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof TypeError ? new PackageError(`${file} of the package is damaged: ${error.message}.`) : error;
  }
}

function check(holds: boolean, file: string, what: string): asserts holds {
  if (!holds) throw new PackageError(`${file} of the package is damaged: it ${what}.`);
}
