#include "codegen/emit/llvm/reference_jit.h"

#include <thread>

#include "base/cat.h"
#include "codegen/emit/llvm/host_jit.h"
#include "codegen/emit/llvm/launch_emitter.h"
#include "codegen/emit/llvm/optimize.h"
#include "codegen/ir/mutator.h"
#include "codegen/ir/printer.h"

namespace hone::emit {
namespace {

using ir::DType;
using ir::Expr;
using ir::ExprKind;
using ir::Place;
using ir::Stmt;
using ir::StmtKind;

// Statements that a launch executes, roughly: what decides whether threads are worth while.
double work_of(Stmt s) {
  if (!s) return 0;
  double inside = 1;
  for (Stmt child : s->body) inside += work_of(child);
  return s->kind == StmtKind::kFor ? inside * static_cast<double>(s->extent) : inside;
}

// What the emitter cannot express, or "".
std::string unsupported_in(Expr e) {
  std::string found;
  ir::for_each_node(e, [&](Expr node) {
    if (node->type.lanes != 1) found = cat("a vector: ", ir::print(node));
    if (node->kind == ExprKind::kLoad && (node->args.size() != 1 || node->buffer->lanes != 1)) found = cat("the access ", ir::print(node));
  });
  return found;
}

std::string unsupported_in(Stmt body) {
  std::string found;
  ir::for_each_stmt(body, [&](Stmt s) {
    if (s->kind == StmtKind::kBarrier) found = "a barrier";
    if (s->kind == StmtKind::kFor && s->place != ir::Place::kCore && (ir::is_block(s->place) || ir::is_thread(s->place)))
      found = cat("a loop at place ", ir::place_name(s->place));
    if (s->kind == StmtKind::kStore && (s->indices.size() != 1 || s->buffer->lanes != 1)) found = cat("a store to ", s->buffer->name);
    for (Expr e : s->indices)
      if (found.empty()) found = unsupported_in(e);
    for (Expr e : {s->value, s->mask})
      if (e && found.empty()) found = unsupported_in(e);
  });
  return found;
}

std::string unsupported_in(const ir::Launch& launch) {
  const ir::Dims one{1, 1, 1};
  const auto none = [](const std::array<ir::Var, 3>& vars) { return !vars[0] && !vars[1] && !vars[2]; };
  return launch.grid != one || launch.threads != one || !none(launch.block_vars) || !none(launch.thread_vars) || launch.thread_linear ? "a grid" : unsupported_in(launch.body);
}

}  // namespace

struct ReferenceJit::State {
  struct LaunchEntry {
    HostJit::Entry entry = nullptr;
    int64_t extent = 1;    // of the loop that threads may share
    double work = 0;
  };
  std::unique_ptr<HostJit> jit;
  std::vector<LaunchEntry> launches;
  size_t arg_count = 0;
  std::vector<size_t> temp_bytes;
};

namespace {

struct Range {
  int64_t begin, end;
};

// The range of the launch's outer loop in slices, between which a cancel is heard.
template <class LaunchEntry>
void run_slices(const LaunchEntry& launch, const std::vector<void*>& pointers, Range range, const CancelToken* cancel) {
  constexpr double kWorkPerSlice = 2e8;  // some tenths of a second
  const double work_each = launch.work / static_cast<double>(std::max<int64_t>(launch.extent, 1));
  const int64_t step = std::max<int64_t>(1, static_cast<int64_t>(kWorkPerSlice / std::max(work_each, 1.0)));
  for (int64_t at = range.begin; at < range.end && !is_cancelled(cancel); at += step)
    launch.entry(pointers.data(), at, std::min(at + step, range.end));
}

}  // namespace

ReferenceJit::ReferenceJit(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReferenceJit::~ReferenceJit() = default;

Result<std::unique_ptr<ReferenceJit>> ReferenceJit::create(const ir::Kernel& kernel) {
  for (const ir::Launch& launch : kernel.launches)
    if (std::string found = unsupported_in(launch); !found.empty()) return Error{ErrorCode::kUnsupported, cat("the reference runs serial scalar kernels; found ", found)};

  HONE_ASSIGN(jit, HostJit::create());
  auto state = std::make_unique<State>();
  std::vector<ir::Buffer> buffers = kernel.args;
  buffers.insert(buffers.end(), kernel.temps.begin(), kernel.temps.end());
  const LaunchConfig config{.functions = LaunchConfig::Functions::kDouble};
  for (const ir::Launch& launch : kernel.launches) {
    emit_launch(jit->module(), kernel, launch, buffers, launch_function(state->launches.size()), config);
    state->launches.push_back({nullptr, shared_iterations(launch), work_of(launch.body)});
  }
  HONE_ASSIGN(entries, jit->compile(state->launches.size(), optimize_reference, kernel));
  for (size_t i = 0; i < entries.size(); ++i) state->launches[i].entry = entries[i];
  state->jit = std::move(jit);
  state->arg_count = kernel.args.size();
  for (ir::Buffer temp : kernel.temps) state->temp_bytes.push_back(static_cast<size_t>(ir::element_count(temp->shape) * ir::size_bytes(temp->dtype)));
  return std::unique_ptr<ReferenceJit>(new ReferenceJit(std::move(state)));
}

Status ReferenceJit::run(std::span<void* const> args, RunOptions options) const {
  constexpr double kWorkPerThread = 200'000;  // some 0.2 ms: well above the price of a thread
  if (args.size() != state_->arg_count) return Error{ErrorCode::kInvalidArgument, cat("found ", args.size(), " arguments, the kernel has ", state_->arg_count)};
  std::vector<void*> pointers(args.begin(), args.end());
  std::vector<std::unique_ptr<char[]>> temps;
  for (size_t bytes : state_->temp_bytes) {
    temps.emplace_back(new (std::nothrow) char[bytes + 1]);
    if (!temps.back()) return Error{ErrorCode::kOutOfMemory, cat("no memory for ", bytes, " bytes of an intermediate tensor")};
    pointers.push_back(temps.back().get());
  }
  for (const State::LaunchEntry& launch : state_->launches) {
    const int64_t affordable = std::min<int64_t>(launch.extent, static_cast<int64_t>(launch.work / kWorkPerThread) + 1);
    const int64_t parts = std::max<int64_t>(1, std::min<int64_t>(options.threads_max, affordable));
    const auto work = [&](int64_t part) {
      run_slices(launch, pointers, {launch.extent * part / parts, launch.extent * (part + 1) / parts}, options.cancel);
    };
    std::vector<std::thread> others;
    for (int64_t part = 1; part < parts; ++part) others.emplace_back(work, part);
    work(0);
    for (std::thread& other : others) other.join();
    HONE_TRY(check_cancel(options.cancel));
  }
  return ok_status();
}

}  // namespace hone::emit
