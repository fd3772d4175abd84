#include "codegen/ir/parser.h"

#include "base/cat.h"
#include "codegen/ir/expr_parser.h"
#include "codegen/ir/printer.h"

namespace hone::ir {
namespace {

constexpr int kBlockDepthMax = 200;
constexpr int64_t kExtentMax = 1ll << 40;

struct Line {
  int number = 0;
  size_t indent = 0;
  std::vector<Token> tokens;
};

Result<std::vector<Line>> split_lines(std::string_view text) {
  std::vector<Line> lines;
  int number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    auto tokens = lex_line(line);
    if (!tokens.ok()) return Error{ErrorCode::kParseError, cat("line ", number, ": ", tokens.error().message)};
    if (tokens->size() > 1) lines.push_back({number, line.find_first_not_of(' '), std::move(*tokens)});
  }
  return lines;
}

class KernelParser {
 public:
  explicit KernelParser(std::vector<Line> lines) : lines_(std::move(lines)) {}

  Result<Kernel> run() {
    while (at_ < lines_.size() && !in_.failed()) {
      begin_line();
      if (line().indent != 0) in_.fail("found an indented line, expected arg, out, temp or launch");
      else if (in_.accept("arg")) argument(true);
      else if (in_.accept("out")) argument(false);
      else if (in_.accept("temp")) kernel_.temps.push_back(declaration(Scope::kScratch));
      else if (in_.accept("launch")) launch();
      else in_.fail(cat("found '", in_.peek().text, "', expected arg, out, temp or launch"));
    }
    if (in_.failed()) return Error{ErrorCode::kParseError, cat("line ", number_, ": ", in_.error())};
    return std::move(kernel_);
  }

 private:
  const Line& line() const { return lines_[at_]; }
  Arena& arena() { return *kernel_.arena; }

  void begin_line() {
    number_ = line().number;
    in_.begin(line().tokens);
  }
  void end_line() {
    if (!in_.failed() && !in_.at_end()) in_.fail(cat("found '", in_.peek().text, "', expected the end of the line"));
    ++at_;
  }

  void argument(bool is_input) {
    if (is_input && static_cast<int>(kernel_.args.size()) != kernel_.input_count) {
      in_.fail("found an arg after an out, expected the inputs first");
      return;
    }
    kernel_.input_count += is_input;
    kernel_.args.push_back(declaration(Scope::kArg));
  }

  PhysicalDim physical_dim() {
    PhysicalDim dim;
    dim.axis = static_cast<int>(in_.integer("an axis"));
    if (in_.accept("/")) dim.div = in_.integer("a divisor");
    if (in_.expect(":")) dim.size = in_.integer("the size of a dimension");
    if (!in_.failed() && (dim.div < 1 || dim.size < 1)) in_.fail("a layout has a divisor or size below 1");
    return dim;
  }

  Layout layout(size_t rank) {
    Layout layout;
    if (in_.accept("(")) {
      do {
        layout.dims.push_back(physical_dim());
        if (!in_.failed() && layout.dims.back().axis >= static_cast<int>(rank))
          in_.fail("a layout names an axis beyond the shape");
      } while (!in_.failed() && in_.accept(","));
      in_.expect(")");
    }
    if (in_.accept("pad") && in_.expect("zero")) layout.pad = Pad::kZero;
    if (in_.accept("texture")) layout.medium = Medium::kTexture2D;
    if (in_.accept("layers")) layout.layers = static_cast<int>(in_.integer("the layers of the layout"));
    return layout;
  }

  // name ":" type "[" extents "]" [scope] ["layout" …]
  Buffer declaration(Scope scope) {
    const std::string name = in_.name("the name of a buffer");
    Type type;
    if (!in_.expect(":") || !in_.type(&type) || !in_.expect("[")) return nullptr;
    Shape shape;
    if (!in_.accept("]")) {
      do {
        shape.push_back(in_.integer("an extent"));
        if (shape.back() > kExtentMax) in_.fail("an extent is too large");
      } while (!in_.failed() && in_.accept(","));
      if (!in_.expect("]")) return nullptr;
    }
    if (in_.peek().kind == TokenKind::kName && parse_scope(in_.peek().text, &scope)) in_.accept(in_.peek().text);
    Layout layout;
    if (in_.accept("layout")) layout = this->layout(shape.size());
    end_line();
    if (in_.failed()) return nullptr;
    Buffer buffer = arena().buffer(name, type.dtype, std::move(shape), scope, std::move(layout), type.lanes);
    scope_.buffers.emplace_back(name, buffer);
    return buffer;
  }

