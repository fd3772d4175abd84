// The device's worker on Node.js: native kernels, OpenGL's or OpenCL's, in a runner's process, WebGPU by Dawn, or WebAssembly as in a page.
import { NativeBackend } from '../device/native/native_backend.ts';
import { OpenGlBackend } from '../device/opengl/opengl_backend.ts';
import { OpenClBackend } from '../device/opencl/opencl_backend.ts';
import { hostDevice } from '../worker/device_host.ts';
import { probePageDevice } from '../worker/page_device.ts';
import { openDawn } from './dawn.ts';
import { startRunner } from './runner_process.ts';

declare const self: { location: { href: string } };

hostDevice(async (choice, onStep) => {
  const runtime = new URL('runtime.wasm', self.location.href);
  if (choice.target === 'native') return NativeBackend.probe(runtime, choice.threads_max, startRunner, onStep);
  if (choice.target === 'opengl') return OpenGlBackend.probe(runtime, choice.threads_max, startRunner, onStep);
  if (choice.target === 'opencl') return OpenClBackend.probe(runtime, choice.threads_max, startRunner, onStep);
  const dawn = choice.target === 'webgpu' ? await openDawn({ coarse: choice.clock === 'coarse' }) : undefined;
  return dawn?.ok === false ? dawn : probePageDevice(choice, onStep);
});
