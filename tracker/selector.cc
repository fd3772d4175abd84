#include "tracker/selector.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/cat.h"
#include "tracker/limits.h"

namespace hone::tracker {

namespace {

struct TextKey {
  std::string_view name;
  std::string (*value)(const DeviceFace&);
};

const std::array<TextKey, 11> kTextKeys{{
    {"target", [](const DeviceFace& d) { return d.fingerprint.target; }},
    {"vendor", [](const DeviceFace& d) { return d.fingerprint.vendor; }},
    {"architecture", [](const DeviceFace& d) { return d.fingerprint.architecture; }},
    {"device", [](const DeviceFace& d) { return d.fingerprint.device; }},
    {"backend", [](const DeviceFace& d) { return d.fingerprint.backend; }},
    {"browser", [](const DeviceFace& d) { return d.fingerprint.browser; }},
    {"os", [](const DeviceFace& d) { return d.fingerprint.os; }},
    {"kind", [](const DeviceFace& d) { return device_kind(d.fingerprint); }},
    {"key", [](const DeviceFace& d) { return d.device_key; }},
    {"id", [](const DeviceFace& d) { return d.device_id; }},
    {"agent", [](const DeviceFace& d) { return d.agent_name; }},
}};
constexpr std::string_view kLimitPrefix = "limit.";

const TextKey* text_key(std::string_view name) {
  const auto found =
      std::find_if(kTextKeys.begin(), kTextKeys.end(), [&](const TextKey& key) { return key.name == name; });
  return found == kTextKeys.end() ? nullptr : &*found;
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool is_number_key(std::string_view key) {
  return key == "browser_major" || key.substr(0, kLimitPrefix.size()) == kLimitPrefix;
}

}  // namespace

std::string device_kind(const protocol::Fingerprint& fingerprint) {
  if (fingerprint.browser == fingerprint.target) return fingerprint.target;
  return cat(fingerprint.browser, "-", fingerprint.target);
}

Result<Selector::Term> Selector::parse_term(std::string_view text) {
  const auto wrong = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidArgument, cat("selector term '", std::string(text.substr(0, 200)), "' ", why)};
  };
  const size_t at = text.find_first_of("=!<>");
  if (at == std::string_view::npos || at == 0) return wrong("is not of the form key=value");
  Term term{.key = std::string(text.substr(0, at))};
  const std::string_view relation = text.substr(at, text[at] == '=' ? 1 : 2);
  if (relation == "=") term.relation = Relation::kEqual;
  else if (relation == "!=") term.relation = Relation::kUnequal;
  else if (relation == ">=") term.relation = Relation::kAtLeast;
  else if (relation == "<=") term.relation = Relation::kAtMost;
  else return wrong("needs one of = != >= <= after its key");
  term.value = std::string(text.substr(at + relation.size()));
  const bool is_number = is_number_key(term.key);
  if (!is_number && term.key != "feature" && !text_key(term.key))
    return wrong(
        "has an unknown key; known are target, vendor, architecture, device, backend, browser, browser_major, os, "
        "kind, key, id, agent, feature and limit.NAME");
  if (!is_number && (term.relation == Relation::kAtLeast || term.relation == Relation::kAtMost))
    return wrong("compares text; use = or !=");
  if (is_number) {
    const auto [end, error] = std::from_chars(term.value.data(), term.value.data() + term.value.size(), term.number);
    if (error != std::errc() || end != term.value.data() + term.value.size()) return wrong("needs a number");
  }
  return term;
}

Result<Selector> Selector::parse(std::string_view text) {
  Selector selector;
  if (text.find('=') == std::string_view::npos) {
    selector.name_ = std::string(text);
    return selector;
  }
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    HONE_ASSIGN(term, parse_term(text.substr(0, end)));
    selector.terms_.push_back(std::move(term));
    if (selector.terms_.size() > kSelectorTermsMax)
      return Error{ErrorCode::kInvalidArgument, cat("a selector has at most ", kSelectorTermsMax, " terms")};
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return selector;
}

bool Selector::holds(const Term& term, const DeviceFace& device) {
  const auto& fingerprint = device.fingerprint;
  bool equal = false;
  if (term.key == "feature") {
    equal =
        std::find(fingerprint.features.begin(), fingerprint.features.end(), term.value) != fingerprint.features.end();
  } else if (const TextKey* key = text_key(term.key)) {
    equal = same_but_for_case(key->value(device), term.value);
  } else {
    double number = fingerprint.browser_major;
    if (term.key != "browser_major") {
      const auto found = fingerprint.limits.find(term.key.substr(kLimitPrefix.size()));
      if (found == fingerprint.limits.end()) return term.relation == Relation::kUnequal;
      number = found->second;
    }
    if (term.relation == Relation::kAtLeast) return number >= term.number;
    if (term.relation == Relation::kAtMost) return number <= term.number;
    equal = number == term.number;
  }
  return equal == (term.relation == Relation::kEqual);
}

bool Selector::matches(const DeviceFace& device) const {
  if (!terms_.empty())
    return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) { return holds(term, device); });
  return name_.empty() || name_ == device.device_id || name_ == device.device_key ||
         name_ == device_kind(device.fingerprint) || name_ == device.agent_name || name_ == device.label;
}

}  // namespace hone::tracker
