// NumPy's .npy files of f32, format 1.0 (numpy.lib.format's documentation): what hone run takes and gives.
export function npyOf(shape: readonly number[], values: Float32Array): Buffer {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(', ')}${shape.length === 1 ? ',' : ''}), }`;
  const head = Buffer.alloc(Math.ceil((10 + text.length + 1) / 64) * 64, ' ');
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(head.length - 10, 8);
  head.write(text, 10);
  head.write('\n', head.length - 1);
  return Buffer.concat([head, Buffer.from(values.buffer, values.byteOffset, values.byteLength)]);
}

export function valuesOf(npy: Buffer): Float32Array {
  const bytes = npy.subarray(10 + npy.readUInt16LE(8));
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
