// Pages of a store as JSON lines, from which another one becomes a copy: how the records of a service reach another machine.
#pragma once
#include <optional>
#include <string>

#include "tuner/records/json_lines.h"
#include "tuner/records/store.h"

namespace hone::tuner {

enum class RecordPart : uint8_t { kTasks, kDevices, kJobs, kAttempts };

struct RecordPage {
  std::string lines;                // each with its newline
  std::optional<RecordPlace> next;  // behind which the next page begins; none: this is the last one
  int too_long = 0;                 // lines that no reader would take; they are left out
};

// The lines behind filter.after until they have bytes_max bytes, at least one of them. Of the parts other than attempts the place counts lines in
// `row`, and the rest of the filter says nothing.
Result<RecordPage> read_page(RecordStore& store, RecordPart part, const RecordFilter& filter, size_t bytes_max);

// Puts a page's lines into the copy. Whoever wrote them is checked line by line, as in an import.
Result<ImportReport> copy_page(const std::string& lines, RecordPart part, RecordStore& into);

}  // namespace hone::tuner
