// Structural equality across arenas: the same nodes, with variables and buffers matched one to one by their place. Names, ids and the
// nesting of blocks do not count.
#pragma once
#include "codegen/ir/stmt.h"

namespace hone::ir {

bool structurally_equal(const Kernel& a, const Kernel& b);
bool structurally_equal(Stmt a, Stmt b);  // free variables and buffers are matched where they first occur

}  // namespace hone::ir
