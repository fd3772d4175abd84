// VfsShim: a VFS of SQLite's between it and another one. A file of it has the other's file behind it; what a shim does not do itself goes there as it is. Source: sqlite.org/vfs.html, "shims".
#pragma once
#include <sqlite3.h>

#include <new>
#include <utility>

namespace hone::sql {

// SQLite allocates it with the other VFS's file behind it, and makes it by xOpen.
template <class State>
struct ShimFile {
  sqlite3_file base;
  sqlite3_file* system;
  State* state;  // from xOpen to xClose

  static ShimFile& of(sqlite3_file* file) { return *reinterpret_cast<ShimFile*>(file); }
};

inline const sqlite3_io_methods& methods_of(sqlite3_file* file) { return *file->pMethods; }

// All that a file does, as the one behind it does it. Of version 2: without xFetch, SQLite maps no database into memory, and all that it writes comes by xWrite.
template <class State>
sqlite3_io_methods forwarding_methods() {
  using File = ShimFile<State>;
  sqlite3_io_methods all{};
  all.iVersion = 2;
  all.xClose = [](sqlite3_file* file) {
    const int code = methods_of(File::of(file).system).xClose(File::of(file).system);
    delete File::of(file).state;
    return code;
  };
  all.xRead = [](sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) { return methods_of(File::of(file).system).xRead(File::of(file).system, bytes, size, offset); };
  all.xWrite = [](sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) { return methods_of(File::of(file).system).xWrite(File::of(file).system, bytes, size, offset); };
  all.xTruncate = [](sqlite3_file* file, sqlite3_int64 size) { return methods_of(File::of(file).system).xTruncate(File::of(file).system, size); };
  all.xSync = [](sqlite3_file* file, int flags) { return methods_of(File::of(file).system).xSync(File::of(file).system, flags); };
  all.xFileSize = [](sqlite3_file* file, sqlite3_int64* size) { return methods_of(File::of(file).system).xFileSize(File::of(file).system, size); };
  all.xLock = [](sqlite3_file* file, int lock) { return methods_of(File::of(file).system).xLock(File::of(file).system, lock); };
  all.xUnlock = [](sqlite3_file* file, int lock) { return methods_of(File::of(file).system).xUnlock(File::of(file).system, lock); };
  all.xCheckReservedLock = [](sqlite3_file* file, int* held) { return methods_of(File::of(file).system).xCheckReservedLock(File::of(file).system, held); };
  all.xFileControl = [](sqlite3_file* file, int what, void* value) { return methods_of(File::of(file).system).xFileControl(File::of(file).system, what, value); };
  all.xSectorSize = [](sqlite3_file* file) { return methods_of(File::of(file).system).xSectorSize(File::of(file).system); };
  all.xDeviceCharacteristics = [](sqlite3_file* file) { return methods_of(File::of(file).system).xDeviceCharacteristics(File::of(file).system); };
  all.xShmMap = [](sqlite3_file* file, int region, int size, int extend, void volatile** to) { return methods_of(File::of(file).system).xShmMap(File::of(file).system, region, size, extend, to); };
  all.xShmLock = [](sqlite3_file* file, int first, int count, int flags) { return methods_of(File::of(file).system).xShmLock(File::of(file).system, first, count, flags); };
  all.xShmBarrier = [](sqlite3_file* file) { methods_of(File::of(file).system).xShmBarrier(File::of(file).system); };
  all.xShmUnmap = [](sqlite3_file* file, int remove) { return methods_of(File::of(file).system).xShmUnmap(File::of(file).system, remove); };
  return all;
}

// For xOpen: opens the file behind; where that works, this one has `methods` and, from `state`, its own.
template <class State>
int open_shim(sqlite3_vfs* system, const sqlite3_io_methods& methods, const char* path, sqlite3_file* file, int flags, int* flags_out, State state) {
  auto& opened = ShimFile<State>::of(file);
  opened = {.base = {nullptr}, .system = reinterpret_cast<sqlite3_file*>(&opened + 1), .state = nullptr};
  const int code = system->xOpen(system, path, opened.system, flags, flags_out);
  if (code != SQLITE_OK) return code;
  opened.state = new (std::nothrow) State(std::move(state));
  if (!opened.state) return methods_of(opened.system).xClose(opened.system), SQLITE_NOMEM;
  opened.base.pMethods = &methods;
  return SQLITE_OK;
}

// What SQLite allocates for a file.
template <class State>
int shim_file_bytes(const sqlite3_vfs& system) {
  return static_cast<int>(sizeof(ShimFile<State>)) + system.szOsFile;
}

}  // namespace hone::sql
