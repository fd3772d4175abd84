// Hand-written WGSL for the square product C = A·B, one text per configuration, to measure generated kernels against.
//   wx, wy   threads of a workgroup           tm, tn  rows and columns of one thread; its columns lie wx apart
//   v        1 or 4: lanes of a column        ku      4: four steps of k at a time, with A read as vec4 along k
//   sh       0, or the K depth of a tile of A and B in workgroup memory
//   fix      bindings as arrays of fixed size fma     fma() instead of * and +
export const NAIVE = { wx: 8, wy: 8, tm: 1, tn: 1 };

const tiles = (pairs, rest) => pairs.map(([tm, tn]) => ({ wx: 8, wy: 8, tm, tn, ...rest }));
const shapes = (list, rest) => list.map(([wx, wy]) => ({ wx, wy, ...rest }));
export const SWEEP = [
  NAIVE, { ...NAIVE, fix: 1 }, ...shapes([[16, 16], [64, 1], [1, 64]], { tm: 1, tn: 1 }),
  { wx: 8, wy: 8, tm: 1, tn: 1, sh: 8 }, { wx: 16, wy: 16, tm: 1, tn: 1, sh: 16 }, { wx: 16, wy: 16, tm: 1, tn: 1, sh: 32 },
  ...tiles([[2, 2], [4, 2], [4, 4], [8, 2], [8, 4]], {}), ...tiles([[4, 4], [8, 2]], { ku: 4 }),
  ...shapes([[4, 1], [16, 4], [32, 1]], { tm: 8, tn: 2 }), { wx: 4, wy: 4, tm: 4, tn: 4 },
  ...tiles([[1, 1], [4, 1], [8, 1], [4, 2], [8, 2], [16, 1], [8, 4]], { v: 4, ku: 4 }),
  ...shapes([[4, 4], [16, 4], [4, 1]], { tm: 8, tn: 2, v: 4, ku: 4 }), { wx: 4, wy: 4, tm: 8, tn: 4, v: 4, ku: 4 },
  ...shapes([[4, 1], [16, 4]], { tm: 4, tn: 1, v: 4, ku: 4 }), ...shapes([[4, 1], [8, 8]], { tm: 4, tn: 1, v: 4 }),
  ...tiles([[4, 4], [8, 2]], { v: 1, sh: 16 }), ...tiles([[4, 1], [8, 1]], { v: 4, sh: 16 }),
  ...tiles([[4, 1]], { v: 4, sh: 32 }), ...tiles([[8, 2]], { v: 4, sh: 8 }),
  ...shapes([[4, 4], [16, 16]], { tm: 4, tn: 1, v: 4, sh: 16 }),
  ...shapes([[8, 4], [16, 4], [4, 2], [8, 1]], { tm: 8, tn: 4, v: 4, ku: 4 }), ...tiles([[16, 2], [4, 4]], { v: 4, ku: 4 }),
  ...[{ fix: 1 }, { fma: 1 }, { fix: 1, fma: 1 }].map(one => ({ wx: 8, wy: 8, tm: 8, tn: 2, v: 4, ku: 4, ...one })),
];

export function label({ wx, wy, tm, tn, v = 1, ku = 1, sh = 0, fix, fma }) {
  return [`${wx}x${wy}`, `t${tm}x${tn}${v > 1 ? `v${v}` : ''}`, ku > 1 && `k${ku}`, sh && `sh${sh}`, fix && 'fix', fma && 'fma']
    .filter(Boolean).join(' ');
}

export const configOf = text => SWEEP.find(config => label(config) === text);

const upTo = n => [...Array(n).keys()];
const each = (list, line) => list.map(line).join('');

