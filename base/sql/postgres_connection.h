// PostgresConnection: one connection to a PostgreSQL server, by libpq. Nothing waits longer than a deadline, whatever the server or the network does. One thread at a time.
//
// libpq itself, not libpqxx: its pipeline mode (PostgreSQL 14) sends a whole transaction's statements in one round trip, which no release of libpqxx offers for statements with
// parameters; its errors are values; and its calls that do not block can be given a deadline.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/sql/database.h"

struct pg_conn;
struct pg_result;

namespace hone::sql {

class PostgresConnection {
 public:
  // Fails: busy or io_error, with the database's name and what to do.
  static Result<std::unique_ptr<PostgresConnection>> open(const std::string& url);
  ~PostgresConnection();

  // The statements in one round trip. Of each its result is looked at in order; at the first that fails the server leaves out those behind it.
  using OnResult = std::function<Status(const Command&, const pg_result&)>;
  Status send(const std::vector<Command>& commands, const OnResult& on_result);
  // Any number of statements without parameters; those of one call are one transaction where none is open.
  Status execute(const std::string& sql);

  bool is_open() const;  // as far as it is known
  bool was_conflict() const { return was_conflict_; }  // the last call failed: the server gave the transaction up for another one's sake, and it may be done again
  const std::string& name() const { return name_; }

 private:
  explicit PostgresConnection(pg_conn* connection);
  using Until = std::chrono::steady_clock::time_point;
  Status connect();
  // What was sent and is not answered: a statement, or nothing where one is prepared under that name.
  struct Sent {
    const Command* command;
    const char* sql;
    std::string prepared_as;
  };
  Status queue(const std::vector<Command>& commands, std::vector<Sent>& sent);
  Status send_one(const Command& command, const std::string& prepared_as);
  Status read(const std::vector<Sent>& sent, const OnResult& on_result, Until until);
  // The next result; null at the end of a statement's.
  Result<std::shared_ptr<pg_result>> next_result(Until until);
  Status flush(Until until);
  // Waits until it can be read, or written where `writes`; false: not within that time.
  Result<bool> wait(bool writes, Until until);
  Error error(const pg_result& result);
  Error lost() const;
  Error silent();  // and ends the connection: what the server answers later belongs to nobody

  std::unique_ptr<pg_conn, void (*)(pg_conn*)> connection_;
  std::string name_;
  std::map<const char*, std::string> prepared_;  // names by text
  size_t names_ = 0;
  bool was_conflict_ = false;
};

}  // namespace hone::sql
