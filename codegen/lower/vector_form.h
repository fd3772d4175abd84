// Vector form: which operations the lanes of a vectorize loop do at once.
#pragma once
#include "codegen/ir/arena.h"

namespace hone::lower {

// Of an e whose operands differ from lane to lane: is there one operation for all lanes? Else vectorize_loops does it lane by lane, with all that it is
// computed from. Loads and variables are for the caller to tell.
bool has_vector_form(ir::Expr e);

}  // namespace hone::lower
