// Rotation: executions that find caches as the policy says take copies of their buffers in turns, so that what one reads was last read so many bytes ago.
// Cold: all buffers, over more bytes than the last level of the device's caches holds. As in a model's run: its constants, over as many bytes
// as the run touches until it comes back to them; activations and scratch memory were written a moment ago there, too.
import type { Buffer, CacheState, Candidate } from '../generated/protocol.ts';

export interface Rotation {
  readonly of: 'constants' | 'all';
  readonly bytes: number;              // of all copies together
}

// A buffer of a candidate's that rotates. label: of arguments of one task, those with equal labels have the same content.
export interface RotatingBuffer {
  readonly kind: 'arg' | 'temp';
  readonly position: number;
  readonly bytes: number;
  readonly label: string;
}

const beyond_cache = 2;                // times its size: caches are not strictly of the latest
const bytes_unknown = 64 << 20;        // where nobody knows the cache's size
const bytes_max = 256 << 20;
const sets_max = 256;

// Undefined: executions run on the same buffers.
export function rotationFor(state: CacheState, model_bytes: number, last_level_cache_bytes = 0): Rotation | undefined {
  const cold = Math.min(bytes_max, last_level_cache_bytes > 0 ? beyond_cache * last_level_cache_bytes : bytes_unknown);
  if (state === 'hot') return undefined;
  return state === 'cold' ? { of: 'all', bytes: cold } : { of: 'constants', bytes: Math.min(model_bytes, cold) };
}

// How many sets of buffers there are, the candidate's own included; fewer than the bytes ask for where single ones are small. copies_max: of all
// buffers together, what the device has room for.
export function setsOf(rotation: Rotation, rotating: readonly RotatingBuffer[], copies_max = Infinity): number {
  const bytes = rotating.reduce((sum, buffer) => sum + buffer.bytes, 0), room = 1 + Math.floor(copies_max / rotating.length);
  return bytes === 0 ? 1 : Math.max(1, Math.min(sets_max, room, Math.ceil(rotation.bytes / bytes)));
}

// For devices that repeat launches that are called ahead, too.
export function withoutAhead(candidate: Candidate): Candidate {
  return { ...candidate, launches: candidate.launches.map(launch => ({ ...launch, ahead: false })) };
}

// What a launch ahead of the others writes follows from constants, and is one.
export function rotatingBuffers({ launches, layouts, temps }: Candidate, buffers: readonly Buffer[], rotation: Rotation): RotatingBuffer[] {
  const ahead = new Set(launches.filter(launch => launch.ahead === true).flatMap(launch => launch.bindings.filter(({ writes }) => writes).map(({ position }) => position)));
  const found = new Map<string, RotatingBuffer>();
  for (const { kind, position } of launches.filter(launch => launch.ahead !== true).flatMap(launch => launch.bindings)) {
    const layout = kind === 'arg' ? layouts.find(one => one.position === position) : undefined, buffer = kind === 'arg' ? buffers[position] : undefined;
    const constant = kind === 'arg' ? buffer?.role === 'constant' : ahead.has(position);
    const bytes = kind === 'arg' ? layout?.bytes ?? buffer?.bytes ?? 0 : temps[position] ?? 0;
    if (bytes > 0 && (rotation.of === 'all' || constant)) found.set(`${kind} ${position}`, { kind, position, bytes, label: `${kind} ${position} ${layout === undefined ? '' : `${layout.dtype ?? ''} [${layout.dims.join(' ')}]`}` });
  }
  return [...found.values()];
}
