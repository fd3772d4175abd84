// From a module's bytes to code that threads can call, and the outcome of each way in which that fails.
import type { Attempt } from '../outcome.ts';
import { failure, success } from '../outcome.ts';

// A kernel's entry: runs the iterations begin…end-1 of its parallel loop. args: address of its buffers' addresses.
export type Main = (args: number, begin: number, end: number) => void;

// On this thread, so that the time it takes is its own: a worker may.
export function compileModule(bytes: Uint8Array<ArrayBuffer>): Attempt<WebAssembly.Module> {
  if (bytes.length === 0) return failure('compile_error', 'the launch has no WebAssembly module; this device runs no source text');
  try {
    return success(new WebAssembly.Module(bytes));
  } catch (error) {
    return error instanceof RangeError ? failure('out_of_memory', describe(error)) : failure('compile_error', describe(error));
  }
}

export function instantiateMain(module: WebAssembly.Module, imports: WebAssembly.ModuleImports): Attempt<Main> {
  try {
    return success(mainOf(new WebAssembly.Instance(module, { env: imports })));
  } catch (error) {
    return error instanceof RangeError ? failure('out_of_memory', describe(error)) : failure('validation_error', describe(error));
  }
}

// Throws for a module that is no kernel.
export function mainOf({ exports }: WebAssembly.Instance): Main {
  const main: unknown = exports['main'];
  if (typeof main !== 'function') throw new Error('the module exports no function main');
  return main as Main;
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
