// Makes the pipelines of a candidate, and tells a rejected text from a rejected binding.
import type { Attempt } from '../outcome.ts';
import { failure } from '../outcome.ts';
import { describe, scoped } from './error_scopes.ts';

export interface Pipeline {
  pipeline: GPUComputePipeline;
  layout: GPUBindGroupLayout;
}

export interface PipelineSource {
  readonly code: string;
  readonly bindings: readonly { readonly writes: boolean }[];
}

// The layout is made from the launch's bindings, not derived from the text: a binding that the text does not use is still bound.
export async function createPipeline(device: GPUDevice, launch: PipelineSource): Promise<Attempt<Pipeline>> {
  let module: GPUShaderModule | undefined;
  const made = await scoped(device, () => {
    const layout = device.createBindGroupLayout({
      entries: launch.bindings.map((binding, i) => ({
        binding: i,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type: binding.writes ? 'storage' as const : 'read-only-storage' as const },
      })),
    });
    module = device.createShaderModule({ code: launch.code });
    const pipeline = device.createComputePipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: 'main' },
    });
    return pipeline.then(value => ({ pipeline: value, layout }));
  });
  if (made.ok || made.outcome === 'out_of_memory' || module === undefined) return made;
  const complaint = await compileErrors(module);
  return complaint === '' ? made : failure('compile_error', complaint);
}

// The compiler's errors as "line:column message", or nothing when it accepted the text.
async function compileErrors(module: GPUShaderModule): Promise<string> {
  try {
    const info = await module.getCompilationInfo();
    return info.messages.filter(m => m.type === 'error').map(m => `${m.lineNum}:${m.linePos} ${m.message}`).join('\n');
  } catch (error) {
    return describe(error);
  }
}
