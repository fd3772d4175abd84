// Finds a WebGL 2 context that draws to float textures, and describes it.
import type { Fingerprint } from '../fingerprint.ts';
import type { Lack } from '../lack.ts';
import { describeBrowser } from '../browser_name.ts';
import { describeRenderer } from '../renderer_name.ts';

export type FoundContext = { ok: true; canvas: OffscreenCanvas; gl: WebGL2RenderingContext; fingerprint: Fingerprint } | { ok: false; lack: Lack; reason: string };

const limit_names = [
  'MAX_TEXTURE_SIZE', 'MAX_ARRAY_TEXTURE_LAYERS', 'MAX_DRAW_BUFFERS', 'MAX_COLOR_ATTACHMENTS', 'MAX_TEXTURE_IMAGE_UNITS', 'MAX_FRAGMENT_UNIFORM_VECTORS',
] as const;

export function openContext(): FoundContext {
  if (typeof OffscreenCanvas === 'undefined') return { ok: false, lack: 'canvas', reason: 'This browser gives workers no canvas (OffscreenCanvas).' };
  const canvas = new OffscreenCanvas(1, 1);
  let said = '';
  canvas.addEventListener('webglcontextcreationerror', event => { said = (event as WebGLContextEvent).statusMessage; });
  const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, stencil: false, powerPreference: 'high-performance' });
  if (gl === null) return { ok: false, lack: 'webgl_context', reason: `This browser gives no WebGL 2 context${said === '' ? '' : ` (${said})`}.` };
  if (gl.getExtension('EXT_color_buffer_float') === null) {
    return { ok: false, lack: 'float_targets', reason: 'This GPU draws to no textures of 32-bit floats (EXT_color_buffer_float), and kernels of WebGL need them.' };
  }
  gl.disable(gl.DITHER);
  return { ok: true, canvas, gl, fingerprint: describeContext(gl) };
}

function describeContext(gl: WebGL2RenderingContext): Fingerprint {
  const unmasked = gl.getExtension('WEBGL_debug_renderer_info');
  const vendor = String(gl.getParameter(unmasked?.UNMASKED_VENDOR_WEBGL ?? gl.VENDOR));
  const renderer = String(gl.getParameter(unmasked?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  return {
    target: 'webgl', ...describeRenderer(vendor, renderer), ...describeBrowser(navigator.userAgent),
    features: [...gl.getSupportedExtensions() ?? []].sort(),
    limits: Object.fromEntries(limit_names.map(name => [name, Number(gl.getParameter(gl[name]))])),
  };
}
