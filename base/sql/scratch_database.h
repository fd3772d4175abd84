// Databases for tests: a file of SQLite, or a PostgreSQL server that lives as long as the test.
#pragma once
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/cat.h"
#include "base/check.h"
#include "base/shell_quoted.h"
#include "base/sql/database.h"

namespace hone::sql {

// A PostgreSQL server in a folder of its own.
class ScratchPostgres {
 public:
  ScratchPostgres() {
    folder_ = "/tmp/hone_pg_XXXXXX";  // short: a socket's path has 107 bytes at most
    CHECK(mkdtemp(folder_.data()), "no folder below /tmp");
    std::filesystem::permissions(folder_, std::filesystem::perms::others_exec, std::filesystem::perm_options::add);
    start();
  }
  ~ScratchPostgres() {
    say("resume");
    say("kill");
    std::filesystem::remove_all(folder_);
  }
  void start() { url_ = say("start"); }
  void kill() { say("kill"); }
  void pause() { say("pause"); }
  void resume() { say("resume"); }
  const std::string& url() const { return url_; }

 private:
  std::string say(const char* verb) {
    const std::string command = cat(HONE_SOURCE_DIR, "/scripts/scratch_postgres ", verb, " ", shell_quoted(folder_ + "/server"), " 2>&1");
    std::string said;
    FILE* const pipe = popen(command.c_str(), "r");
    for (int c = 0; pipe && (c = fgetc(pipe)) != EOF;) said += static_cast<char>(c);
    const bool done = pipe && pclose(pipe) == 0;
    CHECK(done || std::string(verb) != "start", cat(command, ": ", said));
    while (!said.empty() && said.back() == '\n') said.pop_back();
    return said;
  }

  std::string folder_, url_;
};

enum class Kind { kSqlite, kPostgres };

// A new database of either kind; where it is outlives whoever opens it.
class ScratchDatabase {
 public:
  explicit ScratchDatabase(Kind kind) {
    if (kind == Kind::kPostgres) {
      server_ = std::make_unique<ScratchPostgres>();
      where_ = server_->url();
      return;
    }
    where_ = cat(std::filesystem::temp_directory_path().string(), "/hone_scratch_", getpid(), ".db");
    remove_file();
  }
  ~ScratchDatabase() {
    if (!server_) remove_file();
  }
  const std::string& where() const { return where_; }
  ScratchPostgres& server() { return *server_; }

 private:
  void remove_file() const {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(where_ + end);
  }

  std::unique_ptr<ScratchPostgres> server_;
  std::string where_;
};

inline std::string name_of(Kind kind) { return kind == Kind::kSqlite ? "Sqlite" : "Postgres"; }

}  // namespace hone::sql
