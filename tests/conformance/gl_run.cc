#include "tests/conformance/gl_run.h"

#include <map>
#include <memory>

#include "base/cat.h"
#include "tests/conformance/judge.h"

namespace hone::conformance {
namespace {

constexpr uint32_t kNan = 0xffffffff;  // of floats

class Textures {
 public:
  explicit Textures(const emit::KernelSource& source) {
    for (const emit::LaunchSource& launch : source.launches)
      for (const emit::Binding& b : launch.bindings) {
        std::unique_ptr<agent::GlTexture>& made = all_[{b.kind, b.position}];
        if (made) continue;
        made = std::make_unique<agent::GlTexture>(b.texture, b.element);
        made->write("", kNan);
      }
  }
  agent::GlTexture* of(const emit::Binding& b) { return all_.at({b.kind, b.position}).get(); }
  agent::GlTexture* arg(size_t i) {
    auto it = all_.find({emit::Binding::Kind::kArg, static_cast<int>(i)});
    return it == all_.end() ? nullptr : it->second.get();
  }

 private:
  std::map<std::pair<emit::Binding::Kind, int>, std::unique_ptr<agent::GlTexture>> all_;
};

Status draw_all(const emit::KernelSource& source, Textures& textures) {
  for (const emit::LaunchSource& launch : source.launches) {
    std::vector<agent::GlBinding> bound;
    for (const emit::Binding& b : launch.bindings) bound.push_back({textures.of(b), b.writes});
    HONE_ASSIGN(program, agent::GlProgram::link(launch.code));
    HONE_ASSIGN(draw, agent::GlDraw::create(program, std::move(bound), launch.grid));
    draw->run();
  }
  return ok_status();
}

}  // namespace

std::string run_on_gl(agent::GlDevice& device, const emit::KernelSource& source, const std::vector<ir::Layout>& layouts,
                      const TaskValues& values, size_t input_count) {
  Textures textures(source);
  for (size_t i = 0; i < input_count; i++)
    if (agent::GlTexture* texture = textures.arg(i); texture && values.args[i].size() > 0) {
      const ir::TensorValue value = texture->is_half() ? ir::rounded(values.args[i], ir::DType::kF16) : values.args[i];
      texture->write(stored_bytes(ir::to_physical(value, layouts[i])), kNan);
    }
  const Status drawn = draw_all(source, textures), checked = device.check();
  if (!drawn.ok()) return drawn.error().message;
  if (!checked.ok()) return checked.error().message;
  for (size_t i = input_count; i < values.args.size(); i++) {
    const ir::TensorValue& expected = values.args[i];
    if (expected.size() == 0) continue;
    agent::GlTexture* texture = textures.arg(i);
    if (!texture) return cat("output ", i - input_count, " is not written");
    if (const std::string differs = stored_difference(expected, texture->read(), layouts[i], values.tolerance);
        !differs.empty())
      return cat("output ", i - input_count, " ", differs);
  }
  return "";
}

}  // namespace hone::conformance
