// Step: one launch, bound: a draw of its program over its targets.
import { WorkError } from './gl_device.ts';
import type { GpuTexture } from './texture.ts';

const usual_band_ms_max = 250;
const probes = 64;   // the share of a draw from which its whole time is told

export interface Step {
  program: WebGLProgram;
  inputs: readonly GpuTexture[];               // by texture unit
  first_target: GpuTexture;
  // Two of one kind, used in turns: GPUs that draw by tiles (Mali, PowerVR, Apple's) leave out of one framebuffer's work what a later draw
  // hides, and would run a repeated kernel once. They also end each draw's work as another launch's does.
  framebuffers: readonly [WebGLFramebuffer, WebGLFramebuffer];
  grid: readonly [number, number];
  bands: number;                               // draws that it is cut into, along its longer side
}

export interface BoundTexture {
  texture: GpuTexture;
  writes: boolean;
}

// The names of the samplers, by texture unit.
export function samplersOf(bindings: readonly { writes: boolean }[]): string[] {
  return bindings.flatMap(({ writes }, i) => (writes ? [] : [`b${i}`]));
}

// Throws WorkError for targets that the context cannot draw to.
export function makeStep(gl: WebGL2RenderingContext, program: WebGLProgram, bound: readonly BoundTexture[], grid: readonly number[]): Step {
  const { targets, inputs, first_target } = split(bound), [width = 0, height = 0] = grid;
  for (const { shape } of targets) {
    if (shape.width !== width || shape.height !== height) throw new WorkError('validation_error', `a launch of ${width}×${height} fragments writes a texture of ${shape.width}×${shape.height}`);
  }
  const units_max = gl.getParameter(gl.MAX_TEXTURE_IMAGE_UNITS) as number;
  if (inputs.length > units_max) throw new WorkError('validation_error', `a launch reads ${inputs.length} textures; the context has ${units_max} units`);
  return { program, inputs, first_target, framebuffers: [makeFramebuffer(gl, targets), makeFramebuffer(gl, targets)], grid: [width, height], bands: 1 };
}

// The same launch on other textures of the same shapes: for executions that each have others. Asks the context for nothing, so many cost little.
export function stepOn(gl: WebGL2RenderingContext, step: Step, bound: readonly BoundTexture[]): Step {
  const { targets, inputs, first_target } = split(bound), framebuffer = drawInto(gl, targets);
  return { ...step, inputs, first_target, framebuffers: [framebuffer, framebuffer] };
}

function split(bound: readonly BoundTexture[]): Pick<Step, 'inputs' | 'first_target'> & { targets: readonly GpuTexture[] } {
  const targets = bound.filter(({ writes }) => writes).map(({ texture }) => texture), [first_target] = targets;
  if (first_target === undefined) throw new WorkError('validation_error', 'a launch writes nothing');
  return { targets, inputs: bound.filter(({ writes }) => !writes).map(({ texture }) => texture), first_target };
}

function makeFramebuffer(gl: WebGL2RenderingContext, targets: readonly GpuTexture[]): WebGLFramebuffer {
  const layers = targets.reduce((sum, { shape }) => sum + shape.layers, 0);
  const layers_max = Math.min(gl.getParameter(gl.MAX_DRAW_BUFFERS) as number, gl.getParameter(gl.MAX_COLOR_ATTACHMENTS) as number);
  if (layers > layers_max) throw new WorkError('validation_error', `a launch writes ${layers} layers; the context has ${layers_max} targets`);
  const framebuffer = drawInto(gl, targets), status = gl.checkFramebufferStatus(gl.FRAMEBUFFER);
  if (status === gl.FRAMEBUFFER_COMPLETE || gl.isContextLost()) return framebuffer;
  gl.deleteFramebuffer(framebuffer);
  throw new WorkError('validation_error', `the context does not draw to these textures (status ${status})`);
}

// A framebuffer, which is bound afterwards.
function drawInto(gl: WebGL2RenderingContext, targets: readonly GpuTexture[]): WebGLFramebuffer {
  const layers = targets.flatMap(texture => Array.from({ length: texture.shape.layers }, (_, layer) => ({ texture, layer }))), framebuffer = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  for (const [attachment, { texture, layer }] of layers.entries()) texture.attach(attachment, layer);
  gl.drawBuffers(layers.map((_, attachment) => gl.COLOR_ATTACHMENT0 + attachment));
  return framebuffer;
}

