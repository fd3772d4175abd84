// Times a run's draws by the GPU's own clock: from the first to the fence behind the last.
const NS_PER_MS = 1e6, POLLS_MAX = 10000;

// begin() before a run, end() after it: ms of its draws.
export function watchWebGl() {
  const { drawArrays, fenceSync } = WebGL2RenderingContext.prototype;
  let watched, wanted = false;
  WebGL2RenderingContext.prototype.drawArrays = function (...args) {
    if (wanted && !watched) {
      const extension = this.getExtension('EXT_disjoint_timer_query_webgl2');
      if (!extension) throw new Error('this context has no clock of its own (EXT_disjoint_timer_query_webgl2)');
      watched = { gl: this, extension, query: this.createQuery(), open: true };
      this.beginQuery(extension.TIME_ELAPSED_EXT, watched.query);
    }
    return drawArrays.apply(this, args);
  };
  WebGL2RenderingContext.prototype.fenceSync = function (...args) {
    if (watched?.open) {
      this.endQuery(watched.extension.TIME_ELAPSED_EXT);
      watched.open = false;
    }
    return fenceSync.apply(this, args);
  };
  return {
    begin() { [watched, wanted] = [undefined, true]; },
    async end() {
      wanted = false;
      if (!watched) throw new Error('no draw was seen');
      return elapsed(watched);
    },
  };
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
