// Records as JSON lines: one attempt per line with its task and device, so that a line stands alone. A damaged line costs only itself.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>

#include "tuner/records/store.h"

namespace hone::tuner {

std::string record_to_json(const Record& record, const TaskInfo& task,
                           const std::string& target);  // one line, no newline

struct ImportReport {
  int records = 0;  // read and stored, or there already
  int added = 0;    // of these, those that are new
  int bad_lines = 0;
  std::string first_error;  // "line 7: …"
};

Status export_json_lines(RecordStore& store, const RecordFilter& filter, std::ostream& out);
// `source` names where the lines come from: each record is then agent "import:<source>"'s, whatever it says of its agent, so that it can be told
// from what this machine's agents measured, and forgotten. Medians are those of the samples. A line is bad when it is longer than
// kLineBytesMax, no record, or a time that nothing can have; bad lines are counted. Fails when the store does, or the file holds no lines.
// `class_of`: the class that a record is stored under, by its key and its fingerprint; nullptr: by its key.
using ClassOf = std::function<std::string(const std::string& device_key, const std::string& fingerprint_json)>;
Result<ImportReport> import_json_lines(std::istream& in, const std::string& source, RecordStore& store,
                                       const ClassOf& class_of = nullptr);
// The same for lines of a store that is copied: records keep their agents and medians, and a time that nothing can have is left to the judgement
// of whoever reads them, as it is there.
Result<ImportReport> copy_json_lines(std::istream& in, RecordStore& store);
// Copies everything from one store into another, but for the trust in its devices: that is each service's own.
Result<ImportReport> merge_records(RecordStore& from, RecordStore& into);

}  // namespace hone::tuner
