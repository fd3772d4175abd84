// CLikePrinter: statements and expressions in the syntax that WGSL, GLSL and OpenCL C share. A language overrides types, literals, calls, accesses
// and loop heads. It prints what stands in the IR and decides nothing about performance.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "codegen/ir/stmt.h"

namespace hone::emit {

class CLikePrinter {
 public:
  virtual ~CLikePrinter() = default;

 protected:
  virtual std::string type(ir::Type type) = 0;
  virtual std::string literal(ir::Expr constant) = 0;
  virtual std::string call(ir::Intrinsic intrinsic, const std::vector<std::string>& args) = 0;
  virtual std::string select(ir::Expr e) = 0;
  virtual std::string compare(ir::Expr e) = 0;
  virtual std::string declare_variable(ir::Buffer buffer) = 0;  // a register variable or array
  virtual std::string declare_let(ir::Var var, const std::string& value) = 0;
  virtual std::string loop_head(const std::string& var, int64_t extent) = 0;  // without the brace
  virtual std::string barrier() = 0;
  virtual bool reserved(std::string_view name) = 0;
  virtual std::string load(ir::Expr e) { return access(e->buffer, e->args[0]); }
  virtual std::string negation(ir::Expr e) { return "!(" + expr(e->args[0]) + ")"; }
  virtual std::string junction(ir::Expr e);  // and, or
  virtual std::string constructed(ir::Type t, const std::string& parts) { return type(t) + "(" + parts + ")"; }
  virtual std::string component(ir::Expr vector, int lane);
  virtual std::string component(ir::Expr vector, ir::Expr lane);                        // of which nothing is known
  virtual std::string arithmetic(ir::Expr e, const char* op) { return binary(e, op); }  // add, sub, mul
  virtual std::string multiply_add(ir::Expr e);
  virtual std::string shift(ir::Expr e, const char* op) { return bitwise(e, op); }
  virtual std::string exchange(ir::Expr e);  // ir::is_exchange
  virtual std::string packed_product(
      ir::Type type, const std::vector<std::string>& words);  // of words with four numbers each, whose sum is of `type`
  virtual std::string cast(ir::Expr e);
  virtual std::string bitcast(ir::Expr e) { return "bitcast<" + type(e->type) + ">(" + expr(e->args[0]) + ")"; }
  virtual std::string quotient(ir::Expr e, const char* op) { return binary(e, op); }  // of integers and floats

  std::string expr(ir::Expr e);
  void stmt(ir::Stmt s, int indent);
  std::string name_of(ir::Var var) { return unique(var, var->name); }
  std::string name_of(ir::Buffer buffer) { return unique(buffer, buffer->name); }
  // A scalar operand of a vector operation, where the language widens it by itself: beside a vector.
  std::string operand(ir::Expr e) { return expr(e->kind == ir::ExprKind::kBroadcast ? e->args[0] : e); }
  std::string widened(ir::Expr e, const std::string& text);  // text, of e's operands by operand(): a vector even if none was one
  std::string access(ir::Buffer buffer, ir::Expr index);
  std::string binary(ir::Expr e, const char* op);
  std::string bitwise(ir::Expr e, const char* op);  // languages widen no scalar operand of these
  void line(int indent, std::string_view text);

  std::string out_;

 private:
  std::string unique(const void* identity, std::string_view wanted);
  std::string vector_of(ir::Expr e);
  std::unordered_map<const void*, std::string> names_;
  std::unordered_set<std::string> taken_;
};

}  // namespace hone::emit
