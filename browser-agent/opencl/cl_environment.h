// What drivers of OpenCL are told by their environment.
#pragma once
#include <string>

namespace hone::agent {

// Drivers compile by way of files, and keep what they compiled: all that goes into `folder`, and they take at most so many threads of the
// processor; 0: as many as they will. Before the first call of OpenCL, and before there is a second thread.
void prepare_cl_drivers(const std::string& folder, int threads_max);

}  // namespace hone::agent
