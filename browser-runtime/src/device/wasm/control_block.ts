// ControlBlock: the words by which a team's threads agree on a launch, in shared memory of their own. The leader posts a launch and counts
// the epoch up; every helper sees the new epoch, and leader and helpers take ranges of iterations from one counter until none is left.
// Whoever waits spins for some microseconds first: launches follow each other closely, and waking a thread takes longer than that.
import type { Main } from './module.ts';

// Counters that several threads write stand on cache lines of their own.
const at = { epoch: 0, code: 1, args: 2, args_stride: 3, extent: 4, grain: 5, next: 16, busy: 32, present: 48, fault: 64, fault_bytes: 65, words: 80 };
const text_bytes = 512;
const spins = 4000;
const dismissed = -1;
export const extent_max = 2 ** 30;      // ranges beyond the end of the last one stay below 2³¹

export interface Posted {
  code: number;
  args: number;                         // of the leader; thread t's lie t times args_stride behind
  args_stride: number;
  extent: number;
  grain: number;                        // iterations of one range
}

export class ControlBlock {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #text: Uint8Array;

  constructor(buffer = new SharedArrayBuffer(at.words * 4 + text_bytes)) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, at.words);
    this.#text = new Uint8Array(buffer, at.words * 4);
  }

  get epoch(): number {
    return Atomics.load(this.#words, at.epoch);
  }

  // ---- The leader's ----

  expectHelpers(): void {
    Atomics.store(this.#words, at.present, 0);
  }

  awaitPresence(helpers: number): void {
    this.#awaitCount(at.present, helpers);
  }

  post({ code, args, args_stride, extent, grain }: Posted, helpers: number): void {
    const words = this.#words;
    words.set([code, args, args_stride, extent, grain], at.code);
    Atomics.store(words, at.fault, 0);   // an earlier one may be left, when the leader's own code trapped, too
    Atomics.store(words, at.next, 0);
    Atomics.store(words, at.busy, helpers);
    Atomics.add(words, at.epoch, 1);
    Atomics.notify(words, at.epoch);
  }

  awaitHelpers(): void {
    this.#awaitCount(at.busy, 0);
  }

  dismiss(): void {
    this.#words[at.code] = dismissed;
    Atomics.add(this.#words, at.epoch, 1);
    Atomics.notify(this.#words, at.epoch);
  }

  // The words of the thread whose code trapped first; undefined when none did.
  takeFault(): string | undefined {
    if (Atomics.exchange(this.#words, at.fault, 0) === 0) return undefined;
    return new TextDecoder().decode(this.#text.slice(0, this.#words[at.fault_bytes]));
  }

  // ---- Everybody's ----

  // Takes ranges of the posted launch until none is left. The leader is thread 0. When the code traps, the others find none any more.
  takeRanges(main: Main, thread: number): void {
    const words = this.#words, extent = words[at.extent]!, grain = words[at.grain]!;
    const args = words[at.args]! + thread * words[at.args_stride]!;
    try {
      for (let begin = Atomics.add(words, at.next, grain); begin < extent; begin = Atomics.add(words, at.next, grain)) {
        main(args, begin, Math.min(begin + grain, extent));
      }
    } catch (error) {
      Atomics.store(words, at.next, extent);
      throw error;
    }
  }

  // ---- A helper's ----

  enter(): void {
    Atomics.add(this.#words, at.present, 1);
    Atomics.notify(this.#words, at.present);
  }

  // The code of the launch that was posted after epoch `seen`, or undefined when the helpers may go.
  awaitLaunch(seen: number): number | undefined {
    const words = this.#words;
    for (let spin = 0; spin < spins && Atomics.load(words, at.epoch) === seen; spin++);
    while (Atomics.load(words, at.epoch) === seen) Atomics.wait(words, at.epoch, seen);
    const code = words[at.code]!;
    return code === dismissed ? undefined : code;
  }

  finish(): void {
    if (Atomics.sub(this.#words, at.busy, 1) === 1) Atomics.notify(this.#words, at.busy);
  }

  fail(message: string): void {
    if (Atomics.compareExchange(this.#words, at.fault, 0, 1) !== 0) return;
    const text = new TextEncoder().encode(message).subarray(0, text_bytes);
    this.#text.set(text);
    this.#words[at.fault_bytes] = text.length;
  }

  #awaitCount(index: number, count: number): void {
    const words = this.#words;
    for (let spin = 0; spin < spins && Atomics.load(words, index) !== count; spin++);
    for (let now = Atomics.load(words, index); now !== count; now = Atomics.load(words, index)) Atomics.wait(words, index, now);
  }
}
