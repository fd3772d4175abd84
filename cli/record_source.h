// RecordSource: the records that a verb reads: those of --db, or those of the service that --tracker names, which may run on another machine. Of
// a service's records a copy is made in a private database, which ends with the object; the verb does with it what it does with any database.
#pragma once
#include <memory>
#include <string>

#include "cli/options.h"
#include "tuner/records/store.h"

namespace hone::cli {

// Fails: invalid_argument when --tracker is no URL, which is wrong usage.
Status check_place(const CommonOptions& options);

class RecordSource {
 public:
  // All tasks, devices and jobs are there. Fails: not_found when there is no such database; what the service says, or that it does not answer, or
  // not as a service does.
  static Result<std::unique_ptr<RecordSource>> open(const CommonOptions& options);
  virtual ~RecordSource() = default;

  virtual tuner::RecordStore& store() = 0;
  // From now on the attempts that fit are there, and beside them those by which they are judged.
  virtual Status fetch(const tuner::RecordFilter& filter) = 0;
  // What is left out because it cannot be a record.
  virtual tuner::Damage damage() const = 0;
  // For messages: "hone.db", "the service at 127.0.0.1:9190".
  virtual const std::string& name() const = 0;
};

// On stderr, where something is left out.
void tell_of_damage(const RecordSource& source);

}  // namespace hone::cli
