// A device of OpenCL 1.2 with its queue. What runs here are the kernels of emit_opencl.h. One thread.
#pragma once
#include <CL/cl.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codegen/target/target.h"

namespace hone::agent {

class ClDevice {
 public:
  // A GPU where there is one, else whatever computes. Fails: no_device where no platform has a device with a compiler.
  static Result<std::unique_ptr<ClDevice>> open();
  ~ClDevice();
  ClDevice(const ClDevice&) = delete;
  ClDevice& operator=(const ClDevice&) = delete;

  cl_context context() const { return context_; }
  cl_device_id id() const { return id_; }
  cl_command_queue queue() const { return queue_; }  // in order, with profiling
  std::string text(cl_device_info what) const;
  int64_t number(cl_device_info what) const;  // of those that are a size, a count or a set of bits
  std::vector<size_t> sizes(cl_device_info what) const;
  std::string name() const { return text(CL_DEVICE_NAME); }
  std::string platform() const;  // its name
  // What a compiler is told: no rounding, and no number, differs from what IEEE 754 says where the device can do so.
  std::string build_options() const;
  target::Target target() const;
  // Waits for all that was queued. Fails: as cl_status.
  Status finish() const;

 private:
  explicit ClDevice(cl_device_id id) : id_(id) {}
  Status make_queue();

  cl_device_id id_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

// Memory of a device with slack on both sides, which tells what was written beside it. Made before ClDevice ends.
class ClBuffer {
 public:
  // Every word of it is `word`. Fails: out_of_memory.
  static Result<std::shared_ptr<ClBuffer>> make(const ClDevice& device, int64_t bytes, uint32_t word);
  ~ClBuffer();
  ClBuffer(const ClBuffer&) = delete;
  ClBuffer& operator=(const ClBuffer&) = delete;

  int64_t bytes() const { return bytes_; }
  cl_mem memory() const { return view_; }
  Status fill(uint32_t word);
  Status write(std::string_view content);          // its first bytes
  Result<std::string> read(int64_t bytes);         // likewise
  Result<std::shared_ptr<ClBuffer>> copy() const;  // Fails: out_of_memory
  Result<bool> mend_slack();                       // true when nobody wrote there; it is whole again afterwards

 private:
  ClBuffer(const ClDevice& device, int64_t bytes) : device_(device), bytes_(bytes) {}
  Status allocate();
  Status fill_slack();

  const ClDevice& device_;
  const int64_t bytes_;
  int64_t slack_bytes_ = 0, body_bytes_ = 0;  // the body: `bytes` rounded up to whole vectors
  cl_mem whole_ = nullptr, view_ = nullptr;
};

// A compiled program.
class ClProgram {
 public:
  // Fails: compile_error with the driver's words.
  static Result<std::shared_ptr<const ClProgram>> build(const ClDevice& device, const std::string& code);
  ~ClProgram();
  ClProgram(const ClProgram&) = delete;
  ClProgram& operator=(const ClProgram&) = delete;
  cl_program id() const { return id_; }

 private:
  explicit ClProgram(cl_program id) : id_(id) {}
  cl_program id_;
};

struct ClBinding {
  std::shared_ptr<ClBuffer> buffer;
  bool writes = false;
  int64_t bytes = 0;  // that the kernel may touch
};

// A kernel with its arguments, and how many work-groups run it.
class ClLaunch {
 public:
  // Fails: validation_error where buffers and kernel do not fit each other or the device.
  static Result<std::unique_ptr<ClLaunch>> create(const ClDevice& device, std::shared_ptr<const ClProgram> program,
                                                  std::vector<ClBinding> bindings, const std::vector<int64_t>& grid);
  ~ClLaunch();
  ClLaunch(const ClLaunch&) = delete;
  ClLaunch& operator=(const ClLaunch&) = delete;

  const std::vector<ClBinding>& bindings() const { return bindings_; }
  Status enqueue(cl_event* done = nullptr) const;
  Status enqueue_group() const;  // one work-group: drivers compile at the first launch

 private:
  ClLaunch(const ClDevice& device, std::shared_ptr<const ClProgram> program)
      : device_(device), program_(std::move(program)) {}
  Status bind(std::vector<ClBinding> bindings);
  Status measure(const std::vector<int64_t>& grid);

  const ClDevice& device_;
  const std::shared_ptr<const ClProgram> program_;
  cl_kernel kernel_ = nullptr;
  std::vector<ClBinding> bindings_;
  size_t global_[3] = {1, 1, 1}, local_[3] = {1, 1, 1};
};

using ClRow = std::vector<std::unique_ptr<ClLaunch>>;

// Nanoseconds of so many launches of a row, over and over, from that numbered `first` on: from the beginning of the first launch to the end of the last: by the queue's events, whose clock is the
// device's; where that tells no time, or more than has passed here, by the steady clock.
Result<int64_t> run_ns(const ClDevice& device, const ClRow& row, size_t first, int64_t launches);

}  // namespace hone::agent
