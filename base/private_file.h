// Files that only their owner reads: a database holds names of models and devices, and the identities of agents.
#pragma once
#include <string>

namespace hone {

// Makes an empty file that its owner alone may read and write (0600, whatever the umask), unless the path is taken already: then nothing
// changes. What cannot be made is left to whoever opens it next, who says why.
void make_private_file(const std::string& path);

}  // namespace hone
