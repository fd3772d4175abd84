// Has the package's worker time its kernels (watch_wasm_worker.js), and takes what it says of each run.
// begin() before a run, end() after it: ms from its first kernel to its last.
export function watchWasm() {
  const Plain = Worker;
  let kernel_ms;
  globalThis.Worker = class extends Plain {
    constructor(url, options) {
      const imports = [new URL('./watch_wasm_worker.js', import.meta.url).href, String(url)].map(from => `import ${JSON.stringify(from)};\n`);
      super(URL.createObjectURL(new Blob(imports, { type: 'text/javascript' })), options);
      this.addEventListener('message', ({ data }) => { kernel_ms = data.kernel_ms ?? kernel_ms; });
    }
  };
  return {
    begin() { kernel_ms = undefined; },
    end() {
      if (kernel_ms === undefined) throw new Error('no kernel was seen');
      return kernel_ms;
    },
  };
}
