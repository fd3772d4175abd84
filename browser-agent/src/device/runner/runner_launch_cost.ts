// Runs of the smallest launches in the runner: each reads what the one before wrote, and has a kernel and a buffer other than its neighbour's, as a
// model's launches have.
import { launchUs } from '../../core/launch_cost.ts';
import type { Attempt } from '../../core/outcome.ts';
import type { Texture } from '../../generated/protocol.ts';
import type { Runner } from './runner.ts';

export interface SmallestLaunch {
  code(addend: number): string;   // reads buffer 0 and writes buffer 1, one element of each
  readonly bytes: number;         // of a buffer
  readonly texture?: Texture;     // what it is, where kernels read textures
}

class Refused extends Error {}

function valueOf<T>(attempt: Attempt<T>): T {
  if (attempt.ok) return attempt.value;
  throw new Refused(attempt.message);
}

// Undefined where the clock tells no difference, or the runner refuses: then a launch costs what compilers take it to.
export async function measureLaunchUs(runner: Runner, { code, bytes, texture }: SmallestLaunch): Promise<number | undefined> {
  const buffers: number[] = [], kernels: number[] = [];
  let program: number | undefined;
  try {
    for (const addend of [1, 2]) {
      buffers.push(valueOf(await runner.make(bytes, 0, texture)));
      kernels.push(valueOf(await runner.build(new TextEncoder().encode(code(addend)))).kernel);
    }
    const call = (from: number) => ({ kernel: kernels[from]!, buffers: [buffers[from]!, buffers[1 - from]!], writes: [false, true], bytes: [bytes, bytes], grid: [1, 1, 1] });
    program = valueOf(await runner.bind([call(0), call(1)]));
    return await launchUs(async launches => {
      const started = performance.now();
      valueOf(await runner.run(program!, launches / 2));
      return (performance.now() - started) * 1e6;
    });
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  } finally {
    if (program !== undefined) runner.unbind(program);
    for (const kernel of kernels) runner.drop(kernel);
    for (const buffer of buffers) runner.free(buffer);
  }
}
