// A device in words, as every command names the one that it measured.
#pragma once
#include <string>

#include "schema/generated/protocol.h"

namespace hone::report {

// "intel gen-12lp", or what else the fingerprint says of the adapter; "" where it says nothing.
std::string adapter_text(const protocol::Fingerprint& fingerprint);
// "chromium 131, webgpu, google swiftshader".
std::string device_text(const protocol::Fingerprint& fingerprint);
// "chromium 131, swiftshader", of a fingerprint as the records keep it; "" where it cannot be read.
std::string short_device_text(const std::string& fingerprint_json);
// A GPU's interface that a processor serves: SwiftShader, llvmpipe, lavapipe, WARP. WebAssembly and native code are the processor's own.
bool is_software_adapter(const protocol::Fingerprint& fingerprint);

// For the end of a report: "on chromium 131, webgpu, google swiftshader; this is a software adapter, whose times say nothing of a GPU".
// `device`: a fingerprint as a job's result has it; "" where it has none.
std::string measured_on_text(const nlohmann::json& result);

// "3 of 12 tuned kernels were timed in an older chromium than this one (157); …", of what a job's result says of `schedules`; "" where there are none.
std::string older_browser_text(const nlohmann::json& schedules, const nlohmann::json& device);

}  // namespace hone::report
