// Values that a statement uses several times get a name, so that a printer, which writes expressions out, writes and reads them once. So do texels
// that several statements of a block read.
#pragma once
#include "codegen/ir/arena.h"

namespace hone::emit {

// For targets whose reads never fault: a value of one arm of a select is computed always.
ir::Stmt share_values(ir::Arena& arena, ir::Stmt body);

}  // namespace hone::emit
