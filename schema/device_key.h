// device_key: the class of equal devices. Devices of one key share records.
#pragma once
#include <string>

#include "schema/generated/protocol.h"

namespace hone::protocol {

// What the speed of a kernel depends on, and nothing that changes by itself: target, adapter (vendor, architecture, device, without versions of an
// interface or a driver), backend, browser, OS, those features and limits that kernels are made for. 32 hexadecimal digits. What a browser's or a
// driver's next version changes (its number, further features and limits) is told apart by the attempts' fingerprints.
std::string device_key(const Fingerprint& fingerprint);

// The key that records of hone before this one have, in which the browser's version and everything that it offers stood.
std::string former_device_key(const Fingerprint& fingerprint);

}  // namespace hone::protocol
