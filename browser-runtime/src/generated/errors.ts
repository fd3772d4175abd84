// Generated from schema/errors.json by scripts/gen_schema. Do not edit.

/** Error and outcome codes by name, as they stand on the wire. */
export const errorNames = [
  "ok",  // done
  "compile_error",  // the device's compiler rejected the kernel
  "validation_error",  // the device's API rejected the kernel, its bindings or its dispatch
  "out_of_memory",  // the device had no memory for the kernel or its buffers
  "device_lost",  // the device was lost while the kernel ran
  "timeout",  // the kernel did not end within its time cap
  "wrong_output",  // the output differs from the reference by more than the tolerance
  "not_written",  // a part of the output was never written
  "agent_gone",  // the agent's connection ended before the result
  "unstable",  // the reference kernel drifted or the page was hidden; the samples are kept
  "invalid_argument",  // an argument is out of its range
  "parse_error",  // a text or byte sequence is malformed
  "bad_model",  // the model is unreadable or inconsistent
  "unsupported",  // hone does not support this yet
  "illegal_schedule",  // a step of the trace is not legal
  "limit_exceeded",  // a limit of the device or of hone is exceeded
  "not_found",  // no such thing
  "io_error",  // a file or socket operation failed
  "disk_full",  // no space is left on the disk
  "address_in_use",  // another process listens on this port
  "unauthorized",  // the token, Origin or Host is missing or wrong
  "protocol_error",  // a frame is malformed, too large or out of order
  "no_device",  // no connected device matches in time
  "stale_fence",  // the lease behind this request has ended
  "cancelled",  // the job was cancelled
  "busy",  // the resource is in use
  "version_mismatch",  // the peer speaks another version
  "bad_certificate",  // a TLS certificate or its key is unusable, expired or not trusted
  "internal",  // a bug of hone; please report it
] as const;
export type ErrorName = (typeof errorNames)[number];

export const errorIds: { readonly [name in ErrorName]: number } = {
  ok: 0,
  compile_error: 1,
  validation_error: 2,
  out_of_memory: 3,
  device_lost: 4,
  timeout: 5,
  wrong_output: 6,
  not_written: 7,
  agent_gone: 8,
  unstable: 9,
  invalid_argument: 20,
  parse_error: 21,
  bad_model: 22,
  unsupported: 23,
  illegal_schedule: 24,
  limit_exceeded: 25,
  not_found: 30,
  io_error: 31,
  disk_full: 32,
  address_in_use: 33,
  unauthorized: 34,
  protocol_error: 35,
  no_device: 36,
  stale_fence: 37,
  cancelled: 38,
  busy: 39,
  version_mismatch: 40,
  bad_certificate: 41,
  internal: 50,
};
