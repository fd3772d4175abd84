#include "base/sql/postgres_connection.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "base/cat.h"
#include "base/sql/limits.h"

namespace hone::sql {

namespace {

using Clock = std::chrono::steady_clock;

// libpq's messages are of several lines.
std::string one_line(const char* message) {
  std::string line = message ? message : "";
  std::replace(line.begin(), line.end(), '\n', ' ');
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return line;
}

std::string name_of(pg_conn* connection) {
  const auto said = [](const char* text) { return std::string(text ? text : ""); };
  const std::string host = said(PQhost(connection)), port = said(PQport(connection));
  return cat("postgresql://", host, port.empty() || port == "5432" ? "" : cat(":", port), "/", said(PQdb(connection)));
}

// PostgreSQL's texts hold no NUL, and libpq would end them there.
std::string as_parameter(const std::string& text) {
  std::string kept;
  for (const char c : text) c == '\0' ? kept += "\xEF\xBF\xBD" : kept += c;
  return kept;
}
std::string as_parameter(int64_t value) { return std::to_string(value); }
std::string as_parameter(double value) {
  std::array<char, 32> text{};  // the shortest that is read as the same number again has 24 characters at most
  return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

std::string as_parameter(const Bytes& value) { return value.bytes; }
std::string as_parameter(Null) { return ""; }

bool begins(std::string_view state, std::string_view with) { return state.starts_with(with); }

// Appendix A of PostgreSQL's documentation: the classes of SQLSTATE.
ErrorCode code_of(std::string_view state) {
  if (state == "53100") return ErrorCode::kDiskFull;
  const bool crowded = begins(state, "53") || begins(state, "57"), locked = begins(state, "40") || state == "55P03" || state == "25P03";
  return crowded || locked ? ErrorCode::kBusy : ErrorCode::kIoError;
}

std::string remedy_of(ErrorCode code) {
  if (code == ErrorCode::kDiskFull) return "; free some space on its machine: every acknowledged record is kept";
  return code == ErrorCode::kBusy ? "; it is tried again" : "; look at its log, or give another --db";
}

}  // namespace

PostgresConnection::PostgresConnection(pg_conn* connection) : connection_(connection, &PQfinish), name_(name_of(connection)) {}
PostgresConnection::~PostgresConnection() = default;

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::open(const std::string& url) {
  const std::array<const char*, 7> keys{"dbname", "client_encoding", "application_name", "keepalives_idle", "keepalives_interval", "keepalives_count", nullptr};
  const std::array<const char*, 7> values{url.c_str(), "UTF8", "hone", "10", "5", "3", nullptr};
  std::unique_ptr<PostgresConnection> opened(new PostgresConnection(PQconnectStartParams(keys.data(), values.data(), 1)));
  HONE_TRY(opened->connect());
  opened->name_ = name_of(opened->connection_.get());
  PQsetnonblocking(opened->connection_.get(), 1);
  PQsetNoticeReceiver(opened->connection_.get(), [](void*, const pg_result*) {}, nullptr);
  HONE_TRY(opened->execute(cat("SET synchronous_commit = on; SET default_transaction_isolation = 'read committed'; SET lock_timeout = ", kBusyWait.count(),
                               "; SET statement_timeout = ", kStatementMax.count(), "; SET idle_in_transaction_session_timeout = ", kIdleInTransactionMax.count())));
  return opened;
}

Status PostgresConnection::connect() {
  const Until until = Clock::now() + kConnectMax;
  PostgresPollingStatusType polling = PGRES_POLLING_WRITING;
  while (PQstatus(connection_.get()) != CONNECTION_BAD && polling != PGRES_POLLING_OK && polling != PGRES_POLLING_FAILED) {
    HONE_ASSIGN(ready, wait(polling == PGRES_POLLING_WRITING, until));
    if (!ready) return silent();
    polling = PQconnectPoll(connection_.get());
  }
  if (PQstatus(connection_.get()) == CONNECTION_OK) return ok_status();
  const std::string why = one_line(PQerrorMessage(connection_.get()));
  return Error{why.find("too many") != std::string::npos || why.find("starting up") != std::string::npos ? ErrorCode::kBusy : ErrorCode::kIoError,
               cat("the database ", name_, " cannot be opened: ", why, "; check that it runs and lets this user in (PGPASSWORD or ~/.pgpass has the password), or give another --db")};
}

bool PostgresConnection::is_open() const { return PQstatus(connection_.get()) == CONNECTION_OK; }

Result<bool> PostgresConnection::wait(bool writes, Until until) {
  pollfd waited{.fd = PQsocket(connection_.get()), .events = static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), .revents = 0};
  if (waited.fd < 0) return lost();
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    const int ready = poll(&waited, 1, static_cast<int>(std::max<int64_t>(0, left)));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) return lost();
  }
}

Error PostgresConnection::lost() const {
  return {ErrorCode::kBusy, cat("the connection to the database ", name_, " broke: ", one_line(PQerrorMessage(connection_.get())), "; it is opened again")};
}

Error PostgresConnection::silent() {
  connection_.reset();
  return {ErrorCode::kTimeout, cat("the database ", name_, " answered nothing in time; check the network and its server")};
}

