#include "tracker/waiting_list.h"

#include "base/cat.h"

namespace hone::tracker {

Status WaitingList::add(Client::RequestId id, LeaseRequest request) {
  if (waiting_.size() >= kWaitingMax) return Error{ErrorCode::kLimitExceeded, cat(kWaitingMax, " requests wait for a device already; try again later")};
  if (request.count < 1 || request.count > kReservedMax)
    return Error{ErrorCode::kInvalidArgument, cat("a request for ", request.count, " devices; ask for 1 to ", kReservedMax)};
  if (request.user_devices_max > 0 && request.count > request.user_devices_max)
    return Error{ErrorCode::kLimitExceeded, cat("a request for ", request.count, " devices at once; the user ", request.user, " may have ", request.user_devices_max,
                                                ": ask for fewer, or an admin for a token with another quota (hone tokens create --devices-max)")};
  HONE_ASSIGN(selector, Selector::parse(request.selector));
  const auto now = steady_.now();
  waiting_[id] = {.id = id, .request = request, .selector = std::move(selector), .since = now, .until = now + request.wait};
  reservations_ += request.count > 1;
  return ok_status();
}

const Waiting* WaitingList::find(Client::RequestId id) const {
  const auto found = waiting_.find(id);
  return found == waiting_.end() ? nullptr : &found->second;
}

std::optional<Waiting> WaitingList::take(Client::RequestId id) {
  auto node = waiting_.extract(id);
  if (node.empty()) return std::nullopt;
  reservations_ -= node.mapped().request.count > 1;
  return std::move(node.mapped());
}

std::vector<Client::RequestId> WaitingList::expired() const {
  std::vector<Client::RequestId> list;
  for (const auto& [id, one] : waiting_)
    if (one.until <= steady_.now()) list.push_back(id);
  return list;
}

}  // namespace hone::tracker
