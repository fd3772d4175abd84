#include "tests/fuzz/scratch_store.h"

#include <unistd.h>

#include <filesystem>
#include <memory>

#include "base/cat.h"
#include "tuner/records/sql_store.h"

namespace hone::fuzz {

namespace {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch() {
    const fs::path root = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    folder_ = root / cat("hone_fuzz_", getpid());
    fs::create_directories(folder_);
    auto opened = tuner::open_record_store({.where = (folder_ / "records.db").string()});
    CHECK(opened.ok(), opened.error().message);
    store_ = std::move(*opened);
  }
  ~Scratch() {
    store_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  tuner::RecordStore& store() { return *store_; }

 private:
  fs::path folder_;
  std::unique_ptr<tuner::RecordStore> store_;
};

}  // namespace

tuner::RecordStore& scratch_store() {
  static Scratch scratch;
  return scratch.store();
}

}  // namespace hone::fuzz
