#include "server/child/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/cat.h"

namespace hone::server {

namespace {

Error no_memory(const char* what) {
  const ErrorCode code = errno == ENOSPC ? ErrorCode::kDiskFull : errno == EBUSY ? ErrorCode::kBusy : ErrorCode::kIoError;
  return {code, cat("memory that processes share cannot be had (", what, ": ", std::strerror(errno), "); end other programs, or raise the limits of this one")};
}

}  // namespace

Result<Descriptor> make_memory(const char* name) {
  Descriptor memory(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.is_open()) return no_memory("memfd_create");
  return memory;
}

Status write_memory(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return no_memory("write");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return ok_status();
}

Result<SharedMemory> SharedMemory::of(std::string_view bytes) {
  HONE_ASSIGN(memory, make_memory("hone_payload"));
  HONE_TRY(write_memory(memory.number(), bytes));
  return seal(std::move(memory));
}

// The kernel refuses the seal while a writable mapping is left.
Result<SharedMemory> SharedMemory::seal(Descriptor memory) {
  if (fcntl(memory.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) return no_memory("F_ADD_SEALS");
  return map(std::move(memory));
}

Result<SharedMemory> SharedMemory::inherited(int descriptor) {
  Descriptor memory(descriptor);
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) return no_memory("FD_CLOEXEC");
  return map(std::move(memory));
}

Result<SharedMemory> SharedMemory::map(Descriptor memory) {
  struct stat about;
  if (fstat(memory.number(), &about) != 0) return no_memory("fstat");
  SharedMemory out;
  if (const auto size = static_cast<size_t>(about.st_size); size > 0) {
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, memory.number(), 0);
    if (mapped == MAP_FAILED) return no_memory("mmap");
    const std::shared_ptr<const void> owner(mapped, [size](void* at) { munmap(at, size); });
    out.bytes_ = shared_part(owner, {static_cast<const char*>(mapped), size});
  }
  out.descriptor_ = std::make_shared<const Descriptor>(std::move(memory));
  return out;
}

}  // namespace hone::server
