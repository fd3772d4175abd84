// How many files and sockets this process may have open.
#pragma once
#include <cstddef>

namespace hone::net {

// Raises the soft limit as far as the hard one permits, to kDescriptorsWanted at most. Before the first Server: it divides what there is.
void raise_descriptor_limit();
size_t descriptor_limit();

}  // namespace hone::net