  struct VarDecl {
    std::string name;
    Type type;
    int64_t bound;
  };
  VarDecl var_decl(Type type, int64_t bound, bool colon_is_type) {
    VarDecl decl{in_.name("the name of a variable"), type, bound};
    if (in_.peek().text == ":" && (colon_is_type || in_.peek(1).kind == TokenKind::kName)) {
      in_.accept(":");
      in_.type(&decl.type);
    }
    if (decl.type != kIndexType) decl.bound = 0;
    if (in_.accept("<")) decl.bound = in_.integer("the bound of a variable");
    return decl;
  }
  Var declare(const VarDecl& decl) {
    if (in_.failed()) return nullptr;
    Var var = arena().var(decl.name, decl.type, decl.bound);
    scope_.vars.emplace_back(decl.name, var);
    return var;
  }

  void dims(Dims& extents, std::array<Var, 3>& vars) {
    if (!in_.expect("(")) return;
    for (size_t i = 0; !in_.failed(); ++i) {
      if (i == 3) {
        in_.fail("more than three dimensions");
        return;
      }
      const bool has_var = in_.peek().kind == TokenKind::kName;
      VarDecl decl;
      if (has_var) {
        decl = var_decl(kIndexType, -1, false);
        in_.expect(":");
      }
      extents[i] = in_.integer("an extent");
      if (has_var && decl.bound < 0) decl.bound = extents[i];
      if (has_var) vars[i] = declare(decl);
      if (!in_.accept(",")) break;
    }
    in_.expect(")");
  }

  void launch() {
    const auto mark = scope_mark();
    Launch launch;
    if (in_.expect("grid")) dims(launch.grid, launch.block_vars);
    if (in_.expect("threads")) dims(launch.threads, launch.thread_vars);
    if (!in_.failed() && in_.accept("linear"))
      launch.thread_linear =
          declare(var_decl(kIndexType, launch.threads[0] * launch.threads[1] * launch.threads[2], true));
    if (!in_.failed() && in_.accept("subgroups")) launch.subgroup_size = in_.integer("a number of threads");
    if (!in_.failed()) launch.sampled = in_.accept("sampled");
    end_line();
    launch.body = body(0);
    release(mark);
    kernel_.launches.push_back(launch);
  }

  std::pair<size_t, size_t> scope_mark() const { return {scope_.vars.size(), scope_.buffers.size()}; }
  void release(std::pair<size_t, size_t> mark) {
    scope_.vars.resize(mark.first);
    scope_.buffers.resize(mark.second);
  }

  // The lines indented deeper than `outer`. One statement stands for itself, any other number is a block.
  Stmt body(size_t outer) {
    if (in_.failed() || ++depth_ > kBlockDepthMax) {
      in_.fail("the statements are nested too deeply");
      return nullptr;
    }
    const auto mark = scope_mark();
    std::vector<Stmt> stmts;
    const size_t indent = at_ < lines_.size() ? line().indent : 0;
    while (!in_.failed() && at_ < lines_.size() && line().indent > outer) {
      begin_line();
      if (line().indent != indent) in_.fail("the line's indent fits no block");
      else stmts.push_back(stmt(indent));
    }
    release(mark);
    --depth_;
    if (in_.failed()) return nullptr;
    return stmts.size() == 1 ? stmts[0] : arena().block(std::move(stmts));
  }

  Stmt stmt(size_t indent) {
    if (in_.accept("for")) return loop(indent);
    if (in_.accept("if")) return condition(indent);
    if (in_.accept("let")) return let();
    if (in_.accept("alloc")) {
      Buffer buffer = declaration(Scope::kRegister);
      return buffer ? arena().alloc(buffer) : nullptr;
    }
    if (in_.accept("barrier")) {
      end_line();
      return arena().barrier();
    }
    return store();
  }

