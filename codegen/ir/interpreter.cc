#include "codegen/ir/interpreter.h"

#include <algorithm>
#include <cstring>

#include "base/cat.h"
#include "codegen/ir/interpreter_eval.h"
#include "codegen/ir/interpreter_memory.h"
#include "codegen/ir/printer.h"

namespace hone::ir {
namespace {

using Mask = std::vector<uint8_t>;

// Counts that go on from launch to launch.
struct Progress {
  int64_t interval = 0, group = 0, steps = 0;
};

class LaunchRun {
 public:
  LaunchRun(const Program& program, std::vector<Memory*> memories, Progress& progress, const InterpretOptions& options)
      : program_(program), memories_(std::move(memories)), progress_(progress), options_(options) {
    threads_ = program.threads[0] * program.threads[1] * program.threads[2];
    cells_.threads = threads_;
    cells_.cells.resize(static_cast<size_t>(program.slots) * static_cast<size_t>(threads_));
    for (const Constant& constant : program.constants) fill(constant.slot, [&](int64_t) { return constant.cell; });
    all_.assign(static_cast<size_t>(threads_), 1);
    who_.first_group = progress.group + 1;
  }

  Status run() {
    for (size_t i = 0; i < 3; ++i)
      if (program_.thread_slots[i].lanes)
        fill(program_.thread_slots[i], [&](int64_t t) { return whole(thread_id(t, i)); });
    if (program_.linear_slot.lanes) fill(program_.linear_slot, [&](int64_t t) { return whole(t); });
    for (block_[2] = 0; block_[2] < program_.grid[2]; ++block_[2])
      for (block_[1] = 0; block_[1] < program_.grid[1]; ++block_[1])
        for (block_[0] = 0; block_[0] < program_.grid[0]; ++block_[0])
          if (!workgroup()) return Error{code_, error_};
    return ok_status();
  }

 private:
  static Cell whole(int64_t value) {
    Cell cell;
    cell.whole = value;
    return cell;
  }

  template <class Function>
  void fill(Slot slot, const Function& function) {
    Cell* cell = cells_.at(slot);
    for (int64_t t = 0; t < threads_; ++t) cell[t] = function(t);
  }

  int64_t thread_id(int64_t t, size_t dim) const {
    const Dims& n = program_.threads;
    return dim == 0 ? t % n[0] : dim == 1 ? t / n[0] % n[1] : t / (n[0] * n[1]);
  }

  bool workgroup() {
    who_.group = ++progress_.group;
    who_.interval = ++progress_.interval;
    for (size_t i = 0; i < 3; ++i)
      if (program_.block_slots[i].lanes) fill(program_.block_slots[i], [&](int64_t) { return whole(block_[i]); });
    return run(program_.body, all_);
  }

  bool fail(const Op& op, int64_t thread, const std::string& reason, ErrorCode code = ErrorCode::kInternal) {
    if (!error_.empty()) return false;
    code_ = code;
    error_ = cat("block (", block_[0], ", ", block_[1], ", ", block_[2], ") thread ", thread, " ", reason,
                 ", at: ", headline(op.source));
    return false;
  }

  bool run(const std::vector<Op>& ops, const Mask& active) {
    for (const Op& op : ops)
      if (!run(op, active)) return false;
    return true;
  }

  bool run(const Op& op, const Mask& active) {
    ++progress_.steps;
    if (options_.steps_max && progress_.steps > options_.steps_max)
      return fail(op, 0, cat("exceeds the limit of ", options_.steps_max, " statements"), ErrorCode::kLimitExceeded);
    for (const Instr& instr : op.code) {
      if (instr.kind == ExprKind::kCall &&
          (instr.intrinsic == Intrinsic::kLaneXor || instr.intrinsic == Intrinsic::kLaneRead)) {
        if (!exchange(op, instr, active)) return false;
        continue;
      }
      if (instr.kind == ExprKind::kLoad ? !load(op, instr, active) : !evaluate(instr, cells_, active))
        return fail(op, 0, "computes an index beyond 32 bits");
    }
    switch (op.kind) {
      case StmtKind::kBlock:
        return true;
      case StmtKind::kFor:
        return loop(op, active);
      case StmtKind::kIf:
        return condition(op, active);
      case StmtKind::kLet:
        std::memcpy(cells_.at(op.var), cells_.at(op.value),
                    sizeof(Cell) * static_cast<size_t>(threads_ * op.var.lanes));
        return true;
      case StmtKind::kAlloc:
        memories_[static_cast<size_t>(op.buffer)]->forget();
        return true;
      case StmtKind::kStore:
        return store(op, active);
      case StmtKind::kBarrier:
        return barrier(op, active);
    }
    return true;
  }

