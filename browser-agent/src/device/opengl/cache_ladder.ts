// The size of a GPU's last cache, and how fast its memory is, by reads of a texture (texture_reads.ts) in the runner.
import { climbSets, untold, type GpuMemory } from '../../core/cache_size.ts';
import type { Texture } from '../../generated/protocol.ts';
import type { Runner } from '../runner/runner.ts';
import { Trial } from '../runner/trial.ts';
import { sample_ns_min, steps_min, textureReads, walkTo } from '../texture_reads.ts';

// Reads for up to 100 ms, from 256 MiB or as large a texture as there may be; it is given back. size_max: of a texture's side.
export function openGlMemory(runner: Runner, size_max: number, clock_step_ns: number): Promise<GpuMemory> {
  const { sets, round_bytes, ...reads } = textureReads(size_max);
  return Trial.run(runner, async trial => {
    const data = await trial.makeAny(reads.data), walk = await trial.makeAny(reads.walk), target = await trial.makeAny(reads.target);
    const drawOf = async (code: string, { width, height }: Texture, buffers: readonly number[], writes: readonly boolean[]): Promise<number> =>
      trial.bind([{ kernel: await trial.build(code), buffers, writes, grid: [width, height, 1] }]);
    const fill = await drawOf(reads.fill, reads.data, [data], [true]), read = await drawOf(reads.read, reads.target, [data, walk, target], [false, false, true]);
    return climbSets({
      sets, round_bytes, least_ns: Math.max(sample_ns_min, steps_min * clock_step_ns), nowMs: () => performance.now(),
      prepare: async () => void await trial.runNs(fill, 1),
      readNs: async (bytes, rounds) => {
        await trial.write(walk, walkTo(bytes, rounds));
        return trial.runNs(read, 1);
      },
    });
  }, untold);
}
