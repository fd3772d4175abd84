#include "codegen/emit/glsl/emit_glsl.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "base/cat.h"
#include "base/check.h"
#include "codegen/emit/c_like/printer.h"
#include "codegen/emit/glsl/raise.h"
#include "codegen/emit/glsl/reserved_words.h"
#include "codegen/ir/mutator.h"

namespace hone::emit {

using ir::Buffer;
using ir::DType;
using ir::Expr;
using ir::ExprKind;

namespace {

enum class Kind { kBool, kInt, kUint, kFloat };

Kind kind_of(DType d) {
  if (d == DType::kBool) return Kind::kBool;
  if (ir::is_float(d)) return Kind::kFloat;
  return ir::is_unsigned(d) ? Kind::kUint : Kind::kInt;
}

std::string type_text(ir::Type t) {
  static const char* const scalars[] = {"bool", "int", "uint", "float"};
  static const char* const vectors[] = {"bvec", "ivec", "uvec", "vec"};
  const auto kind = static_cast<size_t>(kind_of(t.dtype));
  return t.lanes == 1 ? scalars[kind] : cat(vectors[kind], t.lanes);
}

std::string float_literal(double v) {
  if (std::isnan(v)) return "uintBitsToFloat(0x7fc00000u)";
  if (std::isinf(v)) return v > 0 ? "uintBitsToFloat(0x7f800000u)" : "uintBitsToFloat(0xff800000u)";
  char text[40];
  // Nine digits would round the largest number up: ANGLE reads that as infinity.
  std::snprintf(text, sizeof text, std::fabs(v) > 3.402823e38 ? "%.17g" : "%.9g", v);
  std::string out = text;
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return v < 0 ? cat("(", out, ")") : out;
}

int shift_of(int64_t divisor) {
  int shift = 0;
  while ((int64_t{1} << shift) < divisor) shift++;
  return (int64_t{1} << shift) == divisor ? shift : -1;
}

// What GLSL ES has for scalars alone, by the name that a shader calls. `pick` chooses lane by lane, `choose` one of two that are both evaluated; a conversion to whole numbers saturates.
struct Helper {
  std::string_view call, text;
};
constexpr Helper kHelpers[] = {
    {"both(", "bvec4 both(bvec4 a, bvec4 b) { return bvec4(a.x && b.x, a.y && b.y, a.z && b.z, a.w && b.w); }"},
    {"either(", "bvec4 either(bvec4 a, bvec4 b) { return bvec4(a.x || b.x, a.y || b.y, a.z || b.z, a.w || b.w); }"},
    {"pick(",
     "ivec4 pick(bvec4 c, ivec4 a, ivec4 b) { return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? "
     "a.w : b.w); }"},
    {"pick(",
     "uvec4 pick(bvec4 c, uvec4 a, uvec4 b) { return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? "
     "a.w : b.w); }"},
    {"choose(", "int choose(bool c, int a, int b) { return c ? a : b; }"},
    {"choose(", "uint choose(bool c, uint a, uint b) { return c ? a : b; }"},
    {"choose(", "ivec4 choose(bool c, ivec4 a, ivec4 b) { return c ? a : b; }"},
    {"choose(", "uvec4 choose(bool c, uvec4 a, uvec4 b) { return c ? a : b; }"},
    {"whole(",
     "int whole(float v) { return isnan(v) ? 0 : v >= 2147483648.0 ? 2147483647 : v < -2147483648.0 ? (-2147483647 - "
     "1) : int(v); }"},
    {"wholeu(", "uint wholeu(float v) { return !(v > 0.0) ? 0u : v >= 4294967296.0 ? 4294967295u : uint(v); }"},
    {"whole(", "ivec4 whole(vec4 v) { return ivec4(whole(v.x), whole(v.y), whole(v.z), whole(v.w)); }"},
    {"wholeu(", "uvec4 wholeu(vec4 v) { return uvec4(wholeu(v.x), wholeu(v.y), wholeu(v.z), wholeu(v.w)); }"},
};

class GlslPrinter final : public CLikePrinter {
 public:
  std::string shader(const Draw& draw, const std::vector<Buffer>& bindings);

