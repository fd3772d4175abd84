#include "tests/faults/losses.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/check.h"

namespace hone::faults {

namespace {

void write_files(const std::map<std::string, std::string>& files, const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const auto& [path, content] : files) {
    std::ofstream file(folder / std::filesystem::path(path).filename(), std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    CHECK(file.flush().good(), "the disk of the test itself takes the files");
  }
}

}  // namespace

void for_each_loss(const std::vector<DiskEvent>& events, int count, Rng& rng, const std::string& folder,
                   const std::function<void(size_t moment)>& check) {
  std::vector<size_t> moments(static_cast<size_t>(count));
  for (size_t& moment : moments) moment = rng.below(events.size() + 1);
  std::sort(moments.begin(), moments.end());
  Disk disk;
  size_t happened = 0;
  for (const size_t moment : moments) {
    while (happened < moment) disk.happen(events[happened++], rng);
    write_files(disk.after_power_loss(rng), folder);
    check(moment);
  }
  std::filesystem::remove_all(folder);
}

int losses_wanted() {
  const char* wanted = std::getenv("HONE_POWER_LOSSES");
  return wanted ? std::atoi(wanted) : 500;
}

}  // namespace hone::faults
