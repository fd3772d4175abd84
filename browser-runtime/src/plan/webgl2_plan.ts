// WebGlPlan: a model on WebGL 2. A run is uploads of the inputs, a draw for each launch, and the outputs copied into a buffer, which is read once a
// fence behind them has passed: nothing waits on the thread. One run at a time.
import { success, type Attempt } from '../device/outcome.ts';
import { WorkError, type GlDevice } from '../device/webgl2/gl_device.ts';
import { createPrograms, disposePrograms } from '../device/webgl2/program.ts';
import { disposeStep, drawAll, makeStep, samplersOf, settle, settleInTurns, type Step } from '../device/webgl2/step.ts';
import { GpuTexture } from '../device/webgl2/texture.ts';
import { checkLoops, launches_max, piecesOf } from './loops.ts';
import { bytesOf, outputBytes, type PlanSpec, type Upload } from './plan.ts';

// What a run does, for who wants to time it: draws, and then waits for what they wrote.
export interface DrawWork {
  draw(): void;
  finish(): Promise<void>;
}

export type DoWork = (work: DrawWork) => Promise<unknown>;

const text = new TextDecoder();

export class WebGlPlan {
  readonly #textures: GpuTexture[] = [];
  readonly #steps: Step[] = [];
  #repeated: readonly Step[] = [];        // without those whose results stay what they are
  #begun = false;
  #programs: WebGLProgram[] = [];
  #pack: WebGLBuffer | null = null;       // where outputs come down
  #word: WebGLBuffer | null = null;       // where conditions come down
  #reader: WebGLFramebuffer | null = null;
  #shortest_ms = Infinity;                // of the runs so far; one that was disturbed says nothing of the next

  private constructor(private readonly device: GlDevice, private readonly spec: PlanSpec) {}

