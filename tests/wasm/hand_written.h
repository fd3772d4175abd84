// Kernels by hand: what schedules make seldom.
#pragma once
#include "tests/wasm/corpus.h"

namespace hone {

void add_hand_written(WasmCorpus& corpus);

}  // namespace hone