  bool loop(const Op& op, const Mask& active) {
    if (is_block(op.place)) {
      const size_t dim = static_cast<size_t>(place_dimension(op.place));
      if (block_[dim] >= op.extent) return true;
      fill(op.var, [&](int64_t) { return whole(block_[dim]); });
      return run(op.body, active);
    }
    if (is_thread(op.place)) return thread_loop(op, active);
    for (int64_t i = 0; i < op.extent; ++i) {
      fill(op.var, [&](int64_t) { return whole(i); });
      if (!run(op.body, active)) return false;
    }
    return true;
  }

  bool thread_loop(const Op& op, const Mask& active) {
    Mask inside = active;
    bool any = false;
    Cell* ids = cells_.at(op.var);
    for (int64_t t = 0; t < threads_; ++t) {
      const int64_t id = op.place == Place::kThread ? t : thread_id(t, static_cast<size_t>(place_dimension(op.place)));
      inside[static_cast<size_t>(t)] &= id < op.extent;
      ids[t].whole = id < op.extent ? id : 0;  // threads beyond compute, but must not overflow
      any |= inside[static_cast<size_t>(t)];
    }
    return !any || run(op.body, inside);
  }

  bool condition(const Op& op, const Mask& active) {
    Mask then = active, otherwise = active;
    bool any_then = false, any_otherwise = false;
    const Cell* value = cells_.at(op.value);
    for (size_t t = 0; t < active.size(); ++t) {
      then[t] &= value[t].whole != 0;
      otherwise[t] &= value[t].whole == 0;
      any_then |= then[t];
      any_otherwise |= otherwise[t];
    }
    return (!any_then || run(op.body, then)) && (!any_otherwise || run(op.otherwise, otherwise));
  }

  int64_t partner_of(const Instr& instr, int64_t thread) {
    if (instr.intrinsic == Intrinsic::kLaneXor) return thread ^ instr.lane;
    const int64_t lane = cells_.at(instr.args[1])[thread].whole;
    return lane < 0 || lane >= instr.lane ? -1 : thread / instr.lane * instr.lane + lane;
  }

  // Each thread takes its partner's value; a partner that does not come here has none.
  bool exchange(const Op& op, const Instr& instr, const Mask& active) {
    const Cell* from = cells_.at(instr.args[0]);
    Cell* to = cells_.at(instr.to);
    const int lanes = instr.to.lanes;
    for (int64_t t = 0; t < threads_; ++t) {
      if (!active[static_cast<size_t>(t)]) continue;
      const int64_t partner = partner_of(instr, t);
      if (partner < 0 || partner >= threads_ || !active[static_cast<size_t>(partner)])
        return fail(op, t, cat("takes a value of thread ", partner, ", which does not come here"));
      for (int l = 0; l < lanes; ++l) to[t * lanes + l] = from[partner * lanes + l];
    }
    return true;
  }

  bool barrier(const Op& op, const Mask& active) {
    for (size_t t = 0; t < active.size(); ++t)
      if (!active[t]) return fail(op, static_cast<int64_t>(t), "does not reach a barrier that others reach");
    who_.interval = ++progress_.interval;
    return true;
  }