// Leaves the last launch's framebuffer bound.
export function drawAll(gl: WebGL2RenderingContext, steps: readonly Step[], repeats: number): void {
  let current: Step | undefined;
  for (let i = 0; i < repeats; i++) {
    for (const step of steps) {
      if (step !== current) bindStep(gl, current = step);
      gl.bindFramebuffer(gl.FRAMEBUFFER, step.framebuffers[i % 2 === 0 ? 0 : 1]);
      draw(gl, step);
    }
  }
}

// Drivers compile at the first draw, for longer than most kernels run: one of a single fragment takes that out of the times. Then so many
// bands that none runs for long: systems reset a GPU that does not answer for seconds, and show nothing else while it works.
export function settle(gl: WebGL2RenderingContext, steps: readonly Step[], band_ms_max = usual_band_ms_max): void {
  for (const step of steps) {
    const [first, part] = settlingDraws(gl, step);
    first();
    step.first_target.waitFor();
    const started = performance.now();
    part();
    step.first_target.waitFor();
    step.bands = bandsOf(step, performance.now() - started, band_ms_max);
  }
}

// The same where the thread must not be blocked: at once for all steps where they cannot take long, else one by one. finished: resolves when all
// draws so far have ended.
export async function settleInTurns(gl: WebGL2RenderingContext, steps: readonly Step[], finished: () => Promise<void>, band_ms_max = usual_band_ms_max): Promise<void> {
  const timed = async (draws: readonly (() => void)[]): Promise<number> => {
    const started = performance.now();
    for (const draw of draws) draw();
    await finished();
    return performance.now() - started;
  };
  const settling = steps.map(step => settlingDraws(gl, step));
  await timed(settling.map(([first]) => first));
  const parts_ms = await timed(settling.map(([, part]) => part));
  if (parts_ms * probes < band_ms_max) return;
  for (const [i, step] of steps.entries()) step.bands = bandsOf(step, await timed([settling[i]![1]]), band_ms_max);
}

// A fragment alone, and then the share of it all by which its time is told.
function settlingDraws(gl: WebGL2RenderingContext, step: Step): [() => void, () => void] {
  const [width, height] = step.grid, part = partOf(step);
  return [() => drawPart(gl, step, 1, 1), () => (width > height ? drawPart(gl, step, part, height) : drawPart(gl, step, width, part))];
}

const partOf = ({ grid }: Step): number => Math.ceil(Math.max(...grid) / probes);

function bandsOf(step: Step, part_ms: number, band_ms_max: number): number {
  const along = Math.max(...step.grid);
  return Math.min(along, Math.max(1, Math.ceil(part_ms * along / partOf(step) / band_ms_max)));
}

function drawPart(gl: WebGL2RenderingContext, step: Step, width: number, height: number): void {
  bindStep(gl, step);
  gl.bindFramebuffer(gl.FRAMEBUFFER, step.framebuffers[0]);
  gl.enable(gl.SCISSOR_TEST);
  gl.scissor(0, 0, width, height);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  gl.disable(gl.SCISSOR_TEST);
}

function draw(gl: WebGL2RenderingContext, { grid: [width, height], bands }: Step): void {
  if (bands === 1) return gl.drawArrays(gl.TRIANGLES, 0, 3);
  const band = Math.ceil(Math.max(width, height) / bands);
  gl.enable(gl.SCISSOR_TEST);
  for (let from = 0; from < Math.max(width, height); from += band) {
    if (width > height) gl.scissor(from, 0, band, height);
    else gl.scissor(0, from, width, band);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.flush();
  }
  gl.disable(gl.SCISSOR_TEST);
}

function bindStep(gl: WebGL2RenderingContext, step: Step): void {
  gl.useProgram(step.program);
  gl.viewport(0, 0, ...step.grid);
  for (const [unit, texture] of step.inputs.entries()) texture.bind(unit);
}

export function disposeStep(gl: WebGL2RenderingContext, { framebuffers }: Step): void {
  for (const framebuffer of framebuffers) gl.deleteFramebuffer(framebuffer);
}
