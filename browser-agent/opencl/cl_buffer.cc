#include <algorithm>

#include "base/cat.h"
#include "browser-agent/opencl/cl_device.h"
#include "browser-agent/opencl/cl_error.h"

namespace hone::agent {

namespace {

constexpr int64_t kSlackBytesMin = 4096;
constexpr uint32_t kSlackWord = 0xa5a5a5a5;
constexpr int64_t kVectorBytes = 16;

}  // namespace

Result<std::shared_ptr<ClBuffer>> ClBuffer::make(const ClDevice& device, int64_t bytes, uint32_t word) {
  const int64_t most = device.number(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  if (bytes < 0 || bytes > most)
    return Error{ErrorCode::kOutOfMemory,
                 cat("the device gives at most ", most, " bytes at once, ", bytes, " are asked for")};
  std::shared_ptr<ClBuffer> buffer(new ClBuffer(device, bytes));
  HONE_TRY(buffer->allocate());
  HONE_TRY(buffer->fill_slack());
  HONE_TRY(buffer->fill(word));
  HONE_TRY(device.finish());
  return buffer;
}

Status ClBuffer::allocate() {
  slack_bytes_ = std::max(kSlackBytesMin, device_.number(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
  body_bytes_ = (std::max<int64_t>(bytes_, 1) + kVectorBytes - 1) / kVectorBytes * kVectorBytes;
  const cl_buffer_region region{static_cast<size_t>(slack_bytes_), static_cast<size_t>(body_bytes_)};
  cl_int code = CL_SUCCESS;
  whole_ = clCreateBuffer(device_.context(), CL_MEM_READ_WRITE, static_cast<size_t>(body_bytes_ + 2 * slack_bytes_),
                          nullptr, &code);
  HONE_TRY(cl_status(code, "clCreateBuffer"));
  view_ = clCreateSubBuffer(whole_, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  return cl_status(code, "clCreateSubBuffer");
}

ClBuffer::~ClBuffer() {
  if (view_) clReleaseMemObject(view_);
  if (whole_) clReleaseMemObject(whole_);
}

Status ClBuffer::fill_slack() {
  for (int64_t at : {int64_t{0}, slack_bytes_ + body_bytes_})
    HONE_TRY(
        cl_status(clEnqueueFillBuffer(device_.queue(), whole_, &kSlackWord, sizeof kSlackWord, static_cast<size_t>(at),
                                      static_cast<size_t>(slack_bytes_), 0, nullptr, nullptr),
                  "clEnqueueFillBuffer"));
  return ok_status();
}

Status ClBuffer::fill(uint32_t word) {
  return cl_status(clEnqueueFillBuffer(device_.queue(), view_, &word, sizeof word, 0, static_cast<size_t>(body_bytes_),
                                       0, nullptr, nullptr),
                   "clEnqueueFillBuffer");
}

Status ClBuffer::write(std::string_view content) {
  if (static_cast<int64_t>(content.size()) > bytes_)
    return Error{ErrorCode::kInvalidArgument, cat(content.size(), " bytes do not fit a buffer of ", bytes_)};
  if (content.empty()) return ok_status();
  return cl_status(
      clEnqueueWriteBuffer(device_.queue(), view_, CL_TRUE, 0, content.size(), content.data(), 0, nullptr, nullptr),
      "clEnqueueWriteBuffer");
}

Result<std::string> ClBuffer::read(int64_t bytes) {
  if (bytes < 0 || bytes > bytes_)
    return Error{ErrorCode::kInvalidArgument, cat("a buffer of ", bytes_, " bytes has no ", bytes)};
  std::string content(static_cast<size_t>(bytes), '\0');
  if (bytes > 0)
    HONE_TRY(cl_status(
        clEnqueueReadBuffer(device_.queue(), view_, CL_TRUE, 0, content.size(), content.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer"));
  return content;
}

Result<std::shared_ptr<ClBuffer>> ClBuffer::copy() const {
  HONE_ASSIGN(made, make(device_, bytes_, 0));
  HONE_TRY(cl_status(clEnqueueCopyBuffer(device_.queue(), view_, made->view_, 0, 0, static_cast<size_t>(body_bytes_), 0,
                                         nullptr, nullptr),
                     "clEnqueueCopyBuffer"));
  return made;
}

Result<bool> ClBuffer::mend_slack() {
  std::vector<uint32_t> words(static_cast<size_t>(slack_bytes_) / sizeof(uint32_t));
  bool whole = true;
  for (int64_t at : {int64_t{0}, slack_bytes_ + body_bytes_}) {
    HONE_TRY(cl_status(clEnqueueReadBuffer(device_.queue(), whole_, CL_TRUE, static_cast<size_t>(at),
                                           static_cast<size_t>(slack_bytes_), words.data(), 0, nullptr, nullptr),
                       "clEnqueueReadBuffer"));
    whole = whole && std::all_of(words.begin(), words.end(), [](uint32_t word) { return word == kSlackWord; });
  }
  if (!whole) HONE_TRY(fill_slack());
  return whole;
}

}  // namespace hone::agent
