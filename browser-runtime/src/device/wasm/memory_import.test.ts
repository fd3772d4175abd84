import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMemory } from './memory_import.ts';
import { assemble } from '../../../../browser-agent/test/wasm_module.ts';

const module = (shared: boolean, imports: readonly string[] = []): Uint8Array<ArrayBuffer> => assemble({ shared, imports, locals: { i32: 0, f32: 0 } }, []);
const memory = (shared: boolean): WebAssembly.Memory => new WebAssembly.Memory({ initial: 1, maximum: 32_768, shared });
const accepts = (bytes: Uint8Array<ArrayBuffer>, shared: boolean): boolean => {
  try {
    new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory: memory(shared), expf: Math.exp } });
    return true;
  } catch {
    return false;
  }
};

for (const from of [false, true]) {
  for (const to of [false, true]) {
    test(`given a module for ${from ? 'shared' : 'unshared'} memory, when made for ${to ? 'shared' : 'unshared'}, then it takes such memory, and its other imports`, () => {
      for (const imports of [[], ['expf']]) {
        const changed = withMemory(module(from, imports), to);
        assert.ok(accepts(changed, to));
        assert.equal(accepts(module(from, imports), to), from === to || accepts(changed, !to));
      }
    });
  }
}

test('given bytes that are no module, or one that imports nothing, when changed, then they stay what they are', () => {
  for (const bytes of [Uint8Array.of(1, 2, 3), Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0), Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 2, 90, 3)]) assert.equal(withMemory(bytes, true), bytes);
});
