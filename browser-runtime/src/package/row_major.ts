// A plan whose device brings inputs and outputs into their layouts itself (plan/wasm_ports.ts): its callers have them in row-major order.
import type { Manifest, PlanFile, PlanPort } from '../generated/manifest.ts';
import type { PlanSpec, RowMajor } from '../plan/plan.ts';
import { Layout, type Block } from './layout.ts';
import { elementsOf } from './pack.ts';

const word_bytes = 4;
const bytes_max = 2 ** 31;   // of WebAssembly memory: what is larger is refused when it is opened
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
  const bytes = word_bytes * elementsOf(shape);
  if (dims.length === 0 || dtype === 'f16' || bytes > bytes_max) return undefined;
  const blocks = blocksOf(new Layout(shape, dims));
  return blocks === undefined ? undefined : { bytes, blocks };
}

// undefined: there are too many. A damaged manifest may tell of any number, so they are not all looked at.
function blocksOf(layout: Layout): Block[] | undefined {
  const blocks: Block[] = [], too_many = new Error('too many blocks');
  if (layout.elements > bytes_max / word_bytes) return undefined;
  try {
    layout.visit(block => {
      if (blocks.length === blocks_max) throw too_many;
      blocks.push(block);
    });
    return blocks;
  } catch (error) {
    if (error !== too_many) throw error;
    return undefined;
  }
}