// Each thread walks k alone, reading both operands from their buffers.
function directLoop(c, n) {
  const rows = upTo(c.tm), columns = upTo(c.tn), steps = c.ku === 4 ? 4 : 1;
  const mad = (sum, a, b) => (c.fma ? `${sum} = fma(${c.type}(${a}), ${b}, ${sum});\n` : `${sum} += ${a} * ${b};\n`);
  const step = kk => {
    const k = steps === 4 ? `(k * 4u + ${kk}u)` : 'k', lane = steps === 4 ? `.${'xyzw'[kk]}` : '';
    return `{\n${each(columns, j => `let b${j} = B[${k} * ${n / c.v}u + column + ${j * c.wx}u];\n`)}`
      + `${each(rows, i => each(columns, j => mad(`c${i}_${j}`, `a${i}${lane}`, `b${j}`)))}}\n`;
  };
  return `for (var k = 0u; k < ${n / steps}u; k++) {\n`
    + each(rows, i => `let a${i} = A[(row + ${i}u) * ${n / steps}u + k];\n`) + each(upTo(steps), step) + '}\n';
}

// The workgroup copies a tile of A and of B, waits, and every thread reads from the copies.
function stagedLoop(c, n) {
  const rows = upTo(c.tm), columns = upTo(c.tn), threads = c.wx * c.wy, blockM = c.wy * c.tm, blockN = c.wx * c.tn;
  return `for (var k0 = 0u; k0 < ${n}u; k0 += ${c.sh}u) {
for (var t = thread; t < ${blockM * c.sh}u; t += ${threads}u) { As[t] = A[(group.y * ${blockM}u + t / ${c.sh}u) * ${n}u + k0 + t % ${c.sh}u]; }
for (var t = thread; t < ${blockN * c.sh}u; t += ${threads}u) { Bs[t] = B[(k0 + t / ${blockN}u) * ${n / c.v}u + group.x * ${blockN}u + t % ${blockN}u]; }
workgroupBarrier();
for (var k = 0u; k < ${c.sh}u; k++) {
${each(rows, i => `let a${i} = As[(local.y * ${c.tm}u + ${i}u) * ${c.sh}u + k];\n`)}${each(columns, j => `let b${j} = Bs[k * ${blockN}u + local.x + ${j * c.wx}u];\n`)}${each(rows, i => each(columns, j => `c${i}_${j} += a${i} * b${j};\n`))}}
workgroupBarrier();
}
`;
}

export function matmulSource(config, n) {
  const c = { v: 1, ku: 1, sh: 0, ...config, type: config.v === 4 ? 'vec4f' : 'f32' };
  const rows = upTo(c.tm), columns = upTo(c.tn), vectorA = c.ku === 4 && !c.sh;
  const array = (type, lanes) => `array<${type}${c.fix ? `, ${n * n / lanes}` : ''}>`;
  const staged = c.sh ? `var<workgroup> As: array<f32, ${c.wy * c.tm * c.sh}>;\nvar<workgroup> Bs: array<${c.type}, ${c.wx * c.tn * c.sh}>;\n` : '';
  return `@group(0) @binding(0) var<storage, read> A: ${array(vectorA ? 'vec4f' : 'f32', vectorA ? 4 : 1)};
@group(0) @binding(1) var<storage, read> B: ${array(c.type, c.v)};
@group(0) @binding(2) var<storage, read_write> C: ${array(c.type, c.v)};
${staged}@compute @workgroup_size(${c.wx}, ${c.wy})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) thread: u32) {
let row = group.y * ${c.wy * c.tm}u + local.y * ${c.tm}u;
let column = group.x * ${c.wx * c.tn}u + local.x;
${each(rows, i => each(columns, j => `var c${i}_${j} = ${c.type}();\n`))}${c.sh ? stagedLoop(c, n) : directLoop(c, n)}${each(rows, i => each(columns, j => `C[(row + ${i}u) * ${n / c.v}u + column + ${j * c.wx}u] = c${i}_${j};\n`))}}
`;
}

export const gridOf = ({ wx, wy, tm, tn, v = 1 }, n) => [n / (wx * tn * v), n / (wy * tm), 1];
