#include "tests/faults/recording_vfs.h"

#include "base/sql/vfs_shim.h"

namespace hone::faults {

namespace {

struct Recorded {
  RecordingVfs* vfs = nullptr;
  std::string path;  // empty: the file ends with its connection
};
using File = sql::ShimFile<Recorded>;

int write_bytes(sqlite3_file* file, const char* bytes, int size, sqlite3_int64 offset) {
  auto& [base, system, recorded] = File::of(file);
  const int code = sql::methods_of(system).xWrite(system, bytes, size, offset);
  if (code == SQLITE_OK) recorded->vfs->note({DiskEvent::Kind::kWrite, recorded->path, offset, {bytes, static_cast<size_t>(size)}});
  return code;
}

int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  RecordingVfs& vfs = *File::of(file).state->vfs;
  const auto* from = static_cast<const char*>(bytes);
  if (!vfs.fails()) return write_bytes(file, from, size, offset);
  if (vfs.fault().torn) (void)write_bytes(file, from, size / 2, offset);
  return vfs.fault().code;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  auto& [base, system, recorded] = File::of(file);
  if (recorded->vfs->fails()) return SQLITE_IOERR_TRUNCATE;
  const int code = sql::methods_of(system).xTruncate(system, size);
  if (code == SQLITE_OK) recorded->vfs->note({DiskEvent::Kind::kTruncate, recorded->path, size, {}});
  return code;
}

// The tests keep their files in memory or do without the disk: what counts is what was written down.
int sync_file(sqlite3_file* file, int) {
  const Recorded& recorded = *File::of(file).state;
  const bool fails = recorded.vfs->fails();
  recorded.vfs->note({fails ? DiskEvent::Kind::kLostSync : DiskEvent::Kind::kSync, recorded.path, 0, {}});
  return fails ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

const sqlite3_io_methods& recording_methods() {
  static const sqlite3_io_methods methods = [] {
    sqlite3_io_methods all = sql::forwarding_methods<Recorded>();
    all.xWrite = write_file;
    all.xTruncate = truncate_file;
    all.xSync = sync_file;
    return all;
  }();
  return methods;
}

RecordingVfs& recording(sqlite3_vfs* vfs) { return *static_cast<RecordingVfs*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* flags_out) {
  return sql::open_shim<Recorded>(recording(vfs).system(), recording_methods(), path, file, flags, flags_out, {&recording(vfs), path ? path : ""});
}

int remove_file(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  sqlite3_vfs* system = recording(vfs).system();
  const int code = system->xDelete(system, path, sync_folder);
  if (code == SQLITE_OK) recording(vfs).note({DiskEvent::Kind::kRemove, path, 0, {}});
  return code;
}

}  // namespace

RecordingVfs::RecordingVfs() : system_(sqlite3_vfs_find("unix")) {
  vfs_ = *system_;
  vfs_.szOsFile = sql::shim_file_bytes<Recorded>(*system_);
  vfs_.zName = "hone-recording";
  vfs_.pNext = nullptr;
  vfs_.pAppData = this;
  vfs_.xOpen = open_file;
  vfs_.xDelete = remove_file;
  // The rest of the system's functions look at their own pAppData, if at any: unix's look at it in xOpen alone.
  sqlite3_vfs_register(&vfs_, 1);
}

RecordingVfs::~RecordingVfs() {
  sqlite3_vfs_register(system_, 1);
  sqlite3_vfs_unregister(&vfs_);
}

size_t RecordingVfs::events() const {
  std::lock_guard lock(mutex_);
  return events_.size();
}

std::vector<DiskEvent> RecordingVfs::take() {
  sqlite3_vfs_register(system_, 1);
  sqlite3_vfs_unregister(&vfs_);
  std::lock_guard lock(mutex_);
  return std::move(events_);
}

void RecordingVfs::fail(DiskFault fault) {
  std::lock_guard lock(mutex_);
  fault_ = fault;
  calls_ = 0;
}

int64_t RecordingVfs::calls() const {
  std::lock_guard lock(mutex_);
  return calls_;
}

bool RecordingVfs::fails() {
  std::lock_guard lock(mutex_);
  const int64_t call = calls_++;
  return call >= fault_.first && call < fault_.first + fault_.count;
}

// A file without a name ends with its connection.
void RecordingVfs::note(DiskEvent event) {
  if (event.file.empty()) return;
  std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
}

}  // namespace hone::faults
