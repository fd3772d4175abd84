// Generated from schema/errors.json by scripts/gen_schema. Do not edit.
#pragma once
#include "schema/generated/error_code.h"

namespace hone {

// What a code means, as in schema/errors.json, in one sentence for people.
constexpr std::string_view error_text(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk: return "done";
    case ErrorCode::kCompileError: return "the device's compiler rejected the kernel";
    case ErrorCode::kValidationError: return "the device's API rejected the kernel, its bindings or its dispatch";
    case ErrorCode::kOutOfMemory: return "the device had no memory for the kernel or its buffers";
    case ErrorCode::kDeviceLost: return "the device was lost while the kernel ran";
    case ErrorCode::kTimeout: return "the kernel did not end within its time cap";
    case ErrorCode::kWrongOutput: return "the output differs from the reference by more than the tolerance";
    case ErrorCode::kNotWritten: return "a part of the output was never written";
    case ErrorCode::kAgentGone: return "the agent's connection ended before the result";
    case ErrorCode::kUnstable: return "the reference kernel drifted or the page was hidden; the samples are kept";
    case ErrorCode::kInvalidArgument: return "an argument is out of its range";
    case ErrorCode::kParseError: return "a text or byte sequence is malformed";
    case ErrorCode::kBadModel: return "the model is unreadable or inconsistent";
    case ErrorCode::kUnsupported: return "hone does not support this yet";
    case ErrorCode::kIllegalSchedule: return "a step of the trace is not legal";
    case ErrorCode::kLimitExceeded: return "a limit of the device or of hone is exceeded";
    case ErrorCode::kNotFound: return "no such thing";
    case ErrorCode::kIoError: return "a file or socket operation failed";
    case ErrorCode::kDiskFull: return "no space is left on the disk";
    case ErrorCode::kAddressInUse: return "another process listens on this port";
    case ErrorCode::kUnauthorized: return "the token, Origin or Host is missing or wrong";
    case ErrorCode::kProtocolError: return "a frame is malformed, too large or out of order";
    case ErrorCode::kNoDevice: return "no connected device matches in time";
    case ErrorCode::kStaleFence: return "the lease behind this request has ended";
    case ErrorCode::kCancelled: return "the job was cancelled";
    case ErrorCode::kBusy: return "the resource is in use";
    case ErrorCode::kVersionMismatch: return "the peer speaks another version";
    case ErrorCode::kBadCertificate: return "a TLS certificate or its key is unusable, expired or not trusted";
    case ErrorCode::kInternal: return "a bug of hone; please report it";
  }
  return "unknown";
}

}  // namespace hone
