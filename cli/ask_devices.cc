#include "cli/ask_devices.h"

#include <chrono>
#include <optional>

#include "base/cat.h"
#include "cli/service_client.h"

namespace hone::cli {

namespace {
constexpr std::chrono::milliseconds kDevicesWait{10'000};
}  // namespace

Result<std::vector<protocol::DeviceInfo>> ask_devices(const ServiceUrl& url) {
  net::EventLoop loop;
  std::optional<Error> failed;
  std::vector<protocol::DeviceInfo> devices;
  bool done = false;
  size_t pages = 0;
  ServiceClient* asker = nullptr;
  ServiceClient client(
      loop, url,
      {.on_ready = [&] { asker->send(protocol::ListDevices{.id = asker->next_id()}); },
       .on_message =
           [&](const protocol::ClientFromService& message, std::string_view) {
             if (auto* error = std::get_if<protocol::ErrorReply>(&message)) failed = Error{error->code, error->message};
             auto* page = std::get_if<protocol::Devices>(&message);
             if (!page) return;
             ++pages;
             if (!page->devices.empty() && !devices.empty() &&
                 page->devices.front().device_id <= devices.back().device_id) {
               failed = Error{ErrorCode::kProtocolError,
                              "the service lists a device twice, or out of order; is it hone up?"};
               return;
             }
             devices.insert(devices.end(), page->devices.begin(), page->devices.end());
             done = page->devices.empty() || !page->more.value_or(false);
             if (!done) asker->send(protocol::ListDevices{.id = asker->next_id(), .after = devices.back().device_id});
           },
       .on_failed = [&](Error error) { failed = std::move(error); }});
  asker = &client;
  // So long for each page.
  for (size_t before = 0; !done && !failed; before = pages)
    if (!loop.run_until([&] { return done || failed || pages > before; }, kDevicesWait))
      return Error{ErrorCode::kTimeout,
                   cat("the service at ", url.host, ":", url.port, " does not answer; is it hone up?")};
  if (failed) return *failed;
  return devices;
}

}  // namespace hone::cli
