#include "tests/faults/recording_vfs.h"

#include <algorithm>
#include <new>

namespace hone::faults {

namespace {

// SQLite allocates it with the system's file behind it, and makes it by xOpen.
struct RecordedFile {
  sqlite3_file base;
  RecordingVfs* vfs;
  std::string* path;
  sqlite3_file* system;
};

RecordedFile& recorded(sqlite3_file* file) { return *reinterpret_cast<RecordedFile*>(file); }
sqlite3_file* system_of(sqlite3_file* file) { return recorded(file).system; }
const sqlite3_io_methods& methods_of(sqlite3_file* file) { return *system_of(file)->pMethods; }

int close_file(sqlite3_file* file) {
  const int code = methods_of(file).xClose(system_of(file));
  delete recorded(file).path;
  return code;
}

int read_file(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  return methods_of(file).xRead(system_of(file), bytes, size, offset);
}

int write_bytes(sqlite3_file* file, const char* bytes, int size, sqlite3_int64 offset) {
  const int code = methods_of(file).xWrite(system_of(file), bytes, size, offset);
  if (code == SQLITE_OK)
    recorded(file).vfs->note({DiskEvent::Kind::kWrite, *recorded(file).path, offset, {bytes, static_cast<size_t>(size)}});
  return code;
}

int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  RecordingVfs& vfs = *recorded(file).vfs;
  const auto* from = static_cast<const char*>(bytes);
  if (!vfs.fails()) return write_bytes(file, from, size, offset);
  if (vfs.fault().torn) (void)write_bytes(file, from, size / 2, offset);
  return vfs.fault().code;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (recorded(file).vfs->fails()) return SQLITE_IOERR_TRUNCATE;
  const int code = methods_of(file).xTruncate(system_of(file), size);
  if (code == SQLITE_OK) recorded(file).vfs->note({DiskEvent::Kind::kTruncate, *recorded(file).path, size, {}});
  return code;
}

// The tests keep their files in memory or do without the disk: what counts is what was written down.
int sync_file(sqlite3_file* file, int) {
  const bool fails = recorded(file).vfs->fails();
  recorded(file).vfs->note({fails ? DiskEvent::Kind::kLostSync : DiskEvent::Kind::kSync, *recorded(file).path, 0, {}});
  return fails ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) { return methods_of(file).xFileSize(system_of(file), size); }
int lock_file(sqlite3_file* file, int lock) { return methods_of(file).xLock(system_of(file), lock); }
int unlock_file(sqlite3_file* file, int lock) { return methods_of(file).xUnlock(system_of(file), lock); }
int check_lock(sqlite3_file* file, int* held) { return methods_of(file).xCheckReservedLock(system_of(file), held); }
int control_file(sqlite3_file* file, int what, void* value) { return methods_of(file).xFileControl(system_of(file), what, value); }
int sector_size(sqlite3_file* file) { return methods_of(file).xSectorSize(system_of(file)); }
int characteristics(sqlite3_file* file) { return methods_of(file).xDeviceCharacteristics(system_of(file)); }
int map_shared(sqlite3_file* file, int region, int size, int extend, void volatile** to) {
  return methods_of(file).xShmMap(system_of(file), region, size, extend, to);
}
int lock_shared(sqlite3_file* file, int first, int count, int flags) { return methods_of(file).xShmLock(system_of(file), first, count, flags); }
void shared_barrier(sqlite3_file* file) { methods_of(file).xShmBarrier(system_of(file)); }
int unmap_shared(sqlite3_file* file, int remove) { return methods_of(file).xShmUnmap(system_of(file), remove); }

// Of version 2: without xFetch, SQLite maps no database into memory, and all that it writes comes by xWrite.
constexpr sqlite3_io_methods kMethods{.iVersion = 2,
                                      .xClose = close_file,
                                      .xRead = read_file,
                                      .xWrite = write_file,
                                      .xTruncate = truncate_file,
                                      .xSync = sync_file,
                                      .xFileSize = size_of_file,
                                      .xLock = lock_file,
                                      .xUnlock = unlock_file,
                                      .xCheckReservedLock = check_lock,
                                      .xFileControl = control_file,
                                      .xSectorSize = sector_size,
                                      .xDeviceCharacteristics = characteristics,
                                      .xShmMap = map_shared,
                                      .xShmLock = lock_shared,
                                      .xShmBarrier = shared_barrier,
                                      .xShmUnmap = unmap_shared,
                                      .xFetch = nullptr,
                                      .xUnfetch = nullptr};

RecordingVfs& recording(sqlite3_vfs* vfs) { return *static_cast<RecordingVfs*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* flags_out) {
  RecordedFile& opened = recorded(file);
  opened = {.base = {nullptr}, .vfs = &recording(vfs), .path = nullptr, .system = reinterpret_cast<sqlite3_file*>(&opened + 1)};
  sqlite3_vfs* system = recording(vfs).system();
  const int code = system->xOpen(system, path, opened.system, flags, flags_out);
  if (code != SQLITE_OK) return code;
  opened.path = new std::string(path ? path : "");
  opened.base.pMethods = &kMethods;
  return SQLITE_OK;
}

int remove_file(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  sqlite3_vfs* system = recording(vfs).system();
  const int code = system->xDelete(system, path, sync_folder);
  if (code == SQLITE_OK) recording(vfs).note({DiskEvent::Kind::kRemove, path, 0, {}});
  return code;
}

}  // namespace

RecordingVfs::RecordingVfs() : system_(sqlite3_vfs_find(nullptr)) {
  vfs_ = *system_;
  vfs_.szOsFile = static_cast<int>(sizeof(RecordedFile)) + system_->szOsFile;
  vfs_.zName = "hone-recording";
  vfs_.pNext = nullptr;
  vfs_.pAppData = this;
  vfs_.xOpen = open_file;
  vfs_.xDelete = remove_file;
  // The rest of the system's functions look at their own pAppData, if at any: unix's look at it in xOpen alone.
  sqlite3_vfs_register(&vfs_, 1);
}

RecordingVfs::~RecordingVfs() { sqlite3_vfs_unregister(&vfs_); }

size_t RecordingVfs::events() const {
  std::lock_guard lock(mutex_);
  return events_.size();
}

std::vector<DiskEvent> RecordingVfs::take() {
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
