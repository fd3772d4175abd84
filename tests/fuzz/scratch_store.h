// A record store of the process, for fuzz targets: in memory's file system where there is one, gone at the end. Inputs share it, as jobs do.
#pragma once
#include "tuner/records/store.h"

namespace hone::fuzz {

tuner::RecordStore& scratch_store();

}  // namespace hone::fuzz
