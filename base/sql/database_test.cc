#include "base/sql/database.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "base/sql/migrate.h"
#include "base/sql/scratch_database.h"
#include "base/sql/statement_text.h"

namespace hone::sql {
namespace {

const std::vector<std::string> kMigrations{"CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT NOT NULL, weight DOUBLE PRECISION NOT NULL)"};

Command add_note(int64_t id, std::string text = "", double weight = 0) {
  return {"INSERT INTO notes (id, text, weight) VALUES ($1, $2, $3)", {id, std::move(text), weight}};
}

class DatabaseTest : public testing::TestWithParam<Kind> {
 protected:
  std::unique_ptr<Database> open() { return std::move(open_database(scratch_.where())).value(); }
  std::unique_ptr<Database> open_migrated() {
    auto db = open();
    EXPECT_TRUE(migrate(*db, "notes", kMigrations).ok());
    return db;
  }
  static int64_t count(Database& db) {
    int64_t rows = -1;
    const Status read = db.query("SELECT count(*) FROM notes", {}, [&](const Row& row) { return rows = row.integer(0), ok_status(); });
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
    return rows;
  }

  ScratchDatabase scratch_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Both, DatabaseTest, testing::Values(Kind::kSqlite, Kind::kPostgres), [](const auto& one) { return name_of(one.param); });

TEST_P(DatabaseTest, KeepsWhatIsCommitted) {
  // Given numbers at the ends of their ranges and texts with quotes, signs of other scripts and a megabyte, when they are committed and the database is opened anew, then they are
  // read as they were; a parameter is never read as SQL.
  const std::string odd = "'; DROP TABLE notes; -- \xe2\x82\xac \xf0\x9f\x99\x82 \\ \" \n", big(1 << 20, 'x');
  const int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  ASSERT_TRUE(open_migrated()->commit({add_note(least, odd, 0.1), add_note(most, big, -1e300)}).ok());
  const auto db = open_migrated();
  std::vector<std::pair<std::string, double>> read;
  ASSERT_TRUE(db->query("SELECT text, weight FROM notes WHERE id = $1 OR id = $2 ORDER BY id", {least, most}, [&](const Row& row) {
    read.emplace_back(row.text(0), row.real(1));
    return ok_status();
  }).ok());
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].first, odd);
  EXPECT_EQ(read[0].second, 0.1);
  EXPECT_TRUE(read[1].first == big);
  EXPECT_EQ(read[1].second, -1e300);
}

TEST_P(DatabaseTest, ATransactionIsAllOrNothing) {
  // Given a statement that fails (a key twice), and one that is to change a row and changes none, when each is committed between others, then it fails, the second with its own
  // words; nothing of it is there, and the database goes on.
  const auto db = open_migrated();
  ASSERT_TRUE(db->commit({add_note(1)}).ok());
  EXPECT_FALSE(db->commit({add_note(2), add_note(1), add_note(3)}).ok());
  Command moves_none{"UPDATE notes SET weight = $1 WHERE id = $2", {1.5, int64_t{9}}, Error{ErrorCode::kNotFound, "there is no note 9"}};
  const Status none = db->commit({add_note(2), moves_none, add_note(3)});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "there is no note 9");
  EXPECT_EQ(count(*db), 1);
  moves_none.values[1] = int64_t{1};
  EXPECT_TRUE(db->commit({add_note(2), moves_none}).ok());
  EXPECT_EQ(count(*db), 2);
}

TEST_P(DatabaseTest, BytesAndNothingAreKept) {
  // Given all bytes, no bytes, and nothing, when they are committed, then they are read as they were, and nothing is NULL; as a text and a number it is "" and 0.
  const auto db = open();
  ASSERT_TRUE(db->execute(GetParam() == Kind::kPostgres ? "CREATE TABLE blobs (id BIGINT, bytes BYTEA)" : "CREATE TABLE blobs (id INTEGER, bytes BLOB) STRICT").ok());
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  const char* const add = "INSERT INTO blobs (id, bytes) VALUES ($1, $2)";
  ASSERT_TRUE(db->commit({{add, {int64_t{1}, Bytes{all}}}, {add, {int64_t{2}, Bytes{}}}, {add, {int64_t{3}, Null()}}}).ok());
  std::vector<std::pair<std::string, int64_t>> read;
  ASSERT_TRUE(db->query("SELECT bytes, CASE WHEN bytes IS NULL THEN 1 ELSE 0 END FROM blobs ORDER BY id", {}, [&](const Row& row) {
    read.emplace_back(row.bytes(0), row.integer(1));
    return ok_status();
  }).ok());
  EXPECT_EQ(read, (std::vector<std::pair<std::string, int64_t>>{{all, 0}, {"", 0}, {"", 1}}));
}

