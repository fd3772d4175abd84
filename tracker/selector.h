// Selector: which devices a job may use. Empty: any. Without '=': a device id, a device key, a kind ("chromium-webgpu") or an agent's name.
// Else terms joined by '&', all of which must hold:
//   target= vendor= architecture= device= backend= browser= os= kind= key= id= agent=   text, equal but for case (!= : unequal)
//   browser_major>=120                                                                   =, !=, >=, <=
//   feature=shader-f16                                                                   is offered (!= : is not)
//   limit.maxBufferSize>=1073741824                                                      =, !=, >=, <=
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/generated/protocol.h"

namespace hone::tracker {

// What a selector sees of a device.
struct DeviceFace {
  const std::string& device_id;
  const std::string& device_key;
  const std::string& agent_name;
  const std::string& label;
  const protocol::Fingerprint& fingerprint;
};

std::string device_kind(const protocol::Fingerprint& fingerprint);  // "chromium-webgpu", "native"

class Selector {
 public:
  static Result<Selector> parse(std::string_view text);  // kInvalidArgument says which term is wrong
  bool matches(const DeviceFace& device) const;

 private:
  enum class Relation : uint8_t { kEqual, kUnequal, kAtLeast, kAtMost };
  struct Term {
    std::string key;
    Relation relation = Relation::kEqual;
    std::string value;
    double number = 0;  // of the value, for keys that are numbers
  };
  static Result<Term> parse_term(std::string_view text);
  static bool holds(const Term& term, const DeviceFace& device);

  std::string name_;  // the whole text, where it is no expression
  std::vector<Term> terms_;
};

}  // namespace hone::tracker
