// Runs what ../exports/tinygrad_export.py wrote: load(url) gives a model whose run(input) gives the output, both Float32Arrays. All launches of a run are one
// pass, submitted with the copies.
const STORAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST, { MAP_READ, COPY_DST, UNIFORM } = GPUBufferUsage;

async function openDevice() {
  const adapter = await navigator.gpu.requestAdapter(), { maxBufferSize, maxStorageBufferBindingSize, maxStorageBuffersPerShaderStage, maxComputeInvocationsPerWorkgroup,
    maxComputeWorkgroupStorageSize } = adapter.limits;
  return adapter.requestDevice({ requiredLimits: { maxBufferSize, maxStorageBufferBindingSize, maxStorageBuffersPerShaderStage, maxComputeInvocationsPerWorkgroup,
    maxComputeWorkgroupStorageSize } });
}

// tinygrad's kernels take infinity as a uniform, at binding 0; in a module of its own a kernel's name is as good as another's.
async function pipelineOf(device, { name, code }, bindings) {
  const entry = (binding, type) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } });
  const entries = [entry(0, 'uniform'), ...Array.from({ length: bindings }, (_, i) => entry(i + 1, 'storage'))], bindGroupLayouts = [device.createBindGroupLayout({ entries })];
  return device.createComputePipelineAsync({ layout: device.createPipelineLayout({ bindGroupLayouts }), compute: { module: device.createShaderModule({ code }), entryPoint: name } });
}

// {name: bytes} of a safetensors file.
function* tensorsOf(file) {
  const length = Number(new DataView(file).getBigUint64(0, true)), head = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, length)));
  for (const [name, { data_offsets: [begin, end] }] of Object.entries(head)) yield [name, new Uint8Array(file, 8 + length + begin, end - begin)];
}

function infinity(device) {
  const buffer = device.createBuffer({ size: 4, usage: UNIFORM | COPY_DST });
  device.queue.writeBuffer(buffer, 0, new Float32Array([Infinity]));
  return buffer;
}

export async function load(url) {
  const [net, weights] = await Promise.all([fetch(`${url}net.json`).then(answer => answer.json()), fetch(`${url}net.safetensors`).then(answer => answer.arrayBuffer())]);
  const device = await openDevice(), buffers = net.buffers.map(size => device.createBuffer({ size, usage: STORAGE })), limit = infinity(device);
  for (const [name, bytes] of tensorsOf(weights)) device.queue.writeBuffer(buffers[Number(name)], 0, bytes);
  const bindings = net.kernels.map((_, i) => net.launches.find(({ kernel }) => kernel === i).buffers.length);
  const pipelines = await Promise.all(net.kernels.map((kernel, i) => pipelineOf(device, kernel, bindings[i])));
  const launches = net.launches.map(({ kernel, grid, buffers: bound }) => ({ pipeline: pipelines[kernel], grid, group: device.createBindGroup({ layout: pipelines[kernel].getBindGroupLayout(0),
    entries: [limit, ...bound.map(i => buffers[i])].map((buffer, binding) => ({ binding, resource: { buffer } })) }) }));
  const output = buffers[net.output], staging = device.createBuffer({ size: output.size, usage: MAP_READ | COPY_DST });
  return { run: input => run({ device, launches, input: buffers[net.input], output, staging }, input), dispose: () => device.destroy() };
}

async function run({ device, launches, input, output, staging }, values) {
  device.queue.writeBuffer(input, 0, values);
  const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
  for (const { pipeline, group, grid } of launches) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...grid);
  }
  pass.end();
  encoder.copyBufferToBuffer(output, 0, staging, 0, output.size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const result = new Float32Array(staging.getMappedRange().slice(0));
  staging.unmap();
  return result;
}
