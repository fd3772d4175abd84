#include "codegen/emit/glsl/raise.h"

#include <algorithm>
#include <unordered_set>

#include "base/cat.h"
#include "codegen/emit/c_like/extremes.h"
#include "codegen/emit/c_like/passes.h"
#include "codegen/emit/c_like/shader_functions.h"
#include "codegen/emit/c_like/whole_division.h"
#include "codegen/ir/mutator.h"

namespace hone::emit {

using ir::Buffer;
using ir::DType;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

namespace {

Error illegal(std::string message) { return {ErrorCode::kIllegalSchedule, std::move(message)}; }

bool storable(DType d) { return d == DType::kF32 || d == DType::kF16 || d == DType::kI32 || d == DType::kU32; }
bool is_global(Buffer b) { return b->scope == ir::Scope::kArg || b->scope == ir::Scope::kScratch; }

std::vector<Buffer> written_by(const ir::Kernel& kernel, const ir::Launch& launch) {
  std::unordered_set<Buffer> stored;
  ir::for_each_stmt(launch.body, [&](Stmt s) {
    if (s->kind == StmtKind::kStore && is_global(s->buffer)) stored.insert(s->buffer);
  });
  std::vector<Buffer> out;
  for (const auto* list : {&kernel.args, &kernel.temps})
    for (Buffer b : *list)
      if (stored.count(b)) out.push_back(b);
  return out;
}

class Raise final : public ir::Mutator {
 public:
  Raise(ir::Arena& arena, Draw& draw) : Mutator(arena), draw_(draw) {}

  Status run() {
    for (Buffer b : draw_.written) HONE_TRY(add_outputs(b));
    stored_.assign(draw_.outputs.size(), 0);
    draw_.launch.body = raise_signed_indices(arena_, share_values(arena_, mutate(draw_.launch.body)), IndexSign::kSigned);
    if (!problem_.empty()) return illegal(problem_);
    for (size_t i = 0; i < stored_.size(); i++)
      if (stored_[i] != 1)
        return illegal(cat("output ", i, " of a fragment is written ", stored_[i], " times instead of once"));
    return ok_status();
  }

 protected:
  Expr expr(Expr e) override {
    Expr r = rebuild(e);
    if (r->kind == ExprKind::kLoad && r->mask) return masked(r);
    const bool is_extreme = r->kind == ExprKind::kMin || r->kind == ExprKind::kMax;
    if (is_extreme && ir::is_float(r->type.dtype)) return passing_nan(arena_, r, Comparisons::kFast);
    const bool divides = r->kind == ExprKind::kDiv || r->kind == ExprKind::kMod;
    if (divides && !ir::is_float(r->type.dtype) && r->type.dtype != DType::kIndex) return whole_division(arena_, r);
    const Expr function = r->kind == ExprKind::kCall ? shader_function(arena_, r) : nullptr;
    return function ? function : r;
  }

  Stmt stmt(Stmt s) override {
    if (s->kind == StmtKind::kFor) loops_++;
    Stmt r = rebuild(s);
    if (s->kind == StmtKind::kFor) loops_--;
    if (r->kind == StmtKind::kStore && is_global(r->buffer)) return output(r);
    return r;
  }

 private:
  // Texels beyond a texture read as something.
  Expr masked(Expr load) {
    Expr plain = arena_.load(load->buffer, load->args, nullptr, nullptr, true);
    return arena_.select(load->mask, plain, load->other ? load->other : arena_.constant(load->type, 0));
  }

  Status add_outputs(Buffer b) {
    const ir::Dims& grid = draw_.launch.grid;
    if (b->shape[1] != grid[1] || b->shape[2] != grid[0] || grid[2] != 1)
      return illegal(cat("the texture of ", b->name, " has ", b->shape[2], "x", b->shape[1], " texels, the launch ",
                         grid[0], "x", grid[1], " fragments; a fragment writes its own texel"));
    for (int64_t layer = 0; layer < b->shape[0]; layer++)
      draw_.outputs.push_back(
          arena_.buffer(cat("out", draw_.outputs.size()), b->dtype, {1}, ir::Scope::kRegister, {}, 4));
    return ok_status();
  }

  // The location of a layer of a written texture.
  size_t location(Buffer b, int64_t layer) const {
    size_t at = 0;
    for (Buffer w : draw_.written) {
      if (w == b) break;
      at += static_cast<size_t>(w->shape[0]);
    }
    return at + static_cast<size_t>(layer);
  }

  bool is_own(Expr at, size_t dimension) const {
    const ir::Var var = draw_.launch.block_vars[dimension];
    return var ? at == var : ir::is_const_int(at, 0);
  }

  Stmt output(Stmt s) {
    const Expr layer = s->indices[0];
    if (!ir::is_const(layer) || !is_own(s->indices[1], 1) || !is_own(s->indices[2], 0) || loops_ > 0) {
      problem_ = cat("a fragment stores to ", s->buffer->name, " elsewhere than to its own texel in a fixed layer");
      return s;
    }
    const size_t at = location(s->buffer, layer->ival);
    stored_[at]++;
    return arena_.store(draw_.outputs[at], {arena_.index(0)}, s->value);
  }

  Draw& draw_;
  std::vector<int> stored_;  // per output
  int loops_ = 0;            // around the current statement
  std::string problem_;
};

Status check_types(const ir::Kernel& kernel) {
  for (const auto* list : {&kernel.args, &kernel.temps})
    for (Buffer b : *list)
      if (!storable(b->dtype))
        return Error{ErrorCode::kUnsupported, cat("buffer ", b->name, " has type ", ir::dtype_name(b->dtype),
                                                  "; textures hold f32, f16, i32 and u32")};
  return ok_status();
}

}  // namespace

Result<std::vector<Draw>> raise_glsl(const ir::Kernel& lowered, const target::Target& target) {
  const ir::Kernel kernel = widen_small_integers(lowered);
  HONE_TRY(check_types(kernel));
  std::vector<Draw> draws;
  for (const ir::Launch& launch : kernel.launches) {
    Draw draw{launch, written_by(kernel, launch), {}};
    HONE_TRY(Raise(*kernel.arena, draw).run());
    if (static_cast<int64_t>(draw.outputs.size()) > target.limits.render_targets_max)
      return Error{ErrorCode::kLimitExceeded, cat(draw.outputs.size(), " outputs of a fragment exceed the device's ",
                                                  target.limits.render_targets_max, " render targets")};
    draws.push_back(std::move(draw));
  }
  return draws;
}

}  // namespace hone::emit
