// What any tuned operator's report and records must show.
#pragma once
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/e2e/hone_command.h"
#include "tests/e2e/record_check.h"

namespace hone::e2e {

// Waits for `hone tune --json`: its one task has so many trials and a time by the device's clock (or another method), its kernels are right, and
// what it leaves in `db` is sound. The report; null when there is none.
inline nlohmann::json expect_tuned(HoneProcess& tune, const std::string& db, int trials,
                                   const std::string& method = "clock") {
  EXPECT_EQ(tune.wait(std::chrono::seconds(120)), 0) << tune.err();
  const auto result = nlohmann::json::parse(tune.out(), nullptr, false);
  EXPECT_TRUE(result.is_object()) << tune.out();
  if (!result.is_object()) return nullptr;
  const auto& task = result["tasks"][0];
  EXPECT_EQ(task["trials"], trials);
  expect_no_fault_of_ours(task);
  EXPECT_GT(task["best_ms"], 0);
  expect_sound(db);
  EXPECT_GT(query_number(db, "SELECT count(*) FROM attempts WHERE outcome = 'ok'"), 0);
  EXPECT_EQ(query_number(db, "SELECT count(*) FROM attempts WHERE outcome = 'ok' AND method <> '" + method + "'"), 0);
  EXPECT_EQ(query_number(db, "SELECT count(*) FROM attempts WHERE max_error > 1.2e-5"), 0);
  return result;
}

// Right trials whose trace contains the text.
inline int trials_with(const TempFolder& folder, const std::string& text) {
  HoneProcess records(hone_in(folder, {"records", "export"}));
  EXPECT_EQ(records.wait(std::chrono::seconds(30)), 0) << records.err();
  std::istringstream lines(records.out());
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line, nullptr, false);
    count += record.value("outcome", "") == "ok" &&
             record.value("trace", nlohmann::json()).dump().find(text) != std::string::npos;
  }
  return count;
}

}  // namespace hone::e2e
