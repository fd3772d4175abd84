// The device's worker on Node.js: native kernels in a runner's process, or WebAssembly as in a page.
import { NativeBackend } from '../device/native/native_backend.ts';
import { hostDevice } from '../worker/device_host.ts';
import { probePageDevice } from '../worker/page_device.ts';
import { startRunner } from './runner_process.ts';

declare const self: { location: { href: string } };

hostDevice(choice => choice.target === 'native'
  ? NativeBackend.probe(new URL('runtime.wasm', self.location.href), choice.threads_max, startRunner)
  : probePageDevice(choice));
