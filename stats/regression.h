// Whether a new build is slower than an old one by more than somebody permits: what `--fail-on-regression 3%` asks.
#pragma once
#include "stats/interval.h"

namespace hone::stats {

enum class Answer { kNo, kUnknown, kYes };

// share ≥ 0: 0.03 permits new / old up to 1.03. kYes and kNo where the whole interval says so.
Answer is_slower_by(double share, const Interval& log_ratio);

}  // namespace hone::stats
