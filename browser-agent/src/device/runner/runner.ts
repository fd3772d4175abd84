// Runner: the requests that native/pipe_frame.h lists, opengl/gl_request.h and opencl/cl_request.h, as calls. The runner is a process of its own in a sandbox: whatever a kernel does, it
// does there. When that process ends, every call that waits and every later one fails with device_lost.
import type { Attempt } from '../../core/outcome.ts';
import { failure, success, type OutcomeName } from '../../core/outcome.ts';
import type { Texture } from '../../generated/protocol.ts';
import { encodeFrame, FrameReader, type Frame } from './frames.ts';

// The process behind it (node/runner_process.ts).
export interface RunnerPipe {
  write(bytes: Uint8Array): void;
  end(): void;                     // the process ends with its input, whatever it does
}
// onBytes: its output, in order. onExit: once, with the reason in words.
export type StartRunner = (threads_max: number, onBytes: (bytes: Uint8Array) => void, onExit: (reason: string) => void) => RunnerPipe;

export interface BoundBuffer {
  position: number;
  writes: boolean;
  bytes: number;
}

export interface Call {
  kernel: number;
  buffers: readonly number[];
  // For kernels of drivers, of which the runner knows no more than the text.
  writes?: readonly boolean[];
  bytes?: readonly number[];   // that each binding may touch
  grid?: readonly number[];
  ahead?: boolean | undefined;   // that it need run but once; the agent's own note
}

interface Waiting {
  bytes: Uint8Array;
  done(answer: Attempt<Frame>): void;
}

export class Runner {
  readonly lost: Promise<string>;
  readonly #pipe: RunnerPipe;
  readonly #reader = new FrameReader();
  #queue: Waiting[] = [];          // the first is being answered
  #end = '';                       // why there is no process any more
  #lose: (reason: string) => void = () => {};

  constructor(start: StartRunner, threads_max: number) {
    this.lost = new Promise(lose => { this.#lose = lose; });
    this.#pipe = start(threads_max, bytes => this.#take(bytes), reason => this.#onExit(reason));
  }

  hello(): Promise<Attempt<Frame>> {
    return this.#ask({ do: 'hello' });
  }

  // word: all of its content; a texture may have any without one.
  async make(bytes: number, word: number | undefined, texture?: Texture): Promise<Attempt<number>> {
    return numberOf(await this.#ask({ do: 'make', bytes, word, texture }), 'buffer');
  }

  free(buffer: number): void {
    void this.#ask({ do: 'free', buffer });
  }

  write(buffer: number, content: Uint8Array): Promise<Attempt<Frame>> {
    return this.#ask({ do: 'write', buffer }, content);
  }

  poison(buffer: number, word: number): Promise<Attempt<Frame>> {
    return this.#ask({ do: 'poison', buffer, word });
  }

  // The ids of so many copies of it.
  async copies(buffer: number, count: number): Promise<Attempt<number[]>> {
    const first = numberOf(await this.#ask({ do: 'copies', buffer, count }), 'first');
    return first.ok ? success(Array.from({ length: count }, (_, i) => first.value + i)) : first;
  }

  async read(buffer: number, bytes: number): Promise<Attempt<Uint8Array<ArrayBuffer>>> {
    const answer = await this.#ask({ do: 'read', buffer, bytes });
    return answer.ok ? success(answer.value.payload) : answer;
  }

  async build(text: Uint8Array): Promise<Attempt<{ kernel: number; bindings: BoundBuffer[]; create_ms: number }>> {
    const answer = await this.#ask({ do: 'build' }, text);
    if (!answer.ok) return answer;
    const { kernel, bindings, ns } = answer.value.header;
    return success({ kernel: Number(kernel), bindings: bindings as BoundBuffer[], create_ms: Number(ns) / 1e6 });
  }

  drop(kernel: number): void {
    void this.#ask({ do: 'drop', kernel });
  }

  async bind(calls: readonly Call[]): Promise<Attempt<number>> {
    return numberOf(await this.#ask({ do: 'bind', calls }), 'program');
  }

  // A program whose runs take these rows of calls in turns; each is as the given program's.
  async turns(program: number, rows: readonly (readonly Call[])[], same_scratch: boolean): Promise<Attempt<number>> {
    return numberOf(await this.#ask({ do: 'turns', program, rows, same_scratch }), 'program');
  }

  unbind(program: number): void {
    void this.#ask({ do: 'unbind', program });
  }

  // Nanoseconds of all repeats.
  async run(program: number, repeats: number): Promise<Attempt<number>> {
    return numberOf(await this.#ask({ do: 'run', program, repeats }), 'ns');
  }

  // Nanoseconds of one run, warm and on the threads that suit it.
  async settle(program: number): Promise<Attempt<number>> {
    return numberOf(await this.#ask({ do: 'settle', program }), 'ns');
  }

  // What the program wrote beside its buffers, in words, else empty.
  async inspect(program: number): Promise<Attempt<string>> {
    const answer = await this.#ask({ do: 'inspect', program });
    return answer.ok ? success(String(answer.value.header['finding'])) : answer;
  }

  async reference(runs: number): Promise<Attempt<number>> {
    return numberOf(await this.#ask({ do: 'reference', runs }), 'ns');
  }

  dispose(): void {
    this.#pipe.end();
  }

  // One request at a time is under way.
  #ask(header: Readonly<Record<string, unknown>>, payload: Uint8Array = new Uint8Array(0)): Promise<Attempt<Frame>> {
    if (this.#end !== '') return Promise.resolve(failure('device_lost', this.#end));
    return new Promise(done => {
      this.#queue.push({ bytes: encodeFrame(header, payload), done });
      if (this.#queue.length === 1) this.#pipe.write(this.#queue[0]!.bytes);
    });
  }

  #take(bytes: Uint8Array): void {
    for (const frame of this.#reader.take(bytes)) {
      const { done } = this.#queue.shift() ?? {};
      if (this.#queue.length > 0) this.#pipe.write(this.#queue[0]!.bytes);
      done?.(frame.header['ok'] === true ? success(frame) : refusal(frame));
    }
  }

  #onExit(reason: string): void {
    this.#end = reason;
    for (const { done } of this.#queue.splice(0)) done(failure('device_lost', reason));
    this.#lose(reason);
  }
}

function refusal({ header }: Frame): ReturnType<typeof failure> {
  return failure(String(header['outcome']) as OutcomeName, String(header['message']));
}

function numberOf(answer: Attempt<Frame>, field: string): Attempt<number> {
  return answer.ok ? success(Number(answer.value.header[field])) : answer;
}
