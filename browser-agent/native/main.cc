// hone_native_runner [THREADS]: compiles and runs kernels for this machine's CPU in a sandbox, as the agent that started it says on stdin
// (pipe_frame.h). THREADS: at most so many; 0 or nothing: one per processor.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <thread>

#include "browser-agent/native/host_description.h"
#include "browser-agent/native/input_thread.h"
#include "browser-agent/native/load_kernel.h"
#include "browser-agent/native/request.h"
#include "browser-agent/native/sandbox.h"

namespace hone::native {
namespace {

constexpr int kThreadsMax = 64;

int thread_count(const char* wanted) {
  int count = 0;
  if (wanted) std::from_chars(wanted, wanted + std::strlen(wanted), count);
  const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::clamp(count <= 0 ? all : count, 1, std::min(all, kThreadsMax));
}

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

int run(const char* threads) {
  signal(SIGPIPE, SIG_IGN);
  ThreadTeam team(thread_count(threads));
  auto* const input = new InputThread(0);  // its thread lives as long as the process
  nlohmann::json host = describe_host();
  // LLVM opens and reads what it needs once, as long as it may.
  const auto tried = load_kernel("out C: f32[4]\nlaunch grid(bx: 4) threads(1)\n  C[bx] = sin(0.5)\n");
  if (!tried.ok()) return fail(tried.error());
  if (const Status sealed = enter_sandbox(); !sealed.ok()) return fail(sealed.error());
  Requests requests(std::move(host), team);
  input->begin();
  for (;;)
    if (!write_frame(1, requests.answer(input->next())).ok()) _exit(0);
}

}  // namespace
}  // namespace hone::native

int main(int argc, char** argv) { return hone::native::run(argc > 1 ? argv[1] : nullptr); }
