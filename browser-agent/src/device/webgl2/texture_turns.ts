// TextureTurns: a candidate's draws on copies of their textures, in turns (core/rotation.ts).
import type { Copies, CopyPool } from '../../core/copy_pool.ts';
import { success, type Attempt } from '../../core/outcome.ts';
import { rotatingBuffers, setsOf, withoutAhead, type RotatingBuffer, type Rotation } from '../../core/rotation.ts';
import type { Binding, Buffer, Candidate } from '../../generated/protocol.ts';
import { shapeKey } from '../texture_shape.ts';
import type { GlDevice } from '../../../../browser-runtime/src/device/webgl2/gl_device.ts';
import { disposeStep, drawAll, stepOn, type BoundTexture, type Step } from '../../../../browser-runtime/src/device/webgl2/step.ts';
import { GpuTexture } from '../../../../browser-runtime/src/device/webgl2/texture.ts';

// A launch and what its bindings name.
export interface BoundStep {
  readonly step: Step;
  readonly bound: readonly BoundTexture[];
}

export interface Turning {
  readonly device: GlDevice;
  readonly task: object;                   // stands for it among the copies
  readonly buffers: readonly Buffer[];     // the task's
  readonly copies: CopyPool<GpuTexture[]>;
  readonly candidate: Candidate;
  readonly steps: readonly BoundStep[];    // settled
  textureOf(kind: Binding['kind'], position: number): GpuTexture | undefined;
}

// An execution on a set of textures.
export interface Turn {
  readonly steps: readonly Step[];
  standIn(own: GpuTexture): GpuTexture;    // what the execution has in its place
}

export class TextureTurns {
  #next = 0;

  private constructor(private readonly gl: WebGL2RenderingContext, private readonly turns: readonly Turn[], private readonly copies: readonly Copies<GpuTexture[]>[]) {}

  // Undefined where nothing rotates. What is made before something fails is given back.
  static async make(parts: Turning, rotation: Rotation): Promise<Attempt<TextureTurns | undefined>> {
    const rotating = rotatingTextures(parts, rotation), sets = setsOf(rotation, rotating, parts.copies.copies_max);
    if (sets === 1) return success(undefined);
    const taken: Copies<GpuTexture[]>[] = [], made = await makeTurns(parts, rotating, sets, taken);
    if (made.ok) return success(new TextureTurns(parts.device.gl, made.value, taken));
    for (const copies of taken) copies.release();
    return made;
  }

  // The next ones.
  take(count: number): Turn[] {
    return Array.from({ length: count }, () => this.turns[this.#next++ % this.turns.length]!);
  }

  // Leaves the last launch's framebuffer bound.
  draw(turns: readonly Turn[]): void {
    for (const { steps } of turns) drawAll(this.gl, steps, 1);
  }

  dispose(): void {
    for (const { steps } of this.turns) disposeSteps(this.gl, steps);
    for (const copies of this.copies) copies.release();
  }
}

function rotatingTextures({ candidate, buffers, textureOf }: Turning, rotation: Rotation): RotatingBuffer[] {
  return rotatingBuffers(withoutAhead(candidate), buffers, rotation).flatMap(buffer => {
    const texture = textureOf(buffer.kind, buffer.position), label = `${buffer.label} ${buffer.kind === 'temp' ? `of ${candidate.trial}` : ''}`;
    return texture === undefined ? [] : [{ ...buffer, bytes: texture.bytes, label: `${label} ${shapeKey(texture.shape)}` }];
  });
}

// taken: gets the copies.
async function makeTurns(parts: Turning, rotating: readonly RotatingBuffer[], sets: number, taken: Copies<GpuTexture[]>[]): Promise<Attempt<Turn[]>> {
  const found = new Map<GpuTexture, readonly GpuTexture[]>();
  for (const { kind, position, bytes, label } of rotating) {
    const source = parts.textureOf(kind, position)!;
    const made = await parts.copies.take({ task: parts.task, label, bytes, count: sets - 1 }, () => copied(parts.device, source, sets - 1));
    if (!made.ok) return made;
    taken.push(made.value);
    found.set(source, made.value.content);
  }
  return stepsOn(parts, Array.from({ length: sets }, (_, set) => own => found.get(own)?.[set - 1] ?? own));   // set 0 is the candidate's own
}

function stepsOn({ device, steps }: Turning, standIns: readonly Turn['standIn'][]): Attempt<Turn[]> {
  const made: Step[] = [];
  const turns = device.checkedNow(() => standIns.map(standIn => ({ standIn, steps: steps.map(({ step, bound }) => {
    made.push(stepOn(device.gl, step, bound.map(({ texture, writes }) => ({ texture: standIn(texture), writes }))));
    return made.at(-1)!;
  }) })));
  if (!turns.ok) disposeSteps(device.gl, made);
  return turns;
}

// All or none.
function copied(device: GlDevice, source: GpuTexture, count: number): Attempt<GpuTexture[]> {
  const made: GpuTexture[] = [];
  const all = device.checkedNow(() => {
    for (let i = 0; i < count; i++) made.push(GpuTexture.make(device.gl, source.shape));
    source.copyTo(made);
    return made;
  });
  if (!all.ok) for (const texture of made) texture.dispose();
  return all;
}

function disposeSteps(gl: WebGL2RenderingContext, steps: readonly Step[]): void {
  for (const step of steps) disposeStep(gl, step);
}
