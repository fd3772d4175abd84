// GlDevice: a WebGL 2 context and what became of it. Every error of its work is asked for: WebGL reports nothing by itself.
import type { Attempt, OutcomeName } from '../outcome.ts';
import { failure, success } from '../outcome.ts';
import { EventTurn } from '../event_turn.ts';

const errors_max = 32;   // a lost context may go on reporting for ever
const mark = [1, 2, 3, 4] as const;
const eager_ms = 20;        // of turns of the event loop before naps, which browsers stretch to 4 ms
const long_ms = 10;         // work that takes longer is slept through,
const sleep_share = 0.7;    // for so much of its time
const taken_away = 'the browser took the WebGL context away';

export class GlDevice {
  readonly lost: Promise<string>;
  #lost_reason: string | undefined;
  #lose: (reason: string) => void = () => {};
  readonly #marked: WebGLFramebuffer;
  readonly #turn = new EventTurn();
  #stray: number | undefined;

  constructor(canvas: OffscreenCanvas, readonly gl: WebGL2RenderingContext) {
    this.lost = new Promise(resolve => {
      this.#lose = reason => resolve(this.#lost_reason ??= reason);
    });
    canvas.addEventListener('webglcontextlost', event => {
      const said = (event as WebGLContextEvent).statusMessage;
      this.#lose(said === '' ? taken_away : `the WebGL context was lost: ${said}`);
    });
    this.#marked = markedFramebuffer(gl);
  }

  // Set once the context is lost, which may be known before the event comes.
  lostReason(): string | undefined {
    return this.#lost_reason ?? (this.gl.isContextLost() ? taken_away : undefined);
  }

  // Asks the context itself whether it lives: where work failed, this may be why. Another framebuffer is bound afterwards.
  findLoss(): string | undefined {
    if (!this.#answers()) this.#lose(this.gl.isContextLost() ? taken_away : 'the WebGL context has stopped answering');
    return this.lostReason();
  }

  // An error of work that nobody has checked, since the last call; to ask for it waits for the context.
  takeStray(): string | undefined {
    this.#noteStray();
    const stray = this.#stray;
    this.#stray = undefined;
    return stray === undefined ? undefined : `the context reports ${this.#nameOf(stray)}`;
  }

  // Runs `work`, and gives its value or the first error that the context reports for it.
  checkedNow<T>(work: () => T): Attempt<T> {
    this.#noteStray();
    try {
      return this.#judged(success(work()));
    } catch (error) {
      return this.#judged(this.#failureOf(error));
    }
  }

  // The same of work that waits in between. One at a time, and no other work on the context meanwhile: its errors have no owner.
  async checked<T>(work: () => Promise<T>): Promise<Attempt<T>> {
    this.#noteStray();
    try {
      return this.#judged(success(await work()));
    } catch (error) {
      return this.#judged(this.#failureOf(error));
    }
  }

  tick(): Promise<void> {
    return this.#turn.take();
  }

  // Resolves when all work so far has ended, or the context is lost. about_ms: how long that probably takes.
  async finished(about_ms = 0): Promise<void> {
    const { gl } = this, fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    if (about_ms > long_ms) await nap(about_ms * sleep_share);
    const eager_until = performance.now() + eager_ms;
    const under_way = (): boolean => fence !== null && !gl.isContextLost() && gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED;
    while (under_way()) await (performance.now() < eager_until ? this.tick() : nap(1));
    gl.deleteSync(fence);
  }

  // Objects of a lost context may be null, and then anything throws.
  #failureOf(error: unknown): ReturnType<typeof failure> {
    if (error instanceof WorkError) return failure(error.outcome, error.message);
    if (error instanceof RangeError) return failure('out_of_memory', error.message);   // of the runtime, or an array as large as a texture
    const lost = this.findLoss();
    if (lost === undefined) throw error;
    return failure('device_lost', lost);
  }

  #judged<T>(settled: Attempt<T>): Attempt<T> {
    const error = this.#firstError(), lost = this.findLoss();
    if (lost !== undefined) return failure('device_lost', lost);
    if (error === undefined) return settled;
    return failure(error === this.gl.OUT_OF_MEMORY ? 'out_of_memory' : 'validation_error', `the context reports ${this.#nameOf(error)}`);
  }

  // False when the context is lost without anybody having said so: Chromium tells it at the next turn of the event loop, and until then
  // reports no error, drops all work and reads zeros.
  #answers(): boolean {
    const { gl } = this, read = new Uint8Array(mark.length);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#marked);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, read);
    return mark.every((value, i) => read[i] === value);
  }

  #noteStray(): void {
    this.#stray = this.#firstError() ?? this.#stray;
  }

  #firstError(): number | undefined {
    const { gl } = this, first = gl.getError();
    for (let i = 0; i < errors_max && gl.getError() !== gl.NO_ERROR; i++);
    return first === gl.NO_ERROR ? undefined : first;
  }

  #nameOf(error: number): string {
    const { gl } = this;
    const names = ['INVALID_ENUM', 'INVALID_VALUE', 'INVALID_OPERATION', 'INVALID_FRAMEBUFFER_OPERATION', 'OUT_OF_MEMORY', 'CONTEXT_LOST_WEBGL'] as const;
    return names.find(name => gl[name] === error) ?? `error ${error}`;
  }

  dispose(): void {
    this.#turn.dispose();
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
  }
}

// One texel that holds the mark.
function markedFramebuffer(gl: WebGL2RenderingContext): WebGLFramebuffer {
  const framebuffer = gl.createFramebuffer(), texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, 1, 1);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(mark));
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  return framebuffer;
}

// A failure that is found in the middle of work on the context.
export class WorkError extends Error {
  constructor(readonly outcome: OutcomeName, message: string) {
    super(message);
  }
}

function nap(ms: number): Promise<void> {
  return new Promise(done => setTimeout(done, ms));
}
