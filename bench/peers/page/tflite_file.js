// A .tflite file, as TensorFlow Lite's schema (version 3) numbers its fields: a FlatBuffer of tensors, buffers and operators.
import { Builder } from '/node_modules/flatbuffers/mjs/builder.js';

const SCHEMA_VERSION = 3, ALIGNMENT = 16, CODE_MAX_OF_OLD = 127;
const TYPES = { Float32Array: 0, Int32Array: 2 };

// Fields of a table: [slot, kind, value].
const ADD = {
  byte: (builder, slot, value) => builder.addFieldInt8(slot, value, 0),
  int: (builder, slot, value) => builder.addFieldInt32(slot, value, 0),
  float: (builder, slot, value) => builder.addFieldFloat32(slot, value, 0),
  offset: (builder, slot, value) => builder.addFieldOffset(slot, value, 0),
};

export class TfliteFile {
  #builder = new Builder(1 << 20);
  #tensors = [];
  #buffers = [];
  #operators = [];
  #codes = [];

  constructor() {
    this.#buffers.push(this.#table([]));   // 0: of tensors without content
  }

  // Its position. content: of a constant.
  tensor(shape, content) {
    const buffer = content ? this.#buffers.push(this.#table([[0, 'offset', this.#bytes(content)]])) - 1 : 0;
    const fields = [[0, 'offset', this.#ints(shape)], [1, 'byte', TYPES[content?.constructor.name ?? 'Float32Array']], [2, 'int', buffer]];
    return this.#tensors.push(this.#table(fields)) - 1;
  }

  // code: of the builtin operator; options: [its type in the union, fields], where it has any.
  operator(code, inputs, outputs, options) {
    if (!this.#codes.includes(code)) this.#codes.push(code);
    const fields = [[0, 'int', this.#codes.indexOf(code)], [1, 'offset', this.#ints(inputs)], [2, 'offset', this.#ints(outputs)]];
    if (options) fields.push([3, 'byte', options[0]], [4, 'offset', this.#table(options[1])]);
    this.#operators.push(this.#table(fields));
  }

  finish(inputs, outputs) {
    const codes = this.#codes.map(code => this.#table([[0, 'byte', Math.min(code, CODE_MAX_OF_OLD)], [2, 'int', 1], [3, 'int', code]]));
    const graph = this.#table([[0, 'offset', this.#offsets(this.#tensors)], [1, 'offset', this.#ints(inputs)], [2, 'offset', this.#ints(outputs)], [3, 'offset', this.#offsets(this.#operators)]]);
    const model = this.#table([[0, 'int', SCHEMA_VERSION], [1, 'offset', this.#offsets(codes)], [2, 'offset', this.#offsets([graph])], [4, 'offset', this.#offsets(this.#buffers)]]);
    this.#builder.finish(model, 'TFL3');
    return this.#builder.asUint8Array();
  }

  // What the fields refer to is there already: a table has nothing inside it.
  #table(fields) {
    this.#builder.startObject(1 + Math.max(-1, ...fields.map(([slot]) => slot)));
    for (const [slot, kind, value] of fields) ADD[kind](this.#builder, slot, value);
    return this.#builder.endObject();
  }

  #ints(values) {
    this.#builder.startVector(4, values.length, 4);
    for (const value of [...values].reverse()) this.#builder.addInt32(value);
    return this.#builder.endVector();
  }

  #offsets(values) {
    this.#builder.startVector(4, values.length, 4);
    for (const value of [...values].reverse()) this.#builder.addOffset(value);
    return this.#builder.endVector();
  }

  #bytes(content) {
    const builder = this.#builder, bytes = new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
    builder.startVector(1, bytes.length, ALIGNMENT);
    builder.bb.setPosition(builder.space -= bytes.length);
    builder.bb.bytes().set(bytes, builder.space);
    return builder.endVector();
  }
}
