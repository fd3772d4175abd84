#include "codegen/ir/expr_parser.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/cat.h"
#include "codegen/ir/text_syntax.h"

namespace hone::ir {
namespace {

constexpr int kDepthMax = 400;  // of nested expressions in a text
constexpr int kLanesMax = 256;

template <class T>
T find_last(const std::vector<std::pair<std::string, T>>& names, std::string_view name) {
  for (size_t i = names.size(); i-- > 0;)
    if (names[i].first == name) return names[i].second;
  return nullptr;
}

bool is_bool(Expr e) { return e->type.dtype == DType::kBool; }

}  // namespace

Var NameScope::find_var(std::string_view name) const { return find_last(vars, name); }
Buffer NameScope::find_buffer(std::string_view name) const { return find_last(buffers, name); }

bool parse_type(std::string_view text, Type* out) {
  if (parse_dtype(text, &out->dtype)) return out->lanes = 1, true;
  const size_t x = text.rfind('x');
  if (x == std::string_view::npos || x + 1 == text.size() || text.size() - x > 4) return false;
  out->lanes = 0;
  for (char c : text.substr(x + 1)) {
    if (c < '0' || c > '9') return false;
    out->lanes = out->lanes * 10 + (c - '0');
  }
  return out->lanes >= 2 && out->lanes <= kLanesMax && parse_dtype(text.substr(0, x), &out->dtype);
}

std::nullptr_t ExprParser::fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
  return nullptr;
}

const Token& ExprParser::peek(size_t ahead) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }

bool ExprParser::accept(std::string_view text) {
  const Token& token = peek();
  if ((token.kind != TokenKind::kName && token.kind != TokenKind::kSymbol) || token.text != text) return false;
  ++at_;
  return true;
}

bool ExprParser::expect(std::string_view text) {
  if (failed()) return false;
  if (accept(text)) return true;
  fail(cat("found '", at_end() ? "end of line" : peek().text, "', expected '", text, "'"));
  return false;
}

std::string ExprParser::name(std::string_view what) {
  if (peek().kind != TokenKind::kName || is_reserved(peek().text)) {
    fail(cat("found '", at_end() ? "end of line" : peek().text, "', expected ", what));
    return "";
  }
  return tokens_[at_++].text;
}

int64_t ExprParser::integer(std::string_view what) {
  if (peek().kind != TokenKind::kInteger) {
    fail(cat("found '", at_end() ? "end of line" : peek().text, "', expected ", what));
    return 0;
  }
  errno = 0;
  const int64_t value = std::strtoll(peek().text.c_str(), nullptr, 10);
  if (errno == ERANGE) fail(cat("the number ", peek().text, " is too large"));
  ++at_;
  return value;
}

bool ExprParser::type(Type* out) {
  if (peek().kind == TokenKind::kName && parse_type(peek().text, out)) return ++at_, true;
  fail(cat("found '", peek().text, "', expected a type"));
  return false;
}

Expr ExprParser::expr() {
  if (failed()) return nullptr;
  if (++depth_ > kDepthMax) return fail("the expression is nested too deeply");
  Expr e = or_expr();
  --depth_;
  return e;
}

Expr ExprParser::or_expr() {
  Expr a = and_expr();
  while (a && accept("or")) a = binary("or", a, and_expr());
  return a;
}

Expr ExprParser::and_expr() {
  Expr a = not_expr();
  while (a && accept("and")) a = binary("and", a, not_expr());
  return a;
}

Expr ExprParser::not_expr() {
  int count = 0;
  while (accept("not")) ++count;
  Expr a = comparison();
  if (!a || count == 0) return a;
  if (!is_bool(a)) return fail(cat("the operand of 'not' has type ", type_name(a->type), ", expected bool"));
  for (; count > 0; --count) a = arena_.logical_not(a);
  return a;
}

Expr ExprParser::comparison() {
  Expr a = sum();
  for (std::string_view op : {"==", "<=", "<"})
    if (a && accept(op)) return binary(op, a, sum());
  return a;
}

Expr ExprParser::sum() {
  Expr a = product();
  while (a) {
    if (accept("+")) a = binary("+", a, product());
    else if (accept("-")) a = binary("-", a, product());
    else break;
  }
  return a;
}

