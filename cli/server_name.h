// ServerName: one server at a time has a name in a database of PostgreSQL, by which its jobs are its own among those of other servers.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "base/sql/database.h"

namespace hone::cli {

// The machine's name as far as it is one; "" where it is none.
std::string default_server_name();
// 1 to 64 letters, digits, '.', '-', '_': files beside a server have it in their names. Fails: invalid_argument.
Status check_server_name(const std::string& name);

class ServerName {
 public:
  // Until it goes, or its connection breaks: then a second server of the name would be let in. Fails: busy, with what to do; as open_database.
  static Result<ServerName> take(const std::string& where, const std::string& name);

 private:
  explicit ServerName(std::unique_ptr<sql::Database> lock) : lock_(std::move(lock)) {}
  std::unique_ptr<sql::Database> lock_;
};

}  // namespace hone::cli
