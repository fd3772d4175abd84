// A plan whose device brings inputs and outputs into their layouts itself (plan/wasm_ports.ts): its callers have them in row-major order.
import type { Manifest, PlanFile, PlanPort } from '../generated/manifest.ts';
import type { PlanSpec, RowMajor } from '../plan/plan.ts';
import { Layout, type Block } from './layout.ts';
import { elementsOf } from './pack.ts';

const word_bytes = 4;
const blocks_max = 64;     // of a port, each a launch: a layout of more blocks is packed element by element

export interface RowMajorPlan {
  readonly plan: PlanFile;                                         // as its callers see it
  readonly borders: Pick<PlanSpec, 'inputs_row_major' | 'outputs'>;
}

export function asRowMajor(manifest: Pick<Manifest, 'inputs' | 'outputs'>, plan: PlanFile): RowMajorPlan {
  const inputs = plan.inputs.map(port => ({ port, row_major: rowMajorOf(manifest.inputs[port.value]!.shape, port) }));
  const outputs = plan.outputs.map(port => ({ port, row_major: rowMajorOf(manifest.outputs[port.value]!.shape, port) }));
  return {
    plan: { ...plan, inputs: inputs.map(seen), outputs: outputs.map(seen) },
    borders: {
      inputs_row_major: inputs.flatMap(({ port: { buffer }, row_major }) => (row_major === undefined ? [] : [{ buffer, ...row_major }])),
      outputs: outputs.map(({ port: { buffer, bytes }, row_major }) => (row_major === undefined ? { buffer, bytes } : { buffer, bytes: row_major.bytes, row_major })),
    },
  };
}

const seen = ({ port, row_major }: { port: PlanPort; row_major: RowMajor | undefined }): PlanPort => (row_major === undefined ? port : { ...port, dims: [], bytes: row_major.bytes });

// undefined: it lies so already, or stays as it is.
function rowMajorOf(shape: readonly number[], { dtype, dims }: PlanPort): RowMajor | undefined {
  if (dims.length === 0 || dtype === 'f16') return undefined;
  const blocks: Block[] = [];
  new Layout(shape, dims).visit(block => { if (blocks.length <= blocks_max) blocks.push(block); });
  return blocks.length > blocks_max ? undefined : { bytes: word_bytes * elementsOf(shape), blocks };
}
