#include "tracker/fleet.h"

#include <algorithm>
#include <tuple>

#include "base/cat.h"
#include "base/number_text.h"
#include "schema/message.h"

namespace hone::tracker {

namespace {
std::string text_of(std::chrono::milliseconds time) { return duration_text(static_cast<double>(time.count()) / 1000); }
}  // namespace

Fleet::Fleet(const Clock& steady, const Clock& wall, FleetConfig config)
    : steady_(steady),
      wall_(wall),
      config_(std::move(config)),
      registry_(steady, wall, config_.limits, config_.make_secret),
      leases_(steady, wall, config_.limits, config_.make_secret),
      waiting_(steady, config_.limits),
      forgot_(steady.now()) {}

Outcome Fleet::restore(const StoredFleet& fleet) {
  Outcome out;
  registry_.restore(fleet, out);
  for (const StoredLease& lease : fleet.open_leases) leases_.close_old(lease, "the service was restarted", out);
  forget_old(out);
  return out;
}

Result<Outcome> Fleet::hello(Link link, const protocol::Hello& hello, const Identity& who) {
  Outcome out;
  HONE_ASSIGN(welcome, registry_.hello(link, hello, who, out));
  for (const auto& granted : welcome.devices) {
    Device& device = *registry_.devices().find(granted.device_id);
    LiveLease* const lease = leases_.find(device.lease_id);
    if (!lease) continue;
    if (lease->device_key != granted.device_key) {
      ++lost_.lost_changed;
      lose(std::string(device.lease_id), {ErrorCode::kStaleFence, "it came back as another device"}, out);
    } else open_session(device, *lease, out);
  }
  registry_.forget(out);
  serve(out);
  return out;
}

Outcome Fleet::heartbeat(Link link, const protocol::Heartbeat& beat) {
  Outcome out;
  const Agent* agent = registry_.heartbeat(link, beat, out);
  if (!agent) return out;
  if (beat.worker_alive)
    for (const Device* device : registry_.devices().of(*agent))
      if (device->state != protocol::DeviceStateKind::kGone) leases_.renew(device->lease_id);
  serve(out);
  return out;
}

Result<Outcome> Fleet::device_state(Link link, const protocol::DeviceState& state) {
  Outcome out;
  HONE_TRY(registry_.device_state(link, state, out));
  serve(out);
  return out;
}

Outcome Fleet::unlinked(Link link) {
  Outcome out;
  registry_.unlink(link, out);
  registry_.forget(out);
  return out;
}

Outcome Fleet::evict(Link link, const std::string& reason) {
  Outcome out;
  for (const Device* device : registry_.unlink(link, out))
    if (!device->lease_id.empty()) lose(std::string(device->lease_id), {ErrorCode::kStaleFence, reason}, out);
  registry_.forget(out);
  return out;
}

Outcome Fleet::acquire(Client::RequestId id, LeaseRequest request) {
  Outcome out;
  if (const Status added = waiting_.add(id, std::move(request)); !added.ok()) {
    out.effects.push_back(NotGranted{id, added.error()});
    return out;
  }
  if (Device* const device = best_idle_for(*waiting_.find(id))) grant(*device, *waiting_.take(id), out);
  else if (waiting_.reservations() > 0) serve(out, true);
  return out;
}

Device* Fleet::best_idle_for(const Waiting& one) {
  if (one.request.count > 1 || !may_have_more(one)) return nullptr;
  return registry_.devices().best_idle(one.request.target, [&](const Device& device) { return is_free_for(one, device); });
}

Outcome Fleet::cancel(Client::RequestId request) {
  Outcome out;
  if (waiting_.take(request)) serve(out, !kept_.empty());
  return out;
}

Outcome Fleet::release(const std::string& lease_id, const std::string& reason) {
  Outcome out;
  if (leases_.find(lease_id)) end(lease_id, reason, out);
  serve(out);
  return out;
}

bool Fleet::holds(const std::string& lease_id, uint64_t fence) const {
  const LiveLease* lease = leases_.find(lease_id);
  return lease && lease->stored.fence == fence && lease->expires > steady_.now();
}

Result<Lease> Fleet::redeem(const std::string& session_token, const std::string& lease_id,
                            const std::string& device_id) {
  LiveLease* lease = leases_.find(lease_id);
  if (!lease) return Error{ErrorCode::kStaleFence, "the lease of this session has ended"};
  if (lease->stored.device_id != device_id || !leases_.take_session_token(*lease, session_token))
    return Error{ErrorCode::kUnauthorized, "the session token is unknown or was used before"};
  return granted_lease(*registry_.devices().find(device_id), *lease, session_token);
}

Result<Outcome> Fleet::reopen(const std::string& lease_id) {
  LiveLease* lease = leases_.find(lease_id);
  if (!lease) return Error{ErrorCode::kStaleFence, "the lease has ended"};
  Outcome out;
  open_session(*registry_.devices().find(lease->stored.device_id), *lease, out);
  return out;
}

void Fleet::excuse(std::chrono::milliseconds pause) {
  registry_.excuse(pause);
  leases_.excuse(pause);
}

Outcome Fleet::tick() {
  Outcome out;
  registry_.tick(out);
  end_overdue(out);
  serve(out, waiting_.reservations() > 0);
  for (const Client::RequestId id : waiting_.expired()) {
    const Waiting over = *waiting_.take(id);
    out.effects.push_back(NotGranted{id, no_device(over)});
  }
  serve(out, !kept_.empty());
  if (steady_.now() - forgot_ > kForgetEvery) {
    forgot_ = steady_.now();
    forget_old(out);
  }
  return out;
}

void Fleet::forget_old(Outcome& out) {
  registry_.forget(out);
  out.writes.push_back(ForgottenEvents{(wall_.now() - kEventAgeMax).count()});
}

void Fleet::end_overdue(Outcome& out) {
  const Limits& limits = config_.limits;
  for (const std::string& lease_id : leases_.expired()) {
    ++lost_.lost_silent;
    lose(lease_id, {ErrorCode::kStaleFence, cat("nothing was heard of it for ", text_of(limits.lease_ttl))}, out);
  }
  for (const std::string& lease_id : leases_.stalled()) {
    ++lost_.lost_stalled;
    lose(lease_id, {ErrorCode::kTimeout, "its session answered nothing in time; the device is free for other jobs"}, out);
  }
  for (const std::string& lease_id : leases_.overlong()) {
    if (!wanted_by_another(*leases_.find(lease_id))) continue;
    ++lost_.lost_term;
    lose(lease_id, {ErrorCode::kBusy, cat("another job has waited for the device, which was in use for ", text_of(limits.term_max))}, out);
    serve(out);  // whoever has it now wants no other one
  }
}

bool Fleet::wanted_by_another(const LiveLease& lease) const {
  const Device& device = registry_.devices().all().at(lease.stored.device_id);
  return device.is_available() && waiting_.any([&](const Waiting& one, int64_t priority) {
    return one.request.job != lease.stored.job && priority >= lease.priority && may_have_more(one) && matches(one.request, one.selector, device);
  });
}

Outcome Fleet::drain() const {
  Outcome out;
  for (const Link link : registry_.links()) out.effects.push_back(ToAgent{link, protocol::Drain{}});
  return out;
}

// Nobody who waits for one device wants one that was idle before the step and is not kept: it would have been granted.
std::vector<Device*> Fleet::take_servable() {
  std::vector<Device*> idle = registry_.devices().take_newly_idle();
  for (const std::string& id : std::exchange(kept_, {})) {
    Device* const device = registry_.devices().find(id);
    const bool known = std::find(idle.begin(), idle.end(), device) != idle.end();
    if (device && !known && registry_.devices().is_idle(*device)) idle.push_back(device);
  }
  std::sort(idle.begin(), idle.end(), [](const Device* a, const Device* b) {
    return std::tie(b->agent->visible, a->last_granted) < std::tie(a->agent->visible, b->last_granted);
  });
  return idle;
}

void Fleet::serve(Outcome& out, bool queue_changed) {
  const std::set<std::string> may_again = std::exchange(may_again_, {});
  if (!queue_changed && may_again.empty() && !registry_.devices().any_newly_idle()) return;
  std::vector<Device*> idle = take_servable();
  if (waiting_.size() == 0) return;
  for (const Waiting* one : waiting_.in_order([this](const std::string& user) { return leases_.count_of(user); })) {
    if (idle.empty() && waiting_.reservations() == 0 && may_again.empty()) return;
    if (!may_have_more(*one)) continue;
    // Who may have any number was given what was idle before; only who had too many waits with idle devices.
    const bool again = one->request.user_devices_max > 0 && may_again.count(one->request.user) > 0;
    one->request.count > 1 ? serve_many(*one, idle, out) : serve_one(*one, idle, out, again);
  }
}

bool Fleet::may_have_more(const Waiting& one) const {
  const size_t most = one.request.user_devices_max;
  return most == 0 || leases_.count_of(one.request.user) + one.request.count <= most;
}

void Fleet::serve_one(const Waiting& one, std::vector<Device*>& idle, Outcome& out, bool may_again) {
  const auto found = std::find_if(idle.begin(), idle.end(),
                                  [&](const Device* device) { return matches(one.request, one.selector, *device); });
  Device* const device = found != idle.end() ? *found : may_again ? best_idle_for(one) : nullptr;
  if (!device) return;
  std::erase(idle, device);
  grant(*device, *waiting_.take(one.id), out);
}

// All or none. Of reservations that want the same devices, the one that is served first keeps all of them: no two wait for each other.
void Fleet::serve_many(const Waiting& one, std::vector<Device*>& idle, Outcome& out) {
  std::vector<Device*> fitting = class_for(one);
  const bool enough = fitting.size() >= one.request.count;
  if (!enough && !waiting_.is_aged(one)) return;
  fitting.resize(std::min(fitting.size(), one.request.count));
  std::erase_if(idle, [&](Device* device) { return std::find(fitting.begin(), fitting.end(), device) != fitting.end(); });
  if (!enough) {
    for (const Device* device : fitting) kept_.insert(device->stored.device_id);
    return;
  }
  const Waiting served = *waiting_.take(one.id);
  for (Device* device : fitting) grant(*device, served, out);
}

std::vector<Device*> Fleet::class_for(const Waiting& one) {
  std::map<std::string, std::vector<Device*>> classes;
  for (Device* device :
       registry_.devices().idle(one.request.target, [&](const Device& device) { return is_free_for(one, device); })) {
    std::vector<Device*>& same = classes[device->stored.device_key];
    same.push_back(device);
    if (same.size() >= one.request.count) return same;
  }
  std::map<std::string, size_t> members;  // idle or in use
  for (const Device* device : registry_.here())
    members[device->stored.device_key] += device->stored.hold == Hold::kNone && matches(one.request, one.selector, *device);
  std::vector<Device*> most;
  for (const auto& [key, devices] : classes)
    if (members[key] >= one.request.count && devices.size() > most.size()) most = devices;
  return most;
}

bool Fleet::is_free_for(const Waiting& one, const Device& device) const {
  return kept_.count(device.stored.device_id) == 0 && matches(one.request, one.selector, device);
}

bool Fleet::matches(const LeaseRequest& request, const Selector& selector, const Device& device) const {
  const bool target = request.target.empty() || request.target == device.stored.fingerprint->target;
  const bool key = request.device_key.empty() || request.device_key == device.stored.device_key;
  const bool apart = std::find(request.not_of.begin(), request.not_of.end(), device.agent->enrolment) == request.not_of.end();
  return target && key && apart && selector.matches(device.face());
}

void Fleet::grant(Device& device, const Waiting& waiting, Outcome& out) {
  LiveLease& lease = leases_.grant(device, waiting.id, waiting.request, out);
  registry_.devices().settle(device);
  const size_t at = out.effects.size();
  open_session(device, lease, out);
  // The holder hears of its lease before the agent can come with the session.
  out.effects.insert(out.effects.begin() + static_cast<std::ptrdiff_t>(at),
                     Granted{waiting.id, granted_lease(device, lease, lease.session_tokens.back())});
}

Lease Fleet::granted_lease(const Device& device, const LiveLease& lease, const std::string& session_token) const {
  return {.lease_id = lease.stored.lease_id,
          .fence = lease.stored.fence,
          .device = info(device),
          .session_token = session_token,
          .enrolment = device.agent->enrolment,
          .trusted = device.agent->trusted};
}

void Fleet::open_session(Device& device, LiveLease& lease, Outcome& out) {
  const std::string token = leases_.new_session_token(lease);
  const Link link = device.agent->link;
  if (link == 0) return;  // it is asked when it comes back
  protocol::OpenSession open{.lease_id = lease.stored.lease_id,
                             .fence = lease.stored.fence,
                             .device_id = device.stored.device_id,
                             .session_path = config_.session_path,
                             .session_token = token};
  if (!lease.session_url.empty()) {
    open.session_path = lease.session_url;
    open.relay_path = kRelayPath;
  }
  out.effects.push_back(ToAgent{link, std::move(open)});
}

void Fleet::lose(const std::string& lease_id, const Error& why, Outcome& out) {
  out.effects.push_back(LeaseLost{leases_.find(lease_id)->request, lease_id, why});
  end(lease_id, why.message, out);
}

void Fleet::end(const std::string& lease_id, const std::string& reason, Outcome& out) {
  const StoredLease& lease = leases_.find(lease_id)->stored;
  Device& device = *registry_.devices().find(lease.device_id);
  may_again_.insert(lease.user);
  leases_.end(lease_id, device, reason, out);
  registry_.devices().settle(device);
  if (const Link link = device.agent->link)
    out.effects.push_back(ToAgent{link, protocol::CloseSession{lease_id, reason}});
}

namespace {

std::string wanted(const LeaseRequest& request) {
  const std::string which = request.target.empty() ? "any target" : request.target;
  const std::string target = request.count == 1 ? which : cat(request.count, " equal devices of ", which);
  return request.selector.empty() ? target : cat(target, " and '", request.selector, "'");
}

}  // namespace

Error Fleet::no_device(const Waiting& waiting) const {
  const std::string why = why_none(waiting.request, waiting.selector).why;
  return {ErrorCode::kNoDevice, cat("no device for ", wanted(waiting.request), " was free within ",
                                    waiting.request.wait.count() / 1000, " s", why.empty() ? "" : ": ", why)};
}

Missing Fleet::why_none(const LeaseRequest& request) const {
  const auto selector = Selector::parse(request.selector);
  return selector.ok() ? why_none(request, *selector) : Missing();
}

Missing Fleet::why_none(const LeaseRequest& request, const Selector& selector) const {
  int connected = 0;
  size_t free = 0;
  std::vector<const Device*> in_use, not_ready, held;
  for (const Device* device : registry_.here()) {
    const bool ready = device->is_ready(), fits = matches(request, selector, *device);
    connected += ready;
    if (fits && device->stored.hold != Hold::kNone) held.push_back(device);
    else if (fits && ready && device->lease_id.empty()) {
      if (request.count == 1) return {};
      ++free;
    } else if (fits) (ready ? in_use : not_ready).push_back(device);
  }
  if (request.count > 1 && free > 0)
    return {cat(free, " that match are free, of whatever class, and ", in_use.size(), " in use"), true};
  if (!in_use.empty())
    return {
        cat(counted(static_cast<int64_t>(in_use.size()), "matching device"), " in use: ", who_uses(*in_use.front())),
        true};
  if (!not_ready.empty())
    return {cat(not_ready.front()->stored.device_id, " is not ready: ", why_not_ready(*not_ready.front())), true};
  if (!held.empty()) return {why_held(*held.front()), true};
  if (connected > 0)
    return {cat(counted(connected, "device"), " connected, but none matches ", wanted(request), ": ", who_is_there())};
  const std::string problem = registry_.problem();
  return {problem.empty() ? "none is connected; open the service's URL in a browser, or start hone agent" : problem};
}

// "dev-77b0… by job-1 of tess"
std::string Fleet::who_uses(const Device& device) const {
  const LiveLease* lease = leases_.find(device.lease_id);
  return lease ? cat(device.stored.device_id, " by ", lease->stored.job, " of ", lease->stored.user)
               : device.stored.device_id;
}

std::string Fleet::why_not_ready(const std::string& device_id) const {
  const auto found = registry_.devices().all().find(device_id);
  if (found == registry_.devices().all().end()) return "";
  const bool waits = found->second.is_here() && !found->second.is_ready();
  return waits ? why_not_ready(found->second) : "";
}

// "a kernel still runs on it, for 12 s"; of a device that is ready or gone, what there is to say.
std::string Fleet::why_not_ready(const Device& device) const {
  const std::string& message = Registry::why(device);
  if (!device.is_here() || device.is_ready()) return message;
  const auto since = registry_.unready_for(device);
  return cat(message.empty() ? protocol::to_name(device.state) : std::string_view(message), ", for ",
             duration_text(static_cast<double>(since.count()) / 1000));
}

// "chromium-webgpu (id 3f2a…), node-wasm (id 77b0…)": what --device takes.
std::string Fleet::who_is_there() const {
  constexpr int kNamedMax = 8;
  std::string text;
  int count = 0;
  for (const Device* device : registry_.here()) {
    if (!device->is_ready() || ++count > kNamedMax) continue;
    const std::string held = device->stored.hold == Hold::kNone ? "" : cat(", ", protocol::to_name(device->service_state()));
    text += cat(text.empty() ? "" : ", ", device_kind(*device->stored.fingerprint), " (id ", device->stored.device_id, held, ")");
  }
  return count > kNamedMax ? cat(text, " and ", count - kNamedMax, " more; hone devices lists them") : text;
}

protocol::DeviceInfo Fleet::info(const Device& device) const {
  const Agent& agent = *device.agent;
  protocol::DeviceInfo info{.device_id = device.stored.device_id,
                            .device_key = device.stored.device_key,
                            .kind = device_kind(*device.stored.fingerprint),
                            .agent_id = device.stored.agent_id,
                            .agent_name = agent.stored.agent_name,
                            .state = device.state,
                            .message = why_not_ready(device),
                            .visible = agent.visible,
                            .fingerprint = *device.stored.fingerprint,
                            .timer = device.stored.timer,
                            .service_state = device.service_state()};
  if (!device.stored.physical_id.empty()) info.physical_id = device.stored.physical_id;
  if (!device.stored.label.empty()) info.label = device.stored.label;
  if (!device.stored.hold_reason.empty()) info.service_reason = device.stored.hold_reason;
  if (agent.link == 0) info.state = protocol::DeviceStateKind::kGone;
  else if (agent.stuck && device.is_here()) info.state = protocol::DeviceStateKind::kStuck;
  // Its heartbeats are not stored, its last hello and goodbye are; and the wall clock may have been set back since.
  const int64_t gone_ms = std::max<int64_t>(0, wall_.now().count() - device.stored.seen_unix_ms);
  info.seen_ago_ms = static_cast<double>(agent.link == 0 ? gone_ms : (steady_.now() - agent.last_beat).count());
  if (const LiveLease* lease = leases_.find(device.lease_id))
    info.lease = protocol::LeaseInfo{lease->stored.lease_id, lease->stored.fence, lease->stored.job, lease->stored.user,
                                     static_cast<double>(leases_.left(*lease).count())};
  return info;
}

std::vector<protocol::DeviceInfo> Fleet::devices(const std::string& after, size_t count_max) const {
  std::vector<protocol::DeviceInfo> list;
  const auto& devices = registry_.devices().all();
  for (auto at = devices.upper_bound(after); at != devices.end() && list.size() < count_max; ++at)
    list.push_back(info(at->second));
  return list;
}

protocol::Devices Fleet::page_of_devices(std::string after) const {
  protocol::Devices page{.more = true};
  for (size_t bytes = 0; *page.more && page.devices.size() < kDevicesPerPage && bytes < kDevicesPageBytes;) {
    std::vector<protocol::DeviceInfo> next = devices(after, kDevicesAtOnce);
    page.more = next.size() == kDevicesAtOnce;
    for (protocol::DeviceInfo& device : next) {
      bytes += protocol::encode(device).size();
      after = device.device_id;
      page.devices.push_back(std::move(device));
    }
  }
  return page;
}

}  // namespace hone::tracker
