// What brings a tensor from row-major order into its layout, or back, on WebAssembly: launches of browser-agent/runtime/copy_rows.cc, which the threads share.

// Rows of `count` elements that lie one after the other, the first from `place`, each next one `row_places` behind. In row-major order a row has the
// elements first, first + stride, …, each next row those `row_step` behind.
export interface Block {
  place: number;
  first: number;
  rows: number;
  row_places: number;
  row_step: number;
  count: number;
  stride: number;
}

// Addresses of its two places: in row-major order, and in its layout.
export interface Ends {
  readonly row_major: number;
  readonly held: number;
}

export interface CopyLaunch {
  readonly words: readonly number[];     // what the code reads
  readonly extent: number;
}

const word_bytes = 4;
const tile_rows = 16;                    // copy_rows.cc has it, too

export function packLaunch({ place, first, rows, row_places, row_step, count, stride }: Block, { row_major, held }: Ends): CopyLaunch {
  const words = [row_major + first * word_bytes, held + place * word_bytes, rows, row_places, row_step, count, 1, stride];
  return { words, extent: Math.ceil(rows / tile_rows) };
}

export function unpackLaunch({ place, first, rows, row_places, row_step, count, stride }: Block, { row_major, held }: Ends): CopyLaunch {
  const words = [held + place * word_bytes, row_major + first * word_bytes, rows, row_step, row_places, count, stride, 1];
  return { words, extent: Math.ceil(rows / tile_rows) };
}