 protected:
  std::string type(ir::Type t) override { return type_text(t); }
  std::string literal(Expr c) override;
  std::string call(ir::Intrinsic intrinsic, const std::vector<std::string>& args) override;
  // Of floats without a branch, which would be one for each lane of the device's own vectors.
  std::string select(Expr e) override {
    const std::string condition = expr(e->args[0]), yes = expr(e->args[1]), no = expr(e->args[2]);
    const bool widened = e->args[0]->type.lanes < e->type.lanes;
    if (ir::is_float(e->type.dtype))
      return cat("mix(", no, ", ", yes, ", ", widened ? cat("bvec", e->type.lanes, "(", condition, ")") : condition,
                 ")");
    if (e->args[0]->type.lanes > 1) return cat("pick(", condition, ", ", yes, ", ", no, ")");
    // A read on one side of ?: is a branch: with 64 of them Chromium's software GPU had no pipeline after eight minutes, with both sides evaluated after a third of a second.
    const bool evaluates_both = e->type.dtype != DType::kBool && (reads_texture(e->args[1]) || reads_texture(e->args[2]));
    return evaluates_both ? cat("choose(", condition, ", ", yes, ", ", no, ")") : cat("(", condition, " ? ", yes, " : ", no, ")");
  }
  std::string compare(Expr e) override;
  std::string negation(Expr e) override { return cat(e->type.lanes == 1 ? "!(" : "not(", expr(e->args[0]), ")"); }
  std::string junction(Expr e) override;
  std::string cast(Expr e) override;
  std::string bitcast(Expr e) override;
  std::string quotient(Expr e, const char* op) override;
  std::string load(Expr e) override;
  std::string declare_variable(Buffer b) override {
    const std::string element = type({b->dtype, b->lanes});
    return b->shape[0] == 1 ? cat(element, " ", name_of(b), ";")
                            : cat(element, " ", name_of(b), "[", b->shape[0], "];");
  }
  std::string declare_let(ir::Var var, const std::string& value) override {
    return cat(type(var->type), " ", name_of(var), " = ", value, ";");
  }
  std::string loop_head(const std::string& var, int64_t extent) override {
    return cat("for (int ", var, " = 0; ", var, " < ", extent, "; ", var, "++)");
  }
  std::string barrier() override {
    CHECK(false, "a barrier reached the printer of fragments");
    return "";
  }
  bool reserved(std::string_view name) override { return is_reserved_in_glsl(name); }

