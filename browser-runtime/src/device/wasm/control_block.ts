// ControlBlock: the words by which a team's threads agree on a launch, in shared memory of their own. The leader posts a launch, opens a gate and
// counts the epoch up; leader and helpers take ranges of iterations from one counter until none is left. A helper joins as long as there are any, and
// the leader ends the launch once who joined has left: it waits for nobody who sleeps, or whose processor does something else.
// Whoever waits spins for some microseconds first: launches follow each other closely, and waking a thread takes longer than that.
import type { Main } from './module.ts';

// Counters that several threads write stand on cache lines of their own.
const line_words = 16;
const at = { epoch: 0, code: 1, args: 2, args_stride: 3, extent: 4, grain: 5, next: 16, gate: 32, fault: 48, fault_bytes: 49, entered: 64 };
const text_bytes = 512;
const spins = 4000;
const dismissed = -1;
const open = 2 ** 30;                   // of the gate's word; the rest counts the helpers inside
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
    this.#helpers = (words - at.entered) / line_words;
  }

  static make(helpers: number): ControlBlock {
    return new ControlBlock(new SharedArrayBuffer((at.entered + helpers * line_words) * 4 + text_bytes));
  }

  static of(buffer: SharedArrayBuffer): ControlBlock {
    return new ControlBlock(buffer);
  }

  get epoch(): number {
    return Atomics.load(this.#words, at.epoch);
  }

  // ---- The leader's ----

  // Until all helpers have come that were called at this epoch.
  awaitPresence(epoch: number): void {
    for (let thread = 1; thread <= this.#helpers; thread++) this.#awaitValue(enteredOf(thread), epoch);
  }

  post({ code, args, args_stride, extent, grain }: Posted): void {
    const words = this.#words;
    words.set([code, args, args_stride, extent, grain], at.code);
    Atomics.store(words, at.fault, 0);   // an earlier one may be left, when the leader's own code trapped, too
    Atomics.store(words, at.next, 0);
    Atomics.store(words, at.gate, open);
    Atomics.add(words, at.epoch, 1);
    Atomics.notify(words, at.epoch);
  }

  // Until no helper is inside, and none comes any more.
  closeGate(): void {
    do this.#awaitValue(at.gate, open);
    while (Atomics.compareExchange(this.#words, at.gate, open, 0) !== open);
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
    Atomics.store(this.#words, enteredOf(thread), epoch);
    Atomics.notify(this.#words, enteredOf(thread));
  }

  // The code of a launch that the helper has joined, or undefined when it may go. epoch: the last one that it knows.
  joinLaunch(epoch: number): number | undefined {
    const words = this.#words;
    for (let seen = epoch;;) {
      this.#awaitOther(at.epoch, seen);
      seen = Atomics.load(words, at.epoch);   // before it looks: what is posted behind that has a later one
      if (this.#passGate()) return words[at.code]!;
      if (words[at.code] === dismissed) return undefined;
    }
  }

  leaveLaunch(): void {
    if (Atomics.sub(this.#words, at.gate, 1) === open + 1) Atomics.notify(this.#words, at.gate);
  }

  fail(message: string): void {
    if (Atomics.compareExchange(this.#words, at.fault, 0, 1) !== 0) return;
    const text = new TextEncoder().encode(message).subarray(0, text_bytes);
    this.#text.set(text);
    this.#words[at.fault_bytes] = text.length;
  }

  // Only who is inside may read what was posted.
  #passGate(): boolean {
    const words = this.#words;
    for (let gate = Atomics.load(words, at.gate); gate >= open; gate = Atomics.load(words, at.gate)) {
      if (Atomics.compareExchange(words, at.gate, gate, gate + 1) === gate) return true;
    }
    return false;
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

function enteredOf(thread: number): number {
  return at.entered + (thread - 1) * line_words;
}
