// From tensors in row-major order to the content of buffers, and back.
import { halfBits, toFloat } from '../device/halves.ts';
import { Layout, type Block, type Dims } from './layout.ts';

// How a tensor lies in a buffer: where its elements are, and what they are there.
export interface Held {
  readonly dtype: string;      // f32, f16, i32 or u32
  readonly dims: Dims;
  readonly bytes: number;      // at least those of the layout
}

export interface Tensor {
  readonly dtype: string;      // f32, f16, i32 or u32
  readonly shape: readonly number[];
  readonly content: Uint8Array<ArrayBuffer> | readonly Uint8Array<ArrayBuffer>[];   // or pieces of it, one after the other, of whole elements
}

export const sizeOf = (dtype: string): number => (dtype === 'f16' ? 2 : 4);
export const elementsOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

// A part of a buffer's content, in memory of its own, from the byte `at`: a multiple of 16, as whole texels are.
export interface Part {
  readonly at: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const part_bytes = 64 * 1024;
const aligned_elements = 8;  // sixteen bytes of the smallest elements

// All of the content, into memory of at least so many bytes in whole words. Places that hold no element stay what they are.
export function packInto(packed: Uint8Array<ArrayBuffer>, tensor: Tensor, held: Held): void {
  const [content, ...others] = piecesOf(tensor);
  if (isHeldSo(tensor, held) && others.length === 0) return packed.set(content!);
  const copy = copierOf(tensor, held), to = wordsOf(packed, sizeOf(held.dtype));
  new Layout(tensor.shape, held.dims).visit(block => copy(to, block));
}

// The same in memory of its own and in parts, in ascending order, so that little is in memory and a thread that must not be blocked can do other things between. What is in no
// part is zero.
export function* packInParts(tensor: Tensor, held: Held): Generator<Part> {
  if (!isHeldSo(tensor, held)) return yield* packRanges(tensor, held);
  let at = 0;
  for (const piece of piecesOf(tensor)) {
    for (let from = 0; from < piece.byteLength; from += part_bytes) yield { at: at + from, bytes: piece.slice(from, from + part_bytes) };
    at += piece.byteLength;
  }
}

function* packRanges(tensor: Tensor, held: Held): Generator<Part> {
  const size = sizeOf(held.dtype), copy = copierOf(tensor, held), places_max = part_bytes / size - aligned_elements, total = wholeWords(held.bytes) / size;
  let to = wordsOf(new Uint8Array(0), size), begin = 0, end = 0;      // what is packed of `to`, as places of the whole
  const packed = (until: number): Part => ({ at: begin * size, bytes: new Uint8Array(to.buffer, 0, (Math.min(until, total) - begin) * size) });
  for (const { place, places, visit } of new Layout(tensor.shape, held.dims).ranges(places_max)) {
    if (place + places > begin + to.length) {
      const next = Math.floor(place / aligned_elements) * aligned_elements, rest = next < end ? to.slice(next - begin, end - begin) : undefined;
      if (end > begin) yield packed(Math.min(next, alignedUp(end)));
      to = wordsOf(new Uint8Array(Math.min(part_bytes, wholeWords((alignedUp(total) - next) * size))), size);
      if (rest !== undefined) to.set(rest);
      begin = next;
    }
    visit(block => copy(to, { ...block, place: block.place - begin }));
    end = place + places;
  }
  if (end > begin) yield packed(alignedUp(end));
}

const alignedUp = (elements: number): number => Math.ceil(elements / aligned_elements) * aligned_elements;
const wholeWords = (bytes: number): number => Math.ceil(bytes / 4) * 4;

const piecesOf = ({ content }: Tensor): readonly Uint8Array<ArrayBuffer>[] => (content instanceof Uint8Array ? [content] : content);

// As it is; in parts that begin with texels.
function isHeldSo(tensor: Tensor, held: Held): boolean {
  const pieces = piecesOf(tensor), bytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return held.dims.length === 0 && held.dtype === tensor.dtype && held.bytes === bytes && pieces.slice(0, -1).every(({ byteLength }) => byteLength % 16 === 0);
}

function copierOf(tensor: Tensor, held: Held): (to: Words, block: Block) => void {
  const pieces = wordPieces(tensor), convert = conversion(tensor.dtype, held.dtype), [only, ...others] = pieces;
  const copy = (to: Words, from: Words, rows: Rows): void => (convert === undefined ? copyRows(to, from, rows) : convertRows(to, from, rows, convert));
  if (only !== undefined && others.length === 0) return (to, block) => copy(to, only.words, longRows(block));
  return (to, block) => {
    for (const piece of pieces) for (const rows of rowsWithin(piece, longRows(block))) copy(to, piece.words, rows);
  };
}

// Elements begin…end-1 of a tensor.
interface Piece {
  readonly begin: number;
  readonly end: number;
  readonly words: Words;
}

function wordPieces(tensor: Tensor): Piece[] {
  let end = 0;
  return piecesOf(tensor).map(content => {
    const words = wordsOf(content, sizeOf(tensor.dtype));
    return { words, begin: end, end: end += words.length };
  });
}

// What of each row lies in the piece, by the piece's own places.
function* rowsWithin({ begin, end }: Piece, { place, first, rows, row_places, row_step, count, place_step, step }: Rows): Generator<Rows> {
  for (let row = 0; row < rows; row++) {
    const of = first + row * row_step, from = Math.max(0, Math.ceil((begin - of) / (step || 1))), to = Math.min(count, Math.ceil((end - of) / (step || 1)));
    if (from < to) yield { place: place + row * row_places + from * place_step, first: of + from * step - begin, rows: 1, row_places, row_step, count: to - from, place_step, step };
  }
}

// The words of a tensor in row-major order. content: of a buffer whose elements have four bytes.
export function unpack(content: Uint8Array<ArrayBuffer>, shape: readonly number[], dims: Dims): Uint32Array<ArrayBuffer> {
  const from = wordsOf(content, 4) as Uint32Array<ArrayBuffer>;
  const tensor = new Uint32Array(elementsOf(shape));
  if (dims.length === 0) {
    tensor.set(from.subarray(0, tensor.length));   // of shared memory faster than slice
    return tensor;
  }
  new Layout(shape, dims).visit(block => copyRows(tensor, from, reversed(longRows(block))));
  return tensor;
}

type Words = Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

const block_min = 16;        // elements of a row; below, a loop is faster

// A block with its longer side inside: `count` elements, place_step and step apart.
interface Rows extends Omit<Block, 'stride'> {
  readonly place_step: number;
  readonly step: number;
}

function longRows({ place, first, rows, row_places, row_step, count, stride }: Block): Rows {
  if (count >= rows) return { place, first, rows, row_places, row_step, count, place_step: 1, step: stride };
  return { place, first, rows: count, row_places: 1, row_step: stride, count: rows, place_step: row_places, step: row_step };
}

// The same rows, from where they are to where they come from.
function reversed({ place, first, rows, row_places, row_step, count, place_step, step }: Rows): Rows {
  return { place: first, first: place, rows, row_places: row_step, row_step: row_places, count, place_step: step, step: place_step };
}

// Rows that lie across each other's cache lines go eight at a time, so that a line is used more than once while it is there.
function copyRows(to: Words, from: Words, rows: Rows): void {
  const { place, first, row_places, row_step, count, place_step, step } = rows, is_run = place_step === 1 && step === 1 && count >= block_min;
  for (let row = 0; row < rows.rows;) {
    const at = place + row * row_places, of = first + row * row_step, left = rows.rows - row;
    if (is_run) to.set(from.subarray(of, of + count), at), row += 1;
    else if (left >= 8) copyEight(to, from, at, of, rows), row += 8;
    else if (left >= 2) copyTwo(to, from, at, of, rows), row += 2;
    else copyOne(to, from, at, of, rows), row += 1;
  }
}

function copyOne(to: Words, from: Words, at: number, of: number, { count, place_step, step }: Rows): void {
  for (let i = 0; i < count; i++, at += place_step, of += step) to[at] = from[of]!;
}

function copyTwo(to: Words, from: Words, at: number, of: number, { count, place_step, step, row_places, row_step }: Rows): void {
  for (let i = 0; i < count; i++, at += place_step, of += step) {
    to[at] = from[of]!;
    to[at + row_places] = from[of + row_step]!;
  }
}

function copyEight(to: Words, from: Words, at: number, of: number, { count, place_step, step, row_places, row_step }: Rows): void {
  for (let i = 0; i < count; i++, at += place_step, of += step) {
    to[at] = from[of]!;
    to[at + row_places] = from[of + row_step]!;
    to[at + 2 * row_places] = from[of + 2 * row_step]!;
    to[at + 3 * row_places] = from[of + 3 * row_step]!;
    to[at + 4 * row_places] = from[of + 4 * row_step]!;
    to[at + 5 * row_places] = from[of + 5 * row_step]!;
    to[at + 6 * row_places] = from[of + 6 * row_step]!;
    to[at + 7 * row_places] = from[of + 7 * row_step]!;
  }
}

function convertRows(to: Words, from: Words, { place, first, rows, row_places, row_step, count, place_step, step }: Rows, convert: (bits: number) => number): void {
  for (let row = 0; row < rows; row++) {
    const at = place + row * row_places, of = first + row * row_step;
    for (let i = 0; i < count; i++) to[at + i * place_step] = convert(from[of + i * step]!);
  }
}

function wordsOf(content: Uint8Array<ArrayBuffer>, bytes: number): Words {
  const { buffer, byteOffset, byteLength } = content.byteOffset % bytes === 0 ? content : content.slice();
  return bytes === 2 ? new Uint16Array(buffer, byteOffset, byteLength >> 1) : new Uint32Array(buffer, byteOffset, byteLength >> 2);
}

// Of the bits of an element; undefined where they stay what they are.
function conversion(from: string, to: string): ((bits: number) => number) | undefined {
  if (from === to || sizeOf(from) === sizeOf(to)) return undefined;
  return to === 'f16' ? halfBits : toFloat;
}
