// device_key: the class of equal devices. Two devices with one key may share records.
#pragma once
#include <string>

#include "schema/generated/protocol.h"

namespace hone::tracker {

// Hash of target, adapter (vendor, architecture, device), backend, browser with major version, OS, features (as a set) and limits;
// 32 hexadecimal digits. The description is for people and no part of it.
std::string device_key(const protocol::Fingerprint& fingerprint);

}  // namespace hone::tracker
