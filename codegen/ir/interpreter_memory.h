// The interpreter's memory: what each buffer holds, which elements were written, and who touched them since when. Internal to ir.
#pragma once
#include <string>
#include <vector>

#include "codegen/ir/numeric.h"
#include "codegen/ir/stmt.h"

namespace hone::ir {

// Who accesses. Intervals lie between barriers; groups are workgroups; both count up over the whole run.
struct Accessor {
  int64_t interval = 0, group = 0, first_group = 0;  // first_group: of the current launch
  int64_t thread = 0;
};

class Memory {
 public:
  Memory() = default;
  // instances: threads for a buffer private to a thread, else 1. Nothing is written yet.
  Memory(Buffer buffer, int64_t instances, bool check_races, bool read_only);

  Buffer buffer() const { return buffer_; }
  bool read_only() const { return read_only_; }
  int64_t count() const { return count_; }             // scalars of one instance
  bool is_private() const { return instances_ > 1 || buffer_->scope == Scope::kRegister; }
  void fill(Cell value, bool written);
  void set(int64_t at, Cell value) { cells_[static_cast<size_t>(at)] = value, written_[static_cast<size_t>(at)] = 1; }
  Cell get(int64_t at) const { return cells_[static_cast<size_t>(at)]; }
  bool is_written(int64_t at) const { return written_[static_cast<size_t>(at)]; }
  void forget();                                        // the contents become undefined

  // at: the scalar's position, instance included. Each gives false with a reason when the access is an error.
  bool read(int64_t at, const Accessor& who, bool any_value, Cell* out, std::string* reason);
  bool write(int64_t at, const Accessor& who, Cell value, std::string* reason);

 private:
  struct Trail {  // of one scalar
    int64_t write_interval = -1, write_group = -1, read_interval = -1, read_group = -1;
    int32_t writer = -1, reader = -1;
    bool many_readers = false, many_groups = false;
  };
  bool watched() const { return !trails_.empty(); }
  bool is_shared_widely() const { return buffer_->scope == Scope::kArg || buffer_->scope == Scope::kScratch; }

  Buffer buffer_ = nullptr;
  int64_t instances_ = 1, count_ = 0;
  bool read_only_ = false;
  std::vector<Cell> cells_;
  std::vector<uint8_t> written_;
  std::vector<Trail> trails_;
};

// What unwritten and padding elements hold: NaN, or kPoison for integers.
Cell poison_cell(DType dtype);

}  // namespace hone::ir
