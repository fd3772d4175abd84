// The square product (square_product.ts) as WebAssembly kernels, right and wrong. An iteration of the parallel loop makes one row.
import type { Launch } from '../src/generated/protocol.ts';
import { SquareProduct } from './square_product.ts';
import { add, addF32, assemble, f32, get, i32, loadF32, loadI32, loop, multiply, multiplyF32, parameters, set, storeF32, type Code } from './wasm_module.ts';

const [i, j, k, a, b, c, s, sum] = [3, 4, 5, 6, 7, 8, 9, 10];
export const row = i, column = j;

export interface WasmKernel {
  launch: Launch;
  module: Uint8Array<ArrayBuffer>;
}

interface Change {
  prologue?: Code;                 // before anything else
  element?: Code;                  // the address of the element that is stored
  value?: (sum: Code) => Code;     // what is stored of the sum
  after?: Code;                    // behind the loops
  imports?: readonly string[];
  scratch?: boolean;               // sums in scratch memory, which is a thread's own
  shared?: boolean;
}

const at = (base: number, index: Code): Code => add(get(base), multiply(index, i32(4)));

export class WasmProduct extends SquareProduct {
  constructor(n: number, readonly shared: boolean) {
    super(n);
  }

  // The address of C's element at this linear index.
  element(index: Code): Code {
    return at(c, index);
  }

  input(index: Code): Code {
    return at(a, index);
  }

  kernel(change: Change = {}): WasmKernel {
    const size = i32(this.n), bytes = this.n * this.n * 4;
    const linear = (row: number, column: number): Code => add(multiply(get(row), size), get(column));
    const product = multiplyF32(loadF32(at(a, linear(i, k))), loadF32(at(b, linear(k, j))));
    const scratch = change.scratch === true;
    const addUp = scratch ? storeF32(get(s), addF32(loadF32(get(s)), product)) : set(sum, addF32(get(sum), product));
    const body = [
      ...set(a, loadI32(get(parameters.args))),
      ...set(b, loadI32(add(get(parameters.args), i32(4)))),
      ...set(c, loadI32(add(get(parameters.args), i32(8)))),
      ...(scratch ? set(s, loadI32(add(get(parameters.args), i32(12)))) : []),
      ...change.prologue ?? [],
      ...loop(i, get(parameters.begin), get(parameters.end), loop(j, i32(0), size, [
        ...(scratch ? storeF32(get(s), f32(0)) : set(sum, f32(0))),
        ...loop(k, i32(0), size, addUp),
        ...(scratch ? set(sum, loadF32(get(s))) : []),
        ...storeF32(change.element ?? at(c, linear(i, j)), change.value?.(get(sum)) ?? get(sum)),
      ])),
      ...change.after ?? [],
    ];
    const module = assemble({ shared: change.shared ?? this.shared, imports: change.imports ?? [], locals: { i32: 7, f32: 1 } }, body);
    const bindings = [0, 1, 2].map(position => ({ kind: 'arg' as const, position, writes: position === 2, bytes }));
    return { launch: { code: '', module_bytes: module.length, scratch_bytes: scratch ? 4 : 0, grid: [this.n, 1, 1], threads: [1, 1, 1], bindings }, module };
  }
}
