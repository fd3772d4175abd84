// The weights of a plan out of the chunks of a package: chunk by chunk, each weight is packed and handed on, part by part, as soon as its chunk is there.
// The next one is asked for meanwhile, and read behind it: in memory are one chunk, a weight that lies in several, and one part.
import type { Asset, Manifest, PlanFile, PlanWeight } from '../generated/manifest.ts';
import type { Upload } from '../plan/plan.ts';
import { FetchedAhead } from './fetched_ahead.ts';
import type { Source } from './files.ts';
import { packInParts } from './pack.ts';

export interface WeightSink {
  write(upload: Upload): void | Promise<void>;    // takes its bytes
  breathe(): Promise<void>;                       // called between parts
  onBytes(bytes: number): void;
}

interface Wanted {
  readonly begin: number;                         // in all chunks, one after the other
  readonly end: number;
  readonly weight: number;
  readonly uses: readonly PlanWeight[];
  readonly pieces: Uint8Array<ArrayBuffer>[];     // of one that lies in several chunks, as far as it has come
}

interface Chunk {
  readonly index: number;
  readonly begin: number;
  readonly end: number;
}

// Chunks of which the plan uses something.
export function wantedChunks(manifest: Manifest, plan: PlanFile): Chunk[] {
  const wanted = wantedWeights(manifest, plan);
  let end = 0;
  const chunks = manifest.chunks.map(({ bytes }, index) => ({ index, begin: end, end: end += bytes }));
  return chunks.filter(chunk => wanted.some(weight => weight.begin < chunk.end && weight.end > chunk.begin));
}

export async function streamWeights(source: Source, manifest: Manifest, plan: PlanFile, sink: WeightSink): Promise<void> {
  const left = wantedWeights(manifest, plan), chunks = wantedChunks(manifest, plan);
  const begin = (chunk: Chunk | undefined, room: Promise<void>): Promise<Uint8Array<ArrayBuffer>> | undefined =>
    (chunk === undefined ? undefined : fetchChunk(source, manifest.chunks[chunk.index]!, sink.onBytes, room));
  let coming = begin(chunks[0], Promise.resolve());
  for (const [i, chunk] of chunks.entries()) {
    const content = await coming!;
    let makeRoom = (): void => {};
    coming = begin(chunks[i + 1], new Promise(done => { makeRoom = done; }));
    await handOnAll(manifest, left, chunk, content, sink);
    makeRoom();
  }
}

// What ends in this chunk.
async function handOnAll(manifest: Manifest, left: Wanted[], chunk: Chunk, content: Uint8Array<ArrayBuffer>, sink: WeightSink): Promise<void> {
  for (let next = left[0]; next !== undefined && next.begin < chunk.end; next = left[0]) {
    const whole = gather(next, chunk, content);
    if (whole === undefined) return;
    await handOn(manifest, next, whole, sink);
    left.shift();
  }
}

// Whoever waits for another one hears of its failure later.
function fetchChunk(source: Source, asset: Asset, onBytes: (bytes: number) => void, room: Promise<void>): Promise<Uint8Array<ArrayBuffer>> {
  const ahead = source.ahead?.get(asset.file) ?? new FetchedAhead(source, asset, room);
  source.ahead?.delete(asset.file);
  return ahead.take(onBytes);
}

function wantedWeights({ weights }: Manifest, plan: PlanFile): Wanted[] {
  const uses = new Map<number, PlanWeight[]>();
  for (const use of plan.weights) uses.set(use.weight, [...uses.get(use.weight) ?? [], use]);
  const wanted = [...uses].map(([weight, of]) => {
    const { offset, bytes } = weights[weight]!;
    return { begin: offset, end: offset + bytes, weight, uses: of, pieces: [] };
  });
  return wanted.sort((a, b) => a.begin - b.begin);
}

// All of the weight, once it is there. What has come before is a copy, unless it is a whole chunk: the rest of that is free.
function gather({ begin, end, pieces }: Wanted, chunk: Chunk, content: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] | undefined {
  const from = Math.max(begin, chunk.begin), to = Math.min(end, chunk.end), piece = content.subarray(from - chunk.begin, to - chunk.begin);
  pieces.push(to === end || piece.length === content.length ? piece : piece.slice());
  return to === end ? pieces : undefined;
}

async function handOn({ weights }: Manifest, { weight, uses }: Wanted, content: readonly Uint8Array<ArrayBuffer>[], sink: WeightSink): Promise<void> {
  const { dtype, shape } = weights[weight]!;
  for (const held of uses) {
    for (const part of packInParts({ dtype, shape, content }, held)) {
      await sink.write({ buffer: held.buffer, ...part });
      await sink.breathe();
    }
  }
}
