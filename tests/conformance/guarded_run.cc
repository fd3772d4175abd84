#include "tests/conformance/guarded_run.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/cat.h"
#include "tests/conformance/guarded_buffer.h"
#include "tests/conformance/judge.h"

namespace hone::conformance {
namespace {

// The kernel's arguments and temporaries, each between guard pages of its own. Null: no launch touches it.
class Memory {
 public:
  Memory(const emit::NativeKernel& native, size_t arg_count, GuardedBuffer::Edge edge) : arg_count_(arg_count) {
    std::vector<emit::Binding> largest(arg_count + native.temps().size());
    for (const auto& launch : native.launches())
      for (const emit::Binding& b : launch.bindings) {
        emit::Binding& one = largest[place(b)];
        one.bytes = std::max(one.bytes, b.bytes);
        one.reach_bytes = std::max(one.reach_bytes, b.reach_bytes);
      }
    for (const emit::Binding& b : largest)
      buffers_.push_back(b.bytes + b.reach_bytes == 0 ? nullptr
                                                      : std::make_unique<GuardedBuffer>(b.bytes, b.reach_bytes, edge));
  }
  GuardedBuffer* arg(size_t i) const { return buffers_[i].get(); }
  unsigned char* data(const emit::Binding& b) const {
    const auto& buffer = buffers_[place(b)];
    return buffer ? buffer->data() : nullptr;
  }
  bool borders_are_whole() const {
    return std::all_of(buffers_.begin(), buffers_.end(), [](const auto& b) { return !b || b->border_is_whole(); });
  }

 private:
  size_t place(const emit::Binding& b) const {
    return static_cast<size_t>(b.position) + (b.kind == emit::Binding::Kind::kTemp ? arg_count_ : 0);
  }
  size_t arg_count_;
  std::vector<std::unique_ptr<GuardedBuffer>> buffers_;
};

// In three ranges, the last one first.
void launch(const emit::NativeKernel& native, const Memory& memory, GuardedBuffer::Edge edge) {
  for (const auto& launch : native.launches()) {
    std::vector<void*> pointers;
    for (const emit::Binding& b : launch.bindings) pointers.push_back(memory.data(b));
    const GuardedBuffer scratch((static_cast<size_t>(launch.scratch_bytes) + 15) / 16 * 16, 0, edge);
    if (launch.scratch_bytes) pointers.push_back(scratch.data());
    const int64_t third = launch.extent / 3, half = (launch.extent + 1) / 2;
    launch.entry(pointers.data(), half, launch.extent);
    launch.entry(pointers.data(), third, half);
    launch.entry(pointers.data(), 0, third);
  }
}

void store(const std::vector<ir::TensorValue>& args, size_t input_count, const Memory& memory) {
  for (size_t i = 0; i < input_count; ++i)
    if (GuardedBuffer* buffer = memory.arg(i)) {
      const std::string bytes = stored_bytes(args[i]);
      std::memcpy(buffer->data(), bytes.data(), bytes.size());
      buffer->freeze();
    }
}

std::string fault_of(const std::vector<ir::TensorValue>& args, size_t input_count, const Tolerance& tolerance,
                     const Memory& memory) {
  for (size_t i = input_count; i < args.size(); ++i) {
    if (args[i].size() == 0) continue;
    if (!memory.arg(i)) return cat("output ", i - input_count, " is not written");
    const std::string found = difference(args[i], memory.arg(i)->data(), tolerance);
    if (!found.empty()) return cat("output ", i - input_count, " ", found);
  }
  return memory.borders_are_whole() ? "" : "something was written beyond a buffer";
}

}  // namespace

std::string run_guarded(const emit::NativeKernel& native, const std::vector<ir::TensorValue>& args, size_t input_count,
                        const Tolerance& tolerance) {
  for (const auto edge : {GuardedBuffer::Edge::kBack, GuardedBuffer::Edge::kFront}) {
    const Memory memory(native, args.size(), edge);
    store(args, input_count, memory);
    launch(native, memory, edge);
    if (const std::string fault = fault_of(args, input_count, tolerance, memory); !fault.empty()) return fault;
  }
  return "";
}

}  // namespace hone::conformance