 private:
  bool reads_texture(Expr e) const;
  std::string sampler(Buffer b) const {
    static const char* const prefix[] = {"", "i", "u", ""};
    return cat(prefix[static_cast<size_t>(kind_of(b->dtype))], b->shape[0] == 1 ? "sampler2D" : "sampler2DArray");
  }
  std::unordered_map<Buffer, std::string> textures_;
  bool sampled_ = false;
};

std::string GlslPrinter::literal(Expr c) {
  switch (kind_of(c->type.dtype)) {
    case Kind::kFloat:
      return float_literal(c->fval);
    case Kind::kBool:
      return c->ival ? "true" : "false";
    case Kind::kUint:
      return cat(static_cast<uint32_t>(c->ival), "u");
    case Kind::kInt:
      break;
  }
  if (c->ival == INT32_MIN) return "(-2147483647 - 1)";
  return c->ival < 0 ? cat("(", c->ival, ")") : cat(c->ival);
}

std::string GlslPrinter::call(ir::Intrinsic intrinsic, const std::vector<std::string>& args) {
  std::string name(intrinsic == ir::Intrinsic::kRsqrt   ? "inversesqrt"
                   : intrinsic == ir::Intrinsic::kRound ? "roundEven"
                                                        : ir::intrinsic_name(intrinsic));
  std::string out = name + "(";
  for (size_t i = 0; i < args.size(); i++) out += (i ? ", " : "") + args[i];
  return out + ")";
}

std::string GlslPrinter::compare(Expr e) {
  const bool scalar = e->type.lanes == 1;
  if (scalar) return binary(e, e->kind == ExprKind::kEq ? "==" : e->kind == ExprKind::kLt ? "<" : "<=");
  const char* function = e->kind == ExprKind::kEq ? "equal" : e->kind == ExprKind::kLt ? "lessThan" : "lessThanEqual";
  return cat(function, "(", expr(e->args[0]), ", ", expr(e->args[1]), ")");
}

std::string GlslPrinter::junction(Expr e) {
  const bool both = e->kind == ExprKind::kAnd;
  if (e->type.lanes == 1) return binary(e, both ? "&&" : "||");
  return cat(both ? "both(" : "either(", expr(e->args[0]), ", ", expr(e->args[1]), ")");
}

std::string GlslPrinter::cast(Expr e) {
  const Kind from = kind_of(e->args[0]->type.dtype), to = kind_of(e->type.dtype);
  if (from != Kind::kFloat || to == Kind::kFloat || to == Kind::kBool) return CLikePrinter::cast(e);
  return cat(to == Kind::kInt ? "whole(" : "wholeu(", expr(e->args[0]), ")");
}

std::string GlslPrinter::bitcast(Expr e) {
  const Kind from = kind_of(e->args[0]->type.dtype), to = kind_of(e->type.dtype);
  if (from == Kind::kFloat && to != Kind::kFloat)
    return cat(to == Kind::kInt ? "floatBitsToInt(" : "floatBitsToUint(", expr(e->args[0]), ")");
  if (from != Kind::kFloat && to == Kind::kFloat)
    return cat(from == Kind::kInt ? "intBitsToFloat(" : "uintBitsToFloat(", expr(e->args[0]), ")");
  return CLikePrinter::cast(e);
}

// An index is signed; shifts and masks floor.
std::string GlslPrinter::quotient(Expr e, const char* op) {
  if (e->type.dtype != DType::kIndex || !is_const(e->args[1])) return binary(e, op);
  const int64_t d = e->args[1]->ival;
  const int shift = shift_of(d);
  if (shift < 0) return binary(e, op);
  return e->kind == ExprKind::kDiv ? cat("(", expr(e->args[0]), " >> ", shift, ")")
                                   : cat("(", expr(e->args[0]), " & ", d - 1, ")");
}

// As a sampler counts: from 0 to 1 along x and y, layers one by one. Far from a texel's edge in f32 for any texture that a device can hold.
std::string middle_of_texel(const std::string& place, const std::string& layer, const ir::Shape& extents) {
  const std::string scale = cat("vec2(", float_literal(1.0 / static_cast<double>(extents[2])), ", ",
                                float_literal(1.0 / static_cast<double>(extents[1])), ")");
  const std::string middle = cat("(vec2(", place, ") + 0.5) * ", scale);
  return layer.empty() ? middle : cat("vec3(", middle, ", ", layer, ")");
}

bool GlslPrinter::reads_texture(Expr e) const {
  bool reads = false;
  ir::for_each_node(e, [&](Expr one) { reads |= one->kind == ExprKind::kLoad && textures_.contains(one->buffer); });
  return reads;
}

std::string GlslPrinter::load(Expr e) {
  auto it = textures_.find(e->buffer);
  if (it == textures_.end()) return access(e->buffer, e->args[0]);
  const ir::Shape& extents = e->buffer->shape;
  const std::string place = cat(expr(e->args[2]), ", ", expr(e->args[1])),
                    layer = extents[0] > 1 ? expr(e->args[0]) : "";
  if (sampled_) return cat("texture(", it->second, ", ", middle_of_texel(place, layer, extents), ")");
  return cat("texelFetch(", it->second, ", ", layer.empty() ? cat("ivec2(", place) : cat("ivec3(", place, ", ", layer),
             "), 0)");
}

std::string GlslPrinter::shader(const Draw& draw, const std::vector<Buffer>& bindings) {
  line(0, "#version 300 es");
  for (const char* what : {"float", "int", "sampler2D", "isampler2D", "usampler2D", "sampler2DArray", "isampler2DArray",
                           "usampler2DArray"})
    line(0, cat("precision highp ", what, ";"));
  sampled_ = draw.launch.sampled;
  for (size_t i = 0; i < bindings.size(); i++) {
    if (std::find(draw.written.begin(), draw.written.end(), bindings[i]) != draw.written.end()) continue;
    textures_[bindings[i]] = cat("b", i);
    line(0, cat("uniform ", sampler(bindings[i]), " b", i, ";"));
  }
  for (size_t i = 0; i < draw.outputs.size(); i++)
    line(0,
         cat("layout(location = ", i, ") out ", type({draw.outputs[i]->dtype, 4}), " ", name_of(draw.outputs[i]), ";"));
  std::string head = std::move(out_);
  out_.clear();
  line(0, "void main() {");
  for (int d = 0; d < 2; d++)
    if (draw.launch.block_vars[d])
      line(1, cat("int ", name_of(draw.launch.block_vars[d]), " = int(gl_FragCoord.", "xy"[d], ");"));
  stmt(draw.launch.body, 1);
  line(0, "}");
  for (const Helper& helper : kHelpers)
    if (out_.find(helper.call) != std::string::npos) head += cat(helper.text, "\n");
  return head + out_;
}

// Which textures the draw reads.
std::unordered_map<Buffer, bool> read_by(const ir::Launch& launch) {
  std::unordered_map<Buffer, bool> out;
  auto load = [&](Expr e) {
    if (e->kind == ExprKind::kLoad) out[e->buffer] = true;
  };
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    for (Expr i : s->indices) ir::for_each_node(i, load);
    ir::for_each_node(s->value, load);
    ir::for_each_node(s->mask, load);
  });
  return out;
}

