#include "tracker/registry.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/cat.h"
#include "base/printable_text.h"
#include "base/secret.h"
#include "base/sha256.h"

namespace hone::tracker {

using protocol::AgentStateKind;
using protocol::DeviceEventKind;
using protocol::DeviceStateKind;

namespace {

bool is_id(const std::string& text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 32 && std::all_of(text.begin(), text.end(), is_digit);
}

Status check_offers(const std::vector<protocol::DeviceOffer>& offers) {
  std::set<std::string> local_ids;
  for (const auto& offer : offers) {
    if (offer.local_id.empty() || !local_ids.insert(offer.local_id).second)
      return Error{ErrorCode::kInvalidArgument,
                   cat("the device '", offer.local_id, "' is offered twice or has no local_id")};
    if (offer.physical_id && !is_id(*offer.physical_id))
      return Error{ErrorCode::kInvalidArgument, cat("the physical_id of the device '", offer.local_id,
                                                    "' is not 32 hexadecimal digits in lower case")};
    if (offer.target.empty() || offer.target != offer.fingerprint.target)
      return Error{ErrorCode::kInvalidArgument,
                   cat("the device '", offer.local_id, "' offers the target '", offer.target,
                       "' with a fingerprint of '", offer.fingerprint.target, "'; both must name the same target")};
  }
  return ok_status();
}

// What is kept of a secret. Of 128 random bits nobody finds them again, so no salt is needed.
std::string one_way(const std::string& secret) { return secret.empty() ? "" : sha256_hex(secret); }

bool shows_secret(const protocol::Hello& hello, const StoredAgent& agent) {
  const bool named = hello.resume_agent_id == agent.agent_id && !agent.resume_hash.empty();
  return named && equal_secrets(one_way(hello.resume_secret.value_or("")), agent.resume_hash);
}

std::string seconds(std::chrono::milliseconds time) { return cat((time.count() + 500) / 1000, " s"); }

}  // namespace

void Registry::restore(const StoredFleet& fleet, Outcome& out) {
  for (const auto& agent : fleet.agents) {
    agents_[agent.agent_id] = {.stored = agent, .message = "it has not connected since the service started"};
    if (!agent.launch_hash.empty()) launched_[agent.launch_hash] = agent.agent_id;
  }
  std::map<const protocol::Fingerprint*, FingerprintPtr> fingerprints;  // the store has each once already
  for (const auto& device : fleet.devices) {
    const auto owner = agents_.find(device.agent_id);
    if (owner == agents_.end()) continue;  // only in a database that somebody edited
    FingerprintPtr& shared = fingerprints[device.fingerprint.get()];
    if (!shared) shared = devices_.shared(*device.fingerprint);
    StoredDevice restored = device;
    restored.fingerprint = shared;
    devices_.add(std::move(restored), owner->second);
  }
  classes_.restore(fleet.classes, fleet.members);
  for (const auto& agent : fleet.agents) forget_if_empty(agent.agent_id, out);
}

Agent* Registry::agent_of(const protocol::Hello& hello) {
  const auto known = agents_.find(hello.resume_agent_id.value_or(""));
  if (known != agents_.end() && shows_secret(hello, known->second.stored)) return &known->second;
  const auto launched = launched_.find(one_way(hello.launch_id.value_or("")));
  return launched == launched_.end() ? nullptr : &agents_.at(launched->second);
}

Agent& Registry::enrol() {
  StoredAgent fresh{.agent_id = cat("agent-", make_secret_().substr(0, 16)), .created_unix_ms = wall_.now().count()};
  return agents_[fresh.agent_id] = {.stored = fresh};
}

void Registry::set_launch(Agent& agent, const std::optional<std::string>& launch_id) {
  const std::string hash = one_way(launch_id.value_or(""));
  if (hash != agent.stored.launch_hash) launched_.erase(agent.stored.launch_hash);
  agent.stored.launch_hash = hash;
  if (!hash.empty()) launched_[hash] = agent.stored.agent_id;
}

// What the device is called, as another agent of it or this one brought it before.
std::string Registry::label_of(const protocol::DeviceOffer& offer) {
  for (const Device* twin : devices_.twins(offer.physical_id.value_or("")))
    if (twin->stored.fingerprint->target == offer.target) return twin->stored.label;
  return "";
}

Device& Registry::device_of(Agent& agent, const protocol::DeviceOffer& offer) {
  for (Device* known : devices_.of(agent))
    if (known->stored.local_id == offer.local_id) return *known;
  StoredDevice fresh{.device_id = cat("dev-", make_secret_().substr(0, 12)),
                     .agent_id = agent.stored.agent_id,
                     .local_id = offer.local_id,
                     .fingerprint = std::make_shared<protocol::Fingerprint>(offer.fingerprint),
                     .created_unix_ms = wall_.now().count()};
  for (const Device* twin : devices_.twins(offer.physical_id.value_or("")))
    if (twin->stored.hold != Hold::kNone) fresh.hold = twin->stored.hold, fresh.hold_reason = twin->stored.hold_reason;
  return devices_.add(std::move(fresh), agent);
}

Device& Registry::offer(Agent& agent, const protocol::DeviceOffer& offer, Outcome& out) {
  const std::string label = label_of(offer);
  Device& device = device_of(agent, offer);
  device.stored.device_key =
      classes_.class_of(offer.fingerprint, offer.physical_id.value_or(""), device.stored.device_key, out);
  if (!label.empty()) device.stored.label = label;
  devices_.identify(device, offer);
  device.stored.seen_unix_ms = wall_.now().count();
  device.state = DeviceStateKind::kReady;
  device.message.clear();
  devices_.show(device);
  return device;
}

Result<protocol::Welcome> Registry::hello(Link link, const protocol::Hello& hello, const Identity& who, Outcome& out) {
  HONE_TRY(check_offers(hello.devices));
  Agent* known = agent_of(hello);
  Agent& agent = known ? *known : enrol();
  if (agent.link != 0 && agent.link != link)
    out.effects.push_back(CloseLink{agent.link, net::CloseCode::kReplaced, "the same agent connected again"});
  linked_.erase(agent.link);
  linked_[link] = &agent;
  agent.link = link;
  agent.enrolment = who.token_id;
  agent.trusted = is_canary(who);
  agent.last_beat = steady_.now();
  agent.visible = true;
  agent.stuck = false;
  agent.message = hello.devices.empty() ? hello.problem.value_or("") : "";
  agent.stored.agent_name = hello.agent_name;
  set_launch(agent, hello.launch_id);
  agent.stored.seen_unix_ms = wall_.now().count();
  protocol::Welcome welcome{.reply_to = hello.id, .agent_id = agent.stored.agent_id};
  if (!shows_secret(hello, agent.stored)) {
    welcome.resume_secret = make_secret_();
    agent.stored.resume_hash = one_way(*welcome.resume_secret);
  }
  out.writes.push_back(agent.stored);
  for (Device* device : devices_.of(agent)) {
    device->state = DeviceStateKind::kGone;
    devices_.settle(*device);
  }
  for (const auto& one : hello.devices) {
    const Device& device = offer(agent, one, out);
    out.writes.push_back(device.stored);
    remember(device, DeviceEventKind::kConnected, "", "", out);
    welcome.devices.push_back({one.local_id, device.stored.device_id, device.stored.device_key});
  }
  welcome.heartbeat_ms = static_cast<double>(limits_.heartbeat.count());
  welcome.heartbeat_timeout_ms = static_cast<double>(limits_.heartbeat_timeout.count());
  out.effects.push_back(ToAgent{link, welcome});
  if (!known) out.effects.push_back(AgentEnrolled{agent.stored.agent_id, agent.stored.agent_name});
  tell(agent, out);
  return welcome;
}

Agent* Registry::by_link(Link link) {
  const auto found = linked_.find(link);
  return found == linked_.end() ? nullptr : found->second;
}

Agent* Registry::heartbeat(Link link, const protocol::Heartbeat& beat, Outcome& out) {
  Agent* agent = by_link(link);
  if (!agent) return nullptr;
  agent->last_beat = steady_.now();
  const bool turned = std::exchange(agent->visible, beat.visible) != beat.visible;
  set_stuck(*agent, !beat.worker_alive, beat.worker_alive ? "" : "its worker does not answer", out);
  if (turned) settle(*agent);
  return agent;
}

Status Registry::device_state(Link link, const protocol::DeviceState& state, Outcome& out) {
  const Agent* agent = by_link(link);
  Device* found = devices_.find(state.device_id);
  if (!agent || !found || found->stored.agent_id != agent->stored.agent_id)
    return Error{ErrorCode::kNotFound, cat("this agent has no device ", state.device_id)};
  if (found->state == DeviceStateKind::kReady || found->state == DeviceStateKind::kGone) {
    const auto before = std::exchange(found->unready_since, steady_.now());
    const bool tells = state.state == DeviceStateKind::kLost && is_news(before);
    if (tells) remember(*found, DeviceEventKind::kLost, "", state.message, out);
  }
  found->state = state.state;
  found->message = state.message;
  devices_.settle(*found);
  return ok_status();
}

std::vector<Device*> Registry::unlink(Link link, Outcome& out) {
  Agent* agent = by_link(link);
  if (!agent) return {};
  linked_.erase(link);
  agent->link = 0;
  agent->stuck = false;
  agent->message = "its connection ended";
  std::vector<Device*> devices = devices_.of(*agent);
  for (Device* device : devices) {
    if (device->state != DeviceStateKind::kGone) {
      device->stored.seen_unix_ms = wall_.now().count();
      out.writes.push_back(DeviceUse{device->stored.device_id, device->stored.fence, device->stored.seen_unix_ms});
      remember(*device, DeviceEventKind::kGone, "", "", out);
    }
    device->state = DeviceStateKind::kGone;
    devices_.settle(*device);
  }
  tell(*agent, out);
  forget_if_empty(std::string(agent->stored.agent_id), out);
  return devices;
}

void Registry::excuse(std::chrono::milliseconds pause) {
  for (auto& [id, agent] : agents_) agent.last_beat += pause;
}

void Registry::tick(Outcome& out) {
  for (const auto& [link, agent] : linked_) {
    const auto silence = steady_.now() - agent->last_beat;
    if (!agent->stuck && silence > limits_.heartbeat_timeout)
      set_stuck(*agent, true, cat("no heartbeat came for ", seconds(silence)), out);
  }
}

void Registry::set_stuck(Agent& agent, bool stuck, std::string message, Outcome& out) {
  if (agent.stuck == stuck) return;
  agent.stuck = stuck;
  const bool tells = is_news(std::exchange(agent.stuck_since, steady_.now())) && stuck;
  agent.message = std::move(message);
  for (const Device* device : devices_.of(agent))
    if (tells && device->is_here()) remember(*device, DeviceEventKind::kStuck, "", agent.message, out);
  settle(agent);
  tell(agent, out);
}

void Registry::settle(const Agent& agent) {
  for (Device* device : devices_.of(agent)) devices_.settle(*device);
}

void Registry::tell(const Agent& agent, Outcome& out) const {
  const std::string& hash = agent.stored.launch_hash;
  if (!hash.empty()) out.effects.push_back(AgentChanged{hash, state_of(hash)});
}

protocol::AgentState Registry::agent_state(const std::string& launch_id) const {
  protocol::AgentState state = state_of(one_way(launch_id));
  state.launch_id = launch_id;
  return state;
}

protocol::AgentState Registry::state_of(const std::string& launch_hash) const {
  const auto found = launched_.find(launch_hash);
  if (found == launched_.end()) return {.state = AgentStateKind::kGone, .message = "it never connected"};
  const Agent& agent = agents_.at(found->second);
  const auto state = agent.link == 0 ? AgentStateKind::kGone
                     : agent.stuck   ? AgentStateKind::kStuck
                                     : AgentStateKind::kConnected;
  return {.state = state, .message = agent.message};
}

void Registry::forget(Outcome& out) {
  const int64_t oldest_ms = (wall_.now() - kGoneDeviceAgeMax).count();
  const auto too_many = [this] {
    return devices_.gone() > limits_.gone_devices_max || devices_.fingerprint_bytes() > limits_.fingerprint_bytes_max;
  };
  while (devices_.gone() > 0 && (too_many() || devices_.longest_gone().stored.seen_unix_ms < oldest_ms))
    forget_device(std::string(devices_.longest_gone().stored.device_id), out);
}

void Registry::forget_device(const std::string& device_id, Outcome& out) {
  const std::string agent_id = devices_.find(device_id)->stored.agent_id;
  devices_.forget(device_id);
  out.writes.push_back(ForgottenDevice{device_id});
  forget_if_empty(agent_id, out);
}

void Registry::forget_if_empty(const std::string& agent_id, Outcome& out) {
  const auto found = agents_.find(agent_id);
  if (found->second.link != 0 || !found->second.device_ids.empty()) return;
  launched_.erase(found->second.stored.launch_hash);
  agents_.erase(found);
  out.writes.push_back(ForgottenAgent{agent_id});
}

std::string Registry::problem() const {
  for (const auto& [link, agent] : linked_)
    if (agent->device_ids.empty() && !agent->stuck && !agent->message.empty()) return agent->message;
  return "";
}

std::vector<const Device*> Registry::here() const {
  std::vector<const Device*> list;
  for (const auto& [link, agent] : linked_)
    for (const std::string& id : agent->device_ids)
      if (const Device& device = devices_.all().at(id); device.is_here()) list.push_back(&device);
  return list;
}

const std::string& Registry::why(const Device& device) {
  return device.agent->message.empty() ? device.message : device.agent->message;
}

std::chrono::milliseconds Registry::unready_for(const Device& device) const {
  const bool by_agent = device.state == DeviceStateKind::kReady && device.agent->stuck;
  return steady_.now() - (by_agent ? device.agent->stuck_since : device.unready_since);
}

std::vector<Link> Registry::links() const {
  std::vector<Link> list;
  for (const auto& [link, agent] : linked_) list.push_back(link);
  return list;
}

}  // namespace hone::tracker
