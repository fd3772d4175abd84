// In a package's worker: tells behind each answer how long its kernels took, `kernel_ms`, from the first call of one to the end of the last.
const { Instance } = WebAssembly, post = globalThis.postMessage;
let first, last;

const timed = main => (...args) => {
  first ??= performance.now();
  main(...args);
  last = performance.now();
};

WebAssembly.Instance = function (module, imports) {
  const { exports } = new Instance(module, imports);
  return { exports: { ...exports, ...(exports.main && { main: timed(exports.main) }) } };
};

globalThis.postMessage = (message, ...rest) => {
  post.call(globalThis, message, ...rest);
  if (first !== undefined && message.answer?.ran) post.call(globalThis, { kernel_ms: last - first });
  first = undefined;
};
