// Tensors that every peer makes alike. Runs in pages and in Node.js. Shapes are lists, elements are f32, row-major.
export const count = shape => shape.reduce((a, b) => a * b, 1);

function sequence(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 8388608 - 1;
  };
}

export function tensor(seed, shape) {
  const next = sequence(seed), values = new Float32Array(count(shape));
  for (let i = 0; i < values.length; i++) values[i] = next();
  return values;
}

// Whole numbers are small, as places in a vocabulary are.
const WHOLE = { i64: values => BigInt64Array.from(values, value => BigInt(Math.floor((value + 1) * 50))), i32: values => Int32Array.from(values, value => Math.floor((value + 1) * 50)),
  bool: values => Uint8Array.from(values, value => Number(value > 0)) };

// The inputs of a work, in the order of its `inputs`; f32 where they name no dtype.
export const inputsOf = work => work.inputs.map(({ shape, dtype }, position) => {
  const values = tensor(1000 + position, shape);
  return WHOLE[dtype]?.(values) ?? values;
});

export function toBase64(values) {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  let text = '';
  for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  return btoa(text);
}

export function fromBase64(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

// For each row-major position of the outer shape its position in the inner one, which begins at the same corner; −1 where it lies outside.
export function positionsWithin(outer, inner) {
  const strides = inner.map((_, axis) => count(inner.slice(axis + 1))), found = new Int32Array(count(outer));
  for (let position = 0; position < found.length; position++) {
    let rest = position, place = 0;
    for (let axis = outer.length - 1; axis >= 0; axis--) {
      const index = rest % outer[axis];
      rest = Math.floor(rest / outer[axis]);
      if (index >= inner[axis] || place < 0) place = -1;
      else place += index * strides[axis];
    }
    found[position] = place;
  }
  return found;
}

// A layout is {shape, dims: [[axis, div, size]…]}, physical dimensions outermost first; no dims: row-major over the shape.
// Yields [logical position, physical position] of every element.
export function* positions({ shape, dims }) {
  const total = count(shape);
  const strides = shape.map((_, axis) => count(shape.slice(axis + 1)));
  for (let logical = 0; logical < total; logical++) {
    if (!dims?.length) { yield [logical, logical]; continue; }
    let physical = 0;
    for (const [axis, div, size] of dims) {
      const index = Math.floor(logical / strides[axis]) % shape[axis];
      physical = physical * size + Math.floor(index / div) % size;
    }
    yield [logical, physical];
  }
}

// A kernel's buffers as its schedule lays them out: {buffers, layouts} of hone compile.
export function buffersOf({ buffers, layouts = [] }) {
  const wanted = new Map(layouts.map(layout => [layout.position, layout]));
  return buffers.map((buffer, i) => ({ ...buffer, ...(wanted.has(i) && { dims: wanted.get(i).dims, bytes: wanted.get(i).bytes }) }));
}

// Values as a buffer holds them. Where the kernel wants more channels than the operator has (4 for 3), the rest is zero.
export function physical(buffer, { shape }, values) {
  const stored = new Float32Array(buffer.bytes / 4), known = positionsWithin(buffer.shape, shape);
  for (const [logical, place] of positions(buffer)) if (known[logical] >= 0) stored[place] = values[known[logical]];
  return stored;
}
