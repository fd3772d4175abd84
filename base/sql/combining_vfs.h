// The VFS of databases that write much: what is written to a file piece after piece, as SQLite writes its log (a frame's header, then its page) and its checkpoints, goes to the system in one
// piece, at the latest when it is synced, read or cut. For synchronous=FULL alone: there nothing is shown to other connections before it is synced, so that none misses what still waits here.
#pragma once

namespace hone::sql {

// Its name, for sqlite3_open_v2. It stands above what is SQLite's default when a file is opened. Any thread.
const char* combining_vfs();

}  // namespace hone::sql
