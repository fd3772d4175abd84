// Makes a launch's program, and tells a rejected text from a rejected program.
import type { Attempt } from '../outcome.ts';
import { failure, success } from '../outcome.ts';
import type { GlDevice } from './gl_device.ts';

// A triangle over everything.
const vertex_code = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;
const nap_ms = 2;

export interface ProgramSource {
  readonly code: string;                   // a fragment shader
  readonly samplers: readonly string[];    // per texture unit the name of its uniform; one that the text does not use has no place in the program
}

interface Linking {
  readonly program: WebGLProgram | null;   // null: of a lost context
  readonly shaders: readonly (WebGLShader | null)[];
}

export async function createProgram(device: GlDevice, code: string, samplers: readonly string[]): Promise<Attempt<WebGLProgram>> {
  const [made] = await createPrograms(device, [{ code, samplers }]);
  return made!;
}

// All at once. Nothing is asked of any before all are done: to ask for one waits for what is compiled before it.
export async function createPrograms(device: GlDevice, sources: readonly ProgramSource[]): Promise<Attempt<WebGLProgram>[]> {
  const linking = sources.map(({ code }) => link(device.gl, code));
  for (const { program } of linking) if (program !== null) await compiled(device, program);
  return linking.map((one, i) => finish(device, one, sources[i]!.samplers));
}

function link(gl: WebGL2RenderingContext, code: string): Linking {
  const program = gl.createProgram() as WebGLProgram | null;
  if (program === null) return { program, shaders: [] };
  const shaders = [addShader(gl, program, gl.VERTEX_SHADER, vertex_code), addShader(gl, program, gl.FRAGMENT_SHADER, code)];
  gl.linkProgram(program);
  return { program, shaders };
}

function finish(device: GlDevice, { program, shaders }: Linking, samplers: readonly string[]): Attempt<WebGLProgram> {
  const { gl } = device;
  if (program === null) return failure('device_lost', device.findLoss() ?? 'the WebGL context makes no program');
  const complaint = complaintOf(device, program, shaders);
  for (const shader of shaders) gl.deleteShader(shader);
  if (complaint !== undefined) {
    gl.deleteProgram(program);
    return complaint;
  }
  gl.useProgram(program);
  for (const [unit, name] of samplers.entries()) gl.uniform1i(gl.getUniformLocation(program, name), unit);
  return success(program);
}

function addShader(gl: WebGL2RenderingContext, program: WebGLProgram, kind: number, code: string): WebGLShader | null {
  const shader = gl.createShader(kind);
  if (shader === null) return null;   // of a lost context
  gl.shaderSource(shader, code);
  gl.compileShader(shader);
  gl.attachShader(program, shader);
  return shader;
}

// Where the browser compiles beside this thread, several programs are under way at once; nothing but asking tells their end.
async function compiled(device: GlDevice, program: WebGLProgram): Promise<void> {
  const { gl } = device, parallel = gl.getExtension('KHR_parallel_shader_compile');
  if (parallel === null) return;
  const done = (): boolean => gl.isContextLost() || gl.getProgramParameter(program, parallel.COMPLETION_STATUS_KHR) as boolean;
  while (!done()) await new Promise<void>(wake => setTimeout(wake, nap_ms));
}

function complaintOf(device: GlDevice, program: WebGLProgram, shaders: readonly (WebGLShader | null)[]): ReturnType<typeof failure> | undefined {
  const { gl } = device;
  if (gl.getProgramParameter(program, gl.LINK_STATUS) === true) return undefined;
  const lost = device.findLoss();
  if (lost !== undefined) return failure('device_lost', lost);
  for (const shader of shaders) {
    if (shader !== null && gl.getShaderParameter(shader, gl.COMPILE_STATUS) === false) return failure('compile_error', said(gl.getShaderInfoLog(shader)));
  }
  return failure('validation_error', `the program does not link: ${said(gl.getProgramInfoLog(program))}`);
}

// Logs end in zeros and blank lines.
function said(log: string | null): string {
  const text = (log ?? '').replaceAll('\0', '').trim();
  return text === '' ? 'the driver does not say why' : text;
}

export function disposePrograms(gl: WebGL2RenderingContext, programs: readonly WebGLProgram[]): void {
  for (const program of programs) gl.deleteProgram(program);
}