TEST_P(DatabaseTest, ATransactionSeesWhatItDid) {
  // Given a transaction that adds notes, counts what each statement changed or found, and looks, when it says that it failed, then nothing of it is there; when it does not, then all of it is.
  const auto db = open_migrated();
  const Command take_all{"UPDATE notes SET weight = 1", {}}, find{"SELECT id FROM notes WHERE id > $1", {int64_t{1}}};
  for (const Status& end : {Status(Error{ErrorCode::kCancelled, "enough"}), ok_status()}) {
    std::vector<int64_t> changed;
    const Status done = db->transaction([&]() -> Status {
      HONE_ASSIGN(rows, db->run({add_note(1), add_note(2), take_all, find}));
      changed = rows;
      EXPECT_EQ(count(*db), 2);
      return end;
    });
    EXPECT_EQ(done.ok(), end.ok());
    EXPECT_EQ(changed, (std::vector<int64_t>{1, 1, 2, 1}));
    EXPECT_EQ(count(*db), end.ok() ? 2 : 0);
  }
}

TEST_P(DatabaseTest, TermsOfAListAreItsElements) {
  // Given notes, and a JSON list of texts with quotes, when those are asked for whose text is in the list, by a statement that is put together, then they are found.
  const auto db = open_migrated();
  ASSERT_TRUE(db->commit({add_note(1, "it's"), add_note(2, "\"b\""), add_note(3, "c")}).ok());
  StatementText select("SELECT count(*) FROM notes WHERE weight = $1", {0.0});
  select.add(cat(" AND text IN (", db->elements_of("?"), ")"), R"(["it's", "\"b\"", "nothing"])").add(" AND id < ?", int64_t{3});
  int64_t found = 0;
  ASSERT_TRUE(db->query(select.sql(), select.values(), [&](const Row& row) { return found = row.integer(0), ok_status(); }).ok());
  EXPECT_EQ(found, 2);
}

TEST_P(DatabaseTest, AnAnswerThatNobodyWantsEnds) {
  // Given a thousand rows and a reader that fails at the second, when they are asked for, then that is what fails, after two rows; what is no SQL fails, too; and the next answer is whole.
  const auto db = open_migrated();
  std::vector<Command> notes;
  for (int64_t i = 0; i < 1000; ++i) notes.push_back(add_note(i));
  ASSERT_TRUE(db->commit(notes).ok());
  int rows = 0;
  const Status stopped = db->query("SELECT id FROM notes", {}, [&](const Row&) { return ++rows < 2 ? ok_status() : Status(Error{ErrorCode::kCancelled, "enough"}); });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().message, "enough");
  EXPECT_EQ(rows, 2);
  const Status nonsense = db->query("SELECT nothing FROM nowhere", {}, [](const Row&) { return ok_status(); });
  ASSERT_FALSE(nonsense.ok());
  EXPECT_NE(nonsense.error().message.find(db->name()), std::string::npos);
  EXPECT_EQ(count(*db), 1000);
}

TEST_P(DatabaseTest, MigratesOnceAndForward) {
  // Given four that open an empty database at once, when they migrate it, then all succeed, and the schema is made once. When a program of an older schema opens it, then it refuses.
  open();
  std::vector<std::thread> openers;
  for (int i = 0; i < 4; ++i) openers.emplace_back([this] { open_migrated(); });
  for (std::thread& one : openers) one.join();
  const auto db = open_migrated();
  EXPECT_TRUE(db->commit({add_note(1)}).ok());
  ASSERT_TRUE(migrate(*db, "notes", {kMigrations[0], "ALTER TABLE notes ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'"}).ok());
  const Status older = migrate(*db, "notes", kMigrations);
  ASSERT_FALSE(older.ok());
  EXPECT_EQ(older.error().code, ErrorCode::kVersionMismatch);
  EXPECT_NE(older.error().message.find("version 2"), std::string::npos);
  EXPECT_EQ(count(*db), 1);
}

TEST_P(DatabaseTest, AMigrationThatFailsLeavesNothing) {
  // Given a migration of which the second statement fails, when it is run, then nothing of the first is there either, and the schema's version is that of before.
  const auto db = open();
  EXPECT_FALSE(migrate(*db, "notes", {"CREATE TABLE notes (id BIGINT PRIMARY KEY); CREATE TABLE notes (id BIGINT PRIMARY KEY)"}).ok());
  EXPECT_TRUE(migrate(*db, "notes", kMigrations).ok());
}

}  // namespace
}  // namespace hone::sql
