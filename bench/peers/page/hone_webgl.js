// hone's fragment shaders, as `hone compile --target webgl --dump source --json` prints them: work.hone[options.schedule] = {buffers, layouts, launches}; a
// binding's texture holds the flat physical tensor along x, then y, then the layers.
import { programOf } from './gl_program.js';
import { buffersOf, count, inputsOf, physical, positions, toBase64 } from './tensors.js';

const VERTICES = '#version 300 es\nvoid main() { gl_Position = vec4(gl_VertexID == 1 ? 3. : -1., gl_VertexID == 2 ? 3. : -1., 0, 1); }';
let which, gl, textures, draws, buffers;

export function init(options) {
  which = options.schedule;
  gl = new OffscreenCanvas(1, 1).getContext('webgl2');
  if (!gl?.getExtension('EXT_color_buffer_float')) throw new Error('no WebGL 2 with float render targets');
}

const kindOf = ({ layers }) => (layers === 1 ? gl.TEXTURE_2D : gl.TEXTURE_2D_ARRAY);
const floats = ({ width, height, layers }) => width * height * layers * 4;

function makeTexture(shape, values) {
  const made = gl.createTexture(), kind = kindOf(shape), { width, height, layers } = shape;
  gl.bindTexture(kind, made);
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(kind, filter, gl.NEAREST);
  const data = new Float32Array(floats(shape));
  if (values) data.set(values);
  if (layers === 1) gl.texImage2D(kind, 0, gl.RGBA32F, width, height, 0, gl.RGBA, gl.FLOAT, data);
  else gl.texImage3D(kind, 0, gl.RGBA32F, width, height, layers, 0, gl.RGBA, gl.FLOAT, data);
  return { made, shape };
}

function attach({ made, shape }, location, layer) {
  const point = gl.COLOR_ATTACHMENT0 + location;
  if (shape.layers === 1) gl.framebufferTexture2D(gl.FRAMEBUFFER, point, gl.TEXTURE_2D, made, 0);
  else gl.framebufferTextureLayer(gl.FRAMEBUFFER, point, made, 0, layer);
  return point;
}

const keyOf = ({ kind, position }) => `${kind} ${position}`;

function drawOf({ code, grid, bindings }) {
  const program = programOf(gl, VERTICES, code), framebuffer = gl.createFramebuffer(), reads = [], points = [];
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.useProgram(program);
  bindings.forEach((binding, i) => {
    const texture = textures.get(keyOf(binding));
    if (binding.writes) {
      for (let layer = 0; layer < texture.shape.layers; layer++) points.push(attach(texture, points.length, layer));
      return;
    }
    gl.uniform1i(gl.getUniformLocation(program, `b${i}`), reads.length);
    reads.push(texture);
  });
  gl.drawBuffers(points);
  return { program, framebuffer, reads, grid };
}

export async function prepare(work) {
  const kernel = work.hone[which];
  buffers = buffersOf(kernel);
  const inputs = inputsOf(work), started = performance.now();
  textures = new Map();
  for (const { bindings } of kernel.launches)
    for (const binding of bindings) {
      const input = binding.kind === 'arg' ? inputs[binding.position] : undefined;
      if (!textures.has(keyOf(binding))) textures.set(keyOf(binding), makeTexture(binding.texture, input && physical(buffers[binding.position], work.inputs[binding.position], input)));
    }
  draws = kernel.launches.map(drawOf);
  const create_ms = performance.now() - started;
  return { create_ms, first_ms: await sample(1) };
}

function drawAll() {
  for (const { program, framebuffer, reads, grid } of draws) {
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.viewport(0, 0, grid[0], grid[1]);
    gl.useProgram(program);
    reads.forEach(({ made, shape }, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(kindOf(shape), made);
    });
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
}

// One pixel read back waits for all draws before it.
export async function sample(k) {
  const started = performance.now();
  for (let i = 0; i < k; i++) drawAll();
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.FLOAT, new Float32Array(4));
  return (performance.now() - started) / k;
}

export async function output() {
  const texture = textures.get(`arg ${buffers.length - 1}`), { width, height, layers } = texture.shape, stored = new Float32Array(floats(texture.shape));
  const reader = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, reader);
  for (let layer = 0; layer < layers; layer++) {
    attach(texture, 0, layer);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.FLOAT, stored.subarray(layer * width * height * 4, (layer + 1) * width * height * 4));
  }
  gl.deleteFramebuffer(reader);
  const buffer = buffers.at(-1), values = new Float32Array(count(buffer.shape));
  for (const [logical, place] of positions(buffer)) values[logical] = stored[place];
  return toBase64(values);
}

export function dispose() {
  for (const { made } of textures.values()) gl.deleteTexture(made);
  for (const { program, framebuffer } of draws) {
    gl.deleteProgram(program);
    gl.deleteFramebuffer(framebuffer);
  }
}
