#include "base/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hone {

void make_private_file(const std::string& path) {
  const int file = open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return;
  (void)fchmod(file, 0600);
  close(file);
}

}  // namespace hone
