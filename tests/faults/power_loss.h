// Disk: what a disk holds after its power was lost. What was written since a file's last sync is there or not, each 512 bytes of it by chance, and in any order; what was
// synced is there. A file's name is there from its first sync on, as SQLite syncs its folder then (the log's) or the file system does (ext4, xfs, btrfs: the database's).
// Source: sqlite.org/atomiccommit.html, section 2, "Hardware assumptions", with "powersafe overwrite" (sqlite.org/psow.html): bytes beside those written stay as they are.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "tests/faults/recording_vfs.h"

namespace hone::faults {

class Disk {
 public:
  // The next thing that the program did. A sync that failed keeps a part of what was written, by chance, and loses the rest for good.
  void happen(const DiskEvent& event, Rng& rng);
  // Each file that is there, and what it holds, if the power is lost now.
  std::map<std::string, std::string> after_power_loss(Rng& rng) const;

 private:
  struct File {
    std::string durable;
    bool exists = false;            // after a loss, whatever is unsynced
    std::vector<DiskEvent> unsynced;
  };
  std::map<std::string, File> files_;
};

}  // namespace hone::faults
