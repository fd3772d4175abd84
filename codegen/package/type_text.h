// What a package tells a web project: types of its inputs and outputs, and what npm wants to know.
#pragma once
#include <string>

#include "schema/generated/manifest.h"

namespace hone::package {

// index.d.ts: load() and the model with its inputs and outputs by name.
std::string declarations(const protocol::Manifest& manifest);
// package.json of an ES module that is no part of any registry.
std::string package_json(const protocol::Manifest& manifest, const std::string& name);

}  // namespace hone::package
