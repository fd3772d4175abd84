// Calm: whether the machine left its processor alone while a sample was taken. Where kernels run on the processor itself, whatever else it does,
// and on a shared host what its other guests do, makes them up to twice as slow for tens of milliseconds at a time. A probe, a fixed piece of
// work on whole numbers, is timed between samples: a sample is calm when the probes on both its sides took hardly longer than the fastest of late.
import type { Fingerprint } from '../generated/protocol.ts';

export interface Sample {
  readonly us: number;
  readonly repeats: number;
  readonly disturbance: number;  // the slower of the probes beside it over the fastest of late; 1 where nothing probes
}

const disturbance_max = 1.1;     // two threads on a core: from 1.2 on, with kernels 1.6 times as slow
const probe_ms_min = 0.4;        // short against a sample
const probe_steps_min = 10;      // of the clock: 5 µs where a page is isolated, 100 µs where not
const rounds_first = 4096;
const rounds_max = 2 ** 22;      // a clock that stands still ends the calibration, too
const warm_up_runs = 200;        // of rounds_first: engines put optimised code in place of the first one meanwhile
const clock_reads_max = 100_000;
const patience_ms_max = 400;
const patience_ms_min = 12.5;
const forgotten = 3e-6;          // of the fastest, with each probe: what became slower for good is the usual speed after a minute or two of sampling

export function isCalm({ disturbance }: Sample): boolean {
  return disturbance <= disturbance_max;
}

// Those that count, in the order in which they were taken: the calm ones, and where they are fewer than `least`, the fastest of the others: what
// else a processor does only adds to a time.
export function credible(samples: readonly Sample[], least: number): Sample[] {
  const others = samples.filter(sample => !isCalm(sample)).sort((a, b) => a.us - b.us);
  const chosen = new Set(others.slice(0, Math.max(0, least - (samples.length - others.length))));
  return samples.filter(sample => isCalm(sample) || chosen.has(sample));
}

// Kernels of this device run on the machine's own processor: WebAssembly, native code, GPUs in software (SwiftShader, llvmpipe, WARP), and
// OpenCL where its device is no GPU (pocl).
export function runsOnProcessor({ target, vendor, architecture, device, backend, description }: Fingerprint): boolean {
  return target === 'wasm' || target === 'native' || (target === 'opencl' && backend === 'cpu') || /swiftshader|llvmpipe|lavapipe|basic render|software/i.test(`${vendor} ${architecture} ${device} ${description}`);
}

export class ProcessorProbe {
  readonly #nowMs: () => number;
  readonly #work: (rounds: number) => void;
  #rounds = 0;
  #fastest_ms = Infinity;
  #patience_ms = patience_ms_max;

  // work: takes a time that grows with its rounds.
  constructor(nowMs: () => number, work: (rounds: number) => void = scramble) {
    this.#nowMs = nowMs;
    this.#work = work;
  }

  // Runs a probe: its time over that of the fastest of late, at least 1. Blocks its thread for about half a millisecond.
  disturbance(): number {
    if (this.#rounds === 0) this.#calibrate();
    const elapsed_ms = this.#timeMs();
    this.#fastest_ms = Math.min(elapsed_ms, this.#fastest_ms * (1 + forgotten));
    return elapsed_ms > 0 ? elapsed_ms / this.#fastest_ms : 1;
  }

  // Probes until the processor is calm or that moment has come: the disturbance at last.
  awaitCalm(until_ms: number): number {
    for (;;) {
      const disturbance = this.disturbance();
      if (disturbance <= disturbance_max || this.#nowMs() >= until_ms) return disturbance;
    }
  }

  // For how long a candidate should wait for calm samples: half as long with each that waited in vain, twice as long with each that found calm, so
  // that a machine that seldom is calm loses little by it.
  get patience_ms(): number {
    return this.#patience_ms;
  }

  learn(found_calm: boolean): void {
    this.#patience_ms = found_calm ? Math.min(patience_ms_max, this.#patience_ms * 2) : Math.max(patience_ms_min, this.#patience_ms / 2);
  }

  // Rounds are doubled until the fastest of three probes is long enough.
  #calibrate(): void {
    for (let run = 0; run < warm_up_runs; run++) this.#work(rounds_first);
    const wanted_ms = Math.max(probe_ms_min, probe_steps_min * this.#clockStepMs());
    for (this.#rounds = rounds_first; this.#rounds < rounds_max; this.#rounds *= 2)
      if (Math.min(this.#timeMs(), this.#timeMs(), this.#timeMs()) >= wanted_ms) return;
  }

  #clockStepMs(): number {
    const started_ms = this.#nowMs();
    for (let read = 0; read < clock_reads_max; read++) {
      const step_ms = this.#nowMs() - started_ms;
      if (step_ms > 0) return step_ms;
    }
    return 0;
  }

  #timeMs(): number {
    const started_ms = this.#nowMs();
    this.#work(this.#rounds);
    return this.#nowMs() - started_ms;
  }
}

let scrambled = 1;  // outside, so that no compiler leaves the work out

// Six chains at once: a core whose units are shared with a second thread is slower only at work that wants all of them, as kernels do. A single
// chain waits for itself and takes as long as ever.
function scramble(rounds: number): void {
  let a = scrambled, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5;
  for (let i = 0; i < rounds; i++) {
    a ^= a << 13;
    b ^= b << 13;
    c ^= c << 13;
    d ^= d << 13;
    e ^= e << 13;
    f ^= f << 13;
    a = (a + b) | 0;
    b ^= c >>> 7;
    c = (c + d) | 0;
    d ^= e >>> 7;
    e = (e + f) | 0;
    f ^= a >>> 7;
  }
  scrambled = a ^ b ^ c ^ d ^ e ^ f;
}
