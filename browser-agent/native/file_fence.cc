#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/cat.h"
#include "browser-agent/native/sandbox.h"

namespace hone::native {
namespace {

constexpr uint64_t kReads = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kDeviceUse =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kChanges = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                              LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REFER;
constexpr uint64_t kAll = kReads | kChanges | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                          LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

// Programs, libraries and settings of the system, and what it says of its hardware.
constexpr const char* kSystem[] = {"/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/sys", "/proc"};
constexpr const char* kDevices[] = {"/dev/null",    "/dev/zero",    "/dev/random",    "/dev/urandom",
                                    "/dev/dri",     "/dev/kfd",     "/dev/nvidiactl", "/dev/nvidia-uvm",
                                    "/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia2",   "/dev/nvidia3"};

Error no_fence(const char* what) {
  return {ErrorCode::kUnsupported, cat("this system gives no sandbox: Landlock, ", what, ": ", std::strerror(errno))};
}

// What is not there needs no leave.
bool allow(int rules, const char* path, uint64_t access) {
  const int at = open(path, O_PATH | O_CLOEXEC);
  if (at < 0) return true;
  struct stat found {};
  const bool is_folder = fstat(at, &found) == 0 && S_ISDIR(found.st_mode);
  const uint64_t of_files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
  const landlock_path_beneath_attr rule{is_folder ? access : access & of_files, at};
  const bool added = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  close(at);
  return added;
}

}  // namespace

Status fence_files(const std::string& folder) {
  const landlock_ruleset_attr handled{kAll};
  const int rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0));
  if (rules < 0) return no_fence("which Linux has from 5.19 on");
  bool added = allow(rules, folder.c_str(), kReads | kChanges);
  for (const char* path : kSystem) added = added && allow(rules, path, kReads);
  for (const char* path : kDevices) added = added && allow(rules, path, kDeviceUse);
  const bool holds =
      added && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  const Status status = holds ? ok_status() : Status(no_fence("a rule"));
  close(rules);
  return status;
}

}  // namespace hone::native
