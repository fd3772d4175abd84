// jax-js; options: {device, threads?}. MatMul and Softmax alone.
import { inputsOf, toBase64 } from './tensors.js';

let jax, run, inputs;

export async function init(options) {
  // It starts a worker for each core that the browser names.
  if (options.threads) Object.defineProperty(navigator, 'hardwareConcurrency', { value: options.threads, configurable: true });
  jax = await import('/node_modules/@jax-js/jax/dist/index.js');
  const devices = await jax.init(options.device);
  if (!devices.includes(options.device)) throw new Error(`jax-js has no device "${options.device}" here, only ${devices}`);
  jax.defaultDevice(options.device);
}

export async function prepare(work) {
  const values = inputsOf(work), started = performance.now();
  inputs = work.inputs.map(({ shape }, i) => jax.numpy.array(values[i], { shape }));
  run = work.node.type === 'MatMul' ? jax.jit((a, b) => jax.numpy.matmul(a, b)) : jax.jit(a => jax.nn.softmax(a, -1));
  const create_ms = performance.now() - started;
  return { create_ms, first_ms: await sample(1) };
}

const once = () => run(...inputs.map(input => input.ref));

// Each result is waited for: one that is given up before it is ready may never be computed.
export async function sample(k) {
  const started = performance.now();
  for (let i = 0; i < k; i++) {
    const result = once();
    await jax.blockUntilReady(result.ref);
    result.dispose();
  }
  return (performance.now() - started) / k;
}

export const output = async () => toBase64(new Float32Array(await once().data()));

export function dispose() {
  for (const input of inputs) input.dispose();
}
