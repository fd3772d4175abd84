// ControlBlock: the words by which a team's threads agree on a launch, in shared memory of their own. The leader posts a launch, counts those
// helpers in who are present, and the epoch up; who is counted in sees it, and they and the leader take ranges of iterations from one counter until none
// is left. Who comes late joins the next launch.
// Whoever waits spins for some microseconds first: launches follow each other closely, and waking a thread takes longer than that.
import type { Main } from './module.ts';

// Counters that several threads write stand on cache lines of their own.
const line_words = 16;
const at = { epoch: 0, code: 1, args: 2, args_stride: 3, extent: 4, grain: 5, next: 16, busy: 32, fault: 48, fault_bytes: 49, helpers: 64 };
const text_bytes = 512;
const spins = 4000;
const dismissed = -1;
const away = 0, present = 1, counted_in = 2;   // a helper's state: who is counted in takes part in the launch before it leaves
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
  readonly #helpers: number;

  private constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    const words = (buffer.byteLength - text_bytes) / 4;
    this.#words = new Int32Array(buffer, 0, words);
    this.#text = new Uint8Array(buffer, words * 4);
    this.#helpers = (words - at.helpers) / line_words;
  }

  static make(helpers: number): ControlBlock {
    return new ControlBlock(new SharedArrayBuffer((at.helpers + helpers * line_words) * 4 + text_bytes));
  }

  static of(buffer: SharedArrayBuffer): ControlBlock {
    return new ControlBlock(buffer);
  }

  get epoch(): number {
    return Atomics.load(this.#words, at.epoch);
  }

  // ---- The leader's ----

  // Until all helpers have come that were called at this epoch, and none is still about to leave.
  awaitPresence(epoch: number): void {
    for (let thread = 1; thread <= this.#helpers; thread++) this.#awaitValue(enteredOf(thread), epoch);
  }

  // Who is counted in may begin, and end, before the last one is.
  post({ code, args, args_stride, extent, grain }: Posted): void {
    const words = this.#words;
    words.set([code, args, args_stride, extent, grain], at.code);
    Atomics.store(words, at.fault, 0);   // an earlier one may be left, when the leader's own code trapped, too
    Atomics.store(words, at.next, 0);
    Atomics.store(words, at.busy, this.#helpers);
    let members = 0;
    for (let thread = 1; thread <= this.#helpers; thread++) members += Atomics.compareExchange(words, stateOf(thread), present, counted_in) === present ? 1 : 0;
    Atomics.sub(words, at.busy, this.#helpers - members);
    Atomics.add(words, at.epoch, 1);
    if (members > 0) Atomics.notify(words, at.epoch);
  }

  awaitHelpers(): void {
    this.#awaitValue(at.busy, 0);
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

  // epoch: when it was called.
  enter(thread: number, epoch: number): void {
    Atomics.store(this.#words, stateOf(thread), present);
    Atomics.store(this.#words, enteredOf(thread), epoch);
    Atomics.notify(this.#words, enteredOf(thread));
  }

  // The code of a launch that the thread is counted in, or undefined when it has left; epoch: the last one that it knows.
  awaitLaunch(thread: number, epoch: number): number | undefined {
    const words = this.#words;
    for (let seen = epoch;;) {
      this.#awaitOther(at.epoch, seen);
      seen = Atomics.load(words, at.epoch);   // before it looks: who is counted in later finds a later one
      if (Atomics.load(words, stateOf(thread)) === counted_in) return words[at.code]!;
      if (words[at.code] === dismissed && Atomics.compareExchange(words, stateOf(thread), present, away) === present) return undefined;
    }
  }

  finish(thread: number): void {
    Atomics.store(this.#words, stateOf(thread), present);
    if (Atomics.sub(this.#words, at.busy, 1) === 1) Atomics.notify(this.#words, at.busy);
  }

  fail(message: string): void {
    if (Atomics.compareExchange(this.#words, at.fault, 0, 1) !== 0) return;
    const text = new TextEncoder().encode(message).subarray(0, text_bytes);
    this.#text.set(text);
    this.#words[at.fault_bytes] = text.length;
  }

  #awaitValue(index: number, value: number): void {
    const words = this.#words;
    for (let spin = 0; spin < spins && Atomics.load(words, index) !== value; spin++);
    for (let now = Atomics.load(words, index); now !== value; now = Atomics.load(words, index)) Atomics.wait(words, index, now);
  }

  #awaitOther(index: number, value: number): void {
    const words = this.#words;
    for (let spin = 0; spin < spins && Atomics.load(words, index) === value; spin++);
    while (Atomics.load(words, index) === value) Atomics.wait(words, index, value);
  }
}

function stateOf(thread: number): number {
  return at.helpers + (thread - 1) * line_words;
}

function enteredOf(thread: number): number {
  return stateOf(thread) + 1;
}
