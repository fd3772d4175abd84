// One WebGPU device with the adapter's own limits, and kernels given as source: {code, grid, bindings: [GPUBuffer…]} per launch.
import { workDone } from './work_done.js';

const FEATURES = ['shader-f16', 'subgroups'];
let device;

export async function openDevice() {
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error('no WebGPU adapter');
  const limits = {};
  for (const name in adapter.limits) if (!/^(min|maxInterStage)/.test(name)) limits[name] = adapter.limits[name];
  device = await adapter.requestDevice({ requiredLimits: limits, requiredFeatures: [...adapter.features].filter(f => FEATURES.includes(f)) });
  const { vendor, architecture, description } = adapter.info ?? {};
  return { vendor, architecture, description };
}

export function storage(bytes, values) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size: Math.ceil(bytes / 16) * 16, usage });
  if (values) device.queue.writeBuffer(buffer, 0, values);
  return buffer;
}

export const compile = code => device.createComputePipelineAsync({ layout: 'auto', compute: { module: device.createShaderModule({ code }), entryPoint: 'main' } });

// Compiles the launches of one kernel. Throws the driver's words when one is refused.
export async function pipelines(launches) {
  device.pushErrorScope('validation');
  const made = [];
  for (const { code, grid, bindings } of launches) {
    const pipeline = await compile(code);
    const entries = bindings.map((buffer, binding) => ({ binding, resource: { buffer } }));
    made.push({ pipeline, grid, group: device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }) });
  }
  const refused = await device.popErrorScope();
  if (refused) throw new Error(refused.message);
  return made;
}

// k runs in one pass, then one wait; ms per run.
export async function timeRuns(launches, k) {
  const started = performance.now(), encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
  for (let run = 0; run < k; run++)
    for (const { pipeline, group, grid } of launches) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(...grid);
    }
  pass.end();
  device.queue.submit([encoder.finish()]);
  await workDone(device.queue);
  return (performance.now() - started) / k;
}

export async function read(buffer, bytes, from = device) {
  const copy = from.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const encoder = from.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
  from.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const values = new Float32Array(copy.getMappedRange().slice(0, bytes));
  copy.destroy();
  return values;
}
