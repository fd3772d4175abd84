// The device's worker: owns the GPU, or runs WebAssembly itself. It may hang or die; the agent's worker (agent_worker.ts) watches and replaces it.
import { hostDevice } from './device_host.ts';
import { probePageDevice } from './page_device.ts';

hostDevice(probePageDevice);
