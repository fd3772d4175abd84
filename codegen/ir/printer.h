// The text of the IR: readable, and the inverse of parser.h. docs/ir.md gives the syntax.
// Names are made unique within their scope, so equal names of different variables print as "k" and "k$1".
#pragma once
#include <string>

#include "codegen/ir/stmt.h"

namespace hone::ir {

std::string print(const Kernel& kernel);
std::string print(Stmt stmt);   // free variables and undeclared buffers print as their names
std::string headline(Stmt stmt);  // the first line of it, for messages
std::string print(Expr expr);
std::string print(const Layout& layout);   // "(0:64, 1/4:16, 1:4) lanes 4 pad zero"; "" for the plain row-major layout

std::string_view scope_name(Scope scope);  // "arg", "scratch", "workgroup", "register"
bool parse_scope(std::string_view name, Scope* out);

}  // namespace hone::ir
