#include "base/map_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/cat.h"

namespace hone {
namespace {

constexpr size_t kPipeBytesMax = (size_t{1} << 31) - 1;
constexpr size_t kPieceBytes = 1 << 20;  // of one read: a pipe tells no size

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor >= 0) close(descriptor);
  }
  const int descriptor;
};

Error not_readable(const std::string& path) {
  return {ErrorCode::kIoError,
          cat(path, " cannot be read: ", std::strerror(errno), "; give the path of a file that you may read")};
}

Result<SharedBytes> read_pipe(const OpenFile& file, const std::string& path) {
  std::string bytes, piece(kPieceBytes, '\0');
  while (true) {
    const ssize_t count = read(file.descriptor, piece.data(), piece.size());
    if (count == 0) return shared_bytes(std::move(bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return not_readable(path);
    bytes.append(piece, 0, static_cast<size_t>(count));
    if (bytes.size() > kPipeBytesMax)
      return Error{ErrorCode::kLimitExceeded, cat(path, " has more than ", kPipeBytesMax, " bytes")};
  }
}

Result<SharedBytes> map_part(const OpenFile& file, const std::string& path, int64_t offset, int64_t length) {
  if (length == 0) return shared_bytes("");
  const int64_t before = offset % sysconf(_SC_PAGESIZE);  // a mapping begins at a page
  const auto mapped_bytes = static_cast<size_t>(length + before);
  void* mapped = mmap(nullptr, mapped_bytes, PROT_READ, MAP_PRIVATE, file.descriptor, offset - before);
  if (mapped == MAP_FAILED) return not_readable(path);
  const std::shared_ptr<const void> owner(mapped, [mapped_bytes](void* at) { munmap(at, mapped_bytes); });
  return shared_part(owner, {static_cast<const char*>(mapped) + before, static_cast<size_t>(length)});
}

}  // namespace

Result<SharedBytes> map_file(const std::string& path, int64_t offset, std::optional<int64_t> length) {
  const OpenFile file(path);
  struct stat about;
  if (file.descriptor < 0 || fstat(file.descriptor, &about) != 0) return not_readable(path);
  if (S_ISDIR(about.st_mode)) return Error{ErrorCode::kIoError, cat(path, " is a folder; give a file")};
  if (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode))
    return Error{ErrorCode::kIoError, cat(path, " is a device; give a file")};
  if (!S_ISREG(about.st_mode)) return read_pipe(file, path);
  const int64_t size = about.st_size;
  const int64_t wanted = length.value_or(offset > size ? 0 : size - offset);
  if (offset > size || wanted > size - offset)
    return Error{ErrorCode::kBadModel, cat(path, " has ", size, " bytes; expected ", wanted, " at ", offset)};
  return map_part(file, path, offset, wanted);
}

}  // namespace hone
