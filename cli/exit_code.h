// The process's exit codes, as documented in docs/cli.md.
#pragma once
#include "base/result.h"

namespace hone::cli {

enum class ExitCode : int { kDone = 0, kJobFailed = 1, kUsage = 2, kNoDevice = 3, kInterrupted = 130 };

// no_device → 3, cancelled → 130, every other failure → 1.
inline ExitCode exit_code_of(const Error& error) {
  if (error.code == ErrorCode::kNoDevice) return ExitCode::kNoDevice;
  if (error.code == ErrorCode::kCancelled) return ExitCode::kInterrupted;
  return ExitCode::kJobFailed;
}

}  // namespace hone::cli
