#include "tests/fuzz/fleet_client.h"

#include <algorithm>
#include <utility>

#include "base/cat.h"
#include "schema/message.h"

namespace hone::fuzz {

std::string FleetClient::secret() { return cat("secret", ++secrets_, "-0123456789abcdef"); }

void FleetClient::receive(tracker::Link link, const protocol::ControlFromAgent& message) {
  const auto* hello = std::get_if<protocol::Hello>(&message);
  if (greeted_[link] == (hello != nullptr)) return;
  if (hello) {
    auto outcome = fleet_.hello(link, *hello);
    if (!outcome.ok()) return;
    greeted_[link] = true;
    apply(std::move(*outcome));
  } else if (const auto* beat = std::get_if<protocol::Heartbeat>(&message)) {
    apply(fleet_.heartbeat(link, *beat));
  } else if (const auto* state = std::get_if<protocol::DeviceState>(&message)) {
    auto outcome = fleet_.device_state(link, *state);
    if (outcome.ok()) apply(std::move(*outcome));
  }
}

void FleetClient::unlinked(tracker::Link link) {
  if (greeted_.erase(link) > 0) apply(fleet_.unlinked(link));
}

void FleetClient::advance(std::chrono::milliseconds by) {
  steady_.advance(by);
  wall_.advance(by);
  apply(fleet_.tick());
}

tracker::Client::RequestId FleetClient::reserve(tracker::LeaseRequest request,
                                                std::function<void(Result<std::vector<tracker::Lease>>)> on_leases,
                                                std::function<void(const std::string& lease_id, Error)> on_lost) {
  const RequestId id = ++last_request_;
  holders_[id] = {.on_leases = std::move(on_leases), .on_lost = std::move(on_lost), .count = request.count};
  reactor_.post([this, id, request = std::move(request)]() mutable {
    if (holders_.count(id)) apply(fleet_.acquire(id, std::move(request)));
  });
  return id;
}

void FleetClient::cancel(RequestId request) {
  apply(fleet_.cancel(request));
  const auto node = holders_.extract(request);
  if (node.empty()) return;
  for (const std::string& lease_id : node.mapped().lease_ids) apply(fleet_.release(lease_id, "cancelled"));
}

void FleetClient::release(const std::string& lease_id) {
  const auto found = std::find_if(holders_.begin(), holders_.end(), [&](const auto& entry) { return entry.second.lease_ids.count(lease_id) > 0; });
  if (found != holders_.end()) {
    found->second.lease_ids.erase(lease_id);
    if (found->second.lease_ids.empty()) holders_.erase(found);
  }
  apply(fleet_.release(lease_id, "its job is done with it"));
}

void FleetClient::reopen(const std::string& lease_id) {
  auto outcome = fleet_.reopen(lease_id);
  if (outcome.ok()) apply(std::move(*outcome));
}

void FleetClient::label(const std::string& device_id, const std::string& label, const std::string& user, std::function<void(Result<std::string>)> done) {
  std::string physical_id;
  auto outcome = fleet_.label(device_id, label, user, &physical_id);
  if (!outcome.ok()) return done(outcome.error());
  apply(std::move(*outcome));
  done(std::move(physical_id));
}

void FleetClient::manage(const protocol::ManageDevice& ask, const std::string& user, std::function<void(Result<protocol::DeviceManaged>)> done) {
  auto outcome = fleet_.manage(ask, user);
  if (!outcome.ok()) return done(outcome.error());
  apply(std::move(*outcome));
  done(protocol::DeviceManaged{.service_state = fleet_.service_state(ask.device_id)});
}

// Posted, as after a commit: no callback comes from within a call.
void FleetClient::apply(tracker::Outcome outcome) {
  for (tracker::Effect& effect : outcome.effects)
    reactor_.post([this, effect = std::move(effect)]() mutable {
      std::visit([this](auto& one) { perform(one); }, effect);
    });
}

void FleetClient::perform(tracker::Granted& granted) {
  const auto found = holders_.find(granted.request);
  if (found == holders_.end()) return apply(fleet_.release(granted.lease.lease_id, "its request was cancelled"));
  Holder& holder = found->second;
  holder.lease_ids.insert(granted.lease.lease_id);
  holder.granted.push_back(std::move(granted.lease));
  if (holder.granted.size() < holder.count) return;
  const auto on_leases = std::move(holder.on_leases);
  on_leases(std::exchange(holder.granted, {}));
}

void FleetClient::perform(tracker::NotGranted& refused) {
  auto node = holders_.extract(refused.request);
  if (!node.empty()) node.mapped().on_leases(std::move(refused.error));
}

void FleetClient::perform(tracker::LeaseLost& lost) {
  const auto found = holders_.find(lost.request);
  if (found == holders_.end() || found->second.lease_ids.erase(lost.lease_id) == 0) return;
  const auto on_lost = found->second.on_lost;
  if (found->second.lease_ids.empty()) holders_.erase(found);
  on_lost(lost.lease_id, std::move(lost.error));
}

void FleetClient::perform(tracker::ToAgent& to) {
  if (const auto* open = std::get_if<protocol::OpenSession>(&to.message)) opened_.push_back(*open);
  std::visit([](const auto& message) { (void)protocol::encode(message); }, to.message);
}

}  // namespace hone::fuzz
