#include "tracker/registry.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/cat.h"
#include "base/printable_text.h"
#include "base/secret.h"
#include "base/sha256.h"

namespace hone::tracker {

using protocol::AgentStateKind;
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

void Registry::restore(const StoredFleet& fleet) {
  for (const auto& agent : fleet.agents) {
    agents_[agent.agent_id] = {.stored = agent, .message = "it has not connected since the service started"};
    if (!agent.launch_hash.empty()) launched_[agent.launch_hash] = agent.agent_id;
  }
  for (const auto& device : fleet.devices) {
    const auto owner = agents_.find(device.agent_id);
    if (owner == agents_.end()) continue;  // only in a database that somebody edited
    devices_[device.device_id] = {.stored = device};
    owner->second.device_ids.push_back(device.device_id);
  }
  classes_.restore(fleet.classes, fleet.members);
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

// The same device and target, as another agent of it brought it, or this one.
const Device* Registry::twin(const std::string& physical_id, const std::string& target) const {
  if (physical_id.empty()) return nullptr;
  for (const auto& [id, device] : devices_)
    if (device.stored.physical_id == physical_id && device.stored.fingerprint.target == target) return &device;
  return nullptr;
}

Device& Registry::offer(Agent& agent, const protocol::DeviceOffer& offer, Outcome& out) {
  const auto known = std::find_if(agent.device_ids.begin(), agent.device_ids.end(), [&](const std::string& id) {
    return devices_.at(id).stored.local_id == offer.local_id;
  });
  const std::string device_id = known != agent.device_ids.end() ? *known : cat("dev-", make_secret_().substr(0, 12));
  const std::string physical_id = offer.physical_id.value_or("");
  const Device* const before = twin(physical_id, offer.target);
  const std::string label = before ? before->stored.label : "";
  Device& device = devices_[device_id];
  if (known == agent.device_ids.end()) {
    agent.device_ids.push_back(device_id);
    device.stored.device_id = device_id;
    device.stored.agent_id = agent.stored.agent_id;
    device.stored.local_id = offer.local_id;
    device.stored.created_unix_ms = wall_.now().count();
  }
  device.stored.device_key = classes_.class_of(offer.fingerprint, physical_id, device.stored.device_key, out);
  if (!label.empty()) device.stored.label = label;
  device.stored.physical_id = physical_id;
  device.stored.fingerprint = offer.fingerprint;
  device.stored.timer = offer.timer;
  device.stored.seen_unix_ms = wall_.now().count();
  device.state = DeviceStateKind::kReady;
  device.message.clear();
  return device;
}

Result<protocol::Welcome> Registry::hello(Link link, const protocol::Hello& hello, Outcome& out) {
  HONE_TRY(check_offers(hello.devices));
  Agent* known = agent_of(hello);
  Agent& agent = known ? *known : enrol();
  if (agent.link != 0 && agent.link != link)
    out.effects.push_back(CloseLink{agent.link, net::CloseCode::kReplaced, "the same agent connected again"});
  linked_.erase(agent.link);
  linked_[link] = agent.stored.agent_id;
  agent.link = link;
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
  for (Device* device : devices_of(agent)) device->state = DeviceStateKind::kGone;
  for (const auto& one : hello.devices) {
    const Device& device = offer(agent, one, out);
    out.writes.push_back(device.stored);
    welcome.devices.push_back({one.local_id, device.stored.device_id, device.stored.device_key});
  }
  welcome.heartbeat_ms = static_cast<double>(limits_.heartbeat.count());
  welcome.heartbeat_timeout_ms = static_cast<double>(limits_.heartbeat_timeout.count());
  out.effects.push_back(ToAgent{link, welcome});
  tell(agent, out);
  return welcome;
}

Status Registry::label(const std::string& device_id, const std::string& label, Outcome& out) {
  const auto found = devices_.find(device_id);
  if (found == devices_.end())
    return Error{ErrorCode::kNotFound, cat("there is no device ", device_id, "; hone devices lists them")};
  if (printable(label) != label)
    return Error{ErrorCode::kInvalidArgument,
                 "a label holds letters, digits and signs that can be printed; leave the others out"};
  const StoredDevice& named = found->second.stored;
  for (auto& [id, device] : devices_) {
    const bool same = !named.physical_id.empty() && device.stored.physical_id == named.physical_id;
    if (id != device_id && !same) continue;
    device.stored.label = label;
    out.writes.push_back(device.stored);
  }
  return ok_status();
}

Agent* Registry::by_link(Link link) {
  const auto found = linked_.find(link);
  return found == linked_.end() ? nullptr : &agents_.at(found->second);
}

Agent* Registry::heartbeat(Link link, const protocol::Heartbeat& beat, Outcome& out) {
  Agent* agent = by_link(link);
  if (!agent) return nullptr;
  agent->last_beat = steady_.now();
  agent->visible = beat.visible;
  set_stuck(*agent, !beat.worker_alive, beat.worker_alive ? "" : "its worker does not answer", out);
  out.effects.push_back(ToAgent{link, protocol::HeartbeatAck{beat.seq}});
  return agent;
}

Status Registry::device_state(Link link, const protocol::DeviceState& state) {
  const Agent* agent = by_link(link);
  Device* found = device(state.device_id);
  if (!agent || !found || found->stored.agent_id != agent->stored.agent_id)
    return Error{ErrorCode::kNotFound, cat("this agent has no device ", state.device_id)};
  if (found->state == DeviceStateKind::kReady || found->state == DeviceStateKind::kGone)
    found->unready_since = steady_.now();
  found->state = state.state;
  found->message = state.message;
  return ok_status();
}

Agent* Registry::unlink(Link link, Outcome& out) {
  Agent* agent = by_link(link);
  if (!agent) return nullptr;
  linked_.erase(link);
  agent->link = 0;
  agent->stuck = false;
  agent->message = "its connection ended";
  for (Device* device : devices_of(*agent)) {
    if (device->state != DeviceStateKind::kGone) {
      device->stored.seen_unix_ms = wall_.now().count();
      out.writes.push_back(device->stored);
    }
    device->state = DeviceStateKind::kGone;
  }
  tell(*agent, out);
  return agent;
}

void Registry::excuse(std::chrono::milliseconds pause) {
  for (auto& [id, agent] : agents_) agent.last_beat += pause;
}

void Registry::tick(Outcome& out) {
  for (auto& [id, agent] : agents_) {
    const auto silence = steady_.now() - agent.last_beat;
    if (agent.link != 0 && !agent.stuck && silence > limits_.heartbeat_timeout)
      set_stuck(agent, true, cat("no heartbeat came for ", seconds(silence)), out);
  }
}

void Registry::set_stuck(Agent& agent, bool stuck, std::string message, Outcome& out) {
  if (agent.stuck == stuck) return;
  agent.stuck = stuck;
  agent.stuck_since = steady_.now();
  agent.message = std::move(message);
  tell(agent, out);
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

std::vector<const Device*> Registry::gone_devices() const {
  std::vector<const Device*> gone;
  for (const auto& [id, device] : devices_)
    if (device.lease_id.empty() && (agent_of(device).link == 0 || device.state == DeviceStateKind::kGone))
      gone.push_back(&device);
  std::sort(gone.begin(), gone.end(), [](const Device* a, const Device* b) {
    return std::tie(a->stored.seen_unix_ms, a->stored.device_id) <
           std::tie(b->stored.seen_unix_ms, b->stored.device_id);
  });
  return gone;
}

void Registry::forget(Outcome& out) {
  const auto gone = gone_devices();
  const int64_t oldest_ms = (wall_.now() - kGoneDeviceAgeMax).count();
  for (size_t i = 0; i < gone.size() && (gone.size() - i > kGoneDevicesMax || gone[i]->stored.seen_unix_ms < oldest_ms);
       ++i)
    forget_device(std::string(gone[i]->stored.device_id), out);
  std::erase_if(agents_, [&](const auto& entry) {
    const auto& [id, agent] = entry;
    if (agent.link != 0 || !agent.device_ids.empty()) return false;
    launched_.erase(agent.stored.launch_hash);
    out.writes.push_back(ForgottenAgent{id});
    return true;
  });
}

void Registry::forget_device(const std::string& device_id, Outcome& out) {
  Agent& agent = agents_.at(devices_.at(device_id).stored.agent_id);
  std::erase(agent.device_ids, device_id);
  devices_.erase(device_id);
  out.writes.push_back(ForgottenDevice{device_id});
}

std::string Registry::problem() const {
  for (const auto& [link, agent_id] : linked_)
    if (const Agent& agent = agents_.at(agent_id); agent.device_ids.empty() && !agent.stuck && !agent.message.empty())
      return agent.message;
  return "";
}

Device* Registry::device(const std::string& device_id) {
  const auto found = devices_.find(device_id);
  return found == devices_.end() ? nullptr : &found->second;
}

const Agent& Registry::agent_of(const Device& device) const {
  const auto found = agents_.find(device.stored.agent_id);
  CHECK(found != agents_.end(), "a device without its agent");
  return found->second;
}

std::vector<Device*> Registry::devices_of(const Agent& agent) {
  std::vector<Device*> list;
  for (const std::string& id : agent.device_ids) list.push_back(&devices_.at(id));
  return list;
}

bool Registry::is_available(const Device& device) const {
  const Agent& agent = agent_of(device);
  return agent.link != 0 && !agent.stuck && device.state == DeviceStateKind::kReady;
}

bool Registry::is_here(const Device& device) const {
  return agent_of(device).link != 0 && device.state != DeviceStateKind::kGone;
}

const std::string& Registry::why(const Device& device) const {
  const Agent& agent = agent_of(device);
  return agent.message.empty() ? device.message : agent.message;
}

std::chrono::milliseconds Registry::unready_for(const Device& device) const {
  const Agent& agent = agent_of(device);
  return steady_.now() -
         (device.state == DeviceStateKind::kReady && agent.stuck ? agent.stuck_since : device.unready_since);
}

DeviceFace Registry::face(const Device& device) const {
  return {device.stored.device_id, device.stored.device_key, agent_of(device).stored.agent_name, device.stored.label,
          device.stored.fingerprint};
}

std::vector<Link> Registry::links() const {
  std::vector<Link> list;
  for (const auto& [link, agent_id] : linked_) list.push_back(link);
  return list;
}

}  // namespace hone::tracker
