// hone_opencl_runner [THREADS]: runs kernels of OpenCL C in a sandbox, as the agent that started it says on stdin (cl_request.h).
// THREADS: at most so many where the processor computes (pocl); 0 or nothing: as the driver will.
// hone_opencl_runner --probe: says on stdout which device there is, or on stderr why there is none.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "browser-agent/native/input_thread.h"
#include "browser-agent/native/sandbox.h"
#include "browser-agent/native/work_folder.h"
#include "browser-agent/opencl/cl_description.h"
#include "browser-agent/opencl/cl_environment.h"
#include "browser-agent/opencl/cl_request.h"

namespace hone::agent {
namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

int probe() {
  const auto folder = native::WorkFolder::make("hone-opencl");
  if (!folder.ok()) return fail(folder.error());
  prepare_cl_drivers((*folder)->path(), 0);
  const auto device = ClDevice::open();
  if (!device.ok()) return fail(device.error());
  std::printf("%s (%s)\n", (*device)->name().c_str(), (*device)->platform().c_str());
  return 0;
}

int run(const char* threads) {
  signal(SIGPIPE, SIG_IGN);
  syscall(SYS_close_range, 3u, ~0u, 0u);  // what is open later on is the driver's
  const auto folder = native::WorkFolder::make("hone-opencl");
  if (!folder.ok()) return fail(folder.error());
  prepare_cl_drivers((*folder)->path(), std::atoi(threads));
  // Files before there is a second thread: what is left to them is each thread's own matter.
  if (const Status fenced = native::fence_files((*folder)->path()); !fenced.ok()) return fail(fenced.error());
  auto* const input = new native::InputThread(0, [&folder] { (*folder)->remove(); });
  const auto device = ClDevice::open();
  if (!device.ok()) return fail(device.error());
  const auto reference = ClReference::create(**device);
  if (!reference.ok()) return fail(reference.error());
  if (const Status sealed = native::enter_sandbox(native::Sandbox::kCompiler); !sealed.ok())
    return fail(sealed.error());
  ClRequests requests(describe_cl(**device), **device, **reference);
  input->begin();
  for (;;)
    if (!native::write_frame(1, requests.answer(input->next())).ok()) break;
  (*folder)->remove();
  _exit(0);
}

}  // namespace
}  // namespace hone::agent

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--probe") == 0) return hone::agent::probe();
  return hone::agent::run(argc > 1 ? argv[1] : "0");
}
