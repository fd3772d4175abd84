// Files that only their owner reads: a database holds names of models and devices, and the identities of agents; others hold secrets.
#pragma once
#include <string>

#include "base/result.h"

namespace hone {

// Makes an empty file that its owner alone may read and write (0600, whatever the umask), unless the path is taken already: then nothing
// changes. What cannot be made is left to whoever opens it next, who says why.
void make_private_file(const std::string& path);

// Whole or not at all, mode 0600, in the place of what is there. `what`: for people, "the service's token". Fails: io_error, disk_full.
Status write_private_file(const std::string& path, const std::string& text, const std::string& what);

}  // namespace hone
