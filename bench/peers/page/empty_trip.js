// A round trip of each backend that does nothing, in ms: what of a run's host work is the browser's own.
//   webgpu  an empty pass and the copy of 4 bytes, submitted, until they are mapped
//   webgl   a message to a worker, a clear of one pixel, the fence behind it, and the answer
//   wasm    a message to a worker, and the answer
const RUNS = 100;

const GL_WORKER = `
const gl = new OffscreenCanvas(1, 1).getContext('webgl2'), { port1, port2 } = new MessageChannel();
let next;
port1.onmessage = () => next();
const turn = () => new Promise(done => { next = done; port2.postMessage(0); });
onmessage = async () => {
  gl.clear(gl.COLOR_BUFFER_BIT);
  const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  while (gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED) await turn();
  gl.deleteSync(fence);
  postMessage(0);
};`;

export function init() {}

async function gpuTrip() {
  const device = await (await navigator.gpu.requestAdapter()).requestDevice();
  const from = device.createBuffer({ size: 4, usage: GPUBufferUsage.COPY_SRC }), to = device.createBuffer({ size: 4, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  return async () => {
    const encoder = device.createCommandEncoder();
    encoder.beginComputePass().end();
    encoder.copyBufferToBuffer(from, 0, to, 0, 4);
    device.queue.submit([encoder.finish()]);
    await to.mapAsync(GPUMapMode.READ);
    to.unmap();
  };
}

function workerTrip(script) {
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
  return () => new Promise(done => {
    worker.onmessage = done;
    worker.postMessage(0);
  });
}

const TRIPS = { webgpu: gpuTrip, webgl: () => workerTrip(GL_WORKER), wasm: () => workerTrip('onmessage = () => postMessage(0);') };

// The times of all trips but the first.
export async function measure(backend) {
  const trip = await TRIPS[backend](), times = [];
  for (let i = 0; i <= RUNS; i++) {
    const started = performance.now();
    await trip();
    times.push(performance.now() - started);
  }
  return times.slice(1);
}
