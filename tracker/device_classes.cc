#include "tracker/device_classes.h"

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "base/hash.h"
#include "schema/device_key.h"
#include "tracker/limits.h"

namespace hone::tracker {

namespace {

// An agent's numbers are untrusted: what is none was not measured.
double sensible(const std::optional<double>& figure) {
  return figure && std::isfinite(*figure) && *figure > 0 ? std::min(*figure, kSignatureMax) : 0;
}

// How many times the one is the other, 1 at least; 1 where one of them is unknown.
double ratio(double a, double b) { return a > 0 && b > 0 ? std::max(a / b, b / a) : 1; }

double distance(const Signature& a, const Signature& b) {
  return std::max(ratio(a.arithmetic_gflops, b.arithmetic_gflops), ratio(a.memory_gb_s, b.memory_gb_s));
}

Signature signature_of(const StoredClass& c) { return {c.arithmetic_gflops, c.memory_gb_s}; }

std::string further_key(const std::string& said_key, const Signature& s) {
  return hash_bytes(cat(said_key, " ", s.arithmetic_gflops, " ", s.memory_gb_s)).hex();
}

}  // namespace

Signature signature_of(const protocol::Fingerprint& fingerprint) {
  return {sensible(fingerprint.arithmetic_gflops), sensible(fingerprint.memory_gb_s)};
}

bool agree(const Signature& a, const Signature& b) { return distance(a, b) <= kSignatureRatioMax; }

void DeviceClasses::restore(const std::vector<StoredClass>& classes, const std::vector<StoredMember>& members) {
  for (const StoredClass& one : classes) by_said_key_[one.said_key].push_back(one);
  for (const StoredMember& one : members) members_[{one.physical_id, one.said_key}] = one.device_key;
}

StoredClass& DeviceClasses::found(const std::string& said_key, std::string device_key, const Signature& s,
                                  Outcome& out) {
  auto& classes = by_said_key_[said_key];
  classes.push_back({std::move(device_key), said_key, s.arithmetic_gflops, s.memory_gb_s});
  out.writes.push_back(classes.back());
  return classes.back();
}

std::string DeviceClasses::class_of(const protocol::Fingerprint& fingerprint, const std::string& physical_id,
                                    const std::string& known_key, Outcome& out) {
  const std::string said_key = protocol::device_key(fingerprint);
  const auto member = members_.find({physical_id, said_key});
  const std::string key =
      choose(said_key, signature_of(fingerprint), member == members_.end() ? known_key : member->second, out);
  if (physical_id.empty() || member != members_.end() || members_.size() >= kMembersMax) return key;
  members_[{physical_id, said_key}] = key;
  out.writes.push_back(StoredMember{physical_id, said_key, key});
  return key;
}

std::string DeviceClasses::choose(const std::string& said_key, const Signature& signature, const std::string& known_key,
                                  Outcome& out) {
  auto& classes = by_said_key_[said_key];
  for (const StoredClass& one : classes)
    if (one.device_key == known_key) return known_key;
  if (classes.empty()) return found(said_key, said_key, signature, out).device_key;
  const auto nearest = std::min_element(classes.begin(), classes.end(), [&](const auto& a, const auto& b) {
    return distance(signature_of(a), signature) < distance(signature_of(b), signature);
  });
  if (agree(signature_of(*nearest), signature) || classes.size() >= kClassesMax) return nearest->device_key;
  return found(said_key, further_key(said_key, signature), signature, out).device_key;
}

}  // namespace hone::tracker
