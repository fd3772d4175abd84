// Generated from schema/errors.json by scripts/gen_schema. Do not edit.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace hone {

enum class ErrorCode : uint16_t {
  kOk = 0,  // done
  kCompileError = 1,  // the device's compiler rejected the kernel
  kValidationError = 2,  // the device's API rejected the kernel, its bindings or its dispatch
  kOutOfMemory = 3,  // the device had no memory for the kernel or its buffers
  kDeviceLost = 4,  // the device was lost while the kernel ran
  kTimeout = 5,  // the kernel did not end within its time cap
  kWrongOutput = 6,  // the output differs from the reference by more than the tolerance
  kNotWritten = 7,  // a part of the output was never written
  kAgentGone = 8,  // the agent's connection ended before the result
  kUnstable = 9,  // the reference kernel drifted or the page was hidden; the samples are kept
  kInvalidArgument = 20,  // an argument is out of its range
  kParseError = 21,  // a text or byte sequence is malformed
  kBadModel = 22,  // the model is unreadable or inconsistent
  kUnsupported = 23,  // hone does not support this yet
  kIllegalSchedule = 24,  // a step of the trace is not legal
  kLimitExceeded = 25,  // a limit of the device or of hone is exceeded
  kNotFound = 30,  // no such thing
  kIoError = 31,  // a file or socket operation failed
  kDiskFull = 32,  // no space is left on the disk
  kAddressInUse = 33,  // another process listens on this port
  kUnauthorized = 34,  // the token, Origin or Host is missing or wrong
  kProtocolError = 35,  // a frame is malformed, too large or out of order
  kNoDevice = 36,  // no connected device matches in time
  kStaleFence = 37,  // the lease behind this request has ended
  kCancelled = 38,  // the job was cancelled
  kBusy = 39,  // the resource is in use
  kVersionMismatch = 40,  // the peer speaks another version
  kBadCertificate = 41,  // a TLS certificate or its key is unusable, expired or not trusted
  kInternal = 50,  // a bug of hone; please report it
};

// The name of a code as in schema/errors.json; "unknown" for a number that is no code.
constexpr std::string_view error_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk: return "ok";
    case ErrorCode::kCompileError: return "compile_error";
    case ErrorCode::kValidationError: return "validation_error";
    case ErrorCode::kOutOfMemory: return "out_of_memory";
    case ErrorCode::kDeviceLost: return "device_lost";
    case ErrorCode::kTimeout: return "timeout";
    case ErrorCode::kWrongOutput: return "wrong_output";
    case ErrorCode::kNotWritten: return "not_written";
    case ErrorCode::kAgentGone: return "agent_gone";
    case ErrorCode::kUnstable: return "unstable";
    case ErrorCode::kInvalidArgument: return "invalid_argument";
    case ErrorCode::kParseError: return "parse_error";
    case ErrorCode::kBadModel: return "bad_model";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kIllegalSchedule: return "illegal_schedule";
    case ErrorCode::kLimitExceeded: return "limit_exceeded";
    case ErrorCode::kNotFound: return "not_found";
    case ErrorCode::kIoError: return "io_error";
    case ErrorCode::kDiskFull: return "disk_full";
    case ErrorCode::kAddressInUse: return "address_in_use";
    case ErrorCode::kUnauthorized: return "unauthorized";
    case ErrorCode::kProtocolError: return "protocol_error";
    case ErrorCode::kNoDevice: return "no_device";
    case ErrorCode::kStaleFence: return "stale_fence";
    case ErrorCode::kCancelled: return "cancelled";
    case ErrorCode::kBusy: return "busy";
    case ErrorCode::kVersionMismatch: return "version_mismatch";
    case ErrorCode::kBadCertificate: return "bad_certificate";
    case ErrorCode::kInternal: return "internal";
  }
  return "unknown";
}

// The code of a name; empty for a name that is no code's.
constexpr std::optional<ErrorCode> error_from_name(std::string_view name) {
  if (name == "ok") return ErrorCode::kOk;
  if (name == "compile_error") return ErrorCode::kCompileError;
  if (name == "validation_error") return ErrorCode::kValidationError;
  if (name == "out_of_memory") return ErrorCode::kOutOfMemory;
  if (name == "device_lost") return ErrorCode::kDeviceLost;
  if (name == "timeout") return ErrorCode::kTimeout;
  if (name == "wrong_output") return ErrorCode::kWrongOutput;
  if (name == "not_written") return ErrorCode::kNotWritten;
  if (name == "agent_gone") return ErrorCode::kAgentGone;
  if (name == "unstable") return ErrorCode::kUnstable;
  if (name == "invalid_argument") return ErrorCode::kInvalidArgument;
  if (name == "parse_error") return ErrorCode::kParseError;
  if (name == "bad_model") return ErrorCode::kBadModel;
  if (name == "unsupported") return ErrorCode::kUnsupported;
  if (name == "illegal_schedule") return ErrorCode::kIllegalSchedule;
  if (name == "limit_exceeded") return ErrorCode::kLimitExceeded;
  if (name == "not_found") return ErrorCode::kNotFound;
  if (name == "io_error") return ErrorCode::kIoError;
  if (name == "disk_full") return ErrorCode::kDiskFull;
  if (name == "address_in_use") return ErrorCode::kAddressInUse;
  if (name == "unauthorized") return ErrorCode::kUnauthorized;
  if (name == "protocol_error") return ErrorCode::kProtocolError;
  if (name == "no_device") return ErrorCode::kNoDevice;
  if (name == "stale_fence") return ErrorCode::kStaleFence;
  if (name == "cancelled") return ErrorCode::kCancelled;
  if (name == "busy") return ErrorCode::kBusy;
  if (name == "version_mismatch") return ErrorCode::kVersionMismatch;
  if (name == "bad_certificate") return ErrorCode::kBadCertificate;
  if (name == "internal") return ErrorCode::kInternal;
  return std::nullopt;
}

}  // namespace hone
