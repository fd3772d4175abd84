// JSON as text: what somebody else wrote, parsed within bounds and quoted shortly (the only way that hone reads JSON from a socket, a file or a
// database), and values as lines.
#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/json_depth.h"
#include "base/result.h"

namespace hone {

struct JsonBounds {
  // Lists and objects within each other: copying and printing a tree take stack for each level.
  size_t depth_max = kJsonDepthMax;
  size_t bytes_max = 256 << 20;  // of the text
};

// The value, or kParseError with one sentence of bounded length ("it is not JSON from byte 17 on"), for the caller to say of what.
// The bounds are looked at before anything is built.
Result<nlohmann::json> parse_json(std::string_view text, JsonBounds bounds = {});

// Whether the text is a JSON object within the bounds, without keeping it. Fails as parse_json.
Status check_json_object(std::string_view text, JsonBounds bounds = {});

// What was found, for a message: the value itself where it is short, else its beginning, or what it is ("a list of 3000 items").
// Plain ASCII without control characters.
std::string json_excerpt(const nlohmann::json& json);

// The text of a value, on one line. Bytes that are not UTF-8 (a driver's words, a name of a model) are replaced, never thrown at. Not in this
// header: each unit that printed a value by itself would compile the library's printer anew.
std::string json_line(const nlohmann::json& json);
std::string json_line(const nlohmann::ordered_json& json);

}  // namespace hone
