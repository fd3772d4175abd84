// Gives every compute pass of this page timestamps, and sums up the passes of a run.
const NS_PER_MS = 1e6;

// begin() before a run, end() after it: ms of its passes.
export function watchWebGpu() {
  const { requestDevice } = GPUAdapter.prototype, { beginComputePass, finish } = GPUCommandEncoder.prototype;
  const timed = new Map();   // by encoder, until it is finished
  let device, pending = [];
  GPUAdapter.prototype.requestDevice = async function (wanted = {}) {
    if (!this.features.has('timestamp-query')) throw new Error('this adapter has no clock of its own (timestamp-query)');
    device = await requestDevice.call(this, { ...wanted, requiredFeatures: [...new Set([...wanted.requiredFeatures ?? [], 'timestamp-query'])] });
    return device;
  };
  GPUCommandEncoder.prototype.beginComputePass = function (descriptor = {}) {
    const querySet = device.createQuerySet({ type: 'timestamp', count: 2 });
    timed.set(this, querySet);
    return beginComputePass.call(this, { ...descriptor, timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } });
  };
  GPUCommandEncoder.prototype.finish = function (...args) {
    const querySet = timed.get(this);
    if (querySet) pending.push(resolve(device, this, querySet));
    timed.delete(this);
    return finish.apply(this, args);
  };
  return {
    begin() { pending = []; },
    async end() {
      const all = await Promise.all(pending.map(read => read()));
      if (all.length === 0) throw new Error('no pass was seen');
      return all.reduce((sum, ms) => sum + ms, 0);
    },
  };
}

// Puts the two stamps where they can be read, which the returned function does.
function resolve(device, encoder, querySet) {
  const stamps = device.createBuffer({ size: 16, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const copy = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  encoder.resolveQuerySet(querySet, 0, 2, stamps, 0);
  encoder.copyBufferToBuffer(stamps, 0, copy, 0, 16);
  return async () => {
    await copy.mapAsync(GPUMapMode.READ);
    const [begin, end] = new BigUint64Array(copy.getMappedRange());
    const ms = Number(end - begin) / NS_PER_MS;
    for (const held of [copy, stamps, querySet]) held.destroy();
    return ms;
  };
}
