// GlRequests: what the runner does for a request of the agent. Owns all textures, programs and rows of draws. One thread, the device's.
//
// The requests are those of native/pipe_frame.h, but for what follows from textures:
//   make   bytes, word, texture: {width, height, layers, format: rgba32f, rgba16f, rgba32i or rgba32ui}; without a word it may hold anything
//   write  numbers of rgba16f in two bytes, of all others in four; what of the texture lies behind the content becomes `word` ^ 1: another NaN, since a kernel may hand it on into padding of its output
//   build  payload: a fragment shader (emit_glsl.h); bindings: [], since only its caller knows them
//   bind   calls: [{kernel, buffers: [id…], writes: [bool…], grid: [width, height, …]}]
//   settle draws one fragment of each call, since drivers compile at the first draw; ns: of that
// A driver that reset ends the runner, as a crash would.
#pragma once
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "browser-agent/native/answer.h"
#include "browser-agent/opengl/gl_device.h"
#include "browser-agent/opengl/gl_reference.h"

namespace hone::agent {

class GlRequests {
 public:
  GlRequests(nlohmann::json description, GlDevice& device, const GlReference& reference)
      : description_(std::move(description)), device_(device), reference_(reference) {}

  // Never fails: an error is an answer, too.
  native::PipeFrame answer(const native::PipeFrame& request);

 private:
  using Answer = native::Answer;
  using Row = std::vector<std::unique_ptr<GlDraw>>;
  struct Buffer {
    std::shared_ptr<GlTexture> texture;
    uint32_t word = 0;
  };
  // Draws of which a run takes so many, beginning behind those of the run before.
  struct Program {
    Row draws;
    std::vector<std::shared_ptr<GlTexture>> textures;  // that it uses
    size_t of_run = 0;
    size_t next = 0;
  };

  Answer handle(const native::PipeFrame& request);
  Answer hello() const;
  Answer make(const nlohmann::json& header);
  Answer write(const native::PipeFrame& request);
  Answer poison(const nlohmann::json& header);
  Answer copies(const nlohmann::json& header);
  Answer read(const nlohmann::json& header);
  Answer build(const native::PipeFrame& request);
  Answer bind(const nlohmann::json& header);
  Answer turns(const nlohmann::json& header);
  Status add(const nlohmann::json& call, Program& program);
  Answer run(const nlohmann::json& header);
  Answer settle(const nlohmann::json& header);

  const nlohmann::json description_;
  GlDevice& device_;
  const GlReference& reference_;
  int64_t next_id_ = 1;
  std::unordered_map<int64_t, Buffer> buffers_;
  std::unordered_map<int64_t, std::shared_ptr<const GlProgram>> kernels_;
  std::unordered_map<int64_t, Program> programs_;
};

}  // namespace hone::agent