  // Calls visit(thread, value lane, scalar position, in bounds) for the unmasked scalars of an access, until it gives false.
  template <class Visit, class Skipped>
  bool for_each_scalar(const AccessPlan& plan, const Mask& active, const Visit& visit, const Skipped& skipped) {
    const Memory& memory = *memories_[static_cast<size_t>(plan.buffer)];
    const BufferNode& buffer = *memory.buffer();
    const int width = buffer.lanes;
    index_.resize(plan.indices.size());
    for (int64_t t = 0; t < threads_; ++t) {
      if (!active[static_cast<size_t>(t)]) continue;
      for (int i = 0; i < plan.index_lanes; ++i) {
        bool inside = true;
        for (size_t d = 0; d < plan.indices.size(); ++d) {
          const Slot slot = plan.indices[d];
          index_[d] = cells_.at(slot)[t * slot.lanes + (slot.lanes == 1 ? 0 : i)].whole;
          inside &= index_[d] >= 0 && index_[d] < buffer.shape[d];
        }
        if (options_.nearest_any && plan.any_value && !inside) inside = move_inside(buffer.shape);
        const int64_t element = inside ? physical_offset(buffer.shape, buffer.layout, index_) * width : 0;
        const int64_t base = element + (memory.is_private() ? t * memory.count() : 0);
        for (int w = 0; w < width; ++w) {
          const int lane = i * width + w;
          const int mask_lane = plan.mask.lanes == plan.lanes ? lane : plan.mask.lanes > 1 ? i : 0;
          if (plan.mask.lanes && !cells_.at(plan.mask)[t * plan.mask.lanes + mask_lane].whole) skipped(t, lane);
          else if (!visit(t, lane, base + w, inside)) return false;
        }
      }
    }
    return true;
  }

  // False where the buffer has no element.
  bool move_inside(const Shape& shape) {
    bool inside = true;
    for (size_t d = 0; d < index_.size(); ++d) {
      index_[d] = std::clamp<int64_t>(index_[d], 0, std::max<int64_t>(0, shape[d] - 1));
      inside &= shape[d] > 0;
    }
    return inside;
  }

  std::string position() const {
    std::string text = "[";
    for (size_t d = 0; d < index_.size(); ++d) text += cat(d ? ", " : "", index_[d]);
    return text + "]";
  }

  bool load(const Op& op, const Instr& instr, const Mask& active) {
    const AccessPlan& plan = program_.accesses[static_cast<size_t>(instr.access)];
    Memory& memory = *memories_[static_cast<size_t>(plan.buffer)];
    Cell* out = cells_.at(instr.to);
    const int lanes = instr.to.lanes;
    const Cell zero = cast_cell(instr.dtype, DType::kI32, whole(0));
    auto visit = [&](int64_t t, int lane, int64_t at, bool inside) {
      Cell& cell = out[t * lanes + lane];
      std::string reason;
      who_.thread = t;
      if (!inside) {
        cell = poison_cell(instr.dtype);
        return plan.any_value || fail(op, t, cat("loads ", memory.buffer()->name, position(), " out of bounds"));
      }
      return memory.read(at, who_, plan.any_value, &cell, &reason) || fail(op, t, reason);
    };
    auto skipped = [&](int64_t t, int lane) {
      out[t * lanes + lane] =
          plan.other.lanes ? cells_.at(plan.other)[t * plan.other.lanes + (plan.other.lanes == 1 ? 0 : lane)] : zero;
    };
    return for_each_scalar(plan, active, visit, skipped);
  }

  bool store(const Op& op, const Mask& active) {
    const AccessPlan& plan = program_.accesses[static_cast<size_t>(op.access)];
    Memory& memory = *memories_[static_cast<size_t>(plan.buffer)];
    if (memory.read_only()) return fail(op, 0, cat("stores to the input ", memory.buffer()->name));
    const Cell* value = cells_.at(op.value);
    auto visit = [&](int64_t t, int lane, int64_t at, bool inside) {
      std::string reason;
      who_.thread = t;
      if (!inside) return fail(op, t, cat("stores ", memory.buffer()->name, position(), " out of bounds"));
      return memory.write(at, who_, value[t * op.value.lanes + lane], &reason) || fail(op, t, reason);
    };
    return for_each_scalar(plan, active, visit, [](int64_t, int) {});
  }

