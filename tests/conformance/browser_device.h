// A device of a real browser: a tracker in this process, a headless Chromium with the agent's page, and a lease. What the device is sent
// travels by the real protocol, and its shaders go through the browser's own compilers.
#pragma once
#include <memory>
#include <string>

#include "codegen/target/target.h"
#include "server/agents/plan_runner.h"
#include "server/compile/blob_store.h"

namespace hone::conformance {

class BrowserDevice {
 public:
  // kind: of the kernels that it runs: webgpu, webgl, wasm. Fails: not_found without a browser or the agent's files, no_device when none
  // comes within half a minute, and what starting says.
  static Result<std::unique_ptr<BrowserDevice>> open(const std::string& kind);
  ~BrowserDevice();

  const target::Target& target() const;  // what the device said it can do
  std::string name() const;              // for people: "chromium 120, swiftshader"
  server::BlobStore& blobs();

  // Waits for the outputs. Fails: as PlanRunner::execute.
  Result<std::string> execute(protocol::Execute plan);

 private:
  struct Impl;
  explicit BrowserDevice(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace hone::conformance