Error PostgresConnection::error(const pg_result& result) {
  const char* const said = PQresultErrorField(&result, PG_DIAG_SQLSTATE);
  const std::string_view state = said ? said : "";
  const ErrorCode code = code_of(state);
  was_conflict_ = begins(state, "40");
  const char* const primary = PQresultErrorField(&result, PG_DIAG_MESSAGE_PRIMARY);
  return {code, cat("the database ", name_, " failed: ", one_line(primary ? primary : PQresultErrorMessage(&result)), remedy_of(code))};
}

Status PostgresConnection::send_one(const Command& command, const std::string& prepared_as) {
  std::vector<std::string> parameters;
  for (const Value& value : command.values) parameters.push_back(std::visit([](const auto& one) { return as_parameter(one); }, value));
  std::vector<const char*> pointers;
  std::vector<int> lengths, are_binary;  // bytes go as they are, all else as text
  for (size_t i = 0; i < parameters.size(); ++i) {
    pointers.push_back(std::holds_alternative<Null>(command.values[i]) ? nullptr : parameters[i].c_str());
    lengths.push_back(static_cast<int>(parameters[i].size()));
    are_binary.push_back(std::holds_alternative<Bytes>(command.values[i]));
  }
  const int sent = PQsendQueryPrepared(connection_.get(), prepared_as.c_str(), static_cast<int>(pointers.size()), pointers.data(), lengths.data(), are_binary.data(), 0);
  return sent == 1 ? ok_status() : Status(lost());
}

Status PostgresConnection::queue(const std::vector<Command>& commands, std::vector<Sent>& sent) {
  std::map<const char*, std::string> names = prepared_;  // with those of this round trip, which may fail before they are prepared
  for (const Command& command : commands) {
    auto [name, is_new] = names.try_emplace(command.sql);
    if (is_new) {
      name->second = cat("hone_", ++names_);
      if (PQsendPrepare(connection_.get(), name->second.c_str(), command.sql, 0, nullptr) != 1) return lost();
      sent.push_back({nullptr, command.sql, name->second});
    }
    HONE_TRY(send_one(command, name->second));
    sent.push_back({&command, command.sql, ""});
  }
  return PQpipelineSync(connection_.get()) == 1 ? ok_status() : Status(lost());
}

Status PostgresConnection::flush(Until until) {
  for (;;) {
    const int left = PQflush(connection_.get());
    if (left == 0) return ok_status();
    if (left < 0) return lost();
    HONE_ASSIGN(ready, wait(true, until));
    if (!ready) return silent();
    if (PQconsumeInput(connection_.get()) != 1) return lost();  // the server may wait until it is read before it reads on
  }
}

Result<std::shared_ptr<pg_result>> PostgresConnection::next_result(Until until) {
  while (PQisBusy(connection_.get()) == 1) {
    HONE_TRY(flush(until));
    HONE_ASSIGN(ready, wait(false, until));
    if (!ready) return silent();
    if (PQconsumeInput(connection_.get()) != 1) return lost();
  }
  return std::shared_ptr<pg_result>(PQgetResult(connection_.get()), [](pg_result* one) { PQclear(one); });
}

Status PostgresConnection::send(const std::vector<Command>& commands, const OnResult& on_result) {
  const Until until = Clock::now() + kRoundTripMax;
  was_conflict_ = false;
  if (PQenterPipelineMode(connection_.get()) != 1) return lost();
  std::vector<Sent> sent;
  Status status = queue(commands, sent);
  if (status.ok()) status = flush(until);
  if (status.ok()) status = read(sent, on_result, until);
  if (is_open() && PQexitPipelineMode(connection_.get()) != 1) connection_.reset();  // it stopped amid the answers
  return status;
}

// Until the synchronisation point: whatever fails before it, all that was sent is answered there.
Status PostgresConnection::read(const std::vector<Sent>& sent, const OnResult& on_result, Until until) {
  Status status = ok_status();
  for (size_t at = 0;;) {
    HONE_ASSIGN(result, next_result(until));
    if (!result && !is_open()) return lost();
    if (!result) continue;  // the end of a statement's results
    const ExecStatusType what = PQresultStatus(result.get());
    if (what == PGRES_PIPELINE_SYNC) return status;
    if (at == sent.size()) return lost();
    const Sent& answered = sent[at++];
    const bool fine = what == PGRES_COMMAND_OK || what == PGRES_TUPLES_OK;
    if (fine && !answered.command) prepared_[answered.sql] = answered.prepared_as;
    if (!status.ok() || what == PGRES_PIPELINE_ABORTED || (fine && !answered.command)) continue;
    status = fine ? on_result(*answered.command, *result) : Status(error(*result));
  }
}

Status PostgresConnection::execute(const std::string& sql) {
  const Until until = Clock::now() + kRoundTripMax;
  was_conflict_ = false;
  if (PQsendQuery(connection_.get(), sql.c_str()) != 1) return lost();
  HONE_TRY(flush(until));
  Status status = ok_status();
  for (;;) {
    HONE_ASSIGN(result, next_result(until));
    if (!result) return status.ok() && !is_open() ? Status(lost()) : status;
    const ExecStatusType what = PQresultStatus(result.get());
    if (status.ok() && what != PGRES_COMMAND_OK && what != PGRES_TUPLES_OK && what != PGRES_EMPTY_QUERY) status = error(*result);
  }
}

}  // namespace hone::sql
