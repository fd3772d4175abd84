// A kernel's module imports its memory as shared or not; where it runs decides which it must be. Plain loads and stores are the same on both, so the
// import's limits are all that differs (codegen/emit/llvm/wasm_link.cc writes them).
const import_section = 2;
const head_bytes = 8;                        // magic and version
const pages_max = 65_536;
const kinds = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const;

class Reader {
  constructor(readonly bytes: Uint8Array, public at: number) {}

  byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new RangeError('a WebAssembly module ends early');
    return byte;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  skipLimits(): { least: number } {
    const flags = this.byte(), least = this.number();
    if ((flags & 1) !== 0) this.number();
    return { least };
  }
}

// The module with its memory's import changed. What is no such module stays as it is: compiling it says what is wrong.
export function withMemory(module: Uint8Array<ArrayBuffer>, shared: boolean): Uint8Array<ArrayBuffer> {
  try {
    const section = findImports(module);
    if (section === undefined) return module;
    const { begin, content, end } = section, limits = memoryLimits(new Reader(module, content));
    if (limits === undefined) return module;
    const changed = [...module.subarray(content, limits.from), ...(shared ? [3, ...leb(limits.least), ...leb(pages_max)] : [0, ...leb(limits.least)]), ...module.subarray(limits.to, end)];
    return Uint8Array.from([...module.subarray(0, begin), import_section, ...leb(changed.length), ...changed, ...module.subarray(end)]);
  } catch (error) {
    if (error instanceof RangeError) return module;
    throw error;
  }
}

function findImports(module: Uint8Array): { begin: number; content: number; end: number } | undefined {
  const reader = new Reader(module, head_bytes);
  while (reader.at < module.length) {
    const begin = reader.at, id = reader.byte(), bytes = reader.number(), content = reader.at;
    if (id === import_section) return { begin, content, end: content + bytes };
    reader.at = content + bytes;
  }
  return undefined;
}

function memoryLimits(reader: Reader): { from: number; to: number; least: number } | undefined {
  for (let left = reader.number(); left > 0; left--) {
    for (let name = 0; name < 2; name++) {
      const bytes = reader.number();
      reader.at += bytes;
    }
    const kind = reader.byte(), from = reader.at;
    if (kind === kinds.memory) return { from, least: reader.skipLimits().least, to: reader.at };
    if (kind === kinds.function) reader.number();
    else if (kind === kinds.table) void (reader.byte(), reader.skipLimits());
    else if (kind === kinds.global) reader.at += 2;
    else if (kind === kinds.tag) void (reader.byte(), reader.number());
    else return undefined;
  }
  return undefined;
}

function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(Math.floor(value / 128))];
}
