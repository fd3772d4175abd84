// What a user checks of a service that does not do what it should: each step from its name to its devices, as a finding with its remedy.
#pragma once
#include <vector>

#include "base/clock.h"
#include "cli/checkup.h"
#include "cli/service_url.h"
#include "schema/generated/protocol.h"

namespace hone::cli {

// Asks it, some seconds for each step at most. What cannot be asked after a step that failed is left out.
std::vector<Finding> check_farm(const ServiceUrl& url, const Clock& wall);

// One finding each, of what was heard.
Finding check_clock(const std::string& date_header, std::chrono::milliseconds here);
Finding check_devices(const std::vector<protocol::DeviceInfo>& devices);
// Of the error with which the service ended the greeting.
Finding check_refusal(const Error& error);

}  // namespace hone::cli
