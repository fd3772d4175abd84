// What dawn.mjs forks: argv names the package webgpu and the URL that a browser's page would have. {load} imports a module, {fn, args} calls one of its functions; the answer is {value} or
// {error}.
import { pathToFileURL } from 'node:url';

const { create, globals } = await import(pathToFileURL(process.argv[2]));
Object.assign(globalThis, globals, { self: globalThis, isSecureContext: true, location: new URL(process.argv[3]) });
const gpu = create(['enable-dawn-features=allow_unsafe_apis', 'disable-dawn-features=timestamp_quantization']);   // as the agent's (src/node/dawn.ts)
Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true });

let peer;
process.on('message', async ({ load, fn, args }) => {
  try {
    const value = load ? void (peer = await import(pathToFileURL(load))) : await peer[fn](...args);
    process.send({ value });
  } catch (error) {
    process.send({ error: String(error?.message ?? error) });
  }
});
