// Products of square matrices as fragment shaders written by hand, the forms that peers and experts use; options.form names one.
import { programOf } from './gl_program.js';
import { inputsOf, toBase64 } from './tensors.js';

const HEAD = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
uniform sampler2D A, B;
`;
const VERTICES = '#version 300 es\nvoid main() { gl_Position = vec4(gl_VertexID == 1 ? 3. : -1., gl_VertexID == 2 ? 3. : -1., 0, 1); }';
const LANES = ['x', 'y', 'z', 'w'];

// rows of one fragment, each 4 columns; more than one row: a render target each.
const rowsSource = (n, rows) => {
  const each = of => Array.from({ length: rows }, (_, i) => of(i)).join('\n');
  return `${HEAD}${each(i => `layout(location = ${i}) out vec4 o${i};`)}
void main() {
  ivec2 p = ivec2(gl_FragCoord.xy); int r = p.y * ${rows};
  ${each(i => `vec4 s${i} = vec4(0);`)}
  for (int k = 0; k < ${n / 4}; k++) {
    ${each(i => `vec4 a${i} = texelFetch(A, ivec2(k, r + ${i}), 0);`)}
    ${LANES.map((lane, j) => `{ vec4 b = texelFetch(B, ivec2(p.x, k * 4 + ${j}), 0); ${each(i => `s${i} += a${i}.${lane} * b;`)} }`).join('\n')}
  }
  ${each(i => `o${i} = s${i};`)}
}`;
};

// 2×2 elements a texel, of operands and result alike.
const quadSource = n => `${HEAD}out vec4 o;
void main() {
  ivec2 p = ivec2(gl_FragCoord.xy); vec4 s = vec4(0);
  for (int k = 0; k < ${n / 2}; k++) {
    vec4 a = texelFetch(A, ivec2(k, p.y), 0), b = texelFetch(B, ivec2(p.x, k), 0);
    s += a.xxzz * b.xyxy + a.yyww * b.zwzw;
  }
  o = s;
}`;

const FORMS = { row4: { rows: 1 }, mrt4: { rows: 4 }, mrt8: { rows: 8 }, quad: { quad: true } };
let gl, form, program, textures, targets, framebuffer, n;

export function init(options) {
  form = FORMS[options.form];
  gl = new OffscreenCanvas(1, 1).getContext('webgl2');
  if (!gl?.getExtension('EXT_color_buffer_float')) throw new Error('no WebGL 2 with float render targets');
}

// Where element (i, j) lies: [target, position in it].
function placeOf(i, j, is_output) {
  if (form.quad) return [0, ((i >> 1) * (n / 2) + (j >> 1)) * 4 + (i & 1) * 2 + (j & 1)];
  const rows = is_output ? form.rows : 1;
  return [i % rows, Math.floor(i / rows) * n + j];
}

function texture(width, height, data) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, width, height, 0, gl.RGBA, gl.FLOAT, data);
  return made;
}

function packed(values) {
  const out = new Float32Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) out[placeOf(i, j, false)[1]] = values[i * n + j];
  return out;
}

const grid = () => (form.quad ? [n / 2, n / 2] : [n / 4, n / form.rows]);
const size = () => (form.quad ? [n / 2, n / 2] : [n / 4, n]);

export async function prepare(work) {
  [n] = work.output;
  textures = inputsOf(work).map(values => texture(...size(), packed(values)));
  const started = performance.now();
  program = programOf(gl, VERTICES, form.quad ? quadSource(n) : rowsSource(n, form.rows));
  const create_ms = performance.now() - started;
  framebuffer = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  targets = Array.from({ length: form.rows ?? 1 }, () => texture(...grid(), null));
  const points = targets.map((target, i) => {
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + i, gl.TEXTURE_2D, target, 0);
    return gl.COLOR_ATTACHMENT0 + i;
  });
  gl.drawBuffers(points);
  gl.viewport(0, 0, ...grid());
  gl.useProgram(program);
  textures.forEach((made, unit) => {
    gl.uniform1i(gl.getUniformLocation(program, 'AB'[unit]), unit);
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, made);
  });
  return { create_ms, first_ms: await sample(1) };
}

// One pixel read back waits for all draws before it.
export async function sample(k) {
  const started = performance.now();
  for (let i = 0; i < k; i++) gl.drawArrays(gl.TRIANGLES, 0, 3);
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.FLOAT, new Float32Array(4));
  return (performance.now() - started) / k;
}

export async function output() {
  const pixels = targets.map((_, i) => {
    gl.readBuffer(gl.COLOR_ATTACHMENT0 + i);
    const read = new Float32Array(grid()[0] * grid()[1] * 4);
    gl.readPixels(0, 0, ...grid(), gl.RGBA, gl.FLOAT, read);
    return read;
  });
  gl.readBuffer(gl.COLOR_ATTACHMENT0);
  const values = new Float32Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      const [target, place] = placeOf(i, j, true);
      values[i * n + j] = pixels[target][place];
    }
  return toBase64(values);
}

export function dispose() {
  for (const made of [...textures, ...targets]) gl.deleteTexture(made);
  gl.deleteFramebuffer(framebuffer);
  gl.deleteProgram(program);
}
