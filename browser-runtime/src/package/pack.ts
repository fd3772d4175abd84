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
  readonly content: Uint8Array<ArrayBuffer>;
}

export const sizeOf = (dtype: string): number => (dtype === 'f16' ? 2 : 4);
export const elementsOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

// A part of a buffer's content, in memory of its own, from the byte `at`: a multiple of 16, as whole texels are.
export interface Part {
  readonly at: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const part_bytes = 128 * 1024;
const aligned_elements = 8;  // sixteen bytes of the smallest elements

// What holds no element is zero. All of the content.
export function pack(tensor: Tensor, held: Held): Uint8Array<ArrayBuffer> {
  if (isHeldSo(tensor, held)) return tensor.content;
  const packed = new Uint8Array(wholeWords(held.bytes)), copy = copierOf(tensor, held), to = wordsOf(packed, sizeOf(held.dtype));
  new Layout(tensor.shape, held.dims).visit(block => copy(to, block));
  return packed.subarray(0, held.bytes);
}

// The same in parts, in ascending order, so that little is in memory and a thread that must not be blocked can do other things between. What is in no
// part is zero.
export function* packInParts(tensor: Tensor, held: Held): Generator<Part> {
  if (!isHeldSo(tensor, held)) return yield* packRanges(tensor, held);
  for (let at = 0; at < held.bytes; at += part_bytes) yield { at, bytes: tensor.content.slice(at, at + part_bytes) };
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

function isHeldSo({ dtype, content }: Tensor, held: Held): boolean {
  return held.dims.length === 0 && held.dtype === dtype && held.bytes === content.byteLength;
}

function copierOf({ dtype, content }: Tensor, held: Held): (to: Words, block: Block) => void {
  const from = wordsOf(content, sizeOf(dtype)), convert = conversion(dtype, held.dtype);
  return convert === undefined ? (to, block) => copyBlock(to, from, block) : (to, block) => convertBlock(to, from, block, convert);
}

// The words of a tensor in row-major order. content: of a buffer whose elements have four bytes.
export function unpack(content: Uint8Array<ArrayBuffer>, shape: readonly number[], dims: Dims): Uint32Array<ArrayBuffer> {
  const from = wordsOf(content, 4) as Uint32Array<ArrayBuffer>;
  if (dims.length === 0) return from.slice(0, elementsOf(shape));
  const tensor = new Uint32Array(elementsOf(shape));
  new Layout(shape, dims).visit(({ place, first, rows, row_places, row_step, count, stride }) => {
    for (let row = 0; row < rows; row++) {
      const at = place + row * row_places, into = first + row * row_step;
      for (let i = 0; i < count; i++) tensor[into + i * stride] = from[at + i]!;
    }
  });
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

function copyBlock(to: Words, from: Words, block: Block): void {
  const { place, first, rows, row_places, row_step, count, place_step, step } = longRows(block), is_run = place_step === 1 && step === 1 && count >= block_min;
  for (let row = 0; row < rows; row++) {
    let at = place + row * row_places, of = first + row * row_step;
    if (is_run) to.set(from.subarray(of, of + count), at);
    else for (let i = 0; i < count; i++, at += place_step, of += step) to[at] = from[of]!;
  }
}

function convertBlock(to: Words, from: Words, { place, first, rows, row_places, row_step, count, stride }: Block, convert: (bits: number) => number): void {
  for (let row = 0; row < rows; row++) {
    const at = place + row * row_places, of = first + row * row_step;
    for (let i = 0; i < count; i++) to[at + i] = convert(from[of + i * stride]!);
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
