#include "codegen/schedule/variant.h"

#include <array>
#include <cmath>

#include "base/cat.h"
#include "codegen/schedule/illegal.h"
#include "codegen/schedule/winograd.h"

namespace hone::schedule {

namespace {

struct Variant {
  const char* name;
  int64_t outputs;
  double error, error_per_sqrt_term;
};
constexpr std::array<Variant, 2> kVariants{{{"winograd2", 2, 4e-7, 5e-8}, {"winograd4", 4, 5e-6, 2e-7}}};

const Variant* find_variant(const std::string& name) {
  for (const Variant& v : kVariants)
    if (v.name == name) return &v;
  return nullptr;
}

std::string list_of_names() {
  std::string list;
  for (const Variant& v : kVariants) list += cat(list.empty() ? "" : ", ", v.name);
  return list;
}

}  // namespace

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const Variant& v : kVariants) names.push_back(v.name);
  return names;
}

double variant_error(const std::string& name, int64_t terms) {
  const Variant* v = find_variant(name);
  CHECK(v, cat("no variant is called '", name, "'"));
  return v->error + v->error_per_sqrt_term * std::sqrt(static_cast<double>(terms));
}

Result<te::Task> variant_of(const te::Task& task, const std::string& stage, const std::string& name,
                            const target::Target& target, std::shared_ptr<ir::Arena> arena) {
  const Variant* v = find_variant(name);
  if (!v) return illegal(cat("no variant is called '", name, "'; there are ", list_of_names()));
  if (target::on_textures(target.kind))
    return illegal(cat("target ", target::kind_name(target.kind), " has no room for the tiles of '", name,
                       "' in one fragment; it needs buffers"));
  const double error = variant_error(name, task.accuracy.reduction_length), owed = task.accuracy.tolerance();
  if (error > owed)
    return illegal(cat("'", name, "' may be off by ", error, ", and the task owes an error of at most ", owed));
  HONE_ASSIGN(program, winograd_program(task, stage, v->outputs, std::move(arena)));
  te::Task out = task;
  out.program = std::move(program);
  te::finish_task(out);
  out.accuracy = task.accuracy;
  out.id = task.id;
  return out;
}

}  // namespace hone::schedule
