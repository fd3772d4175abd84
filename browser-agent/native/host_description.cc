#include "browser-agent/native/host_description.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "codegen/emit/llvm/native_jit.h"

namespace hone::native {
namespace {

// Of some hundred features those that vector code depends on.
constexpr std::string_view kTold[] = {"sse", "ssse", "avx",     "fma",      "f16c", "amx", "neon",
                                      "sve", "sme",  "dotprod", "fullfp16", "bf16", "i8mm"};

bool is_told(const std::string& feature) {
  return std::any_of(std::begin(kTold), std::end(kTold),
                     [&](std::string_view begin) { return feature.starts_with(begin); });
}

}  // namespace

std::string_view cpuinfo_value(std::string_view text, std::string_view key) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size()), colon = text.find(':', at);
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(key) && line.find_first_not_of(" \t", key.size()) == colon - at && colon < end) {
      const size_t value = line.find_first_not_of(" \t", colon - at + 1);
      return value == std::string_view::npos ? "" : line.substr(value);
    }
    at = end + 1;
  }
  return "";
}

nlohmann::json describe_host() {
  std::ostringstream text;
  text << std::ifstream("/proc/cpuinfo").rdbuf();
  const std::string cpuinfo = text.str();
  emit::HostCpu cpu = emit::host_cpu();
  std::erase_if(cpu.features, [](const std::string& feature) { return !is_told(feature); });
  return {{"vendor", cpuinfo_value(cpuinfo, "vendor_id")},
          {"model", cpuinfo_value(cpuinfo, "model name")},
          {"name", cpu.name},
          {"architecture", cpu.architecture},
          {"features", cpu.features},
          {"vector_lanes", cpu.vector_lanes},
          {"vector_registers", cpu.vector_registers}};
}

}  // namespace hone::native