  // The plan's memory.
  static make(device: GlDevice, spec: PlanSpec): Attempt<WebGlPlan> {
    const fits = checkLoops(spec);
    if (!fits.ok) return fits;
    const plan = new WebGlPlan(device, spec), made = device.checkedNow(() => plan.#makeMemory());
    if (made.ok) return success(plan);
    plan.dispose();
    return made;
  }

  // Its code. Constants may be written meanwhile.
  async compile(): Promise<Attempt<void>> {
    const made = await createPrograms(this.device, this.spec.kernels.map(({ code, bindings }) => ({ code: text.decode(code), samplers: samplersOf(bindings) })));
    this.#programs = made.flatMap(program => (program.ok ? [program.value] : []));
    for (const program of made) if (!program.ok) return program;
    return this.device.checkedNow(() => {
      for (const launch of this.spec.launches) this.#steps.push(this.#stepOf(launch));
      this.#repeated = this.#steps.filter((_, i) => this.spec.launches[i]?.ahead !== true);
    });
  }

  // Draws a part of everything, so that no later draw compiles or runs for long; what the textures hold is spoiled, but for constants.
  settle(): void {
    settle(this.device.gl, this.#steps);
  }

  // The same without blocking the thread.
  settleInTurns(): Promise<void> {
    return settleInTurns(this.device.gl, this.#steps, () => this.device.finished());
  }

  poison(bits: number, except: ReadonlySet<number>): void {
    for (const [position, texture] of this.#textures.entries()) if (!except.has(position)) texture.poison(bits);
  }

  // What was computed ahead of all runs is computed again. Throws WorkError for what does not fit. poison_bits: as GpuTexture.upload has them.
  write(upload: Upload, poison_bits?: number): void {
    this.#begun = false;
    this.#put(upload, poison_bits);
  }

  #put(upload: Upload, poison_bits?: number): void {
    const texture = this.#at(upload.buffer);
    if (upload.at === undefined) texture.upload(bytesOf(upload), poison_bits);
    else texture.uploadPart(upload.at, bytesOf(upload));
  }

  // The outputs, one after the other. Throws WorkError for a plan that does not fit together; a context that is lost gives zeros.
  async run(inputs: readonly Upload[], { doWork = plainly, poison_bits }: { doWork?: DoWork; poison_bits?: number } = {}): Promise<ArrayBuffer> {
    const begun = this.#begun, started = performance.now();
    this.#begun = true;
    for (const input of inputs) this.#put(input, poison_bits);
    const steps = this.spec.loops.length === 0 ? (begun ? this.#repeated : this.#steps) : await this.#runPieces(begun, doWork);
    let outputs = new ArrayBuffer(0);
    await doWork({
      draw: () => drawAll(this.device.gl, steps, 1),
      finish: async () => {
        outputs = await this.#read();
        this.#shortest_ms = Math.min(this.#shortest_ms, performance.now() - started);
      },
    });
    return outputs;
  }

  // Up to the last question; returns what is behind it.
  async #runPieces(begun: boolean, doWork: DoWork): Promise<Step[]> {
    const pieces = piecesOf(this.spec), { gl } = this.device, { launches } = this.spec;
    let open: Step[] = [];
    for (let next = pieces.next(); next.done !== true;) {
      if ('condition' in next.value) {
        const texture = this.#at(next.value.condition), now = open;
        let holds = false;
        open = [];
        await doWork({ draw: () => drawAll(gl, now, 1), finish: async () => { holds = await this.#holds(texture); } });
        next = pieces.next(holds);
        continue;
      }
      const { first, last } = next.value;
      if (open.length >= launches_max) {
        const now = open;
        open = [];
        await doWork({ draw: () => drawAll(gl, now, 1), finish: () => this.device.finished(0) });
      }
      open.push(...this.#steps.slice(first, last).filter((_, i) => !(begun && launches[first + i]?.ahead === true)));
      next = pieces.next(false);
    }
    return open;
  }

  // Whether a texture's first number is not 0, once all work before is done.
  async #holds(texture: GpuTexture): Promise<boolean> {
    const { device, device: { gl } } = this, bytes = new Uint8Array(4);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.#word);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#reader);
    texture.packFirst(0);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    await device.finished(0);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.#word);
    gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, bytes);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    return bytes.some(byte => byte !== 0);
  }

  // Draws this launch so many times.
  launchWork(launch: number, times: number): { draw(): void; finish(): void } {
    const steps = this.#steps.slice(launch, launch + 1);
    return { draw: () => drawAll(this.device.gl, steps, times), finish: () => steps[0]?.first_target.waitFor() };
  }

  #makeMemory(): void {
    const { spec: { buffers, textures, outputs }, device: { gl } } = this;
    if (textures.length !== buffers.length) throw new WorkError('validation_error', `the plan has ${buffers.length} buffers and ${textures.length} textures; kernels of WebGL need one for each`);
    for (const shape of textures) this.#textures.push(GpuTexture.make(gl, shape));
    for (const { buffer, bytes } of outputs) {
      const texture = this.#at(buffer);
      if (bytes > texture.bytes_down) throw new WorkError('validation_error', `the plan reads ${bytes} bytes of buffer ${buffer}, which has ${texture.bytes_down}`);
    }
    this.#reader = gl.createFramebuffer();
    this.#pack = gl.createBuffer();
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.#pack);
    gl.bufferData(gl.PIXEL_PACK_BUFFER, Math.max(16, outputs.reduce((sum, { buffer }) => sum + this.#at(buffer).bytes_down, 0)), gl.STREAM_READ);
    this.#word = gl.createBuffer();
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.#word);
    gl.bufferData(gl.PIXEL_PACK_BUFFER, 16, gl.STREAM_READ);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
  }

  async #read(): Promise<ArrayBuffer> {
    const { device, device: { gl } } = this, all = new Uint8Array(outputBytes(this.spec));
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.#pack);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#reader);
    this.#eachOutput((texture, packed_at) => texture.pack(packed_at));
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    await device.finished(Number.isFinite(this.#shortest_ms) ? this.#shortest_ms : 0);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, this.#pack);
    let at = 0;
    this.#eachOutput((_, packed_at, bytes) => {
      gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, packed_at, all, at, bytes);
      at += bytes;
    });
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    return all.buffer;
  }

  #eachOutput(visit: (texture: GpuTexture, packed_at: number, bytes: number) => void): void {
    let packed_at = 0;
    for (const { buffer, bytes } of this.spec.outputs) {
      const texture = this.#at(buffer);
      if (bytes > 0) visit(texture, packed_at, bytes);
      packed_at += texture.bytes_down;
    }
  }

  #stepOf({ kernel, buffers, grid }: PlanSpec['launches'][number]): Step {
    const program = this.#programs[kernel], bindings = this.spec.kernels[kernel]?.bindings ?? [];
    if (program === undefined || bindings.length !== buffers.length) throw new WorkError('validation_error', `a launch binds ${buffers.length} buffers to kernel ${kernel}, which has ${bindings.length} bindings`);
    const bound = buffers.map((buffer, i) => ({ texture: this.#at(buffer), writes: bindings[i]?.writes === true }));
    return makeStep(this.device.gl, program, bound, grid);
  }

  #at(position: number): GpuTexture {
    const texture = this.#textures[position];
    if (texture === undefined) throw new WorkError('validation_error', `the plan names buffer ${position}, which does not exist`);
    return texture;
  }

  dispose(): void {
    const { gl } = this.device;
    for (const step of this.#steps) disposeStep(gl, step);
    for (const texture of this.#textures) texture.dispose();
    disposePrograms(gl, this.#programs);
    gl.deleteFramebuffer(this.#reader);
    gl.deleteBuffer(this.#pack);
    gl.deleteBuffer(this.#word);
  }
}

async function plainly({ draw, finish }: DrawWork): Promise<void> {
  draw();
  await finish();
}
