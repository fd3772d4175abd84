import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from '../../test/samples.ts';
import { credible, ProcessorProbe, runsOnProcessor } from './calm.ts';

// A processor whose work takes `slowness` times as long, on a clock that it moves itself.
class FakeProcessor {
  slowness = 1;
  #now_ms = 0;
  readonly probe = new ProcessorProbe(() => this.#now_ms, rounds => { this.#now_ms += rounds * 1e-5 * this.slowness; });
}

test('given a processor of one speed, when probed, then nothing disturbs it', () => {
  const { probe } = new FakeProcessor();
  assert.deepEqual([1, 2, 3].map(() => probe.disturbance().toFixed(3)), ['1.000', '1.000', '1.000']);
});

test('given other work on a processor, when probed, then the disturbance is how much slower it is than at its fastest of late', () => {
  const processor = new FakeProcessor();
  processor.probe.disturbance();
  processor.slowness = 1.8;
  assert.ok(Math.abs(processor.probe.disturbance() - 1.8) < 1e-4);
});

test('given a processor that became slower for good, when it was probed for a while, then that is its speed', () => {
  const processor = new FakeProcessor();
  processor.probe.disturbance();
  processor.slowness = 1.8;
  for (let i = 0; i < 200_000; i++) processor.probe.disturbance();
  assert.ok(Math.abs(processor.probe.disturbance() - 1) < 1e-4);
});

test('given a clock that stands still, when probed, then it ends and disturbs nothing', () => {
  assert.equal(new ProcessorProbe(() => 0).disturbance(), 1);
});

test('given the clock of this machine, when probed, then there is a fastest probe', () => {
  const probe = new ProcessorProbe(() => performance.now());
  assert.ok(probe.disturbance() >= 1);
});

test('given samples of which some are calm, when asked which count, then those do, and the fastest of the others where more are wanted', () => {
  const samples = [{ us: 9, disturbance: 1.3 }, { us: 5, disturbance: 1.1 }, { us: 7, disturbance: 1.5 }, { us: 4, disturbance: 1 }].map(sample => ({ ...sample, repeats: 1 }));
  assert.deepEqual(credible(samples, 1).map(({ us }) => us), [5, 4]);
  assert.deepEqual(credible(samples, 3).map(({ us }) => us), [5, 7, 4]);
  assert.deepEqual(credible(samples, 9), samples);
  assert.deepEqual(credible([], 2), []);
});

test('given fingerprints, when asked whether kernels run on the processor, then WebAssembly, native code, GPUs in software and processors behind OpenCL do', () => {
  assert.equal(runsOnProcessor({ ...fingerprint, target: 'wasm' }), true);
  assert.equal(runsOnProcessor({ ...fingerprint, target: 'native' }), true);
  assert.equal(runsOnProcessor({ ...fingerprint, architecture: 'swiftshader' }), true);
  assert.equal(runsOnProcessor({ ...fingerprint, target: 'opengl', device: 'llvmpipe (LLVM 15.0.6, 256 bits)' }), true);
  assert.equal(runsOnProcessor({ ...fingerprint, target: 'opencl', backend: 'cpu' }), true);
  assert.equal(runsOnProcessor({ ...fingerprint, target: 'opencl', backend: 'gpu' }), false);
  assert.equal(runsOnProcessor({ ...fingerprint, vendor: 'nvidia', architecture: 'hopper' }), false);
});