Expr ExprParser::product() {
  Expr a = postfix();
  while (a) {
    if (accept("*")) a = binary("*", a, postfix());
    else if (accept("/")) a = binary("/", a, postfix());
    else if (accept("%")) a = binary("%", a, postfix());
    else break;
  }
  return a;
}

Expr ExprParser::binary(std::string_view op, Expr a, Expr b) {
  if (!a || !b || failed()) return fail("an operand is missing");
  if (a->type != b->type) return fail(cat("the operands of '", op, "' have types ", type_name(a->type), " and ", type_name(b->type), ", expected equal ones"));
  const bool wants_bool = op == "and" || op == "or";
  if (wants_bool != is_bool(a) && op != "==") return fail(cat("the operands of '", op, "' have type ", type_name(a->type)));
  if (op == "and") return arena_.logical_and(a, b);
  if (op == "or") return arena_.logical_or(a, b);
  if (op == "==") return arena_.eq(a, b);
  if (op == "<=") return arena_.le(a, b);
  if (op == "<") return arena_.lt(a, b);
  if (op == "+") return arena_.add(a, b);
  if (op == "-") return arena_.sub(a, b);
  if (op == "*") return arena_.mul(a, b);
  if (op == "/") return arena_.div(a, b);
  if (!is_int(a->type.dtype)) return fail(cat("the operands of '%' have type ", type_name(a->type), ", expected integers"));
  return arena_.mod(a, b);
}

Expr ExprParser::extract(Expr vector, int lane) {
  if (lane >= vector->type.lanes) return fail(cat("lane ", lane, " of a value of type ", type_name(vector->type)));
  return arena_.extract(vector, lane);
}

Expr ExprParser::postfix() {
  Expr a = primary();
  while (a && accept(".")) {
    const int lane = lane_of_suffix(peek().text);
    if (peek().kind != TokenKind::kName || lane < 0) return fail(cat("found '.", peek().text, "', expected a lane such as .x or .s5"));
    ++at_;
    a = extract(a, lane);
  }
  return a;
}

Expr ExprParser::primary() {
  if (failed()) return nullptr;
  if (accept("(")) {
    Expr a = expr();
    return expect(")") ? a : nullptr;
  }
  const bool negative = accept("-");
  const Token& token = peek();
  if (negative || token.kind == TokenKind::kInteger || token.kind == TokenKind::kFloat || token.text == "inf" || token.text == "nan") return number(negative);
  if (accept("true")) return arena_.boolean(true);
  if (accept("false")) return arena_.boolean(false);
  if (token.kind != TokenKind::kName || is_reserved(token.text))
    return fail(cat("found '", at_end() ? "end of line" : token.text, "', expected an expression"));
  ++at_;
  return named(tokens_[at_ - 1].text);
}