  Stmt loop(size_t indent) {
    VarDecl decl = var_decl(kIndexType, -1, true);
    if (!in_.expect("in")) return nullptr;
    if (in_.integer("0") != 0) return in_.fail("a loop begins at 0");
    if (!in_.expect("..")) return nullptr;
    const int64_t extent = in_.integer("the extent of the loop");
    Place place = Place::kSerial;
    if (!in_.at_end()) {
      const std::string word = in_.name("the place of the loop");
      if (!in_.failed() && !parse_place(word, &place))
        return in_.fail(cat("found '", word, "', expected the place of the loop"));
    }
    end_line();
    const auto mark = scope_mark();
    if (decl.bound < 0) decl.bound = extent;
    Var var = declare(decl);
    Stmt body = this->body(indent);
    release(mark);
    return in_.failed() ? nullptr : arena().loop(var, extent, place, body);
  }

  Stmt condition(size_t indent) {
    Expr value = in_.expr();
    if (!in_.failed() && value->type != kBoolType)
      in_.fail(cat("the condition has type ", type_name(value->type), ", expected bool"));
    end_line();
    Stmt then = body(indent);
    Stmt otherwise = nullptr;
    if (!in_.failed() && at_ < lines_.size() && line().indent == indent && line().tokens[0].text == "else") {
      begin_line();
      in_.accept("else");
      end_line();
      otherwise = body(indent);
    }
    return in_.failed() ? nullptr : arena().if_then(value, then, otherwise);
  }

  Stmt let() {
    VarDecl decl = var_decl(Type{DType::kBool, 0}, 0, true);
    if (!in_.expect("=")) return nullptr;
    Expr value = in_.expr();
    end_line();
    if (in_.failed()) return nullptr;
    if (decl.type.lanes == 0) decl.type = value->type;
    if (decl.type != value->type)
      return in_.fail(cat("the value has type ", type_name(value->type), ", the variable ", type_name(decl.type)));
    return arena().let(declare(decl), value);
  }

  Access target() {
    const std::string name = in_.name("a statement");
    Buffer buffer = scope_.find_buffer(name);
    if (!buffer) in_.fail(cat("the buffer '", name, "' is not declared here"));
    return in_.failed() ? Access{} : in_.access(buffer);
  }

  Stmt store() {
    Access to = target();
    if (!in_.expect("=")) return nullptr;
    Expr value = in_.expr();
    if (!in_.failed() && value->type.dtype != to.buffer->dtype)
      in_.fail(cat("the value has type ", type_name(value->type), ", the buffer ", dtype_name(to.buffer->dtype)));
    if (!in_.failed() && (to.other || to.any_value)) in_.fail("a store has neither 'else' nor 'any'");
    end_line();
    return in_.failed() ? nullptr : arena().store(to.buffer, to.indices, value, to.mask);
  }

  std::vector<Line> lines_;
  size_t at_ = 0;
  int number_ = 1;
  int depth_ = 0;
  Kernel kernel_;
  NameScope scope_;
  ExprParser in_{*kernel_arena(), scope_};

  Arena* kernel_arena() {
    kernel_.arena = std::make_shared<Arena>();
    return kernel_.arena.get();
  }
};

}  // namespace

Result<Kernel> parse_kernel(std::string_view text) {
  HONE_ASSIGN(lines, split_lines(text));
  return KernelParser(std::move(lines)).run();
}

Result<Expr> parse_expr(std::string_view text, Arena& arena, const TextScope& scope) {
  HONE_ASSIGN(tokens, lex_line(text));
  NameScope names;
  for (const auto& [name, var] : scope.vars) names.vars.emplace_back(name, var);
  for (const auto& [name, buffer] : scope.buffers) names.buffers.emplace_back(name, buffer);
  ExprParser parser(arena, names);
  parser.begin(std::move(tokens));
  Expr e = parser.expr();
  if (!parser.failed() && !parser.at_end()) parser.fail(cat("found '", parser.peek().text, "', expected the end"));
  if (parser.failed()) return Error{ErrorCode::kParseError, parser.error()};
  return e;
}

}  // namespace hone::ir
