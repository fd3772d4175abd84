// RecordReader: reads records from the rows of a selection.
#pragma once
#include <string>
#include <vector>

#include "base/sql/database.h"
#include "tuner/records/store.h"

namespace hone::tuner {

Result<std::vector<double>> samples_from(const std::string& text);

// Selects records; ends with WHERE TRUE, for terms on a (attempts) and t (trials) to follow.
extern const char* const kSelectRecords;
inline constexpr int kAttemptColumn = 4, kTrialColumn = 33;  // their numbers, whatever else the row is

class RecordReader {
 public:
  // Fails: parse_error for a row that is no record, with its place.
  Result<Record> read(const sql::Row& row);

 private:
  std::string sound_fingerprint_;  // the last one that was checked
};

}  // namespace hone::tuner
