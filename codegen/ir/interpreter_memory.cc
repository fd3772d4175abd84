#include "codegen/ir/interpreter_memory.h"

#include <cstring>
#include <limits>

#include "base/cat.h"
#include "codegen/ir/tensor_value.h"

namespace hone::ir {

Cell poison_cell(DType dtype) {
  Cell cell;
  if (is_float(dtype)) cell.real = std::numeric_limits<double>::quiet_NaN();
  else cell.whole = wrap_to(dtype, kPoison);
  return cell;
}

Memory::Memory(Buffer buffer, int64_t instances, bool check_races, bool read_only) : buffer_(buffer), instances_(instances), read_only_(read_only) {
  count_ = element_count(physical_shape(buffer->shape, buffer->layout)) * buffer->lanes;
  const size_t total = static_cast<size_t>(count_ * instances);
  cells_.assign(total, poison_cell(buffer->dtype));
  written_.assign(total, 0);
  if (check_races && !read_only && !is_private()) trails_.resize(total);
}

void Memory::fill(Cell value, bool written) {
  cells_.assign(cells_.size(), value);
  written_.assign(written_.size(), written);
}

void Memory::forget() {
  written_.assign(written_.size(), 0);
}

bool Memory::read(int64_t at, const Accessor& who, bool any_value, Cell* out, std::string* reason) {
  const size_t i = static_cast<size_t>(at);
  *out = cells_[i];
  if (!written_[i]) {
    *out = poison_cell(buffer_->dtype);
    if (any_value) return true;
    *reason = cat("reads element ", at % std::max<int64_t>(count_, 1), " of ", buffer_->name, ", which was never written");
    return false;
  }
  if (!watched()) return true;
  Trail& trail = trails_[i];
  if (is_shared_widely() && trail.write_group >= who.first_group && trail.write_group != who.group) {
    *reason = cat("data race: reads element ", at, " of ", buffer_->name, ", which another workgroup writes in the same launch");
    return false;
  }
  if (trail.write_interval == who.interval && trail.writer != who.thread) {
    *reason = cat("data race: reads element ", at, " of ", buffer_->name, ", which thread ", trail.writer, " writes with no barrier between");
    return false;
  }
  trail.many_readers = trail.read_interval == who.interval && (trail.many_readers || trail.reader != who.thread);
  trail.many_groups = trail.read_group >= who.first_group && (trail.many_groups || trail.read_group != who.group);
  trail.read_interval = who.interval;
  trail.read_group = who.group;
  trail.reader = static_cast<int32_t>(who.thread);
  return true;
}

// Equal values written by several threads are no race: a shifted tail recomputes elements of its neighbour.
bool Memory::write(int64_t at, const Accessor& who, Cell value, std::string* reason) {
  const size_t i = static_cast<size_t>(at);
  if (watched()) {
    Trail& trail = trails_[i];
    const bool harmless = written_[i] && bits_of(buffer_->dtype, cells_[i]) == bits_of(buffer_->dtype, value);
    const bool other_writer = trail.write_interval == who.interval && trail.writer != who.thread;
    const bool other_group = is_shared_widely() && trail.write_group >= who.first_group && trail.write_group != who.group;
    if ((other_writer || other_group) && !harmless) {
      *reason = cat("data race: writes element ", at, " of ", buffer_->name, ", which ",
                    other_group ? std::string("another workgroup") : cat("thread ", trail.writer), " writes with ",
                    other_group ? "another value in the same launch" : "another value and no barrier between");
      return false;
    }
    const bool other_reader = trail.read_interval == who.interval && (trail.many_readers || trail.reader != who.thread);
    const bool group_reads = is_shared_widely() && trail.read_group >= who.first_group && (trail.many_groups || trail.read_group != who.group);
    if (other_reader || group_reads) {
      *reason = cat("data race: writes element ", at, " of ", buffer_->name, ", which ", group_reads ? "another workgroup reads in the same launch"
                                                                                                    : "another thread reads with no barrier between");
      return false;
    }
    trail.write_interval = who.interval;
    trail.write_group = who.group;
    trail.writer = static_cast<int32_t>(who.thread);
  }
  cells_[i] = value;
  written_[i] = 1;
  return true;
}

}  // namespace hone::ir
