#include "cli/standby_tracker.h"

#include "base/cat.h"
#include "base/json_text.h"
#include "cli/tracker_process.h"
#include "schema/message.h"
#include "server/rest/rest_call.h"
#include "tracker/limits.h"

namespace hone::cli {

// Any socket: whatever its first frame asks, the answer is where the farm is.
class StandbyTracker::Refusal : public net::Handler {
 public:
  Refusal(const StandbyTracker& standby, std::shared_ptr<net::Channel> channel) : standby_(standby), channel_(std::move(channel)) {}

  void on_frame(const net::FrameView& frame, size_t) override {
    if (std::exchange(over_, true)) return;
    const Error why = standby_.why();
    protocol::ErrorReply reply{.reply_to = id_of(frame.header), .code = why.code, .message = why.message};
    if (!standby_.view_.leader.empty()) reply.tracker = standby_.view_.leader;
    channel_->send(protocol::encode(reply));
    channel_->close(net::CloseCode::kTryLater, why.message);
  }
  void on_closed(const net::Closed&) override {}

 private:
  static std::optional<uint64_t> id_of(std::string_view header) {
    const auto json = parse_json(header);
    if (!json.ok() || !json->is_object()) return std::nullopt;
    const auto id = json->find("id");
    return id != json->end() && id->is_number_unsigned() ? std::optional(id->get<uint64_t>()) : std::nullopt;
  }

  const StandbyTracker& standby_;
  const std::shared_ptr<net::Channel> channel_;
  bool over_ = false;
};

Error StandbyTracker::why() const {
  if (view_.leader.empty()) return {ErrorCode::kBusy, "this tracker stands by, and no tracker has the farm at this moment; it is tried again"};
  return {ErrorCode::kBusy, cat("this tracker stands by; the farm is at ", view_.leader)};
}

Result<std::unique_ptr<StandbyTracker>> StandbyTracker::start(net::EventLoop& loop, const Clock& steady, const Clock& wall, Config config) {
  std::unique_ptr<StandbyTracker> standby(new StandbyTracker(config.agent_files));
  StandbyTracker* const s = standby.get();
  WebFront::Config front{.listening = std::move(config.listening), .greeting = "a tracker of hone stands by here.\n"};
  front.ready = [s]() -> Status { return s->why(); };
  front.count = [](MetricsOf&) {};
  front.may_read_metrics = [](const std::string&) { return false; };
  front.get = [s](const net::HttpRequest& request) -> std::optional<net::HttpReply> {
    if (!request.path.starts_with(kPagePrefix)) return std::nullopt;
    return s->page_.reply(kPagePrefix, request.path);
  };
  front.on_call = [s](const net::HttpRequest&, std::shared_ptr<net::HttpResponse> response) {
    response->reply(server::problem_reply(s->why()));
    return nullptr;
  };
  for (const char* path : {"/ws/agent", "/ws/server", "/ws/client", tracker::kRelayPath})
    front.endpoints.push_back({path, [s](std::shared_ptr<net::Channel> channel) { return std::make_unique<Refusal>(*s, std::move(channel)); }});
  HONE_ASSIGN(started, WebFront::start(loop, steady, wall, std::move(front)));
  s->front_ = std::move(started);
  return standby;
}

void StandbyTracker::tell(tracker::FarmView view) {
  view_ = std::move(view);
  front_->allow_pages(view_.trackers);
}

}  // namespace hone::cli