ir::Texture texture_of(Buffer b) { return {b->shape[2], b->shape[1], b->shape[0]}; }

int64_t bytes_of(Buffer b) { return (texture_of(b).texels() * texel_bytes(b->dtype) + 15) / 16 * 16; }

std::string element_of(Buffer b) { return b->dtype == DType::kF16 ? "f16vec4" : type_text({b->dtype, 4}); }

LaunchSource emit_draw(const ir::Kernel& kernel, const Draw& draw) {
  LaunchSource source;
  source.grid = draw.launch.grid;
  std::unordered_map<Buffer, bool> reads = read_by(draw.launch);
  std::vector<Buffer> bindings;
  auto bind = [&](const std::vector<Buffer>& list, Binding::Kind kind) {
    for (size_t i = 0; i < list.size(); i++) {
      const bool writes = std::find(draw.written.begin(), draw.written.end(), list[i]) != draw.written.end();
      if (!writes && !reads.count(list[i])) continue;
      Binding binding{kind, static_cast<int>(i), writes, element_of(list[i])};
      binding.texture = texture_of(list[i]);
      binding.bytes = bytes_of(list[i]);
      source.bindings.push_back(binding);
      bindings.push_back(list[i]);
    }
  };
  bind(kernel.args, Binding::Kind::kArg);
  bind(kernel.temps, Binding::Kind::kTemp);
  source.code = GlslPrinter().shader(draw, bindings);
  return source;
}

}  // namespace

Result<KernelSource> emit_glsl(const ir::Kernel& kernel, const target::Target& target) {
  HONE_ASSIGN(draws, raise_glsl(kernel, target));
  KernelSource out;
  for (const Draw& draw : draws) out.launches.push_back(emit_draw(kernel, draw));
  for (Buffer b : kernel.temps) out.temps.push_back({bytes_of(b), texture_of(b)});
  out.hash = hash_source(out);
  return out;
}

}  // namespace hone::emit
