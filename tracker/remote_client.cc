#include "tracker/remote_client.h"

#include <algorithm>
#include <utility>

#include "base/cat.h"
#include "tracker/lease_messages.h"
#include "tracker/limits.h"

namespace hone::tracker {

namespace {

// The answer that was asked for, or why there is none.
template <class Message>
Result<Message> only(Result<protocol::ServerFromTracker> reply) {
  if (!reply.ok()) return reply.error();
  if (auto* message = std::get_if<Message>(&*reply)) return std::move(*message);
  return Error{ErrorCode::kProtocolError, cat("the tracker did not answer with ", Message::kKind)};
}

}  // namespace

RemoteClient::RemoteClient(net::EventLoop& loop, const Clock& steady, TrackerLink& link) : loop_(loop), steady_(steady), link_(link), look_(loop) {
  look_.start_repeating(kTick, [this] { look(); });
}

Client::RequestId RemoteClient::reserve(LeaseRequest request, std::function<void(Result<std::vector<Lease>>)> on_leases,
                                        std::function<void(const std::string& lease_id, Error)> on_lost) {
  const RequestId id = ++last_request_;
  const auto until = steady_.now() + request.wait;
  requests_[id] = {.wish = std::move(request), .until = until, .on_leases = std::move(on_leases), .on_lost = std::move(on_lost)};
  // Posted, for the caller does not know its request's number yet.
  loop_.post([weak = std::weak_ptr(self_), id] {
    if (const auto self = weak.lock()) self->send(id);
  });
  return id;
}

void RemoteClient::send(RequestId id) {
  const auto found = requests_.find(id);
  if (found == requests_.end() || found->second.asked || found->second.granted || !link_.is_up()) return;
  LeaseRequest wish = found->second.wish;
  wish.wait = std::max(std::chrono::milliseconds(0), found->second.until - steady_.now());
  found->second.asked = link_.ask(protocol::Reserve{.wish = wish_of(wish)}, [this, id](Result<protocol::ServerFromTracker> reply) { answered(id, std::move(reply)); });
}

void RemoteClient::answered(RequestId id, Result<protocol::ServerFromTracker> reply) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  Request& request = found->second;
  if (!reply.ok() && !link_.is_up()) return request.asked.reset();  // it goes on with the next connection
  auto granted = only<protocol::LeasesGranted>(std::move(reply));
  if (!granted.ok()) return refuse(id, granted.error());
  request.granted = true;
  std::vector<Lease> leases;
  for (const protocol::LeaseGrant& grant : granted->leases) {
    leases.push_back(lease_of(grant));
    request.lease_ids.insert(grant.lease_id);
    held_[grant.lease_id] = {.request = id};
  }
  const auto on_leases = std::move(request.on_leases);
  on_leases(std::move(leases));
}

void RemoteClient::refuse(RequestId id, const Error& why) {
  const auto node = requests_.extract(id);
  if (!node.empty()) node.mapped().on_leases(why);
}

void RemoteClient::cancel(RequestId request) {
  const auto node = requests_.extract(request);
  if (node.empty()) return;
  for (const std::string& lease_id : node.mapped().lease_ids) held_.erase(lease_id);
  if (node.mapped().asked) link_.send(protocol::CancelReservation{*node.mapped().asked});
}

void RemoteClient::release(const std::string& lease_id) {
  const auto held = held_.extract(lease_id);
  if (held.empty()) return;
  const auto found = requests_.find(held.mapped().request);
  found->second.lease_ids.erase(lease_id);
  if (found->second.lease_ids.empty()) requests_.erase(found);
  link_.send(protocol::ReleaseLease{lease_id});
}

// An answer of the device is no news while one was told just before; work that takes its time is.
void RemoteClient::progress(const std::string& lease_id, std::chrono::milliseconds work) {
  const auto held = held_.find(lease_id);
  if (held == held_.end()) return;
  const auto now = steady_.now();
  if (work.count() == 0 && now - held->second.told < kProgressToldEvery) return;
  held->second.told = now;
  link_.send(protocol::LeaseProgress{lease_id, static_cast<double>(work.count())});
}

void RemoteClient::redeem(const std::string& session_token, const std::string& lease_id, const std::string& device_id,
                          std::function<void(Result<Lease>)> done) {
  link_.ask(protocol::RedeemSession{.session_token = session_token, .lease_id = lease_id, .device_id = device_id},
            [done = std::move(done)](Result<protocol::ServerFromTracker> reply) {
              const auto redeemed = only<protocol::SessionRedeemed>(std::move(reply));
              if (redeemed.ok()) done(lease_of(redeemed->lease));
              else done(redeemed.error());
            });
}

