#include "browser-agent/native/sandbox.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/cat.h"

namespace hone::native {
namespace {

using Filter = std::unique_ptr<void, void (*)(scmp_filter_ctx)>;

// With any arguments.
constexpr int kAllowed[] = {
    // memory; mmap below
    SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
    // its own threads; the first two are what a thread does in its first microseconds
    SCMP_SYS(rseq), SCMP_SYS(set_robust_list), SCMP_SYS(futex), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(gettid), SCMP_SYS(getpid),
    // the clock, where the vDSO has none
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday),
    // signals that it gets, and its end
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group),
    // glibc's malloc
    SCMP_SYS(getrandom)};

// Of these a driver in this process needs some: waiting for the GPU, names and numbers of its threads, its own descriptors.
constexpr int kAllowedToDrivers[] = {SCMP_SYS(mmap),      SCMP_SYS(poll),  SCMP_SYS(ppoll),
                                     SCMP_SYS(nanosleep), SCMP_SYS(fstat), SCMP_SYS(clock_nanosleep),
                                     SCMP_SYS(close),     SCMP_SYS(lseek), SCMP_SYS(eventfd2),
                                     SCMP_SYS(sysinfo),   SCMP_SYS(uname), SCMP_SYS(sched_setaffinity)};

// Files, as far as the fence leaves them, and programs.
constexpr int kAllowedToCompilers[] = {
    SCMP_SYS(open),       SCMP_SYS(openat),     SCMP_SYS(creat),      SCMP_SYS(read),
    SCMP_SYS(readv),      SCMP_SYS(pread64),    SCMP_SYS(write),      SCMP_SYS(writev),
    SCMP_SYS(pwrite64),   SCMP_SYS(ftruncate),  SCMP_SYS(fallocate),  SCMP_SYS(fsync),
    SCMP_SYS(fdatasync),  SCMP_SYS(stat),       SCMP_SYS(lstat),      SCMP_SYS(newfstatat),
    SCMP_SYS(statx),      SCMP_SYS(statfs),     SCMP_SYS(fstatfs),    SCMP_SYS(access),
    SCMP_SYS(faccessat),  SCMP_SYS(faccessat2), SCMP_SYS(readlink),   SCMP_SYS(readlinkat),
    SCMP_SYS(getdents64), SCMP_SYS(getcwd),     SCMP_SYS(umask),      SCMP_SYS(chmod),
    SCMP_SYS(fchmod),     SCMP_SYS(fchmodat),   SCMP_SYS(mkdir),      SCMP_SYS(mkdirat),
    SCMP_SYS(rmdir),      SCMP_SYS(rename),     SCMP_SYS(renameat),   SCMP_SYS(renameat2),
    SCMP_SYS(unlink),     SCMP_SYS(unlinkat),   SCMP_SYS(fcntl),      SCMP_SYS(flock),
    SCMP_SYS(dup),        SCMP_SYS(dup2),       SCMP_SYS(dup3),       SCMP_SYS(pipe),
    SCMP_SYS(pipe2),      SCMP_SYS(fork),       SCMP_SYS(vfork),      SCMP_SYS(execve),
    SCMP_SYS(wait4),      SCMP_SYS(waitid),     SCMP_SYS(arch_prctl), SCMP_SYS(set_tid_address),
    SCMP_SYS(prlimit64),  SCMP_SYS(getrusage),  SCMP_SYS(getppid),    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),    SCMP_SYS(getgid),     SCMP_SYS(getegid),    SCMP_SYS(getcpu)};

int allow_compiler(scmp_filter_ctx filter) {
  int failed = 0;
  for (int call : kAllowedToCompilers) failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
  // Processes, but no namespaces.
  constexpr scmp_datum_t kNamespaces =
      CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, kNamespaces, 0));
  // Requests of AMD's and NVIDIA's drivers beside DRM's: types 'K' and 'F', and NVIDIA's unified memory without a type.
  for (scmp_datum_t type : {'K', 'F', '\0'})
    failed |=
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xff00, type << 8));
  return failed;
}

int allow_driver(scmp_filter_ctx filter) {
  int failed = 0;
  for (int call : kAllowedToDrivers) failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
  // Threads, no processes. clone3 hides its flags from a filter; glibc takes clone where there is none.
  constexpr scmp_datum_t kThread = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND;
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, kThread, kThread));
  failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, SCMP_A1(SCMP_CMP_EQ, F_DUPFD_CLOEXEC));
  // DRM's requests are those of type 'd'.
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, 0xff00, 'd' << 8));
  return failed;
}

int allow_all(scmp_filter_ctx filter, Sandbox sandbox) {
  int failed = sandbox == Sandbox::kProcessor ? 0 : allow_driver(filter);
  if (sandbox == Sandbox::kCompiler) failed |= allow_compiler(filter);
  for (int call : kAllowed) failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(read), 1, SCMP_A0(SCMP_CMP_EQ, 0));
  for (unsigned out : {1u, 2u})
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, SCMP_A0(SCMP_CMP_EQ, out));
  // Memory without a file; the descriptor is −1, whose upper half is not looked at.
  constexpr scmp_datum_t kNoFile = 0xffffffff;
  if (sandbox == Sandbox::kProcessor)
    failed |=
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, SCMP_A4(SCMP_CMP_MASKED_EQ, kNoFile, kNoFile));
  // abort() sends a signal to itself.
  failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                             SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())));
  return failed;
}

Error refused(const char* what, int error) {
  return {ErrorCode::kUnsupported, cat("this system gives no sandbox: ", what, ": ", std::strerror(error))};
}

}  // namespace

Status enter_sandbox(Sandbox sandbox) {
  if (sandbox == Sandbox::kProcessor && syscall(SYS_close_range, 3u, ~0u, 0u) != 0)
    return refused("close_range", errno);
  const rlimit none{0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) return refused("RLIMIT_CORE", errno);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return refused("PR_SET_NO_NEW_PRIVS", errno);
  const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), seccomp_release);
  if (!filter) return refused("seccomp_init", ENOMEM);
  // One filter for all threads.
  if (const int error = seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1)) return refused("TSYNC", -error);
  if (allow_all(filter.get(), sandbox) != 0) return refused("a rule", EINVAL);
  if (const int error = seccomp_load(filter.get())) return refused("seccomp_load", -error);
  return ok_status();
}

}  // namespace hone::native
