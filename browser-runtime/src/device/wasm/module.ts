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
    const { exports } = new WebAssembly.Instance(module, { env: imports });
    const main: unknown = exports['main'];
    return typeof main === 'function' ? success(main as Main) : failure('validation_error', 'the module exports no function main');
  } catch (error) {
    return error instanceof RangeError ? failure('out_of_memory', describe(error)) : failure('validation_error', describe(error));
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
