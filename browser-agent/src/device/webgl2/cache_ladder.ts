// The size of a GPU's last cache, and how fast its memory is, by reads of a texture (texture_reads.ts) that the clock of kernels times.
import { climbSets, untold, type GpuMemory } from '../../core/cache_size.ts';
import type { Attempt } from '../../core/outcome.ts';
import { saidNs } from '../../core/reading.ts';
import { tellsKernelTime } from '../../core/timing_ladder.ts';
import { WaitScatter } from '../../core/wait_scatter.ts';
import { sample_ns_min, steps_min, textureReads, walkTo } from '../texture_reads.ts';
import { WorkError, type GlDevice } from '../../../../browser-runtime/src/device/webgl2/gl_device.ts';
import { createProgram } from '../../../../browser-runtime/src/device/webgl2/program.ts';
import { disposeStep, drawAll, makeStep, samplersOf, type BoundTexture, type Step } from '../../../../browser-runtime/src/device/webgl2/step.ts';
import { GpuTexture } from '../../../../browser-runtime/src/device/webgl2/texture.ts';
import type { GlClock } from './clock.ts';

// Reads for up to 100 ms, from 256 MiB or as large a texture as there may be; it is given back. waitNs: as WaitScatter has it, where
// times are slopes.
export async function glMemory(device: GlDevice, clock: GlClock, waitNs: () => Promise<Attempt<number>>): Promise<GpuMemory> {
  const given: (() => void)[] = [];
  const measured = await device.checked(async () => measure(device, clock, await leastNs(clock, waitNs), given));
  device.checkedNow(() => given.forEach(giveBack => giveBack()));
  return measured.ok ? measured.value : untold;
}

// Of reads that the clock tells well.
async function leastNs(clock: GlClock, waitNs: () => Promise<Attempt<number>>): Promise<number> {
  const scatter = new WaitScatter(waitNs);
  if (!tellsKernelTime(clock)) await scatter.look();
  return Math.max(sample_ns_min, steps_min * clock.quantum_ns, scatter.slope_ns_min);
}

// given: what gives back what is made. Throws WorkError.
async function measure(device: GlDevice, clock: GlClock, least_ns: number, given: (() => void)[]): Promise<GpuMemory> {
  const { gl } = device, { sets, round_bytes, ...reads } = textureReads(gl.getParameter(gl.MAX_TEXTURE_SIZE) as number);
  const textureOf = (shape: GpuTexture['shape']): GpuTexture => {
    const texture = GpuTexture.make(gl, shape);
    given.push(() => texture.dispose());
    return texture;
  };
  const data = textureOf(reads.data), walk = textureOf(reads.walk), target = textureOf(reads.target);
  const fill = await stepOf(device, reads.fill, [{ texture: data, writes: true }], given);
  const read = await stepOf(device, reads.read, [{ texture: data, writes: false }, { texture: walk, writes: false }, { texture: target, writes: true }], given);
  const drawnNs = async (draws: number): Promise<number> => saidNs(await clock.read({ draw: () => drawAll(gl, [read], draws), finish: () => target.waitFor() }));
  return climbSets({
    sets, round_bytes, least_ns, nowMs: () => performance.now(),
    prepare: async () => drawAll(gl, [fill], 1),
    readNs: async (bytes, rounds) => {
      walk.upload(new Uint8Array(walkTo(bytes, rounds).buffer));
      const once_ns = await drawnNs(1);
      return tellsKernelTime(clock) ? once_ns : Math.max(0, await drawnNs(2) - once_ns);
    },
  });
}

async function stepOf(device: GlDevice, code: string, bound: readonly BoundTexture[], given: (() => void)[]): Promise<Step> {
  const { gl } = device, program = await createProgram(device, code, samplersOf(bound)), { width, height } = bound.at(-1)!.texture.shape;
  if (!program.ok) throw new WorkError(program.outcome, program.message);
  given.push(() => gl.deleteProgram(program.value));
  const step = makeStep(gl, program.value, bound, [width, height]);
  given.push(() => disposeStep(gl, step));
  return step;
}