void RemoteClient::reopen(const std::string& lease_id) {
  if (held_.count(lease_id) > 0) link_.send(protocol::ReopenSession{lease_id});
}

void RemoteClient::why_none(const LeaseRequest& request, std::function<void(Missing)> done) {
  link_.ask(protocol::AskWhyNone{.wish = wish_of(request)}, [done = std::move(done)](Result<protocol::ServerFromTracker> reply) {
    auto none = only<protocol::WhyNone>(std::move(reply));
    done(none.ok() ? Missing{std::move(none->why), none->one_fits} : Missing{none.error().message});
  });
}

void RemoteClient::why_not_ready(const std::string& device_id, std::function<void(std::string)> done) {
  link_.ask(protocol::AskWhyNotReady{.device_id = device_id}, [done = std::move(done)](Result<protocol::ServerFromTracker> reply) {
    auto not_ready = only<protocol::WhyNotReady>(std::move(reply));
    done(not_ready.ok() ? std::move(not_ready->why) : not_ready.error().message);
  });
}

void RemoteClient::label(const std::string& device_id, const std::string& label, const std::string& user, std::function<void(Result<std::string>)> done) {
  link_.ask(protocol::LabelDevice{.device_id = device_id, .label = label, .user = user}, [done = std::move(done)](Result<protocol::ServerFromTracker> reply) {
    const auto labelled = only<protocol::DeviceLabelled>(std::move(reply));
    if (labelled.ok()) done(labelled->physical_id.value_or(""));
    else done(labelled.error());
  });
}

void RemoteClient::manage(const protocol::ManageDevice& ask, const std::string& user, std::function<void(Result<protocol::DeviceManaged>)> done) {
  protocol::ManageDevice passed_on = ask;
  passed_on.user = user;
  link_.ask(std::move(passed_on), [done = std::move(done)](Result<protocol::ServerFromTracker> reply) { done(only<protocol::DeviceManaged>(std::move(reply))); });
}

void RemoteClient::show(const std::string& device_id, std::function<void(Result<protocol::DeviceShown>)> done) {
  link_.ask(protocol::ShowDevice{.device_id = device_id}, [done = std::move(done)](Result<protocol::ServerFromTracker> reply) { done(only<protocol::DeviceShown>(std::move(reply))); });
}

void RemoteClient::devices(const std::string& after, std::function<void(Result<protocol::Devices>)> done) {
  link_.ask(protocol::ListDevices{.after = after}, [done = std::move(done)](Result<protocol::ServerFromTracker> reply) { done(only<protocol::Devices>(std::move(reply))); });
}

void RemoteClient::on_up() {
  std::vector<RequestId> waiting;
  for (const auto& [id, request] : requests_) waiting.push_back(id);
  for (const RequestId id : waiting) send(id);
}

void RemoteClient::on_down(const Error& why) {
  std::vector<std::string> leases;  // apart, for who loses one may ask for another
  for (const auto& [lease_id, held] : held_) leases.push_back(lease_id);
  for (const std::string& lease_id : leases) lose(lease_id, {ErrorCode::kStaleFence, cat("the connection to the tracker is lost: ", why.message)});
}

void RemoteClient::on_told(const protocol::ServerFromTracker& message) {
  if (const auto* lost = std::get_if<protocol::LeaseLost>(&message)) lose(lost->lease_id, {lost->code, lost->message});
}

void RemoteClient::lose(const std::string& lease_id, const Error& why) {
  const auto held = held_.extract(lease_id);
  if (held.empty()) return;
  const auto found = requests_.find(held.mapped().request);
  const auto on_lost = found->second.on_lost;
  found->second.lease_ids.erase(lease_id);
  if (found->second.lease_ids.empty()) requests_.erase(found);
  on_lost(lease_id, why);
}

void RemoteClient::look() {
  if (link_.is_up()) return;
  std::vector<RequestId> over;
  for (const auto& [id, request] : requests_)
    if (!request.granted && request.until <= steady_.now()) over.push_back(id);
  for (const RequestId id : over) refuse(id, {ErrorCode::kNoDevice, cat("no device was leased in time: ", link_.away().message)});
}

}  // namespace hone::tracker
