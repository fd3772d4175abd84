#include "cli/package_maker.h"

#include <filesystem>

#include "base/cat.h"
#include "cli/record_names.h"
#include "cli/source.h"
#include "codegen/graph/spec.h"
#include "codegen/package/c_text.h"
#include "server/jobs/model_inputs.h"

namespace hone::cli {

namespace {

// The kernels do not depend on them.
void make_up_weights(graph::Graph& graph, uint64_t seed) {
  for (graph::Value& value : graph.values)
    if (value.constant && !value.bytes) value.bytes = server::generated_tensor(value, seed++).bytes;
}

Result<graph::Graph> graph_of(const PackageSource& source, const Dims& dims) {
  if (source.source.model.empty()) {
    HONE_ASSIGN(graph, graph::graph_from_spec(source.source.op));
    make_up_weights(graph, source.common.seed);
    return std::move(graph);
  }
  graph::ImportOptions import;
  import.dims.insert(dims.begin(), dims.end());
  return open_model(source.source.model, std::move(import));
}

Result<graph::Graph> prepared_graph(const PackageSource& source, const Dims& dims) {
  HONE_ASSIGN(graph, graph_of(source, dims));
  HONE_TRY(graph::prepare_graph(graph, {.without = {source.common.without_passes.begin(), source.common.without_passes.end()}}));
  if (graph.name.empty()) graph.name = source.source.model.empty() ? source.source.op : std::filesystem::path(source.source.model).stem().string();
  return std::move(graph);
}

Result<PlansWanted> wanted_of(const PackageSource& source, RecordSource* records) {
  PlansWanted wanted{.seed = source.common.seed, .tolerance = source.tolerance, .native_name = package::native_name(source.name)};
  for (const std::string& target : source.targets) wanted.kinds.push_back(*target::parse_kind(target));
  for (const std::string& device : source.devices) {
    HONE_ASSIGN(key, device_named(device, records->store()));
    wanted.devices.push_back(key);
  }
  return wanted;
}

std::string manifest_name(size_t part) { return part == 0 ? "manifest.json" : cat("manifest-", part, ".json"); }

std::map<std::string, double> numbers_of(const Dims& dims) { return {dims.begin(), dims.end()}; }

std::vector<protocol::SizedManifest> manifests_of(const std::vector<Dims>& sizes) {
  std::vector<protocol::SizedManifest> out;
  for (size_t part = 0; part < sizes.size() && sizes.size() > 1; part++)
    out.push_back({numbers_of(sizes[part]), manifest_name(part)});
  return out;
}

}  // namespace

Result<std::unique_ptr<RecordSource>> package_records(const PackageSource& source) {
  const bool none = source.common.tracker.empty() && !source.common.db_given && source.devices.empty() && !std::filesystem::exists(source.common.db);
  if (none) return std::unique_ptr<RecordSource>();
  HONE_ASSIGN(records, RecordSource::open(source.common));
  HONE_TRY(records->fetch({}));
  return std::move(records);
}

Result<MadePackage> make_package(const PackageSource& source, RecordSource* records, const std::vector<Dims>& sizes, size_t part) {
  HONE_ASSIGN(graph, prepared_graph(source, sizes[part]));
  HONE_ASSIGN(wanted, wanted_of(source, records));
  HONE_ASSIGN(plans, package_plans(graph, records ? &records->store() : nullptr, wanted));
  HONE_ASSIGN(package, package::package_files(graph, plans.plans,
                                              {.name = source.name,
                                               .made_by = "hone " HONE_VERSION,
                                               .halves = source.weights == "f16",
                                               .dims = numbers_of(sizes[part]),
                                               .sizes = part == 0 ? manifests_of(sizes) : std::vector<protocol::SizedManifest>{},
                                               .manifest_file = manifest_name(part)},
                                              plans.native));
  if (sizes.size() > 1)
    for (PlannedFor& about : plans.about) about.made_for += cat("; ", dims_text(sizes[part]));
  return MadePackage{std::move(plans), std::move(package)};
}

}  // namespace hone::cli
