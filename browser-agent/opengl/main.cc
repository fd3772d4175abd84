// hone_opengl_runner [THREADS]: runs fragment shaders on OpenGL ES in a sandbox, as the agent that started it says on stdin (gl_request.h).
// THREADS: at most so many where the processor draws (Mesa's llvmpipe); 0 or nothing: as the driver will.
// hone_opengl_runner --probe: says on stdout which device there is, or on stderr why there is none.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "browser-agent/native/input_thread.h"
#include "browser-agent/native/sandbox.h"
#include "browser-agent/opengl/gl_description.h"
#include "browser-agent/opengl/gl_request.h"

namespace hone::agent {
namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

// Mesa's own settings: no cache on disk, which would be files to write.
void prepare_driver(const char* threads) {
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  if (std::atoi(threads) > 0) setenv("LP_NUM_THREADS", threads, 1);
}

int probe() {
  prepare_driver("");
  const auto device = GlDevice::open();
  if (!device.ok()) return fail(device.error());
  std::printf("%s\n", (*device)->renderer().c_str());
  return 0;
}

int run(const char* threads) {
  signal(SIGPIPE, SIG_IGN);
  syscall(SYS_close_range, 3u, ~0u, 0u);  // what is open later on is the driver's
  prepare_driver(threads);
  auto* const input = new native::InputThread(0);  // its thread lives as long as the process
  // The driver opens, reads and starts what it needs, as long as it may.
  const auto device = GlDevice::open();
  if (!device.ok()) return fail(device.error());
  const auto reference = GlReference::create(**device);
  if (!reference.ok()) return fail(reference.error());
  if (const Status sealed = native::enter_sandbox(native::Sandbox::kGraphics); !sealed.ok())
    return fail(sealed.error());
  GlRequests requests(describe_gl(), **device, **reference);
  input->begin();
  for (;;)
    if (!native::write_frame(1, requests.answer(input->next())).ok()) _exit(0);
}

}  // namespace
}  // namespace hone::agent

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--probe") == 0) return hone::agent::probe();
  return hone::agent::run(argc > 1 ? argv[1] : "0");
}
