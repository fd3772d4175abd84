// The worker that runs plans for a page, on what it is asked for first; and, by its name, a helper thread of such a worker on WebAssembly.
import { serveLeader } from '../device/wasm/helper_service.ts';
import { helper_name, WasmHost, wordsOf } from './wasm_host.ts';
import { WebGlHost } from './webgl_host.ts';
import type { Answer, Request } from './worker_messages.ts';
import { serve } from './worker_service.ts';

let host: WebGlHost | WasmHost | undefined;

async function handle(request: Request): Promise<Answer> {
  switch (request.kind) {
    case 'webgl':
      host = WebGlHost.open();
      return { fingerprint: host.fingerprint };
    case 'wasm':
      host = await WasmHost.open(request);
      return { note: host.note };
    default:
      if (host === undefined) throw new Error('no device is open');
      return host.handle(request);
  }
}

if (self.name === helper_name) serveLeader();
else serve(handle, error => ({ message: wordsOf(error), lost: host?.lost }));
