#include "cli/server_name.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/cat.h"
#include "base/hash.h"

namespace hone::cli {

namespace {

constexpr size_t kServerNameBytesMax = 64;  // policy: of a file's name some more is left

bool is_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_'; }

}  // namespace

std::string default_server_name() {
  std::array<char, 256> text{};
  if (gethostname(text.data(), text.size() - 1) != 0) return "";
  std::string name = text.data();
  name.resize(std::min(name.size(), kServerNameBytesMax));
  return check_server_name(name).ok() ? name : "";
}

Status check_server_name(const std::string& name) {
  if (!name.empty() && name.size() <= kServerNameBytesMax && name.front() != '.' && std::all_of(name.begin(), name.end(), is_part)) return ok_status();
  return Error{ErrorCode::kInvalidArgument,
               cat("--name: found '", name.substr(0, kServerNameBytesMax), "', expected 1 to ", kServerNameBytesMax, " letters, digits, '.', '-' or '_', the first no '.'")};
}

Result<ServerName> ServerName::take(const std::string& where, const std::string& name) {
  HONE_ASSIGN(db, sql::open_database(where));
  bool taken = false;
  const auto key = static_cast<int64_t>(hash_bytes(cat("hone server ", name)).lo);
  HONE_TRY(db->query("SELECT CASE WHEN pg_try_advisory_lock($1) THEN 1 ELSE 0 END", {key}, [&taken](const sql::Row& row) {
    taken = row.integer(0) == 1;
    return ok_status();
  }));
  if (taken) return ServerName(std::move(db));
  return Error{ErrorCode::kBusy, cat("the database ", db->name(), " is in use by another hone server of the name ", name, "; end that one, or give another --name")};
}

}  // namespace hone::cli
