// From an `execute` frame to a plan with all its bytes: kernels, constants and inputs come by content hash.
import type { FetchBlob } from './blob_cache.ts';
import type { Attempt } from './outcome.ts';
import { success } from './outcome.ts';
import type { ModelSpec, PlanSpec } from '../device/backend.ts';
import type { Execute, RivalPlan } from '../generated/protocol.ts';

const timed_ms_max_default = 20_000;
const fetches_max = 8;   // at once: browsers allow few connections to one host

export async function fetchPlan(frame: Execute, fetchBlob: FetchBlob): Promise<Attempt<PlanSpec>> {
  const { rival } = frame, plans = [frame, ...(rival ? [rival] : [])];
  const blobs = await fetchAll(plans.flatMap(({ kernels, constants, inputs }) => [...kernels, ...constants, ...inputs]), fetchBlob);
  if (!blobs.ok) return blobs;
  return success({
    ...modelOf(frame, blobs.value), repeats: frame.repeats, cap_ms: frame.cap_ms, timed_ms_max: frame.timed_ms_max ?? timed_ms_max_default, time_launches: frame.time_launches === true, fresh: frame.fresh === true,
    ...(rival && { rival: { model: modelOf(rival, blobs.value), rival_first: rival.rival_first, sample_ms: rival.sample_ms, kernels_alone: rival.kernels_alone } }),
  });
}

function modelOf(frame: Execute | RivalPlan, blobs: Map<string, ArrayBuffer>): ModelSpec {
  const blobOf = (sha256: string): ArrayBuffer => blobs.get(sha256) ?? new ArrayBuffer(0);
  const upload = ({ buffer, sha256 }: { buffer: number; sha256: string }): ModelSpec['inputs'][number] => ({ buffer, bytes: blobOf(sha256) });
  return {
    buffers: frame.buffers, textures: frame.textures ?? [], launches: frame.launches, loops: frame.loops ?? [], outputs: frame.outputs,
    kernels: frame.kernels.map(({ sha256, writes, scratch_bytes = 0 }) => ({ code: blobOf(sha256), bindings: writes.map(w => ({ writes: w })), scratch_bytes })),
    constants: frame.constants.map(upload), inputs: frame.inputs.map(upload),
  };
}

async function fetchAll(wanted: readonly { sha256: string; bytes: number }[], fetchBlob: FetchBlob): Promise<Attempt<Map<string, ArrayBuffer>>> {
  const left = [...new Map(wanted.map(blob => [blob.sha256, blob])).values()];
  const blobs = new Map<string, ArrayBuffer>();
  let failed: Attempt<Map<string, ArrayBuffer>> | undefined;
  const worker = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined && failed === undefined; next = left.pop()) {
      const blob = await fetchBlob(next.sha256, next.bytes);
      if (blob.ok) blobs.set(next.sha256, blob.value);
      else failed = blob;
    }
  };
  await Promise.all(Array.from({ length: fetches_max }, worker));
  return failed ?? success(blobs);
}
