// In a package's worker: tells behind each answer how long its draws took, `kernel_ms`, by the GPU's own clock: from the first to the fence behind the last.
const NS_PER_MS = 1e6, POLLS_MAX = 10000;
const { drawArrays, fenceSync } = WebGL2RenderingContext.prototype, post = globalThis.postMessage;
let watched;

WebGL2RenderingContext.prototype.drawArrays = function (...args) {
  watched ??= begun(this);
  return drawArrays.apply(this, args);
};

WebGL2RenderingContext.prototype.fenceSync = function (...args) {
  if (watched?.open) {
    this.endQuery(watched.extension.TIME_ELAPSED_EXT);
    watched.open = false;
  }
  return fenceSync.apply(this, args);
};

globalThis.postMessage = (message, ...rest) => {
  post.call(globalThis, message, ...rest);
  const ended = watched;
  watched = undefined;
  if (ended && message.answer?.ran) elapsed(ended).then(kernel_ms => post.call(globalThis, { kernel_ms }));
};

function begun(gl) {
  const extension = gl.getExtension('EXT_disjoint_timer_query_webgl2');
  if (!extension) throw new Error('this context has no clock of its own (EXT_disjoint_timer_query_webgl2)');
  const query = gl.createQuery();
  gl.beginQuery(extension.TIME_ELAPSED_EXT, query);
  return { gl, extension, query, open: true };
}

async function elapsed({ gl, query }) {
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    if (gl.getQueryParameter(query, gl.QUERY_RESULT_AVAILABLE)) {
      const ms = gl.getQueryParameter(query, gl.QUERY_RESULT) / NS_PER_MS;
      gl.deleteQuery(query);
      return ms;
    }
    await new Promise(done => setTimeout(done));
  }
  throw new Error("the context's clock gives no answer");
}
