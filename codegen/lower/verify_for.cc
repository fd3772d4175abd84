#include <algorithm>

#include "base/cat.h"
#include "codegen/arith/verify_bounds.h"
#include "codegen/ir/mutator.h"
#include "codegen/ir/verify.h"
#include "codegen/ir/verify_races.h"
#include "codegen/lower/passes.h"

namespace hone::lower {

namespace {

Error limit(std::string message) { return {ErrorCode::kLimitExceeded, std::move(message)}; }

// Numbers of 8 bits are kept four to a word, or in a word each.
int64_t bytes_of(ir::Buffer b) {
  const bool packed = ir::size_bytes(b->dtype) == 1 && b->lanes == 4;
  const int bytes = b->dtype == ir::DType::kF16 ? 2 : packed ? 1 : std::max(4, ir::size_bytes(b->dtype));
  return ir::element_count(b->shape) * b->lanes * bytes;
}

Status verify_launch(const ir::Launch& launch, const target::Limits& limits) {
  int64_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
  if (threads > limits.invocations_max)
    return limit(
        cat("a workgroup of ", threads, " threads exceeds the device's ", limits.invocations_max, "; bind fewer"));
  const int64_t sizes[] = {limits.workgroup_size_x_max, limits.workgroup_size_y_max, limits.workgroup_size_z_max};
  for (int d = 0; d < 3; d++) {
    if (launch.threads[d] > sizes[d])
      return limit(
          cat("workgroup dimension ", d, " of ", launch.threads[d], " threads exceeds the device's ", sizes[d]));
    if (launch.grid[d] > limits.grid_dim_max)
      return limit(cat("grid dimension ", d, " of ", launch.grid[d], " workgroups exceeds the device's ",
                       limits.grid_dim_max, "; give each thread more work"));
  }
  int64_t workgroup_bytes = 0;
  std::unordered_set<ir::Buffer> global;
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    if (s->kind == ir::StmtKind::kAlloc && s->buffer->scope == ir::Scope::kWorkgroup)
      workgroup_bytes += bytes_of(s->buffer);
    auto note = [&](ir::Buffer b) {
      if (b && (b->scope == ir::Scope::kArg || b->scope == ir::Scope::kScratch)) global.insert(b);
    };
    note(s->buffer);
    auto load = [&](ir::Expr e) { note(e->buffer); };
    for (ir::Expr i : s->indices) ir::for_each_node(i, load);
    ir::for_each_node(s->value, load);
  });
  if (workgroup_bytes > limits.workgroup_bytes_max)
    return limit(cat(workgroup_bytes, " bytes of workgroup memory exceed the device's ", limits.workgroup_bytes_max,
                     "; stage smaller tiles"));
  if (static_cast<int64_t>(global.size()) > limits.storage_buffers_max)
    return limit(cat(global.size(), " buffers in one launch exceed the device's ", limits.storage_buffers_max));
  for (ir::Buffer b : global)
    if (bytes_of(b) > limits.binding_bytes_max)
      return limit(cat("buffer ", b->name, " of ", bytes_of(b), " bytes exceeds the device's binding size ",
                       limits.binding_bytes_max));
  return ok_status();
}

// Subgroups of a size that is asked for are full, and lie along x.
Status verify_asked(const ir::Launch& launch, const target::Target& target) {
  const int64_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2], size = launch.subgroup_size;
  const std::vector<int64_t>& sizes = target.subgroup_sizes;
  if (std::find(sizes.begin(), sizes.end(), size) == sizes.end())
    return limit(cat("the device takes no kernel that asks for subgroups of ", size, " threads"));
  if (threads % size != 0)
    return limit(cat("a workgroup of ", threads, " threads has no whole subgroups of ", size, "; bind a multiple"));
  if (threads > target.limits.workgroup_size_x_max)
    return limit(
        cat("a workgroup of ", threads, " threads along x exceeds the device's ", target.limits.workgroup_size_x_max));
  return ok_status();
}

Status verify_lanes(const ir::Launch& launch, const target::Target& target) {
  int64_t difference = 0;
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    ir::for_each_node(s->value, [&](ir::Expr e) {
      if (!ir::is_exchange(e)) return;
      difference = std::max(difference, e->intrinsic == ir::Intrinsic::kLaneXor ? e->id_difference() : e->subgroup_size() - 1);
    });
  });
  if (difference == 0) return ok_status();
  if (launch.subgroup_size > 0) HONE_TRY(verify_asked(launch, target));
  const int64_t subgroup_size = launch.subgroup_size > 0 ? launch.subgroup_size : target.subgroup_size;
  if (difference < subgroup_size) return ok_status();
  return Error{
      ErrorCode::kUnsupported,
      cat("threads ", difference, " apart exchange values; the device's subgroups have ", subgroup_size, " threads")};
}

}  // namespace

Status verify_for(const ir::Kernel& kernel, const target::Target& target) {
  HONE_TRY(ir::verify(kernel, ir::VerifyStage::kLaunched));
  HONE_TRY(arith::verify_bounds(kernel));
  for (const ir::Launch& launch : kernel.launches) {
    HONE_TRY(verify_launch(launch, target.limits));
    HONE_TRY(verify_lanes(launch, target));
  }
  HONE_TRY(ir::verify_races(kernel));
  return ok_status();
}

}  // namespace hone::lower
