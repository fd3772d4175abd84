#include "browser-agent/opencl/cl_environment.h"

#include <cstdlib>

namespace hone::agent {

void prepare_cl_drivers(const std::string& folder, int threads_max) {
  for (const char* place : {"HOME", "TMPDIR", "XDG_CACHE_HOME", "POCL_CACHE_DIR", "CUDA_CACHE_PATH"})
    setenv(place, folder.c_str(), 1);
  setenv("PATH", "/usr/bin:/bin", 1);   // of pocl's linker
  setenv("POCL_KERNEL_CACHE", "0", 1);  // a program's files go with it
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  if (threads_max > 0) setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(threads_max).c_str(), 1);
}

}  // namespace hone::agent
