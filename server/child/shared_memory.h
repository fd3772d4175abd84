// Memory without a file that a process shares with its children (memfd_create(2)).
#pragma once
#include <memory>
#include <string_view>

#include "base/result.h"
#include "base/shared_bytes.h"
#include "server/child/descriptor.h"

namespace hone::server {

// Empty, for a child to write to. Fails: io_error where the process may open no more files.
Result<Descriptor> make_memory(const char* name);
// Behind what is there. Fails: io_error, disk_full where there is no memory for it.
Status write_memory(int descriptor, std::string_view bytes);

// SharedMemory: bytes that never change again: it is sealed, whoever else has it open. A copy is another handle on the same bytes.
class SharedMemory {
 public:
  SharedMemory() = default;  // no bytes
  // A copy of the bytes. Fails: as make_memory and write_memory.
  static Result<SharedMemory> of(std::string_view bytes);
  // What a child has written. Fails: io_error; busy while anybody can still write to it.
  static Result<SharedMemory> seal(Descriptor memory);
  // That which this process was started with. Fails: io_error.
  static Result<SharedMemory> inherited(int descriptor);

  const SharedBytes& bytes() const { return bytes_; }  // never null; mapped as long as anybody holds them
  int descriptor() const { return descriptor_ ? descriptor_->number() : -1; }

 private:
  static Result<SharedMemory> map(Descriptor memory);

  std::shared_ptr<const Descriptor> descriptor_;
  SharedBytes bytes_ = shared_bytes("");
};

}  // namespace hone::server
