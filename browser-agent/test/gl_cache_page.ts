// What a page does of webgl_cache.test.ts: a ladder of reads in a context of its own, and what of it is still there afterwards.
import { GlDevice } from '../../browser-runtime/src/device/webgl2/gl_device.ts';
import { openContext } from '../../browser-runtime/src/device/webgl2/context.ts';
import { success, type Attempt } from '../src/core/outcome.ts';
import { glMemory } from '../src/device/webgl2/cache_ladder.ts';
import { QueryClock, WallClock } from '../src/device/webgl2/clock.ts';

export interface Told {
  bytes: number;
  draws: number;
  held: string[];
  error: number;
}

const makers = { createTexture: 'deleteTexture', createFramebuffer: 'deleteFramebuffer', createProgram: 'deleteProgram' } as const;

// side_max: of a texture, as the context says it. room: textures there is memory for.
export async function told(method: 'timestamp' | 'slope', side_max: number, room = Infinity): Promise<Told> {
  const found = openContext();
  if (!found.ok) throw new Error(found.reason);
  const { gl } = found, device = new GlDevice(found.canvas, gl), held = new Map<unknown, string>();
  const clock = method === 'slope' ? new WallClock() : QueryClock.make(device)!;
  let draws = 0, textures = 0;
  const wrap = <K extends keyof WebGL2RenderingContext>(name: K, around: (original: (...given: unknown[]) => unknown, given: unknown[]) => unknown): void => {
    const original = (gl[name] as (...given: unknown[]) => unknown).bind(gl);
    Object.defineProperty(gl, name, { value: (...given: unknown[]) => around(original, given) });
  };
  for (const [make, giveBack] of Object.entries(makers)) {
    wrap(make as keyof typeof makers, (original, given) => {
      const made = original(...given);
      held.set(made, make);
      return made;
    });
    wrap(giveBack, (original, given) => {
      held.delete(given[0]);
      return original(...given);
    });
  }
  wrap('drawArrays', (original, given) => { draws++; return original(...given); });
  wrap('getParameter', (original, given) => (given[0] === gl.MAX_TEXTURE_SIZE ? side_max : original(...given)));
  wrap('texStorage2D', (original, given) => (++textures > room ? original(...given.slice(0, 3), 1 << 24, 1 << 24) : original(...given)));   // an error
  const waitNs = async (): Promise<Attempt<number>> => success(1e6);
  const { cache_bytes: bytes } = await glMemory(device, clock, waitNs);
  return { bytes, draws, held: [...held.values()], error: gl.getError() };
}
