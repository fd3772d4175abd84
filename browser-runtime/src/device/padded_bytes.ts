const alignment = 16;
const spare_bytes = 16;

// Whole 16 bytes and 16 spare ones: a vector load at the end of a tensor stays inside.
export function paddedBytes(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment + spare_bytes;
}
