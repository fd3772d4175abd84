// Has the package's worker time its kernels, and takes what it says of each run.
const WATCHES = { wasm: './watch_wasm_worker.js', webgl: './watch_webgl_worker.js' };

// begin() before a run, end() after it: ms from its first kernel to its last.
export function watchWorker(backend) {
  const Plain = Worker, clock = clockOf();
  globalThis.Worker = class extends Plain {
    constructor(url, options) {
      const imports = [new URL(WATCHES[backend], import.meta.url).href, String(url)].map(from => `import ${JSON.stringify(from)};\n`);
      super(URL.createObjectURL(new Blob(imports, { type: 'text/javascript' })), options);
      this.addEventListener('message', ({ data }) => clock.take(data.kernel_ms));
    }
  };
  return clock;
}

// The worker tells the time behind the run's answer.
function clockOf() {
  let told, tell;
  return {
    begin() { told = new Promise(done => { tell = done; }); },
    take(kernel_ms) { if (kernel_ms !== undefined) tell?.(kernel_ms); },
    end: () => told,
  };
}
