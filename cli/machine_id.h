// machine_id: what tells this machine's devices from others' of their kind.
#pragma once
#include <string>

namespace hone::cli {

// Random, 32 hexadecimal digits, of this user on this machine: kept in $XDG_STATE_HOME/hone/machine_id (~/.local/state by default), made there when
// it is missing or damaged. "" where nothing can be kept.
std::string machine_id();

}  // namespace hone::cli
