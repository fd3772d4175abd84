// The worker that runs plans for a page: on WebGL once it is asked for that device, else on WebAssembly.
import { openWasmPlan, wordsOf } from './wasm_host.ts';
import { WebGlHost } from './webgl_host.ts';
import type { Answer, Request } from './worker_messages.ts';
import { serve, type Handler } from './worker_service.ts';

let webgl: WebGlHost | undefined;
let handlePlan: Handler = async () => { throw new Error('no plan is open'); };

async function handle(request: Request): Promise<Answer> {
  if (request.kind === 'device') {
    webgl = WebGlHost.open();
    handlePlan = webgl.handle;
    return { fingerprint: webgl.fingerprint };
  }
  if (request.kind !== 'open' || webgl !== undefined) return handlePlan(request);
  const { handle, note } = await openWasmPlan(request);
  handlePlan = handle;
  return { note };
}

serve(handle, error => ({ message: wordsOf(error), lost: webgl?.lost }));
