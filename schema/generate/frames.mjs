// A golden frame's bytes from its description: {header, payload_hex?} for a whole frame, or {bytes_hex} for one that must be refused.
export function frameBytes(description) {
  if (description.bytes_hex !== undefined) return Buffer.from(description.bytes_hex, "hex");
  const header = Buffer.from(JSON.stringify(description.header), "utf8");
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  return Buffer.concat([length, header, Buffer.from(description.payload_hex ?? "", "hex")]);
}
