// Reads of working sets that grow, by which the size of the last cache of an OpenCL device is told, and how fast its memory is (core/cache_size.ts): every work-item reads vectors that
// lie next to its neighbours', all of them together the whole set, again and again.
import { climbSets, untold, workingSets, type GpuMemory } from '../../core/cache_size.ts';
import type { Runner } from '../runner/runner.ts';
import { Trial } from '../runner/trial.ts';

const bytes_max = 256 << 20;
const items = 64;                // of a work-group: what any device of OpenCL computes with
const groups = 1024;
const vector_bytes = 16;
const round_bytes = items * groups * vector_bytes;
const sample_ns_min = 1e6;
const steps_min = 10;            // of the clock

// Where fewer work-items run at once than there are, each round of the set begins elsewhere in each part, by about the golden section of it: they come back to a vector
// only after most of the set.
const shift = 39 * items * groups / 64;

const code = `
__kernel __attribute__((reqd_work_group_size(${items}, 1, 1)))
void run_kernel(__global const uint4* restrict data, __global const uint* restrict walk, __global uint* restrict out) {
  uint parts = walk[0], rounds = walk[1], part = 0, at = get_global_id(0);
  uint4 sum = (uint4)(0);
  for (uint i = 0; i < rounds; i++) {
    sum += data[part * ${items * groups}u + at];
    if (++part == parts) { part = 0; at = (at + ${shift}u) & ${items * groups - 1}u; }
  }
  out[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
}`;

// Reads for up to 100 ms, from as much memory as one buffer may have, 256 MiB at most; it is given back.
export function clMemory(runner: Runner, buffer_bytes_max: number, clock_step_ns: number): Promise<GpuMemory> {
  const sets = workingSets(Math.min(bytes_max, buffer_bytes_max)), sizes = [sets.at(-1) ?? 0, 8, items * groups * 4] as const;
  return Trial.run(runner, async trial => {
    const data = await trial.make(sizes[0]), walk = await trial.make(sizes[1]), out = await trial.make(sizes[2]), kernel = await trial.build(code);
    const program = await trial.bind([{ kernel, buffers: [data, walk, out], writes: [false, false, true], bytes: sizes, grid: [groups, 1, 1] }]);
    const readNs = async (bytes: number, rounds: number): Promise<number> => {
      await trial.write(walk, new Uint32Array([bytes / round_bytes, rounds]));
      return trial.runNs(program, 1);
    };
    return climbSets({ sets, round_bytes, least_ns: Math.max(sample_ns_min, steps_min * clock_step_ns), readNs, nowMs: () => performance.now() });
  }, untold);
}
