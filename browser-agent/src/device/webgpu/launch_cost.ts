// Runs of the smallest launches: each reads what the one before wrote, and has a pipeline and bindings other than its neighbour's, as a model's launches have.
import { WallClock } from './clock.ts';
import { saidNs } from '../../core/reading.ts';
import { launchUs } from '../../core/launch_cost.ts';
import type { GpuWait } from '../../../../browser-runtime/src/device/webgpu/wait.ts';

const code = (addend: number): string => `
@group(0) @binding(0) var<storage, read> given: array<f32>;
@group(0) @binding(1) var<storage, read_write> made: array<f32>;
@compute @workgroup_size(1) fn main() { made[0] = given[0] + ${addend}.0; }`;

const bytes = 16;

export async function measureLaunchUs(device: GPUDevice, wait: GpuWait): Promise<number | undefined> {
  const buffers = [0, 1].map(() => device.createBuffer({ size: bytes, usage: GPUBufferUsage.STORAGE }));
  const clock = new WallClock(device, wait);
  try {
    const steps = await Promise.all([0, 1].map(async from => {
      const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module: device.createShaderModule({ code: code(from + 1) }), entryPoint: 'main' } });
      const entries = [buffers[from]!, buffers[1 - from]!].map((buffer, binding) => ({ binding, resource: { buffer } }));
      return { pipeline, bindings: device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }) };
    }));
    return await launchUs(async launches => saidNs(await clock.read({
      encodePass: pass => {
        for (let i = 0; i < launches; i++) {
          const { pipeline, bindings } = steps[i % 2]!;
          pass.setPipeline(pipeline);
          pass.setBindGroup(0, bindings);
          pass.dispatchWorkgroups(1);
        }
      },
    })));
  } finally {
    clock.dispose();
    for (const buffer of buffers) buffer.destroy();
  }
}
