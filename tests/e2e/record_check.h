// What must hold for any database that hone leaves behind.
#pragma once
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace hone::e2e {

// The first column of the first row; -1 when the database or the query is bad.
inline int64_t query_number(const std::string& db_path, const std::string& sql) {
  sqlite3* db = nullptr;
  sqlite3_stmt* statement = nullptr;
  int64_t number = -1;
  if (sqlite3_open_v2(db_path.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
    sqlite3_busy_timeout(db, 5000);
    if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
      number = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return number;
}

// The first column of every row.
inline std::vector<std::string> query_texts(const std::string& db_path, const std::string& sql) {
  sqlite3* db = nullptr;
  sqlite3_stmt* statement = nullptr;
  std::vector<std::string> texts;
  if (sqlite3_open_v2(db_path.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
    sqlite3_busy_timeout(db, 5000);
    if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK)
      while (sqlite3_step(statement) == SQLITE_ROW)
        texts.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return texts;
}

// Sound, no (task, device key, source) twice, no attempt without its trial, and every time has its samples.
inline void expect_sound(const std::string& db) {
  EXPECT_EQ(query_number(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"), 0);
  EXPECT_EQ(
      query_number(
          db,
          "SELECT count(*) FROM (SELECT 1 FROM trials GROUP BY task_id, device_key, source_hash HAVING count(*) > 1)"),
      0);
  EXPECT_EQ(query_number(db, "SELECT count(*) FROM attempts LEFT JOIN trials USING (trial) WHERE trials.trial IS NULL"),
            0);
  EXPECT_EQ(
      query_number(
          db, "SELECT count(*) FROM attempts WHERE outcome = 'ok' AND (latency_us_median <= 0 OR samples_us = '[]')"),
      0);
}

// Nothing was measured twice: a candidate has one time from its proposal, whoever made it, and of each job's finals two while they halve and one with
// the many samples.
inline void expect_each_once(const std::string& db) {
  EXPECT_EQ(query_number(db,
                         "SELECT count(*) FROM (SELECT 1 FROM attempts WHERE outcome = 'ok' AND origin != 'recheck' "
                         "GROUP BY trial, origin HAVING count(*) > 1)"),
            0);
  EXPECT_EQ(query_number(db,
                         "SELECT count(*) FROM (SELECT 1 FROM attempts WHERE outcome = 'ok' AND origin = 'recheck' "
                         "GROUP BY trial, job_id HAVING count(*) > 3)"),
            0);
}

}  // namespace hone::e2e
