#include "codegen/ir/verify_races.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/ir/printer.h"
#include "codegen/ir/shared_steps.h"
#include "codegen/ir/thread_values.h"

namespace hone::ir {
namespace {

constexpr int64_t kFirstIterations = 3, kLastIterations = 2;
// Numbers computed and elements touched, of a workgroup: 64 MiB of numbers at most, in a tenth of a second or so.
constexpr int64_t kWorkMax = 1 << 24;

using Mask = std::vector<uint8_t>;  // by thread

class WorkgroupWalk {
 public:
  WorkgroupWalk(const Launch& launch, const Dims& block) : values_(launch, block), all_(static_cast<size_t>(values_.threads()), 1) {}

  Status run(const std::vector<SharedStep>& steps) {
    walk(steps, all_);
    return error_.empty() ? ok_status() : Status(Error{ErrorCode::kInternal, error_});
  }

 private:
  struct Touch {  // of an element; intervals lie between barriers
    int64_t write_interval = -1, read_interval = -1;
    int32_t writer = -1, reader = -1, other_reader = -1;
  };
  enum class Kind : uint8_t { kRead, kWrite };

  void walk(const std::vector<SharedStep>& steps, const Mask& active) {
    for (const SharedStep& step : steps) {
      if (!error_.empty() || is_spent()) return;
      walk(step, active);
    }
  }

  void walk(const SharedStep& step, const Mask& active) {
    const Stmt s = step.source;
    ++touched_;
    for (Expr load : step.loads) access(s, load->buffer, load->args, load->mask, active, Kind::kRead);
    if (s->kind == StmtKind::kFor) return loop(step, active);
    if (s->kind == StmtKind::kIf) return condition(step, active);
    if (s->kind == StmtKind::kBarrier) ++interval_;
    if (is_shared(s->buffer) && s->kind != StmtKind::kAlloc)
      access(s, s->buffer, s->indices, s->mask, active, Kind::kWrite);
  }

  void loop(const SharedStep& step, const Mask& active) {
    const int64_t extent = step.source->extent;
    values_.enter(step.source->var);
    for (int64_t i = 0; i < extent && !is_spent(); ++i) {
      if (step.has_barrier && i == kFirstIterations && i < extent - kLastIterations) {
        i = extent - kLastIterations;
        ++interval_;  // what is left out ends with a barrier
      }
      values_.advance(step.source->var, i);
      walk(step.body, active);
    }
    values_.leave();
  }

  void condition(const SharedStep& step, const Mask& active) {
    const int32_t* value = values_.of(step.source->value);
    if (!value) {
      interval_ += step.has_barrier;
      return;
    }
    Mask then = active, otherwise = active;
    for (size_t t = 0; t < active.size(); ++t) {
      then[t] &= value[t] != 0;
      otherwise[t] &= value[t] == 0;
    }
    if (has_any(then)) walk(step.body, then);
    if (has_any(otherwise)) walk(step.otherwise, otherwise);
  }

  static bool has_any(const Mask& mask) { return std::find(mask.begin(), mask.end(), 1) != mask.end(); }

  void access(Stmt at, Buffer buffer, const std::vector<Expr>& indices, Expr mask, const Mask& active, Kind kind) {
    const int32_t* index = values_.of(indices.at(0));
    const int32_t* allowed = mask ? values_.of(mask) : nullptr;
    const int64_t threads = values_.threads(), lanes = indices[0]->type.lanes;
    if (!index || (mask && (!allowed || (mask->type.lanes != 1 && mask->type.lanes != lanes)))) return;
    std::vector<Touch>& touches = touches_of(buffer);
    touched_ += lanes * threads;
    for (int64_t i = 0; i < lanes * threads && error_.empty(); ++i) {
      const size_t thread = static_cast<size_t>(i % threads), element = static_cast<size_t>(index[i]);
      if (!active[thread] || element >= touches.size()) continue;
      if (allowed && !allowed[mask->type.lanes == 1 ? thread : static_cast<size_t>(i)]) continue;
      touch(touches[element], static_cast<int32_t>(thread), kind, [&](std::string_view does, std::string_view other_does, int32_t other) {
        error_ = cat("data race: thread ", thread, does, element, " of ", buffer->name, ", which thread ", other, other_does,
                     " with no barrier between, at: ", headline(at));
      });
    }
  }

  template <class Race>
  void touch(Touch& touch, int32_t thread, Kind kind, const Race& race) {
    const bool written = touch.write_interval == interval_ && touch.writer != thread;
    if (kind == Kind::kRead) {
      if (written) return race(" reads element ", " writes", touch.writer);
      touch.other_reader = touch.read_interval != interval_ ? thread : touch.reader != thread ? touch.reader : touch.other_reader;
      touch.reader = thread;
      touch.read_interval = interval_;
      return;
    }
    if (touch.read_interval == interval_ && touch.reader != thread) return race(" writes element ", " reads", touch.reader);
    if (touch.read_interval == interval_ && touch.other_reader != thread) return race(" writes element ", " reads", touch.other_reader);
    touch.write_interval = interval_;
    touch.writer = thread;
  }

  bool is_spent() const { return values_.computed() + touched_ > kWorkMax; }

  std::vector<Touch>& touches_of(Buffer buffer) {
    std::vector<Touch>& touches = touches_[buffer];
    if (touches.empty()) touches.resize(static_cast<size_t>(element_count(buffer->shape)));
    return touches;
  }

  ThreadValues values_;
  const Mask all_;
  int64_t interval_ = 0, touched_ = 0;
  std::unordered_map<Buffer, std::vector<Touch>> touches_;
  std::string error_;
};

Status verify(const Launch& launch) {
  const std::vector<SharedStep> steps = shared_steps(launch.body);
  if (steps.empty()) return ok_status();
  const std::array<bool, 3> used = used_blocks(launch, steps);
  const auto last = [&](size_t d) { return used[d] ? launch.grid[d] - 1 : 0; };
  for (int corner = 0; corner < 8; ++corner) {
    Dims block{};
    bool is_new = true;
    for (size_t d = 0; d < 3; ++d)
      if (corner >> d & 1) is_new &= (block[d] = last(d)) > 0;
    if (is_new) HONE_TRY(WorkgroupWalk(launch, block).run(steps));
  }
  return ok_status();
}

}  // namespace

Status verify_races(const Kernel& kernel) {
  for (const Launch& launch : kernel.launches) HONE_TRY(verify(launch));
  return ok_status();
}

}  // namespace hone::ir
