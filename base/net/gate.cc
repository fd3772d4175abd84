#include "base/net/gate.h"

#include <algorithm>
#include <utility>

#include "base/net/limits.h"

namespace hone::net {

GateLimits gate_limits(size_t descriptors) {
  const size_t reserved = std::min(kDescriptorsReserved, descriptors / 4);
  const size_t sockets = descriptors - reserved, half = sockets / 2;
  return {.sockets_max = sockets,
          .strangers_max = half,
          .sockets_per_address_max = std::max(half, std::min(kSocketsPerAddress, sockets)),
          .strangers_per_address_max = std::min(kStrangersPerAddressMax, half)};
}

std::optional<Gate::Id> Gate::place_for(const std::string& address) const {
  const auto found = addresses_.find(address);
  const Count count = found == addresses_.end() ? Count{} : found->second;
  const bool address_full =
      count.sockets >= limits_.sockets_per_address_max || count.strangers >= limits_.strangers_per_address_max;
  const bool full = sockets_.size() >= limits_.sockets_max || strangers_.size() >= limits_.strangers_max;
  if (!address_full && !full) return 0;
  const Id oldest = address_full ? oldest_of(address) : strangers_.empty() ? 0 : strangers_.begin()->second;
  if (oldest == 0) return std::nullopt;
  return oldest;
}

Gate::Id Gate::oldest_of(const std::string& address) const {
  const auto found = std::find_if(strangers_.begin(), strangers_.end(),
                                  [&](const auto& entry) { return sockets_.at(entry.second).address == address; });
  return found == strangers_.end() ? 0 : found->second;
}

Gate::Id Gate::enter(const std::string& address) {
  const Id id = ++last_id_;
  sockets_[id] = {.address = address, .came = ++last_came_};
  strangers_[last_came_] = id;
  Count& count = addresses_[address];
  ++count.sockets;
  ++count.strangers;
  return id;
}

void Gate::forget_stranger(Socket& socket) {
  if (socket.came == 0) return;
  strangers_.erase(std::exchange(socket.came, 0));
  --addresses_.at(socket.address).strangers;
}

void Gate::greet(Id id) {
  const auto found = sockets_.find(id);
  if (found != sockets_.end()) forget_stranger(found->second);
}

void Gate::touch(Id id) {
  const auto found = sockets_.find(id);
  if (found == sockets_.end() || found->second.came == 0) return;
  strangers_.erase(found->second.came);
  found->second.came = ++last_came_;
  strangers_[last_came_] = id;
}

void Gate::forget_socket(const std::string& address) {
  const auto count = addresses_.find(address);
  if (--count->second.sockets == 0) addresses_.erase(count);
}

void Gate::move(Id id, const std::string& address) {
  const auto found = sockets_.find(id);
  if (found == sockets_.end() || found->second.address == address) return;
  const bool stranger = found->second.came != 0;
  if (stranger) --addresses_.at(found->second.address).strangers;
  forget_socket(std::exchange(found->second.address, address));
  Count& count = addresses_[address];
  ++count.sockets;
  if (stranger) ++count.strangers;
}

void Gate::leave(Id id) {
  const auto found = sockets_.find(id);
  if (found == sockets_.end()) return;
  forget_stranger(found->second);
  forget_socket(found->second.address);
  sockets_.erase(found);
}

}  // namespace hone::net
