// WGSL that the compiler emits (written by tests/wgsl), judged by Tint in a real Chromium. HONE_EMITTED_WGSL: the file; ctest sets it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.ts';
import { FakeService } from './fake_service.ts';

interface Emitted { name: string; code: string; pipeline: boolean }

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const file = process.env['HONE_EMITTED_WGSL'];
const batch_size = 200;

// Runs in the page: what each module's compiler and, where wanted, its pipeline's validation object to; '' for none.
async function judge(emitted: readonly Emitted[]): Promise<string[]> {
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter === null) throw new Error('no adapter');
  const limits = adapter.limits as unknown as Record<string, number>;
  const names = ['maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX', 'maxComputeWorkgroupSizeY', 'maxComputeWorkgroupStorageSize',
    'maxStorageBuffersPerShaderStage'];
  const requiredFeatures = ['subgroups', 'subgroup-size-control'] as GPUFeatureName[];   // Chromium's software adapter has both
  const device = await adapter.requestDevice({ requiredFeatures, requiredLimits: Object.fromEntries(names.map(name => [name, limits[name] ?? 0])) });
  const objections = emitted.map(async ({ code, pipeline }) => {
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code });
    const scope = device.popErrorScope();
    const errors = (await module.getCompilationInfo()).messages.filter(m => m.type === 'error').map(m => `${m.lineNum}: ${m.message}`);
    const invalid = await scope;
    if (invalid !== null && errors.length === 0) errors.push(invalid.message);
    if (pipeline && errors.length === 0)
      await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } }).catch((e: unknown) => errors.push(String(e)));
    return errors.join('; ');
  });
  const all = await Promise.all(objections);
  device.destroy();
  return all;
}

test('given WGSL of every kind that the compiler emits, when Chromium compiles it, then Tint has no objection to any of it',
  { timeout: 200_000, skip: file === undefined && 'HONE_EMITTED_WGSL names no file; ctest writes one' }, async () => {
    const emitted = JSON.parse(readFileSync(String(file), 'utf8')) as Emitted[];
    assert.ok(emitted.length > 1000, `${emitted.length} modules`);
    const service = await FakeService.start(dist);
    const chromium = await Chromium.launch();
    try {
      await chromium.open(`${service.origin}/agent/`);
      const refused: string[] = [];
      for (let at = 0; at < emitted.length; at += batch_size) {
        const some = emitted.slice(at, at + batch_size);
        const objections = await chromium.evaluate(`(${String(judge)})(${JSON.stringify(some)})`) as string[] | undefined;
        assert.equal(objections?.length, some.length, 'the page judged each module');
        some.forEach((one, i) => { if (objections[i] !== '') refused.push(`${one.name}: ${String(objections[i])}\n${one.code}`); });
      }
      assert.equal(refused.length, 0, `${refused.length} of ${emitted.length} are refused, the first:\n${refused.slice(0, 4).join('\n')}`);
    } finally {
      await chromium.close();
      service.close();
    }
  });
