// Runs of the smallest draws: each reads what the one before drew, and has a program and a target other than its neighbour's, as a model's draws have.
import { launchUs } from '../../core/launch_cost.ts';
import { WorkError, type GlDevice } from '../../../../browser-runtime/src/device/webgl2/gl_device.ts';
import { createProgram } from '../../../../browser-runtime/src/device/webgl2/program.ts';
import { disposeStep, drawAll, makeStep, samplersOf } from '../../../../browser-runtime/src/device/webgl2/step.ts';
import { GpuTexture } from '../../../../browser-runtime/src/device/webgl2/texture.ts';

const code = (addend: number): string => `#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D b0;
layout(location = 0) out vec4 result;
void main() { result = texelFetch(b0, ivec2(0, 0), 0) + ${addend}.0; }`;

// Throws WorkError.
export async function measureLaunchUs(device: GlDevice): Promise<number | undefined> {
  const { gl } = device, textures = [0, 1].map(() => GpuTexture.make(gl, { width: 1, height: 1, layers: 1, format: 'rgba32f' }));
  const programs: WebGLProgram[] = [];
  for (const from of [0, 1]) {
    const program = await createProgram(device, code(from + 1), samplersOf([{ writes: false }]));
    if (!program.ok) throw new WorkError(program.outcome, program.message);
    programs.push(program.value);
  }
  const steps = [0, 1].map(from => makeStep(gl, programs[from]!, [{ texture: textures[from]!, writes: false }, { texture: textures[1 - from]!, writes: true }], [1, 1]));
  const us = await launchUs(async launches => {
    const started = performance.now();
    drawAll(gl, steps, launches / 2);
    steps[1]!.first_target.waitFor();
    return (performance.now() - started) * 1e6;
  });
  for (const step of steps) disposeStep(gl, step);
  for (const texture of textures) texture.dispose();
  for (const program of programs) gl.deleteProgram(program);
  return us;
}
