#include "codegen/schedule/variant.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/illegal.h"

namespace hone::schedule {

namespace {

Result<const te::Alternative*> find_alternative(const te::Task& task, const std::string& stage, const std::string& name) {
  std::string offered;
  for (const te::Alternative& a : task.alternatives) {
    if (a.name == name && a.stage == stage) return &a;
    offered += cat(offered.empty() ? "" : ", ", "'", a.name, "' of '", a.stage, "'");
  }
  return illegal(cat("the task has no program '", name, "' of '", stage, "'; it has ", offered.empty() ? "none but its own" : offered));
}

Status check_fits(const te::Alternative& a, const te::Task& task, const target::Target& target) {
  if (target::on_textures(target.kind))
    return illegal(cat("target ", target::kind_name(target.kind), " has no room for the tiles of '", a.name, "' in one fragment; it needs buffers"));
  const double owed = task.accuracy.tolerance();
  if (a.error > owed)
    return illegal(cat("'", a.name, "' may be off by ", a.error, ", and the task owes an error of at most ", owed));
  return ok_status();
}

}  // namespace

Result<te::Task> variant_of(const te::Task& task, const std::string& stage, const std::string& name, const target::Target& target) {
  HONE_ASSIGN(alternative, find_alternative(task, stage, name));
  HONE_TRY(check_fits(*alternative, task, target));
  te::Task out = task;
  out.program = alternative->program;
  out.alternatives.clear();
  te::finish_task(out);
  out.accuracy = task.accuracy;
  out.id = task.id;
  return out;
}

}  // namespace hone::schedule
