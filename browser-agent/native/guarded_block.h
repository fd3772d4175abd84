// GuardedBlock: memory for a kernel's buffer, so that what the kernel writes beside it never meets another buffer.
//
//   | reserve: no access, or reads only | slack | data | slack | reserve |
//
// Data begins at a multiple of 64 and ends as near to the reserve behind it as that allows; slack is what is left of its pages, and holds a
// pattern that tells a write. A write into the reserve, 8 GiB on either side, ends the process. Reads into it do, too, but as far as
// allow_reads says.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"

namespace hone::native {

class GuardedBlock {
 public:
  // Holds zeros; closed to writes. Fails: out_of_memory.
  static Result<std::unique_ptr<GuardedBlock>> make(int64_t bytes);
  ~GuardedBlock();
  GuardedBlock(const GuardedBlock&) = delete;
  GuardedBlock& operator=(const GuardedBlock&) = delete;

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

  // Writes are allowed while it was opened more often than closed.
  void open();
  void close();
  // Every word of the data becomes this one. Needs: open.
  void fill(uint32_t word);
  // Reads up to so many bytes beside the data are allowed from now on. Fails: limit_exceeded beyond emit::kReachBytesMax.
  Status allow_reads(int64_t reach_bytes);
  // True when nobody wrote into the slack; it is whole again afterwards.
  bool mend_slack();

 private:
  GuardedBlock(std::byte* reserve, int64_t body_bytes, int64_t bytes);
  template <typename Visit>
  void visit_slack(const Visit& visit) const;

  std::byte* const reserve_;  // the mapping's beginning
  std::byte* const body_;     // of whole pages, between the reserves
  const int64_t body_bytes_;
  const int64_t bytes_;
  std::byte* const data_;
  int64_t reach_bytes_ = 0;
  int opened_ = 0;
};

}  // namespace hone::native