Expr ExprParser::number(bool negative) {
  const Token token = peek();
  const bool is_word = token.kind == TokenKind::kName && (token.text == "inf" || token.text == "nan");
  const bool is_real = token.kind == TokenKind::kFloat || is_word;
  if (!is_real && token.kind != TokenKind::kInteger) return fail(cat("found '", token.text, "' after '-', expected a number"));
  ++at_;
  Type type{is_real ? DType::kF32 : DType::kIndex, 1};
  if (accept(":") && !this->type(&type)) return nullptr;
  if (type.lanes != 1 || is_real != is_float(type.dtype) || type.dtype == DType::kBool) return fail(cat("a number of type ", type_name(type), " written as ", token.text));
  if (is_real) {
    const double magnitude = token.text == "nan" ? std::numeric_limits<double>::quiet_NaN()
                             : token.text == "inf" ? std::numeric_limits<double>::infinity() : std::strtod(token.text.c_str(), nullptr);
    return arena_.constant(type, negative ? -magnitude : magnitude);
  }
  errno = 0;
  const uint64_t magnitude = std::strtoull(token.text.c_str(), nullptr, 10);
  const uint64_t limit = type.dtype == DType::kU64 ? UINT64_MAX : negative ? 1ull << 63 : INT64_MAX;
  if (errno == ERANGE || magnitude > limit) return fail(cat("the number ", token.text, " is too large for ", type_name(type)));
  return arena_.integer(type.dtype, static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
}

// A whole name first; else the part before the last point, followed by a lane.
Expr ExprParser::named(std::string name) {
  if (peek().text == "(" && peek().kind == TokenKind::kSymbol) {
    ++at_;
    return function(name);
  }
  if (peek().text == "[" && peek().kind == TokenKind::kSymbol) {
    Buffer buffer = scope_.find_buffer(name);
    return buffer ? load(buffer) : fail(cat("the buffer '", name, "' is not declared here"));
  }
  if (Var var = scope_.find_var(name)) return var;
  const size_t dot = name.rfind('.');
  Var vector = dot == std::string::npos ? nullptr : scope_.find_var(std::string_view(name).substr(0, dot));
  const int lane = vector ? lane_of_suffix(std::string_view(name).substr(dot + 1)) : -1;
  if (lane < 0) return fail(cat("the variable '", name, "' is not declared here"));
  return extract(vector, lane);
}

bool ExprParser::arguments(std::vector<Expr>& out, std::string_view end) {
  if (accept(end)) return true;
  do {
    out.push_back(expr());
    if (failed()) return false;
  } while (accept(","));
  return expect(end);
}

Expr ExprParser::function(const std::string& name) {
  if (name == "bitcast") return bitcast();
  if (name == "shuffle") return shuffle();
  if (name == "broadcast" || name == "ramp") return widen(name);
  std::vector<Expr> args;
  if (!arguments(args, ")")) return nullptr;
  return function_of(name, std::move(args));
}

Expr ExprParser::function_of(const std::string& name, std::vector<Expr> args) {
  if (args.empty()) return fail(cat("'", name, "' has no arguments"));
  const Type first = args[0]->type;
  size_t equal = 0;
  while (equal < args.size() && args[equal]->type == first) ++equal;
  const bool all_equal = equal == args.size();
  Type target;
  if (parse_type(name, &target) && args.size() == 1 && target.lanes == first.lanes) return arena_.cast(target, args[0]);
  if (name == intrinsic_name(Intrinsic::kLaneXor) && args.size() == 2 && is_const(args[1]) && args[1]->type == kIndexType)
    return arena_.lane_xor(args[0], args[1]->ival);
  if (name == intrinsic_name(Intrinsic::kLaneRead) && args.size() == 3 && args[1]->type == kIndexType && is_const(args[2]) && args[2]->type == kIndexType)
    return arena_.lane_read(args[0], args[1], args[2]->ival);
  if (name == intrinsic_name(Intrinsic::kDot4) && args.size() == 2 && all_equal && first.lanes == 4 && is_int(first.dtype) && size_bytes(first.dtype) == 1)
    return arena_.dot4({is_unsigned(first.dtype) ? DType::kU32 : DType::kI32, 1}, args[0], args[1]);
  Intrinsic intrinsic;
  const auto is_function = [&] { return intrinsic < Intrinsic::kDot4; };  // of values alone, each by itself
  if (parse_intrinsic(name, &intrinsic) && is_function() && args.size() == (intrinsic == Intrinsic::kPow ? 2u : 1u) && all_equal) return arena_.call(intrinsic, std::move(args));
  if (name == "min" && args.size() == 2 && all_equal && !is_bool(args[0])) return arena_.min(args[0], args[1]);
  if (name == "max" && args.size() == 2 && all_equal && !is_bool(args[0])) return arena_.max(args[0], args[1]);
  if (name == "mad" && args.size() == 3 && all_equal && !is_bool(args[0])) return arena_.mad(args[0], args[1], args[2]);
  for (ExprKind kind : {ExprKind::kBitAnd, ExprKind::kBitOr, ExprKind::kBitXor, ExprKind::kShl, ExprKind::kShr})
    if (name == kind_name(kind) && args.size() == 2 && all_equal && is_int(first.dtype)) return arena_.bit(kind, args[0], args[1]);
  if (name == "select" && args.size() == 3 && is_bool(args[0]) && args[1]->type == args[2]->type && (first.lanes == 1 || first.lanes == args[1]->type.lanes))
    return arena_.select(args[0], args[1], args[2]);
  if (name == "vec" && args.size() >= 2 && all_equal && first.lanes == 1) {
    std::vector<int> lanes;
    for (size_t i = 0; i < args.size(); ++i) lanes.push_back(static_cast<int>(i));
    return arena_.shuffle(std::move(args), std::move(lanes));
  }
  if (name == "extract" && args.size() == 2 && args[1]->type.lanes == 1 && is_int(args[1]->type.dtype) &&
      !(is_const(args[1]) && (args[1]->ival < 0 || args[1]->ival >= first.lanes)))
    return arena_.extract_dynamic(args[0], args[1]);
  return fail(cat("found ", name, " of ", args.size(), " arguments, the first of type ", type_name(first), "; no such function takes these"));
}

Expr ExprParser::bitcast() {
  Type target;
  if (!type(&target) || !expect(",")) return nullptr;
  Expr a = expr();
  if (!expect(")")) return nullptr;
  if (size_bytes(target.dtype) * target.lanes != size_bytes(a->type.dtype) * a->type.lanes)
    return fail(cat("bitcast of ", type_name(a->type), " to ", type_name(target), ": the sizes differ"));
  return arena_.bitcast(target, a);
}

Expr ExprParser::shuffle() {
  std::vector<Expr> vectors;
  if (!arguments(vectors, ";")) return nullptr;
  if (vectors.empty()) return fail("a shuffle needs vectors");
  int total = 0;
  for (Expr v : vectors) {
    if (v->type.dtype != vectors[0]->type.dtype) return fail("the vectors of a shuffle have different types");
    total += v->type.lanes;
  }
  std::vector<int> lanes;
  do {
    const int64_t lane = integer("a lane");
    if (!failed() && lane >= total) fail(cat("lane ", lane, " of a shuffle over ", total, " lanes"));
    lanes.push_back(static_cast<int>(lane));
  } while (!failed() && accept(","));
  return expect(")") ? arena_.shuffle(std::move(vectors), std::move(lanes)) : nullptr;
}

// broadcast(a, lanes) and ramp(base, stride, lanes)
Expr ExprParser::widen(const std::string& name) {
  Expr base = expr();
  Expr stride = nullptr;
  if (name == "ramp" && expect(",")) stride = expr();
  if (!expect(",")) return nullptr;
  const int64_t lanes = integer("the number of lanes");
  if (!expect(")")) return nullptr;
  if (lanes < 1 || lanes > kLanesMax) return fail(cat(name, " to ", lanes, " lanes, expected 1 to ", kLanesMax));
  if (base->type.lanes != 1 && lanes != 1) return fail(cat(name, " of a vector"));
  if (!stride) return arena_.broadcast(base, static_cast<int>(lanes));
  if (stride->type != base->type || !is_int(base->type.dtype)) return fail("base and stride of a ramp are not integers of one type");
  return arena_.ramp(base, stride, static_cast<int>(lanes));
}

Access ExprParser::access(Buffer buffer) {
  Access access;
  access.buffer = buffer;
  if (!expect("[")) return access;
  while (!failed() && peek().text != "]" && peek().text != "if" && peek().text != "else" && peek().text != "any") {
    Expr index = expr();
    if (failed()) return access;
    if (index->type.dtype != DType::kIndex) fail(cat("an index of ", buffer->name, " has type ", type_name(index->type), ", expected index"));
    access.indices.push_back(index);
    if (!accept(",")) break;
  }
  if (accept("if")) access.mask = expr();
  if (access.mask && !is_bool(access.mask)) fail(cat("the mask of ", buffer->name, " has type ", type_name(access.mask->type), ", expected bool"));
  if (accept("else")) access.other = expr();
  access.any_value = accept("any");
  expect("]");
  return access;
}

Expr ExprParser::load(Buffer buffer) {
  Access a = access(buffer);
  if (failed()) return nullptr;
  Type type;
  int lanes = 0;
  if (accept(":")) {
    if (!this->type(&type)) return nullptr;
    if (type.dtype != buffer->dtype) return fail(cat("a load of ", buffer->name, " has type ", type_name(type), ", the buffer ", dtype_name(buffer->dtype)));
    lanes = type.lanes;
  }
  Expr e = arena_.load(buffer, a.indices, a.mask, a.other, a.any_value, lanes);
  if (a.other && a.other->type != e->type) return fail(cat("the value behind 'else' has type ", type_name(a.other->type), ", the load ", type_name(e->type)));
  return e;
}

}  // namespace hone::ir