  const Program& program_;
  std::vector<Memory*> memories_;
  Progress& progress_;
  const InterpretOptions& options_;
  int64_t threads_ = 1;
  Cells cells_;
  Mask all_;
  Accessor who_;
  Dims block_{0, 0, 0};
  std::vector<int64_t> index_;
  ErrorCode code_ = ErrorCode::kInternal;
  std::string error_;
};

Status check_arg(const Kernel& kernel, size_t i, const TensorValue& value) {
  const BufferNode& buffer = *kernel.args[i];
  const int64_t room = element_count(buffer.shape) * buffer.lanes;
  const bool texture = buffer.shape.size() == 3 && value.shape != buffer.shape;
  const bool flat = buffer.layout.row_major() && (texture || buffer.shape.size() == 1);
  const int64_t count = element_count(value.shape);
  if (value.dtype == buffer.dtype && static_cast<int64_t>(value.size()) == count &&
      (flat ? count <= room : value.shape == buffer.shape))
    return ok_status();
  return Error{
      ErrorCode::kInvalidArgument,
      cat("argument ", i, " has ", count, " elements of ", dtype_name(value.dtype), ", the buffer ", buffer.name,
          " holds ", room, " of ", dtype_name(buffer.dtype), flat ? "" : " and its shape must agree")};
}

bool is_flat_array(const BufferNode& buffer) { return buffer.layout.row_major(); }

Memory load_arg(Buffer buffer, const TensorValue& value, bool is_input, const InterpretOptions& options) {
  Memory memory(buffer, 1, options.check_races, is_input);
  if (!is_input) return memory;
  if (buffer->layout.pad == Pad::kZero) {
    Cell zero;
    zero.whole = 0;  // the bits of 0.0 too
    memory.fill(zero, true);
  } else {
    memory.fill(poison_cell(buffer->dtype), true);
  }
  const TensorValue physical = is_flat_array(*buffer) ? value : to_physical(value, buffer->layout);
  for (size_t i = 0; i < physical.size(); ++i) {
    Cell cell;
    if (is_float(value.dtype)) cell.real = physical.real[i];
    else cell.whole = physical.whole[i];
    memory.set(static_cast<int64_t>(i), cell);
  }
  return memory;
}

void store_arg(const Memory& memory, TensorValue& value) {
  const BufferNode& buffer = *memory.buffer();
  TensorValue physical =
      make_tensor(buffer.dtype, is_flat_array(buffer) ? value.shape : physical_shape(buffer.shape, buffer.layout));
  for (size_t i = 0; i < physical.size(); ++i) {
    const Cell cell = memory.get(static_cast<int64_t>(i));
    if (is_float(buffer.dtype)) physical.real[i] = cell.real;
    else physical.whole[i] = cell.whole;
  }
  value = is_flat_array(buffer) ? std::move(physical) : from_physical(physical, buffer.shape, buffer.layout);
}

Status run_launch(const Kernel& kernel, const Launch& launch, std::vector<Memory>& globals, Progress& progress,
                  const InterpretOptions& options) {
  HONE_ASSIGN(program, make_program(kernel, launch));
  const int64_t threads = program.threads[0] * program.threads[1] * program.threads[2];
  std::vector<Memory> locals;
  for (size_t i = globals.size(); i < program.buffers.size(); ++i) {
    const Buffer buffer = program.buffers[i];
    locals.emplace_back(buffer, buffer->scope == Scope::kRegister ? threads : 1, options.check_races, false);
  }
  std::vector<Memory*> memories;
  for (Memory& memory : globals) memories.push_back(&memory);
  for (Memory& memory : locals) memories.push_back(&memory);
  return LaunchRun(program, std::move(memories), progress, options).run();
}

}  // namespace

Status interpret(const Kernel& kernel, std::vector<TensorValue>& args, const InterpretOptions& options) {
  if (args.size() != kernel.args.size())
    return Error{ErrorCode::kInvalidArgument,
                 cat("found ", args.size(), " arguments, the kernel has ", kernel.args.size())};
  std::vector<Memory> globals;
  for (size_t i = 0; i < args.size(); ++i) {
    HONE_TRY(check_arg(kernel, i, args[i]));
    globals.push_back(load_arg(kernel.args[i], args[i], static_cast<int>(i) < kernel.input_count, options));
  }
  for (Buffer temp : kernel.temps) globals.emplace_back(temp, 1, options.check_races, false);
  Progress progress;
  for (const Launch& launch : kernel.launches) HONE_TRY(run_launch(kernel, launch, globals, progress, options));
  for (size_t i = static_cast<size_t>(kernel.input_count); i < args.size(); ++i) store_arg(globals[i], args[i]);
  return ok_status();
}

}  // namespace hone::ir
