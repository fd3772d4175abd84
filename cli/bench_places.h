// Where cases are measured: which devices of a fleet.
#pragma once
#include <string>
#include <vector>

#include "cli/bench_case.h"
#include "schema/generated/protocol.h"

namespace hone::cli {

struct BenchPlace {
  std::string selector;   // a device's id, or the case's own where any device will do
  std::string device_id;  // whose turn it is; empty: any
};

// devices: those of the service, in the order of their ids. Of each and of classes those that can work now and do not rest; empty: there is none. Fails: as Selector::parse.
Result<std::vector<BenchPlace>> places_of(const BenchCase& one, const std::vector<protocol::DeviceInfo>& devices);
// How many devices could take the case now.
Result<size_t> device_count(const BenchCase& one, const std::vector<protocol::DeviceInfo>& devices);

}  // namespace hone::cli
