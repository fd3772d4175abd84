#include "codegen/te/task_bytes.h"

#include <unordered_map>
#include <utility>

#include "base/byte_reader.h"
#include "base/byte_writer.h"
#include "base/cat.h"

namespace hone::te {
namespace {

// Nodes and tensors have numbers, in the order in which they are written; number 0 is none.
class TaskWriter : private ByteWriter {
 public:
  std::string write(const Task& task) && {
    const Program& program = task.program;
    text(task.name);
    tensors(program);
    nodes(program);
    list(program.computes, [this](const Compute& c) { compute(c); });
    list(program.inputs, [this](Tensor t) { tensor_number(t); });
    list(program.outputs, [this](Tensor t) { tensor_number(t); });
    list(task.args, [this](const Arg& arg) { kind(arg.role), layout(arg.layout), flag(arg.free); });
    number(task.accuracy.base);
    number(task.accuracy.per_sqrt_k);
    return std::move(*this).take();
  }

 private:
  void tensors(const Program& program) {
    std::vector<Tensor> all = program.inputs;
    for (const Compute& c : program.computes) all.insert(all.end(), c.outputs.begin(), c.outputs.end());
    for (Tensor t : all) tensors_.try_emplace(t, static_cast<uint32_t>(tensors_.size()) + 1);
    list(all, [this](Tensor t) { text(t->name), kind(t->dtype), numbers(t->shape), kind(t->scope), layout(t->layout), number(int32_t{t->lanes}); });
  }
  void layout(const ir::Layout& layout) {
    list(layout.dims, [this](const ir::PhysicalDim& dim) { number(int32_t{dim.axis}), number(dim.div), number(dim.size); });
    kind(layout.pad);
    kind(layout.medium);
    number(int32_t{layout.layers});
  }

  void nodes(const Program& program) {
    std::vector<Expr> order;
    for (const Compute& c : program.computes)
      for (Expr root : roots(c)) reach(root, order);
    list(order, [this](Expr e) { node(e); });
  }
  static std::vector<Expr> roots(const Compute& c) {
    std::vector<Expr> out;
    const auto add = [&](const std::vector<Expr>& more) { out.insert(out.end(), more.begin(), more.end()); };
    const auto add_axes = [&](const std::vector<Axis>& axes) {
      for (const Axis& axis : axes) out.push_back(axis.var);
    };
    add_axes(c.axes);
    if (c.reduce) {
      add_axes(c.reduce->axes);
      for (const auto* part : {&c.reduce->combiner.acc, &c.reduce->combiner.val, &c.reduce->combiner.identity, &c.reduce->combiner.combine}) add(*part);
    }
    add(c.value);
    add(c.finish);
    return out;
  }
  // Operands before what is made of them; without recursion, as a chain may be long.
  void reach(Expr root, std::vector<Expr>& order) {
    std::vector<std::pair<Expr, bool>> stack{{root, false}};
    while (!stack.empty()) {
      const auto [e, done] = stack.back();
      stack.pop_back();
      if (!e || nodes_.count(e)) continue;
      if (done) {
        order.push_back(e);
        nodes_[e] = static_cast<uint32_t>(order.size());
        continue;
      }
      stack.emplace_back(e, true);
      stack.emplace_back(e->mask, false);
      stack.emplace_back(e->other, false);
      for (Expr operand : e->args) stack.emplace_back(operand, false);
    }
  }
  void node(Expr e) {
    kind(e->kind);
    kind(e->intrinsic);
    flag(e->any_value);
    kind(e->type.dtype);
    number(int32_t{e->type.lanes});
    number(e->ival);
    number(e->parameter);
    number(e->fval);
    list(e->args, [this](Expr operand) { node_number(operand); });
    numbers(e->lanes);
    tensor_number(e->buffer);
    node_number(e->mask);
    node_number(e->other);
    text(e->name);
  }
  void node_number(Expr e) { number(e ? nodes_.at(e) : uint32_t{0}); }
  void tensor_number(Tensor t) { number(t ? tensors_.at(t) : uint32_t{0}); }
  void node_numbers(const std::vector<Expr>& list_of) {
    list(list_of, [this](Expr e) { node_number(e); });
  }

  void compute(const Compute& c) {
    text(c.name);
    list(c.outputs, [this](Tensor t) { tensor_number(t); });
    axes(c.axes);
    node_numbers(c.value);
    flag(c.reduce.has_value());
    if (c.reduce) reduce(*c.reduce);
    node_numbers(c.finish);
  }
  void axes(const std::vector<Axis>& axes) {
    list(axes, [this](const Axis& axis) { text(axis.name), number(axis.extent), node_number(axis.var); });
  }
  void reduce(const Reduce& reduce) {
    axes(reduce.axes);
    for (const auto* part : {&reduce.combiner.acc, &reduce.combiner.val, &reduce.combiner.identity, &reduce.combiner.combine}) node_numbers(*part);
    flag(reduce.combiner.reassociable);
  }

  std::unordered_map<Tensor, uint32_t> tensors_;
  std::unordered_map<Expr, uint32_t> nodes_;
};

class TaskReader : private ByteReader {
 public:
  explicit TaskReader(std::string_view bytes) : ByteReader(bytes) {}

