// DatabaseOwner: one process at a time has a database's jobs and leases. A process that only reads or adds records need not own it.
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace hone::cli {

// How the names of files beside a database begin: "fleet.db" of the file, "farm" of postgresql://lab/farm, in the folder of now.
std::string files_beside(const std::string& db);

class DatabaseOwner {
 public:
  // Locks the file <database>.owner beside the database, whatever path leads there; `what` says who this is ("hone up"). The system frees it
  // when the process ends, however it ends. Fails: kBusy, with who has it and what to do; kIoError.
  static Result<DatabaseOwner> take(const std::string& db, const std::string& what);
  ~DatabaseOwner();
  DatabaseOwner(DatabaseOwner&& other) noexcept;
  DatabaseOwner& operator=(DatabaseOwner&&) = delete;

  // For the sentence that others read.
  void tell_port(uint16_t port);

 private:
  DatabaseOwner(int fd, std::string what) : fd_(fd), what_(std::move(what)) {}
  void tell(const std::string& who);

  int fd_;  // -1: moved from
  std::string what_;
};

}  // namespace hone::cli
