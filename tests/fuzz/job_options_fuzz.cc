// Border: what a client asks of the service. The first line is a job request as JSON, the rest the payload that travels with it. Reads the
// options of each kind of job, and makes the tasks of the job's operator.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/cat.h"
#include "schema/message.h"
#include "server/jobs/job_tasks.h"
#include "server/jobs/model_inputs.h"
#include "server/jobs/tune_settings.h"
#include "tests/fuzz/input.h"

namespace hone {
namespace {

constexpr size_t kOpTextBytesMax = 200;

void read(const protocol::JobRequest& job, std::string_view payload) {
  (void)server::tune_settings(job);
  (void)server::run_request(job, payload);
  // Models are onnx_fuzz's matter.
  server::LocalModels models;
  const server::SharedMemory none;
  if (job.source.op && job.source.op->size() <= kOpTextBytesMax) (void)server::job_tasks(models, {job, none}, nullptr);
}

void run(std::string_view text) {
  const std::string_view job = fuzz::take_line(text);
  const std::string header = cat(R"({"kind":"submit_job","id":1,"job":)", job, "}");
  const auto message = protocol::decode_text<protocol::ClientFromClient>(header, header.size());
  if (!message.ok()) return;
  // A duplicate key may have made it another kind.
  if (const auto* submit = std::get_if<protocol::SubmitJob>(&*message)) read(submit->job, text);
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::run(hone::fuzz::text_of(data, size));
  return 0;
}
