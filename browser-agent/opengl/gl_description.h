// What the device is, as the agent tells the service.
#pragma once
#include <nlohmann/json.hpp>

namespace hone::agent {

// {"vendor", "renderer", "version", "features": the extensions, "limits": by WebGL's names}. Needs: a GlDevice.
nlohmann::json describe_gl();

}  // namespace hone::agent
