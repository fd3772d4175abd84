#include "codegen/lower/launches_ahead.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "codegen/ir/mutator.h"

namespace hone::lower {

using ir::Buffer;

namespace {

struct Touched {
  std::unordered_set<Buffer> read, written;
};

// Of the buffers that several launches may touch.
Touched touched_by(const ir::Launch& launch, const std::unordered_set<Buffer>& global) {
  Touched out;
  const auto read = [&](ir::Expr e) {
    if (e->kind == ir::ExprKind::kLoad && global.count(e->buffer)) out.read.insert(e->buffer);
  };
  ir::for_each_stmt(launch.body, [&](ir::Stmt s) {
    ir::NodeSet seen;
    for (ir::Expr index : s->indices) ir::for_each_node(index, seen, read);
    for (ir::Expr e : {s->value, s->mask}) ir::for_each_node(e, seen, read);
    const bool writes = s->kind == ir::StmtKind::kStore;
    if (writes && global.count(s->buffer)) out.written.insert(s->buffer);
  });
  return out;
}

}  // namespace

std::vector<bool> launches_ahead(const te::Task& task, const ir::Kernel& kernel, const target::Target& target) {
  if (!target::runs_ahead(target.kind)) return std::vector<bool>(kernel.launches.size(), false);
  std::unordered_set<Buffer> global(kernel.args.begin(), kernel.args.end()), known;
  global.insert(kernel.temps.begin(), kernel.temps.end());
  for (size_t i = 0; i < kernel.args.size() && i < task.args.size(); i++)
    if (task.args[i].role == te::Role::kConstant) known.insert(kernel.args[i]);
  std::vector<Touched> touched;
  std::unordered_map<Buffer, int> writers;
  for (const ir::Launch& launch : kernel.launches) {
    touched.push_back(touched_by(launch, global));
    for (Buffer b : touched.back().written) ++writers[b];
  }
  for (Buffer output : kernel.args) ++writers[output];  // whoever reads it wants it each time
  std::vector<bool> ahead;
  for (const Touched& t : touched) {
    const auto own = [&](Buffer b) { return writers[b] == 1; };
    const auto is_known = [&](Buffer b) { return known.count(b) > 0; };
    ahead.push_back(std::all_of(t.written.begin(), t.written.end(), own) &&
                    std::all_of(t.read.begin(), t.read.end(), is_known));
    if (ahead.back()) known.insert(t.written.begin(), t.written.end());
  }
  return ahead;
}

ir::Kernel without_launches_ahead(const te::Task& task, ir::Kernel kernel, const target::Target& target) {
  const std::vector<bool> ahead = launches_ahead(task, kernel, target);
  for (size_t i = ahead.size(); i-- > 0;)
    if (ahead[i]) kernel.launches.erase(kernel.launches.begin() + static_cast<std::ptrdiff_t>(i));
  return kernel;
}

}  // namespace hone::lower
