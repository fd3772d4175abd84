// What a case could take at the least: its multiply-adds at the device's rate, or its bytes at that of its memory, whichever takes longer.

const BYTES = 4;   // of f32
const count = shape => shape.reduce((product, extent) => product * extent, 1);

// Each argument and the result once. Of whole models: weights, inputs and outputs; what lies between them may stay in caches.
export const bytesOf = work => BYTES * [...work.inputs.map(({ shape }) => shape), work.output].reduce((sum, shape) => sum + count(shape), 0);

// flops: 0 where an operator's are not counted. limits: of a report. {us, by: 'arithmetic' | 'memory'}, or null where that limit was not measured.
export function leastOf({ flops, bytes }, { f32, copy }) {
  const least = [{ by: 'arithmetic', us: flops / f32?.gflops / 1e3 }, { by: 'memory', us: bytes / copy?.gb_s / 1e3 }].filter(({ us }) => us > 0);
  return least.sort((a, b) => b.us - a.us)[0] ?? null;
}

// The state of the caches in which an operator's time and its limit are of the same thing: what memory binds must not find its arguments in them.
export const cacheOf = least => (least?.by === 'memory' ? 'cold' : 'hot');
