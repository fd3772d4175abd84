// Runs of the smallest launches in the runner: each reads what the one before wrote, and has a kernel and a buffer other than its neighbour's, as a
// model's launches have.
import { launchUs } from '../../core/launch_cost.ts';
import type { Texture } from '../../generated/protocol.ts';
import type { Runner } from './runner.ts';
import { Trial } from './trial.ts';

export interface SmallestLaunch {
  code(addend: number): string;   // reads buffer 0 and writes buffer 1, one element of each
  readonly bytes: number;         // of a buffer
  readonly texture?: Texture;     // what it is, where kernels read textures
}

// Undefined where the clock tells no difference, or the runner refuses: then a launch costs what compilers take it to.
export async function measureLaunchUs(runner: Runner, { code, bytes, texture }: SmallestLaunch): Promise<number | undefined> {
  return Trial.run(runner, async trial => {
    const buffers: number[] = [], kernels: number[] = [];
    for (const addend of [1, 2]) {
      buffers.push(await trial.make(bytes, texture));
      kernels.push(await trial.build(code(addend)));
    }
    const call = (from: number) => ({ kernel: kernels[from]!, buffers: [buffers[from]!, buffers[1 - from]!], writes: [false, true], bytes: [bytes, bytes], grid: [1, 1, 1] });
    const program = await trial.bind([call(0), call(1)]);
    return launchUs(async launches => {
      const started = performance.now();
      await trial.runNs(program, launches / 2);
      return (performance.now() - started) * 1e6;
    });
  }, undefined);
}
