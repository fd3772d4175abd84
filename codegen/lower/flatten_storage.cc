#include <algorithm>
#include <unordered_map>

#include "codegen/arith/analyzer.h"
#include "codegen/lower/passes.h"
#include "codegen/target/texture_form.h"

namespace hone::lower {

using ir::Buffer;
using ir::Expr;

namespace {

class Flatten final : public ir::Mutator {
 public:
  Flatten(ir::Arena& arena, const target::Target& target)
      : Mutator(arena), analyzer_(arena), limits_(target.limits), textures_(target::on_textures(target.kind)) {}

  Buffer flat(Buffer b) {
    auto [it, fresh] = flat_.try_emplace(b, nullptr);
    if (fresh) it->second = arena_.buffer(b->name, b->dtype, textures_ ? texture(b) : line(b), b->scope);
    return it->second;
  }
  ir::Layout layout(Buffer b) const { return textures_ ? target::whole_texels(b->shape, b->layout) : b->layout; }
  const Status& status() const { return status_; }

 protected:
  Expr expr(Expr e) override {
    Expr r = rebuild(e);
    if (r->kind != ir::ExprKind::kLoad || !global(r->buffer)) return r;
    return arena_.load(flat(r->buffer), position(r->buffer, r->args), r->mask, r->other, r->any_value);
  }
  ir::Stmt stmt(ir::Stmt s) override {
    ir::Stmt r = rebuild(s);
    // A fragment writes whole texels; what lies beyond the tensor is padding, and nobody else's.
    if (textures_ && s->kind == ir::StmtKind::kIf && stores_globally(s->body[0])) return r->body[0];
    if (r->kind != ir::StmtKind::kStore || !global(r->buffer)) return r;
    if (textures_ && ir::element_count(r->buffer->shape) == 1) return single(r);
    return arena_.store(flat(r->buffer), position(r->buffer, r->indices), r->value, r->mask);
  }

 private:
  static bool global(Buffer b) { return b->scope == ir::Scope::kArg || b->scope == ir::Scope::kScratch; }
  static bool stores_globally(ir::Stmt body) {
    bool found = false;
    ir::for_each_stmt(body, [&](ir::Stmt s) { found |= s->kind == ir::StmtKind::kStore && global(s->buffer); });
    return found;
  }

  static ir::Shape line(Buffer b) { return {(ir::element_count(ir::physical_shape(b->shape, b->layout)) + 3) / 4 * 4}; }

  ir::Shape texture(Buffer b) {
    Result<target::TextureForm> form = target::texture_form(b->shape, layout(b), limits_);
    if (!form.ok()) {
      status_ = form.error();
      form = target::TextureForm{{1, 1, 1}, 0};
    }
    forms_[b] = *form;
    return {form->texture.layers, form->texture.height, form->texture.width * 4};
  }

  std::vector<Expr> position(Buffer b, const std::vector<Expr>& index) {
    if (!textures_) return {folded(parts(b, b->layout, index))};
    flat(b);
    const target::TextureForm& form = forms_.at(b);
    const std::vector<Part> all = parts(b, layout(b), index);
    const auto layers = all.begin() + layout(b).layers;
    Expr layer = folded({all.begin(), layers});
    if (form.rows >= 0) return {layer, folded({layers, layers + form.rows}), folded({layers + form.rows, all.end()})};
    Expr at = folded({layers, all.end()}), width = arena_.index(form.texture.width * 4);
    return {layer, analyzer_.simplify(arena_.div(at, width)), analyzer_.simplify(arena_.mod(at, width))};
  }

  // The only number of a tensor, all over its only texel.
  ir::Stmt single(ir::Stmt s) {
    std::vector<Expr> at = position(s->buffer, s->indices);
    at.back() = arena_.ramp(arena_.index(0), arena_.index(1), 4);
    return arena_.store(flat(s->buffer), std::move(at), arena_.broadcast(s->value, 4), s->mask);
  }

  struct Part {
    Expr index;
    int64_t size;
  };

  std::vector<Part> parts(Buffer b, const ir::Layout& layout, const std::vector<Expr>& index) {
    std::vector<Part> out;
    if (layout.row_major())
      for (size_t d = 0; d < index.size(); d++) out.push_back({index[d], b->shape[d]});
    for (const ir::PhysicalDim& dim : layout.dims) {
      Expr part = arena_.div(index[dim.axis], arena_.index(dim.div));
      if (!is_outermost(b, layout, dim)) part = arena_.mod(part, arena_.index(dim.size));
      out.push_back({part, dim.size});
    }
    return out;
  }

  // It needs no remainder. A fragment also writes padding, whose indices are beyond the tensor: there the parts further out count as well.
  bool is_outermost(Buffer b, const ir::Layout& layout, const ir::PhysicalDim& dim) const {
    if (dim.size * dim.div < b->shape[static_cast<size_t>(dim.axis)]) return false;
    const auto further_out = [&](const ir::PhysicalDim& other) {
      return other.axis == dim.axis && other.div > dim.div;
    };
    return !textures_ || std::none_of(layout.dims.begin(), layout.dims.end(), further_out);
  }

  Expr folded(const std::vector<Part>& parts) {
    Expr at = arena_.index(0);
    for (const Part& part : parts) at = arena_.add(arena_.mul(at, arena_.index(part.size)), part.index);
    return analyzer_.simplify(at);
  }

  arith::Analyzer analyzer_;
  const target::Limits& limits_;
  const bool textures_;
  std::unordered_map<Buffer, Buffer> flat_;
  std::unordered_map<Buffer, target::TextureForm> forms_;
  Status status_ = ok_status();
};

}  // namespace

Result<ir::Kernel> flatten_storage(const ir::Kernel& kernel, const target::Target& target) {
  ir::Kernel out = kernel;
  Flatten flatten(*kernel.arena, target);
  for (ir::Launch& launch : out.launches) launch.body = flatten.mutate(launch.body);
  for (size_t i = 0; i < out.arg_layouts.size(); i++) out.arg_layouts[i] = flatten.layout(kernel.args[i]);
  for (Buffer& b : out.args) b = flatten.flat(b);
  for (Buffer& b : out.temps) b = flatten.flat(b);
  HONE_TRY(flatten.status());
  return out;
}

}  // namespace hone::lower
