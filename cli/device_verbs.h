// What people do with one device: hone devices label, show, drain, quarantine, resume, forget.
#pragma once
#include "cli/verb.h"

namespace hone::cli {

void add_device_verbs(Verb devices);

}  // namespace hone::cli
