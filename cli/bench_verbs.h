// The verbs of two words behind hone bench. A model's file of such a name is ./history or ./bisect.
#pragma once
#include "cli/verb.h"

namespace hone::cli {

void add_bench_history(Verb bench);
void add_bench_bisect(Verb bench);

}  // namespace hone::cli