  Result<Task> read() {
    Task task;
    task.program.arena = std::make_shared<ir::Arena>();
    arena_ = task.program.arena.get();
    task.name = text();
    list([&] { tensors_.push_back(tensor()); });
    list([&] { nodes_.push_back(node()); });
    list([&] { task.program.computes.push_back(compute()); });
    task.program.inputs = listed_tensors();
    task.program.outputs = listed_tensors();
    list([&] { task.args.push_back(arg()); });
    task.accuracy.base = number<double>();
    task.accuracy.per_sqrt_k = number<double>();
    expect(at_end(), "more than a task");
    expect(task.args.size() == task.program.inputs.size() + task.program.outputs.size(), "not each argument is described");
    if (wrong()) return Error{ErrorCode::kParseError, cat("the bytes of a task are malformed: ", wrong())};
    HONE_TRY(verify_te(task.program));
    finish_task(task);
    return task;
  }

 private:
  Tensor tensor() {
    std::string name = text();
    const ir::DType dtype = kind(ir::DType::kU2);
    ir::Shape shape = numbers<int64_t>();
    const ir::Scope scope = kind(ir::Scope::kRegister);
    ir::Layout layout = this->layout();
    return arena_->buffer(std::move(name), dtype, std::move(shape), scope, std::move(layout), number<int32_t>());
  }
  ir::Layout layout() {
    ir::Layout out;
    list([&] {
      const int axis = number<int32_t>();
      const auto div = number<int64_t>(), size = number<int64_t>();
      out.dims.push_back({axis, div, size});
    });
    out.pad = kind(ir::Pad::kZero);
    out.medium = kind(ir::Medium::kTexture2D);
    out.layers = number<int32_t>();
    return out;
  }
  Arg arg() {
    Arg out;
    out.role = kind(Role::kOutput);
    out.layout = layout();
    out.free = flag();
    return out;
  }

  Expr node() {
    ir::ExprNode said;
    said.kind = kind(ir::ExprKind::kCall);
    said.intrinsic = kind(ir::Intrinsic::kLaneRead);
    said.any_value = flag();
    said.type.dtype = kind(ir::DType::kU2);
    said.type.lanes = number<int32_t>();
    said.ival = number<int64_t>();
    said.parameter = number<int64_t>();
    said.fval = number<double>();
    std::vector<Expr> args = listed_nodes();
    said.lanes = numbers<int>();
    said.buffer = tensor_at(true);
    said.mask = node_at(true);
    said.other = node_at(true);
    said.name = text();
    return wrong() ? nullptr : made(said, std::move(args));
  }
  Expr made(const ir::ExprNode& said, std::vector<Expr> args) {
    if (said.kind == ir::ExprKind::kVar) return arena_->var(said.name, said.type, said.parameter);
    if (said.kind != ir::ExprKind::kConst) return arena_->with_args(&said, std::move(args), said.mask, said.other);
    return ir::is_float(said.type.dtype) ? arena_->constant(said.type, said.fval) : arena_->integer(said.type.dtype, said.ival);
  }

  Compute compute() {
    Compute c;
    c.name = text();
    c.outputs = listed_tensors();
    c.axes = axes();
    c.value = listed_nodes();
    if (flag()) c.reduce = reduce();
    c.finish = listed_nodes();
    return c;
  }
  std::vector<Axis> axes() {
    std::vector<Axis> out;
    list([&] {
      std::string name = text();
      const auto extent = number<int64_t>();
      out.push_back({std::move(name), extent, node_at(false)});
    });
    return out;
  }
  Reduce reduce() {
    Reduce out;
    out.axes = axes();
    for (auto* part : {&out.combiner.acc, &out.combiner.val, &out.combiner.identity, &out.combiner.combine}) *part = listed_nodes();
    out.combiner.reassociable = flag();
    return out;
  }

  template <class T>
  T numbered(const std::vector<T>& known, bool optional) {
    const auto at = number<uint32_t>();
    expect(at > 0 || optional, "a node or tensor is none");
    expect(at <= known.size(), "a node or tensor comes before what it is made of");
    return wrong() || at == 0 ? nullptr : known[at - 1];
  }
  Expr node_at(bool optional) { return numbered(nodes_, optional); }
  Tensor tensor_at(bool optional) { return numbered(tensors_, optional); }
  std::vector<Expr> listed_nodes() {
    std::vector<Expr> out;
    list([&] { out.push_back(node_at(false)); });
    return out;
  }
  std::vector<Tensor> listed_tensors() {
    std::vector<Tensor> out;
    list([&] { out.push_back(tensor_at(false)); });
    return out;
  }

  ir::Arena* arena_ = nullptr;
  std::vector<Tensor> tensors_;
  std::vector<Expr> nodes_;
};

}  // namespace

std::string task_to_bytes(const Task& task) { return TaskWriter().write(task); }

Result<Task> task_from_bytes(std::string_view bytes) { return TaskReader(bytes).read(); }

}  // namespace hone::te
