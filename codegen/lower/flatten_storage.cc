#include <unordered_map>

#include "codegen/arith/analyzer.h"
#include "codegen/lower/passes.h"

namespace hone::lower {

using ir::Buffer;
using ir::Expr;

namespace {

class Flatten final : public ir::Mutator {
 public:
  explicit Flatten(ir::Arena& arena) : Mutator(arena), analyzer_(arena) {}

  Buffer flat(Buffer b) {
    auto [it, fresh] = flat_.try_emplace(b, nullptr);
    if (fresh) {
      int64_t count = ir::element_count(ir::physical_shape(b->shape, b->layout));
      it->second = arena_.buffer(b->name, b->dtype, {(count + 3) / 4 * 4}, b->scope);
    }
    return it->second;
  }

 protected:
  Expr expr(Expr e) override {
    Expr r = rebuild(e);
    if (r->kind != ir::ExprKind::kLoad || !global(r->buffer)) return r;
    return arena_.load(flat(r->buffer), {offset(r->buffer, r->args)}, r->mask, r->other, r->any_value);
  }
  ir::Stmt stmt(ir::Stmt s) override {
    ir::Stmt r = rebuild(s);
    if (r->kind != ir::StmtKind::kStore || !global(r->buffer)) return r;
    return arena_.store(flat(r->buffer), {offset(r->buffer, r->indices)}, r->value, r->mask);
  }

 private:
  static bool global(Buffer b) { return b->scope == ir::Scope::kArg || b->scope == ir::Scope::kScratch; }

  Expr offset(Buffer b, const std::vector<Expr>& index) {
    Expr at = arena_.index(0);
    auto append = [&](Expr part, int64_t size) { at = arena_.add(arena_.mul(at, arena_.index(size)), part); };
    if (b->layout.row_major())
      for (size_t d = 0; d < index.size(); d++) append(index[d], b->shape[d]);
    for (const ir::PhysicalDim& dim : b->layout.dims) {
      Expr part = arena_.div(index[dim.axis], arena_.index(dim.div));
      // The outermost part of an axis needs no remainder.
      if (dim.size * dim.div < b->shape[dim.axis]) part = arena_.mod(part, arena_.index(dim.size));
      append(part, dim.size);
    }
    return analyzer_.simplify(at);
  }

  arith::Analyzer analyzer_;
  std::unordered_map<Buffer, Buffer> flat_;
};

}  // namespace

Result<ir::Kernel> flatten_storage(const ir::Kernel& kernel) {
  ir::Kernel out = kernel;
  Flatten flatten(*kernel.arena);
  for (ir::Launch& launch : out.launches) launch.body = flatten.mutate(launch.body);
  for (Buffer& b : out.args) b = flatten.flat(b);
  for (Buffer& b : out.temps) b = flatten.flat(b);
  return out;
}

}  // namespace hone::lower
