// Which plan of a package a device runs.
#pragma once
#include "codegen/package/read_package.h"
#include "schema/generated/protocol.h"

namespace hone::server {

// The position among the manifest's plans: of those that the device can run, one made for it in its browser, else in another browser, else a
// portable one, else one made for another device; of equals the first. Fails: unsupported, with what the device lacks for each of its kind.
Result<size_t> choose_plan(const protocol::Manifest& manifest, const protocol::Fingerprint& device);

}  // namespace hone::server
